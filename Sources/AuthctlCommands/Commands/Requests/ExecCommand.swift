import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform

enum ExecCommand: Command {
    struct Options: CommandOptions {
        var names: [String] = []
        var minimumLife = Duration.zero
        var command: [String] = []
    }

    static let name = "exec"
    static let summary = "Run a command with the session in its environment"
    static let spec = declaration(
        discussion: """
            Sets AUTHCTL_TOKEN, AUTHCTL_AUTH_HEADER (the header line that carries the session), AUTHCTL_USERNAME, the \
            variables of the connection, such as AUTHCTL_SERVER, and AUTHCTL_SETTINGS, so that authctl inside of \
            COMMAND uses the same settings. Removes AUTHCTL_AS, AUTHCTL_PROFILE, and \
            authctl's variables with a password or the path of a secret file. The command then replaces the authctl \
            process. An expired session is refreshed before the command starts if possible, but not while the command \
            runs. The exit code is the command's; 126 means that the command is not executable, 127 that it is not \
            found.
            """,
        examples: [
            Example("authctl exec -- npm test", "Run tests that read AUTHCTL_TOKEN."),
            Example(
                #"authctl exec -- sh -c 'echo "$AUTHCTL_AUTH_HEADER" | curl -H @- https://example.org/orders'"#,
                "Send a request to a Django site with curl."),
            Example(
                #"authctl exec -- sh -c 'authctl token --header | curl -H @- "$AUTHCTL_SERVER/users/me"'"#,
                "Send a request to Parse Server, which also requires the application id."),
            Example("authctl exec --set API_TOKEN=token -- ./deploy", "Also set API_TOKEN."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 8, 9, 10, 12],
        arguments: [
            .list(
                { $0.names.append($1) }, "set", value: "NAME=FIELD",
                help: "Also set the variable NAME to the value of FIELD: token, header, server, app-id or username."),
            .minimumLife { $0.minimumLife = $1 },
            .remainder({ $0.command.append($1) }, "COMMAND", help: "Command and its arguments."),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> PrintedOutput {
        let client = try context.client()
        let variables = try variables(options, client, context)
        // `execute` returns only if the command cannot be run.
        let failure = context.world.execute(options.command, variables)
        return PrintedOutput(error: .cannotRun(options.command[0], failure), ownExitCode: failure.exitCodeOfShells)
    }

    /// The environment variables to set, or to unset where the value is `nil`.
    private static func variables(
        _ options: Options, _ client: Client, _ context: Context
    ) throws(AuthError) -> [String: String?] {
        let connection = client.settings.connection
        var active = try client.sessions.liveSession(lasting: options.minimumLife)
        // `try?`: without an answer, the header has the usual word before the token.
        try? client.sessions.learnWord(of: &active)
        let username = active.user.username ?? active.user.email ?? active.user.phone
        let token = active.session.presentedToken.reveal()
        let header = try client.backends.headers(of: active.session).session.line
        guard username?.utf8.contains(0) != true else {
            throw AuthError(.usage, "cannot set AUTHCTL_USERNAME: the username contains a NUL character")
        }
        let values: [String: String?] = [
            "token": token, "header": header, "server": connection.server, "app-id": connection.appID,
            "username": username,
        ]
        let authorities = try authorities(context)
        let variables = ConnectionVariables.changes(
            [
                "AUTHCTL_TOKEN": token, "AUTHCTL_AUTH_HEADER": header, "AUTHCTL_BACKEND": connection.backend,
                "AUTHCTL_SERVER": connection.server, "AUTHCTL_APP_ID": connection.appID,
                "AUTHCTL_CLIENT_KEY": try context.clientKey(of: client.settings)?.reveal(),
                "AUTHCTL_API_URL": try client.settings.apiURL(), "AUTHCTL_USERNAME": username,
                HandedSettings.variable: settings(client.settings, active.session, authorities),
                "AUTHCTL_CA_CERT": authorities,
                "AUTHCTL_PASSWORD": nil, "AUTHCTL_PASSWORD_FILE": nil, "AUTHCTL_NEW_PASSWORD": nil,
            ], allowsHTTP: client.settings.isExposed)
        let own = try VariableNames.values(
            of: options.names, among: ["token", "header", "server", "app-id", "username"], values)
        return variables.merging(own) { $1 }
    }

    /// The settings in force, with those that an option or the login has added.
    private static func settings(_ settings: Settings, _ session: Session, _ authorities: String?) -> String {
        var more: [String: String] = [:]
        more[BackendSetting.tokenScheme.key] = session.scheme
        more["userPath"] = session.page
        more[BackendSetting.authorities.key] = authorities
        return HandedSettings.text(settings, more)
    }

    /// The absolute path of the CA certificates that an option or a variable names.
    private static func authorities(_ context: Context) throws(AuthError) -> String? {
        guard let file = context.globals.authorities ?? context.environment["AUTHCTL_CA_CERT"] else { return nil }
        return try mappingFileErrors { () throws(FileError) in try context.world.absolutePath(file) }
    }
}
