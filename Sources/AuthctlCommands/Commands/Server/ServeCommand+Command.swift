import AuthModel
import Platform

extension ServeCommand {
    /// Runs the server while a command runs.
    static func run(
        _ request: ServeRequest, while command: [String], _ options: Options, _ context: Context
    ) throws(AuthError) -> Output {
        // Check the options before the server starts.
        _ = try ownVariables(options, request, ServerURLs(parse: "", controls: nil))
        let ending = try context.world.serveWhile(request, command) { server throws(AuthError) in
            // The control URL is secret: print it only if COMMAND does not get it in a variable.
            let controls = options.names.contains(where: isControlURL) ? nil : server.urls.controls
            let urls = ServerURLs(parse: server.urls.parse, controls: controls)
            context.printer.announceAside(Output(request: request, urls: urls, command: command))
            return variables(of: server, request).merging(try ownVariables(options, request, server.urls)) { $1 }
        }
        return Output(request: request, urls: nil, command: command, ending: ending)
    }

    /// The environment variables to set, or to unset where the value is `nil`. If the command runs authctl, that
    /// process must not use the caller's sessions and profiles, or the keys of other servers.
    private static func variables(of server: RunningServer, _ request: ServeRequest) -> [String: String?] {
        var variables: [String: String?] = [
            "AUTHCTL_BACKEND": "parse", "AUTHCTL_SERVER": server.urls.parse, "AUTHCTL_APP_ID": request.appID,
            "AUTHCTL_CLIENT_KEY": request.clientKey?.reveal(), "AUTHCTL_MAIL_DIR": server.mailFolder,
            "AUTHCTL_CONFIG_DIR": server.configurationFolder, "AUTHCTL_CLIENT_KEY_FILE": nil,
            "AUTHCTL_ADMIN_KEY_FILE": nil, "AUTHCTL_TOKEN": nil, "AUTHCTL_TOKEN_FILE": nil, "AUTHCTL_AS": nil,
            "AUTHCTL_PROFILE": nil,
        ]
        if !request.address.isLoopback { variables["AUTHCTL_ALLOW_HTTP"] = "1" }
        return variables
    }

    private static func isControlURL(_ name: String) -> Bool { name.hasSuffix("=control-url") }

    /// The variables of `--set`.
    private static func ownVariables(
        _ options: Options, _ request: ServeRequest, _ urls: ServerURLs
    ) throws(AuthError) -> [String: String?] {
        if !request.hasTestControls, options.names.contains(where: isControlURL) {
            throw AuthError(
                .usage, "option --set with control-url requires --test-controls", next: "add --test-controls")
        }
        return try VariableNames.values(
            of: options.names, among: ["url", "app-id", "client-key", "control-url"],
            [
                "url": urls.parse, "app-id": request.appID, "client-key": request.clientKey?.reveal(),
                "control-url": urls.controls?.reveal(),
            ])
    }
}
