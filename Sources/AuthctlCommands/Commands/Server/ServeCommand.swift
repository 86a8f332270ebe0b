import AuthBackends
import AuthClient
package import AuthModel
import CommandLineKit
import JSON
import Platform

/// Serves local accounts over HTTP.
enum ServeCommand: Command {
    struct Options: CommandOptions {
        var port = EmbeddedAccounts.port
        var database: String?
        var mailFolder: String?
        var allowedOrigins: [String] = []
        var facebookAppIDs: [String] = []
        var facebookSecretFile: String?
    }

    static let name = "serve"
    static let usesProfile = false
    static let spec = CommandSpec<Options>(
        name,
        summary: "Serve local accounts over HTTP",
        discussion: """
            Speaks the Parse REST protocol for users and sessions on 127.0.0.1 until Ctrl-C. Prints its URL when ready. \
            Requests must carry the application id of `--app-id` ('local' by default) and, with `--client-key-file`, \
            that key as REST or JavaScript key. With `--facebook-app-id` users can log in with Facebook, and the server \
            checks each token with Facebook. `--verbose` prints one line per request on standard error.
            """,
        examples: [
            Example("authctl serve", "Serve the accounts of the backend `local`."),
            Example(
                "authctl serve --port 0 --json --database test.db", "For tests: a free port and a separate database."),
        ],
        exitCodes: [0, 2, 12],
        notes: .paragraphs(
            """
            The server follows Parse Server 8 for signup, login, logout, the current user, sessions, anonymous users, password \
            reset and e-mail verification. Classes, files, push and cloud code are not available. Requests for other host names \
            and cross-origin requests are rejected, except from the origins of `--allow-origin`.
            """),
        arguments: [
            .option(
                { $0.port = $1 }, "port", value: "PORT", default: "\(EmbeddedAccounts.port)",
                help: "Listen on this port; 0 means a free port.",
                parse: { text throws(ArgumentValueError) in
                    guard let port = UInt16(text) else { throw ArgumentValueError("'\(text)' is not a port") }
                    return Int(port)
                }),
            .option(
                { $0.database = $1 }, "database", value: "FILE", default: "the one of the backend `local`",
                help: "Use this SQLite database."),
            .option(
                { $0.mailFolder = $1 }, "mail-dir", value: "FOLDER",
                help: "Write e-mails to this folder, one file each."),
            .list(
                { $0.allowedOrigins.append($1) }, "allow-origin", value: "ORIGIN",
                help: "Allow requests from pages of this origin, such as `http://localhost:3000`."),
            .list(
                { $0.facebookAppIDs.append($1) }, "facebook-app-id", value: "ID",
                help: "Accept tokens of this Facebook app.",
                environment: ["AUTHCTL_FACEBOOK_APP_ID"]),
            .option(
                { $0.facebookSecretFile = $1 }, "facebook-app-secret-file", value: "FILE",
                help: "Read the app secret from FILE, to sign requests to Facebook."),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        for origin in options.allowedOrigins { try requireOrigin(origin) }
        let appID = context.globals.appID ?? EmbeddedAccounts.appID
        try Profile.requireAppID(Setting(appID, from: .option("--app-id")))
        let request = ServeRequest(
            port: options.port, appID: appID, database: options.database, clientKey: try clientKey(context),
            mailFolder: options.mailFolder, allowedOrigins: options.allowedOrigins,
            facebook: try facebook(options, context), log: log(context), warn: context.warn)
        try context.world.serve(request) { (url: String) throws(AuthError) in
            try context.announce(Output(url: url, appID: appID, processID: processID()))
        }
        return Output(url: nil, appID: appID, processID: processID())
    }

    /// Checks the form in which browsers send an origin: lowercase scheme, host and port only (RFC 6454, section 6.2).
    private static func requireOrigin(_ text: String) throws(AuthError) {
        let host = ["http://", "https://"].lazy.compactMap { scheme in
            text.hasPrefix(scheme) ? text.dropFirst(scheme.count) : nil
        }.first
        let isOrigin = host.map { !$0.isEmpty && !$0.utf8.contains { "/?#@*".utf8.contains($0) } } ?? false
        guard isOrigin, text == text.lowercased() else {
            throw AuthError(
                .usage, "'\(text)' is not an origin (option '--allow-origin')",
                next: "use an origin such as http://localhost:3000")
        }
    }

    private static func clientKey(_ context: Context) throws(AuthError) -> Secret? {
        guard let path = context.globals.clientKeyFile else { return nil }
        return try SecretReader(what: "client key", context: context).token(in: path)
    }

    private static func facebook(_ options: Options, _ context: Context) throws(AuthError) -> EmbeddedFacebook? {
        let ids = facebookAppIDs(options, context)
        for id in ids { try requireFacebookAppID(id) }
        guard !ids.isEmpty else {
            guard options.facebookSecretFile == nil else {
                throw AuthError(
                    .usage, "option --facebook-app-secret-file requires --facebook-app-id",
                    next: "add --facebook-app-id ID")
            }
            return nil
        }
        let secret = try options.facebookSecretFile.map { path throws(AuthError) in
            try SecretReader(what: "Facebook app secret", context: context).token(in: path)
        }
        return try context.servedFacebook(appIDs: ids.map(\.value), appSecret: secret)
    }

    private static func facebookAppIDs(_ options: Options, _ context: Context) -> [Setting<String>] {
        guard options.facebookAppIDs.isEmpty else {
            return options.facebookAppIDs.map { Setting($0, from: .option("--facebook-app-id")) }
        }
        let variable = "AUTHCTL_FACEBOOK_APP_ID"
        return context.environment[variable].map { [Setting($0, from: .environment(variable))] } ?? []
    }

    /// Facebook app ids contain only digits so far, so this checks little. A comma means that several ids were joined.
    private static func requireFacebookAppID(_ id: Setting<String>) throws(AuthError) {
        guard !id.value.isEmpty, id.value.isVisibleASCII, !id.value.utf8.contains(UInt8(ascii: ","))
        else {
            throw AuthError(
                .usage, "'\(id.value)'\(id.origin.clause) is not a valid Facebook app id",
                next: "copy it from the app's page on Facebook; repeat --facebook-app-id for several apps")
        }
    }

    private static func log(_ context: Context) -> (@Sendable (String) -> Void)? {
        guard context.globals.isVerbose else { return nil }
        let events = context.events
        return { events.trace($0) }
    }

    struct Output: CommandOutput {
        /// `nil`: already printed when the server became ready.
        let url: String?
        let appID: String
        let processID: Int

        var wasPrinted: Bool { url == nil }

        func text(_ style: TextStyle) -> String {
            "serving local accounts at \(style.strong(url ?? "")) (application id '\(appID.shown)'; stop with Ctrl-C)\n"
        }

        var json: JSONValue {
            [
                "v": 1, "kind": "serve", "url": JSONValue(url), "appId": .string(appID), "pid": JSONValue(processID),
            ]
        }
    }
}

/// The parameters of `World.serve`.
package struct ServeRequest: Sendable {
    /// 0 means any free port.
    package let port: Int
    package let appID: String
    /// The path of the database; `nil` for the one of the backend `local`.
    package let database: String?
    /// `nil`: requests need no client key.
    package let clientKey: Secret?
    /// The folder for e-mails; `nil`: no e-mail is sent.
    package let mailFolder: String?
    package let allowedOrigins: [String]
    /// `nil`: Facebook logins are rejected.
    package let facebook: EmbeddedFacebook?
    /// Called after every request with a line without secrets.
    package let log: (@Sendable (String) -> Void)?
    package let warn: World.Warn
}
