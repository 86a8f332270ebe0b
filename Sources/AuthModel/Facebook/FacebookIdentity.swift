/// Somebody at Facebook, and what proves it.
package struct FacebookIdentity: Sendable, Equatable {
    package enum Proof: Sendable, Equatable {
        /// A user access token of the app that the server knows.
        case accessToken(Secret)
        /// A token of Limited Login: a signed text about the user, with which nothing can be asked of Facebook.
        case idToken(Secret)

        package var token: Secret {
            switch self {
            case .accessToken(let token), .idToken(let token): token
            }
        }
    }

    /// Facebook's id of the user, opaque and another one in each app; `nil`: not known, and many servers ask for it.
    package let id: String?
    package let proof: Proof

    package init(id: String? = nil, _ proof: Proof) {
        self.id = id
        self.proof = proof
    }
}

/// How somebody shows who they are at Facebook.
package struct FacebookCredential: Sendable, Equatable {
    package enum Source: Sendable, Equatable {
        case given(FacebookIdentity.Proof)
        /// In a browser, on whatever device: Facebook Login for Devices.
        ///
        /// - Parameter permissions: beyond those that are always asked for.
        case device(permissions: [String])
    }

    package let source: Source
    /// What somebody says that their id is, where Facebook need not be asked.
    package let id: String?

    package init(_ source: Source, id: String? = nil) {
        self.source = source
        self.id = id
    }
}

/// What Facebook tells of a user.
package struct FacebookProfile: Sendable, Equatable {
    package let id: String
    package let name: String?
    package let firstName: String?
    package let lastName: String?
    /// Missing also where the user did not allow the app to see it.
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
