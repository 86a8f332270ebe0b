import AuthClient
import AuthModel
import CommandLineKit
import JSON

/// The options for the proof of an identity, besides those for an access token.
struct ProofOptions: Sendable, Equatable {
    var readsIDToken = false
    var idTokenFile: String?
    var readsCode = false
    var codeFile: String?
    var redirectURI: String?
    var authDataFile: String?
    var id: String?
    var clientID: String?
}

/// Facebook's own options.
struct FacebookOptions: Sendable, Equatable {
    var permissions: [String] = []
    var fills = false
}

/// The options of a command that takes the proof of an identity.
protocol TakesProof: SendableMetatype {
    /// Whether standard input contains an access token.
    var readsToken: Bool { get }
    /// The path of a file with an access token.
    var tokenFile: String? { get }
    var proof: ProofOptions { get set }
}

protocol TakesFacebookOptions: SendableMetatype {
    var facebook: FacebookOptions { get set }
}

/// A source of a value: a file, or standard input (`-`).
private struct ProofSource {
    let option: String
    let path: String
    let kind: IdentityProof.Kind
}

extension TakesProof {
    fileprivate var sources: [ProofSource] {
        let all: [(option: String, path: String?, kind: IdentityProof.Kind)] = [
            ("--token-stdin", readsToken ? "-" : nil, .accessToken), ("--token-file", tokenFile, .accessToken),
            ("--id-token-stdin", proof.readsIDToken ? "-" : nil, .idToken),
            ("--id-token-file", proof.idTokenFile, .idToken),
            ("--code-stdin", proof.readsCode ? "-" : nil, .code), ("--code-file", proof.codeFile, .code),
            ("--auth-data-file", proof.authDataFile, .authData),
        ]
        return all.compactMap { source in
            source.path.map { ProofSource(option: source.option, path: $0, kind: source.kind) }
        }
    }

    /// The first option given that only an identity has.
    var givenProofOption: String? {
        if let source = sources.first(where: { $0.kind != .accessToken }) { return source.option }
        if proof.redirectURI != nil { return "--redirect-uri" }
        return proof.id != nil ? "--identity-id" : proof.clientID != nil ? "--client-id" : nil
    }

    /// The first option given that tells about an identity.
    var givenIdentityOption: String? { sources.first?.option ?? givenProofOption }
}

extension Array {
    /// The options for the proof of an identity, besides those for an access token.
    static func proof<Options: TakesProof>() -> [Argument<Options>] where Element == Argument<Options> {
        [
            .flag(
                { $0.proof.readsIDToken = $1 }, "id-token-stdin", help: "Read an ID token (a JWT) from standard input."),
            .option(
                { $0.proof.idTokenFile = $1 }, "id-token-file", value: "FILE", help: "Read an ID token from FILE."),
            .flag(
                { $0.proof.readsCode = $1 }, "code-stdin", help: "Read an authorization code from standard input."),
            .option(
                { $0.proof.codeFile = $1 }, "code-file", value: "FILE", help: "Read an authorization code from FILE."),
            .option(
                { $0.proof.redirectURI = $1 }, "redirect-uri", value: "URL",
                help: "Redirect URI that the code was issued for."),
            .option(
                { $0.proof.authDataFile = $1 }, "auth-data-file", value: "FILE",
                help: "Read the object for Parse's `authData` from FILE."),
            .option(
                { $0.proof.id = $1 }, "identity-id", value: "ID",
                help: "Id of the user at the provider."),
            .option(
                { $0.proof.clientID = $1 }, "client-id", value: "ID",
                help: "Id of the app at the provider."),
        ]
    }

    /// Facebook's own options.
    static func facebook<Options: TakesFacebookOptions>() -> [Argument<Options>]
    where Element == Argument<Options> {
        [
            .list(
                { $0.facebook.permissions.append($1) }, "permission", value: "NAME",
                help: "Request an additional Facebook permission."),
            .flag(
                { $0.facebook.fills = $1 }, "fill-user",
                help: "Fill empty fields with name and e-mail from Facebook."),
        ]
    }
}

