import AuthClient
import AuthModel
import CommandLineKit
import JSON

/// The options for the proof of an identity, except the options for an access token.
struct ProofOptions: Sendable, Equatable {
    var idTokenFile: String?
    var codeFile: String?
    var redirectURI: String?
    var codeVerifierFile: String?
    var authDataFile: String?
    var id: String?
    var clientID: String?
    var nonce: String?
}

/// The options that are valid only with Facebook.
struct FacebookOptions: Sendable, Equatable {
    var permissions: [String] = []
    var fills = false
}

protocol TakesProof: SendableMetatype {
    var tokenFile: String? { get }
    var proof: ProofOptions { get set }
}

protocol TakesFacebookOptions: SendableMetatype {
    var facebook: FacebookOptions { get set }
}

extension ProofOptions {
    private static let accessTokens = ["token-stdin", "token-file"]
    private static let idTokens = ["id-token-stdin", "id-token-file"]
    private static let codes = ["code-stdin", "code-file", "auth-data-file"]
    fileprivate static let sources = accessTokens + idTokens + codes
    /// The options that apply only to a login with an identity.
    static let names = idTokens + codes + ["redirect-uri", "code-verifier-file", "identity-id", "client-id", "nonce"]
    static let allNames = accessTokens + names

    /// An access token and an ID token may be combined.
    static let rules: [OptionRule] = [
        .exclusive("token-stdin", "token-file"), .exclusive("id-token-stdin", "id-token-file"),
        .exclusive(groups: [accessTokens + idTokens] + codes.map { [$0] }),
        .requires(["redirect-uri", "code-verifier-file"], oneOf: ["code-file", "code-stdin"]),
        .exclusive("identity-id", "auth-data-file"),
    ]

    /// The rules of a command that may also need the password.
    static let passwordRules: [OptionRule] = [
        .onePassword, .exclusive(groups: [["token-stdin", "id-token-stdin", "code-stdin"], ["password-stdin"]]),
    ]
}

extension FacebookOptions {
    /// A proof and `--permission` are mutually exclusive, because only a device login requests permissions.
    static let rule = OptionRule.exclusive(groups: [ProofOptions.sources, ["permission"]])
}

extension Array {
    /// The options for the proof of an identity, except the options for an access token.
    static func proof<Options: TakesProof>() -> [Argument<Options>] where Element == Argument<Options> {
        [
            .flag(
                { $0.proof.idTokenFile = $1 }, "id-token-stdin", sets: "-",
                help: "Read an ID token (a JWT) from standard input."),
            .option(
                { $0.proof.idTokenFile = $1 }, "id-token-file", value: "FILE", help: "Read an ID token from FILE."),
            .flag(
                { $0.proof.codeFile = $1 }, "code-stdin", sets: "-",
                help: "Read an authorization code from standard input."),
            .option(
                { $0.proof.codeFile = $1 }, "code-file", value: "FILE", help: "Read an authorization code from FILE."),
            .option(
                { $0.proof.redirectURI = $1 }, "redirect-uri", value: "URL",
                help: "Redirect URI of the authorization request."),
            .option(
                { $0.proof.codeVerifierFile = $1 }, "code-verifier-file", value: "FILE",
                help: "Read the request's code verifier (PKCE) from FILE."),
            .option(
                { $0.proof.authDataFile = $1 }, "auth-data-file", value: "FILE",
                help: "Read the provider's `authData` (Parse) from FILE."),
            .option({ $0.proof.id = $1 }, "identity-id", value: "ID", help: "The provider's id for the user."),
            .option({ $0.proof.clientID = $1 }, "client-id", value: "ID", help: "The provider's id for the app."),
            .option(
                { $0.proof.nonce = $1 }, "nonce", value: "TEXT",
                help: "The nonce of the ID token (Supabase)."),
        ]
    }

    /// The options that are valid only with Facebook.
    static func facebook<Options: TakesFacebookOptions>() -> [Argument<Options>]
    where Element == Argument<Options> {
        [
            .list(
                { $0.facebook.permissions.append($1) }, "permission", value: "NAME",
                help: "Request a Facebook permission."),
            .flag(
                { $0.facebook.fills = $1 }, "fill-user",
                help: "Fill empty fields with Facebook's name and e-mail."),
        ]
    }
}

/// Reads the proof of an identity from the sources that the options name.
struct IdentityInput {
    let context: Context

    static func provider(_ name: String) throws(AuthError) -> IdentityProvider {
        // Parse lists the second factor among the identities as `mfa`, which is not a provider.
        if let provider = IdentityProvider(name), name != "mfa" { return provider }
        let known = IdentityProvider.known.map(\.name).joined(separator: ", ")
        throw AuthError(
            .usage, "'\(name)' is not the name of an identity provider",
            next: "use the server's name for it, such as \(known): letters, digits, '_' and '-'")
    }

