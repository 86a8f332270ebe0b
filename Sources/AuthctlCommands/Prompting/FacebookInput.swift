import AuthModel
import CommandLineKit

/// The options for a Facebook identity.
struct FacebookOptions: Sendable, Equatable {
    var readsIDToken = false
    var idTokenFile: String?
    var id: String?
    var permissions: [String] = []
    var fills = false
}

/// The options of a command that requires a Facebook identity.
protocol TakesFacebookIdentity: SendableMetatype {
    /// Whether standard input contains an access token.
    var readsToken: Bool { get }
    /// The path of a file with an access token.
    var tokenFile: String? { get }
    var facebook: FacebookOptions { get set }
}

extension TakesFacebookIdentity {
    /// The first option given that requires Facebook.
    var givenFacebookOption: String? {
        if facebook.readsIDToken { return "--id-token-stdin" }
        if facebook.idTokenFile != nil { return "--id-token-file" }
        if facebook.id != nil { return "--facebook-id" }
        if !facebook.permissions.isEmpty { return "--permission" }
        return facebook.fills ? "--fill-user" : nil
    }

    /// Whether a token is given.
    var hasFacebookToken: Bool {
        readsToken || tokenFile != nil || facebook.readsIDToken || facebook.idTokenFile != nil
    }
}

extension Array {
    /// The common options of `login` and `link-facebook`, besides those for an access token.
    static func facebook<Options: TakesFacebookIdentity>() -> [Argument<Options>]
    where Element == Argument<Options> {
        [
            .flag(
                { $0.facebook.readsIDToken = $1 }, "id-token-stdin",
                help: "Read a Facebook ID token (Limited Login) from standard input."),
            .option(
                { $0.facebook.idTokenFile = $1 }, "id-token-file", value: "FILE",
                help: "Read a Facebook ID token (Limited Login) from FILE."),
            .option(
                { $0.facebook.id = $1 }, "facebook-id", value: "ID",
                help: "Id of the Facebook user, if authctl cannot ask Facebook."),
            .list(
                { $0.facebook.permissions.append($1) }, "permission", value: "NAME",
                help: "Also request this Facebook permission in the device login."),
            .flag(
                { $0.facebook.fills = $1 }, "fill-user",
                help: "Fill empty fields of the user with name and e-mail from Facebook."),
        ]
    }
}

/// Obtains a Facebook credential from the options; without a token, it selects the device login.
struct FacebookInput {
    let context: Context

    func credential(_ options: some TakesFacebookIdentity) throws(AuthError) -> FacebookCredential {
        let id = try options.facebook.id.map { id throws(AuthError) in try checked(id) }
        for permission in options.facebook.permissions { try requirePermission(permission) }
        guard let proof = try proof(options) else {
            return FacebookCredential(.device(permissions: options.facebook.permissions), id: id)
        }
        guard options.facebook.permissions.isEmpty else {
            throw AuthError(
                .usage, "option --permission cannot be used with a token",
                next: "remove --permission: a token has its permissions already")
        }
        return FacebookCredential(.given(proof), id: id)
    }

    private func proof(_ options: some TakesFacebookIdentity) throws(AuthError) -> FacebookIdentity.Proof? {
        let sources: [(option: String, path: String?, isIDToken: Bool)] = [
            ("--token-stdin", options.readsToken ? "-" : nil, false), ("--token-file", options.tokenFile, false),
            ("--id-token-stdin", options.facebook.readsIDToken ? "-" : nil, true),
            ("--id-token-file", options.facebook.idTokenFile, true),
        ]
        let given = sources.filter { $0.path != nil }
        guard given.count <= 1 else {
            throw AuthError(
                .usage, "options \(given[0].option) and \(given[1].option) are mutually exclusive",
                next: "use one of them")
        }
        guard let source = given.first, let path = source.path else { return nil }
        let reader = SecretReader(what: source.isIDToken ? "ID token" : "Facebook token", context: context)
        let token = try reader.token(in: path)
        return source.isIDToken ? .idToken(token) : .accessToken(token)
    }

    /// Facebook's ids contain only digits so far, but the format is not documented, so other characters are accepted.
    private func checked(_ id: String) throws(AuthError) -> String {
        guard !id.isEmpty else { throw AuthError(.usage, "the Facebook id is empty") }
        try id.requirePlain("Facebook id")
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
