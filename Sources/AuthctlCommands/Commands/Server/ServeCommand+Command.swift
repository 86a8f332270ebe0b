import AuthModel
import Platform

extension ServeCommand {
    /// Runs the server while the command of the options runs.
    static func run(_ request: ServeRequest, in context: Context) throws(AuthError) -> Output {
        // Check the options before the server starts.
        _ = try ownVariables(request, ServerURLs(parse: "", controls: nil))
        let ending = try context.world.serveWhile(request) { server throws(AuthError) in
            // The control URL is secret: print it only if COMMAND does not get it in a variable.
            let controls = request.options.names.contains(where: isControlURL) ? nil : server.urls.controls
            let urls = ServerURLs(parse: server.urls.parse, controls: controls)
            context.printer.announceAside(Output(request: request, urls: urls))
            return variables(of: server, request).merging(try ownVariables(request, server.urls)) { $1 }
        }
        return Output(request: request, urls: nil, ending: ending)
    }

    /// The environment variables to set, or to unset where the value is `nil`.
    private static func variables(of server: RunningServer, _ request: ServeRequest) -> [String: String?] {
        ConnectionVariables.changes(
            [
                "AUTHCTL_BACKEND": "parse", "AUTHCTL_SERVER": server.urls.parse, "AUTHCTL_APP_ID": request.appID,
                "AUTHCTL_CLIENT_KEY": request.clientKey?.reveal(), "AUTHCTL_MAIL_DIR": server.mailFolder,
                "AUTHCTL_CONFIG_DIR": server.configurationFolder,
            ], allowsHTTP: !request.options.address.isLoopback)
    }

    private static func isControlURL(_ name: String) -> Bool { name.hasSuffix("=control-url") }

    /// The variables of `--set`.
    private static func ownVariables(
        _ request: ServeRequest, _ urls: ServerURLs
    ) throws(AuthError) -> [String: String?] {
        let names = request.options.names
        if !request.options.hasTestControls, names.contains(where: isControlURL) {
            throw AuthError(
                .usage, "option --set with control-url requires --test-controls", next: "add --test-controls")
        }
        return try VariableNames.values(
            of: names, among: ["url", "app-id", "client-key", "control-url"],
            [
                "url": urls.parse, "app-id": request.appID, "client-key": request.clientKey?.reveal(),
                "control-url": urls.controls?.reveal(),
            ])
    }
}
