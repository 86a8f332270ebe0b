package import AuthModel
import JSON
import Platform

/// Supplies the proof of an identity, such as a token or a code.
package protocol IdentitySource: Sendable {
    var provider: IdentityProvider { get }
    /// Whether the user must log in to the provider while the command runs.
    var isInteractive: Bool { get }
    /// The options that select this proof, for a command in a hint.
    var options: [String] { get }

    /// Obtains the proof. Called before the identity is sent to the account server.
    ///
    /// - Returns: the identity, and the user's profile from the provider if it was obtained.
    func credential(
        for backend: any Backend, _ client: Client, wantsProfile: Bool
    ) throws(AuthError) -> (credential: IdentityCredential, profile: IdentityProfile?)
}

extension IdentitySource {
    var loginArguments: [String] { ["--provider", provider.name] + options }

    var linkArguments: [String] { [provider.name] + options }
}

extension IdentityProvider {
    /// The arguments of `login` for this provider. Facebook needs no file, because it has a device login.
    var loginArguments: [String] { ["--provider", name] + (self == .facebook ? [] : ["--id-token-file", "FILE"]) }
}

/// An identity whose proof the user supplied.
extension IdentityCredential: IdentitySource {
    package var isInteractive: Bool { false }

    package func credential(
        for backend: any Backend, _ client: Client, wantsProfile: Bool
    ) throws(AuthError) -> (credential: IdentityCredential, profile: IdentityProfile?) {
        // dj-rest-auth does not ask Google which app an access token was issued to, so it accepts tokens of any app.
        // Source: allauth 65.21, `providers/google/views.py`.
        let backend = client.settings.backend.value
        try requireNonce(at: client.settings)
        if provider == .google, proof.kinds == [.accessToken], backend.has(.asksProvider) {
            client.events.warn(
                "a Google access token does not tell which app it was issued to",
                next: "add the ID token: --id-token-file FILE")
        }
        let claims = try proof.idToken.map { token throws(AuthError) in try IDTokenClaims(token, of: self, client) }
        return (
            IdentityCredential(
                provider, id: id ?? claims?.profile.id, clientID: clientID, nonce: nonce, proof),
            claims?.profile
        )
    }
}

/// The claims of an ID token. The server verifies the signature of the token; authctl does not.
///
/// The token is a JWT with the claims `sub`, `aud`, `exp`, and optionally `name`, `given_name`, `family_name`, `email`.
/// For servers that accept test identities, it may be a JSON object with `sub` or `id`. Source: OpenID Connect Core
/// 1.0, sections 2 and 5.1; allauth 65.21, `providers/dummy/provider.py`.
struct IDTokenClaims {
    /// The `aud` claim: the apps that the token was issued to.
    let appIDs: [String]
    /// The user's profile, whose id is the `sub` claim.
    let profile: IdentityProfile

    /// Only warns about an expired token, because the server decides whether to accept it.
    ///
    /// - Throws: `AuthError` `usage` if `token` is not an ID token, contains no user id, or belongs to a user other
    ///   than the one in the options.
    init(_ token: Secret, of given: IdentityCredential, _ client: Client) throws(AuthError) {
        let payload = JWT.payload(of: token)
        // `try?`: a string that is not JSON is not an ID token.
        guard let object = payload ?? (try? JSONValue(parsing: Array(token.reveal().utf8)))?.object else {
            throw AuthError(
                .usage, "the text is not an ID token: it is not a JWT",
                next: "for an access token, use --token-stdin or --token-file")
        }
        let text = { (name: String) in object[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
        let name = payload == nil && object["sub"] == nil ? "id" : "sub"
        guard let id = text(name) ?? object[name]?.integer.map({ String($0) }), id.isVisibleASCII else {
            // Reject the token here, because allauth 65.21 responds to a missing or invalid `sub` with status 500.
            throw AuthError(.usage, "the ID token names no user: it has no valid claim 'sub'")
        }
        if let expected = given.id, id != expected {
            throw AuthError(
                .usage, "the ID token belongs to \(given.provider.title) user '\(id)', not to '\(expected)'",
                next: "remove --identity-id")
        }
        let audience = object["aud"].map { $0.array ?? [$0] } ?? []
        appIDs = audience.compactMap { $0.string ?? $0.integer.map { String($0) } }
        profile = IdentityProfile(
            id: id, name: text("name"), firstName: text("given_name"), lastName: text("family_name"),
            email: text("email"))
        if let end = JWT(token)?.expiresAt, end < client.clock.now() {
            client.events.warn("the ID token has expired: the server may reject it")
        }
    }
}

extension IdentityCredential {
    /// - Throws: `AuthError` `unsupported` if the server would ignore the nonce.
    func requireNonce(at settings: Settings) throws(AuthError) {
        guard nonce != nil, !settings.backend.value.has(.takesNonce) else { return }
        throw AuthError(
            .unsupported, "backend '\(settings.backendName)' does not use a nonce", next: "remove --nonce")
    }

    package var options: [String] {
        let proof: [String] =
            switch proof {
            case .tokens(let idToken, let accessToken):
                (idToken == nil ? [] : ["--id-token-file", "FILE"])
                    + (accessToken == nil ? [] : ["--token-file", "FILE"])
            case .code(_, let redirectURI, let verifier):
                ["--code-file", "FILE"] + (redirectURI.map { .option("--redirect-uri", $0) } ?? [])
                    + (verifier == nil ? [] : ["--code-verifier-file", "FILE"])
            case .authData: ["--auth-data-file", "FILE"]
            }
        return proof + (nonce.map { .option("--nonce", $0) } ?? []) + (id.map { .option("--identity-id", $0) } ?? [])
            + (clientID.map { .option("--client-id", $0) } ?? [])
    }
}