    /// The source of the identity; for Facebook without a proof, a device login. Rejects the name `anonymous`.
    func source(
        _ provider: IdentityProvider, _ options: some TakesProof, _ facebook: FacebookOptions = FacebookOptions()
    ) throws(AuthError) -> any IdentitySource {
        if provider == .facebook { return try self.facebook(options, facebook) }
        guard provider.name != "anonymous" else {
            throw AuthError(
                .usage, "'anonymous' is not the name of an identity provider",
                next: NextStep("create an anonymous user", run: ["login", "--anonymous"]))
        }
        guard let proof = try proof(options) else {
            throw AuthError(
                .usage, "a proof of the \(provider.title) identity is required",
                next: "use --id-token-file, --token-file, --code-file or --auth-data-file")
        }
        return IdentityCredential(
            provider, id: try id(options), clientID: options.proof.clientID, nonce: options.proof.nonce, proof)
    }

    /// - Parameter facebook: the Facebook options. Permissions are used only for a device login.
    func facebook(_ options: some TakesProof, _ facebook: FacebookOptions) throws(AuthError) -> FacebookSource {
        let id = try id(options)
        for permission in facebook.permissions { try requirePermission(permission) }
        guard let proof = try proof(options) else {
            return FacebookSource(.device(permissions: facebook.permissions), id: id)
        }
        return FacebookSource(.given(proof), id: id, clientID: options.proof.clientID, nonce: options.proof.nonce)
    }

    private func proof(_ options: some TakesProof) throws(AuthError) -> IdentityProof? {
        let proof = options.proof
        if let uri = proof.redirectURI { try requireRedirectURI(uri) }
        if let path = proof.codeFile {
            let verifier = try proof.codeVerifierFile.map { path throws(AuthError) in
                try token("code verifier", path)
            }
            return .code(try token("code", path), redirectURI: proof.redirectURI, verifier: verifier)
        }
        if let path = proof.authDataFile { return .authData(try authData(path)) }
        let (idPath, path) = (proof.idTokenFile, options.tokenFile)
        guard proof.nonce == nil || idPath != nil else {
            throw AuthError(.usage, "option --nonce requires an ID token", next: "add --id-token-file FILE")
        }
        guard idPath != "-" || path != "-" else {
            throw AuthError(.usage, "standard input cannot contain two tokens", next: "read one of them from a file")
        }
        let idToken = try idPath.map { path throws(AuthError) in try token("ID token", path) }
        guard let path else { return idToken.map { .idToken($0) } }
        let accessToken = try token("access token", path)
        return idToken.map { .tokens(idToken: $0, accessToken: accessToken) } ?? .accessToken(accessToken)
    }

    /// Requires an absolute URI of any scheme but those that contain code or data, or Google's word `postmessage`.
    private func requireRedirectURI(_ text: String) throws(AuthError) {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        let isURI =
            text.isVisibleASCII && text.utf8.count > scheme.utf8.count + 1 && scheme.utf8.first?.isASCIILetter == true
            && scheme.utf8.allSatisfy { $0.isASCIILetterOrDigit || "+-.".utf8.contains($0) }
            && !["javascript", "vbscript", "data"].contains(scheme)
        guard isURI || text == "postmessage" else {
            throw AuthError(
                .usage, "'\(text)' is not a redirect URI (option '--redirect-uri')",
                next: "use the URI of the authorization request, such as https://app.example.org/callback")
        }
    }

    private func token(_ what: String, _ path: String) throws(AuthError) -> Secret {
        try SecretReader(what: what, context: context).token(in: path)
    }

    /// Reads a JSON object of at most 64 KiB, and registers its strings for masking.
    private func authData(_ path: String) throws(AuthError) -> Secret {
        let text = try SecretReader(what: "authData", context: context).document(in: path)
        // `try?`: the error below explains what is required.
        guard let object = (try? JSONValue(parsing: Array(text.reveal().utf8)))?.object else {
            throw AuthError(
                .usage, "the authData from \(path == "-" ? "standard input" : "file '\(path)'") is not a JSON object",
                next:
                    "write the object that stands under the provider's name, such as {\"id\":\"1\",\"id_token\":\"...\"}"
            )
        }
        register(.object(object))
        return text
    }

    /// Registers the strings of a value for masking, except ids and short strings such as a language.
    private func register(_ value: JSONValue) {
        switch value {
        case .string(let text) where text.utf8.count >= 8: context.world.masker.register(text)
        case .array(let elements): for element in elements { register(element) }
        case .object(let object): for member in object.members where member.name != "id" { register(member.value) }
        default: break
        }
    }

    /// Accepts any printable text, because not every provider documents the format of its ids.
    private func id(_ options: some TakesProof) throws(AuthError) -> String? {
        guard let id = options.proof.id else { return nil }
        guard !id.isEmpty else { throw AuthError(.usage, "the id of the identity is empty") }
        try id.requirePlain("id of the identity")
        return id
    }

    /// Checks that the text is one Facebook permission, such as `user_birthday`, and not a comma-separated list.
    private func requirePermission(_ name: String) throws(AuthError) {
        let isName = name.utf8.allSatisfy { 0x61...0x7A ~= $0 || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
        guard isName, !name.isEmpty else {
            throw AuthError(
                .usage, "'\(name)' is not a permission (option '--permission')",
                next: "use a name such as user_birthday; repeat --permission for several")
        }
    }
}