/// Reads the proof of an identity from the sources that the options name.
struct IdentityInput {
    let context: Context

    static func provider(_ name: String) throws(AuthError) -> IdentityProvider {
        // Parse lists the second factor among the identities.
        if let provider = IdentityProvider(name), name != "mfa" { return provider }
        let known = IdentityProvider.known.map(\.name).joined(separator: ", ")
        throw AuthError(
            .usage, "'\(name)' is not the name of an identity provider",
            next: "use the server's name for it, such as \(known): lowercase letters, digits, '_' and '-'")
    }

    /// Facebook without a proof means device login. Parse's anonymous users have no provider.
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
        return GivenIdentity(
            IdentityCredential(provider, id: try id(options), clientID: options.proof.clientID, proof))
    }

    /// - Parameter facebook: permissions are only for a device login.
    func facebook(
        _ options: some TakesProof, _ facebook: FacebookOptions
    ) throws(AuthError) -> FacebookSource {
        let id = try id(options)
        for permission in facebook.permissions { try requirePermission(permission) }
        guard let proof = try proof(options) else {
            return FacebookSource(.device(permissions: facebook.permissions), id: id)
        }
        guard facebook.permissions.isEmpty else {
            throw AuthError(
                .usage, "option --permission cannot be used with a token",
                next: "remove --permission: a token has its permissions already")
        }
        return FacebookSource(.given(proof), id: id, clientID: options.proof.clientID)
    }

    private func proof(_ options: some TakesProof) throws(AuthError) -> IdentityProof? {
        let sources = options.sources
        if options.proof.redirectURI != nil, sources.first?.kind != .code {
            throw AuthError(.usage, "option --redirect-uri requires a code", next: "add --code-file or --code-stdin")
        }
        guard let first = sources.first else { return nil }
        if sources.count == 1 {
            switch first.kind {
            case .idToken: return .idToken(try token("ID token", first))
            case .accessToken: return .accessToken(try token("access token", first))
            case .code: return .code(try token("code", first), redirectURI: options.proof.redirectURI)
            case .authData: return .authData(try authData(first.path))
            }
        }
        let second = sources[1]
        guard sources.count == 2, first.kind == .accessToken, second.kind == .idToken else {
            throw AuthError(
                .usage, "options \(first.option) and \(second.option) are mutually exclusive", next: "use one of them")
        }
        guard first.path != "-" || second.path != "-" else {
            throw AuthError(.usage, "standard input cannot contain two tokens", next: "read one of them from a file")
        }
        return .tokens(idToken: try token("ID token", second), accessToken: try token("access token", first))
    }

    private func token(_ what: String, _ source: ProofSource) throws(AuthError) -> Secret {
        try SecretReader(what: what, context: context).token(in: source.path)
    }

    /// A JSON object of at most 64 KiB. Its strings are masked from now on.
    private func authData(_ path: String) throws(AuthError) -> Secret {
        let text = try SecretReader(what: "authData", context: context).file(path)
        // `try?`: the message says what is required.
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

    /// Short strings, such as a language, are no secrets.
    private func register(_ value: JSONValue) {
        switch value {
        case .string(let text) where text.utf8.count >= 8: context.world.masker.register(text)
        case .array(let elements): for element in elements { register(element) }
        case .object(let object): for member in object.members where member.name != "id" { register(member.value) }
        default: break
        }
    }

    /// The format of ids is not documented for every provider, so any printable text is accepted.
    private func id(_ options: some TakesProof) throws(AuthError) -> String? {
        guard let id = options.proof.id else { return nil }
        guard !id.isEmpty else { throw AuthError(.usage, "the id of the identity is empty") }
        try id.requirePlain("id of the identity")
        return id
    }

    /// Facebook's format of permission names: `user_birthday`. A comma would separate two names.
    private func requirePermission(_ name: String) throws(AuthError) {
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard isName, !name.isEmpty else {
            throw AuthError(
                .usage, "'\(name)' is not a permission (option '--permission')",
                next: "use a name such as user_birthday; repeat --permission for several")
        }
    }
}
