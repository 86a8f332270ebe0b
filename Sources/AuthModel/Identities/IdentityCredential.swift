import Platform

/// An identity provider, identified by its name in requests: `facebook`, `google`.
package struct IdentityProvider: Sendable, Hashable {
    package let name: String

    /// - Parameter name: the server's name. The case of letters is ignored only in the names of `known`.
    /// - Returns: `nil` unless the name consists of 1 to 64 ASCII letters, digits, `_` and `-`.
    package init?(_ name: String) {
        guard name.isProviderName else { return nil }
        self = Self.known.first { $0.name == name.lowercased() } ?? IdentityProvider(known: name)
    }

    private init(known name: String) { self.name = name }

    package static let apple = IdentityProvider(known: "apple")
    package static let facebook = IdentityProvider(known: "facebook")
    package static let github = IdentityProvider(known: "github")
    package static let google = IdentityProvider(known: "google")
    package static let microsoft = IdentityProvider(known: "microsoft")

    /// The providers that help and completion list. A server may accept other providers.
    package static let known: [IdentityProvider] = [.apple, .facebook, .github, .google, .microsoft]

    /// The display name in messages. For a provider that is not in `known`, this is `name`.
    package var title: String {
        switch self {
        case .apple: "Apple"
        case .facebook: "Facebook"
        case .github: "GitHub"
        case .google: "Google"
        case .microsoft: "Microsoft"
        default: name
        }
    }
}

/// An identity that is linked to an account.
package struct Identity: Sendable, Equatable {
    /// The server's name for the provider.
    package let provider: String
    /// The user's id at the provider; `nil` if the server does not report it. Always `nil` for Parse's anonymous users:
    /// their id is secret, because a login requires nothing else.
    package let id: String?

    package init(provider: String, id: String?) {
        self.provider = provider
        self.id = provider == "anonymous" ? nil : id
    }
}

extension [Identity] {
    package func link(to provider: IdentityProvider) -> IdentityLink {
        let own = filter { $0.provider == provider.name }
        return own.isEmpty ? .none : .linked(ids: own.compactMap(\.id))
    }
}

/// The proof of an identity. The server verifies it, or sends it to the provider for verification.
package enum IdentityProof: Sendable, Equatable {
    /// At least one token. An ID token is a signed JWT about the user (OpenID Connect; Facebook: Limited Login).
    case tokens(idToken: Secret?, accessToken: Secret?)
    /// An OAuth authorization code, with the redirect URI and the code verifier (PKCE) that it was requested with.
    case code(Secret, redirectURI: String?, verifier: Secret? = nil)
    /// A JSON object: the value of the provider's member in Parse's `authData`.
    case authData(Secret)

    package enum Kind: String, Sendable {
        case idToken = "an ID token"
        case accessToken = "an access token"
        case code = "a code"
        case authData = "authData"
    }

    package static func idToken(_ token: Secret) -> IdentityProof { .tokens(idToken: token, accessToken: nil) }
    package static func accessToken(_ token: Secret) -> IdentityProof { .tokens(idToken: nil, accessToken: token) }

    package var kinds: [Kind] {
        switch self {
        case .tokens(let idToken, let accessToken):
            (idToken == nil ? [] : [.idToken]) + (accessToken == nil ? [] : [.accessToken])
        case .code: [.code]
        case .authData: [.authData]
        }
    }

    package var idToken: Secret? { if case .tokens(let token, _) = self { token } else { nil } }
    package var accessToken: Secret? { if case .tokens(_, let token) = self { token } else { nil } }
}

/// An identity and its proof, for linking or for a login.
package struct IdentityCredential: Sendable, Equatable {
    package let provider: IdentityProvider
    /// The user's id at the provider; `nil` if it is unknown. The id is opaque. Some providers use a different id for
    /// each app.
    package let id: String?
    /// The id of the app to which the provider issued the proof, if the user specified one.
    package let clientID: String?
    package let proof: IdentityProof
    /// The nonce of an ID token, which contains its hash. Valid only once, so not a secret.
    package let nonce: String?

    package init(
        _ provider: IdentityProvider, id: String? = nil, clientID: String? = nil, nonce: String? = nil,
        _ proof: IdentityProof
    ) {
        self.provider = provider
        self.id = id
        self.clientID = clientID
        self.nonce = nonce
        self.proof = proof
    }

    /// Checks that the server accepts this kind of proof.
    ///
    /// - Parameter server: the server's name in the error: "the site".
    /// - Throws: `BackendError` `unsupported` if the server does not accept the proof.
    package func require(_ accepted: [IdentityProof.Kind], at server: String) throws(BackendError) {
        guard let other = proof.kinds.first(where: { !accepted.contains($0) }) else { return }
        throw BackendError(
            .unsupported, "\(server) does not accept \(other.rawValue) for \(provider.title) identities",
            next: NextStep("use \(Self.list(accepted.map(\.rawValue)))"))
    }

    /// Joins the words: "an ID token, an access token or a code".
    private static func list(_ words: [String]) -> String {
        let start = words.dropLast().joined(separator: ", ")
        return start.isEmpty ? words.joined() : "\(start) or \(words[words.count - 1])"
    }
}

/// A provider's data about a user.
package struct IdentityProfile: Sendable, Equatable {
    package let id: String
    package let name: String?
    package let firstName: String?
    package let lastName: String?
    /// `nil` if the account has no e-mail, or if the user did not allow the app to read it.
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
