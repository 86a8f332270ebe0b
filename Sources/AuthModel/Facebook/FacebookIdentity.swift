/// A Facebook user and the token that proves the identity.
package struct FacebookIdentity: Sendable, Equatable {
    package enum Proof: Sendable, Equatable {
        /// A user access token of the app that the server knows.
        case accessToken(Secret)
        /// A token of Limited Login: a signed JWT about the user. The Graph API does not accept it.
        case idToken(Secret)

        package var token: Secret {
            switch self {
            case .accessToken(let token), .idToken(let token): token
            }
        }
    }

    /// Facebook's id of the user, opaque and different in each app; `nil`: not known. Many servers require it.
    package let id: String?
    package let proof: Proof

    package init(id: String? = nil, _ proof: Proof) {
        self.id = id
        self.proof = proof
    }
}

/// How the user logs in to Facebook.
package struct FacebookCredential: Sendable, Equatable {
    package enum Source: Sendable, Equatable {
        case given(FacebookIdentity.Proof)
        /// In a browser on any device: Facebook Login for Devices.
        ///
        /// - Parameter permissions: in addition to those that are always requested.
        case device(permissions: [String])
    }

    package let source: Source
    /// The id if the user specified it, so that Facebook need not be queried.
    package let id: String?

    package init(_ source: Source, id: String? = nil) {
        self.source = source
        self.id = id
    }
}

/// Facebook's data about a user.
package struct FacebookProfile: Sendable, Equatable {
    package let id: String
    package let name: String?
    package let firstName: String?
    package let lastName: String?
    /// Also missing if the user did not allow the app to read it.
    package let email: String?

    package init(
        id: String, name: String? = nil, firstName: String? = nil, lastName: String? = nil, email: String? = nil
    ) {
        self.id = id
        self.name = name
        self.firstName = firstName
        self.lastName = lastName
        self.email = email
    }
}
