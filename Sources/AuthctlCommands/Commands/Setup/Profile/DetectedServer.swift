import AuthBackends
import AuthClient
import AuthModel
import Platform
import Transport

/// Detects the kind and the URL of the server for a new profile.
struct DetectedServer {
    let context: Context

    /// The options, completed with the detected kind and URL if the user typed a server URL, but neither `--backend`
    /// nor `--from`.
    func completing(
        _ globals: GlobalOptions, ofProfile options: ProfileAddCommand.Options
    ) throws(AuthError) -> (globals: GlobalOptions, settings: [String: String]) {
        guard globals.backend == nil, !options.copies, let typed = globals.server, typed.holds("://") else {
            return (globals, [:])
        }
        let server = try ServerURL(Setting(typed, from: .option("--server")))
        guard server.isSecure || server.isLoopback || globals.allowsHTTP else {
            throw .plainHTTP(server, .builtIn)
        }
        let nameKind = command(options, .init(kind: "KIND", url: server.text))
        var found = wellKnown(server.text)
        do throws(AuthError) {
            if found.isEmpty { found = try find(server.text) }
        } catch {
            throw error.suggesting(NextStep("to save the URL without a request, name the kind", run: nameKind))
        }
        if found.isEmpty {
            throw AuthError(
                .wrongEndpoint, "no known account server answers at '\(server.text)'",
                nextSteps: [
                    "check the URL: it includes the path of the API, such as /parse",
                    NextStep("or name the kind", run: nameKind),
                ])
        }
        if found.count > 1 { found = try chosen(among: found, options) }
        // The URL of a login form is saved as the site and the path.
        let place = found[0].url + (found[0].settings["loginPath"] ?? "")
        if found[0].url != server.text, place != "\(server.text)/" { try confirm(found[0], options) }
        context.events.note("the server at '\(found[0].url)' is of the kind '\(found[0].kind)'")
        if found[0].needsClientKey, globals.clientKeyFile == nil {
            context.events.note(
                "the server requires a client key",
                next: NextStep("set it", run: ["profile", "set", options.profile, "clientKeyFile", "FILE"]))
        }
        var globals = globals
        (globals.backend, globals.server) = (found[0].kind, found[0].url)
        return (globals, found[0].settings)
    }

    /// The kinds of backend that have a built-in server with this URL.
    private func wellKnown(_ url: String) -> [ServerDetection.Found] {
        context.backends.filter { backend in
            backend.namedServers.values.contains(url) || backend.aliases.contains { $0.server == url }
        }.map { ServerDetection.Found(kind: $0.kind, url: url) }
    }

    private func find(_ url: String) throws(AuthError) -> [ServerDetection.Found] {
        var settings = try context.networkSettings()
        settings.timeLimit = min(settings.timeLimit, ServerDetection.timeLimit)
        let detection = ServerDetection(
            context.stack(settings).transportOfSingleRequests(to: url), uptime: context.world.uptime,
            masker: context.world.masker)
        return try context.events.during("looking for the server") { () throws(AuthError) in try detection.run(at: url)
        }
    }

    private func chosen(
        among found: [ServerDetection.Found], _ options: ProfileAddCommand.Options
    ) throws(AuthError) -> [ServerDetection.Found] {
        let kinds = found.map(\.kind).joined(separator: " or ")
        let answer = context.ask("The server answers as \(kinds). Type the kind to use: ")
        let choice = found.filter { $0.kind == answer }
        guard choice.isEmpty else { return choice }
        throw AuthError(
            .usage, "the server at '\(found[0].url)' answers as \(kinds)",
            nextSteps: found.map { NextStep("for \($0.kind)", run: command(options, $0)) })
    }

    private func confirm(_ found: ServerDetection.Found, _ options: ProfileAddCommand.Options) throws(AuthError) {
        let question = "A server of the kind '\(found.kind)' answers at '\(found.url)'. Save that URL? [y/N] "
        if context.ask(question)?.isYes == true { return }
        throw AuthError(
            .usage, "the server answers at another URL, '\(found.url)', as \(found.kind)",
            nextSteps: [
                NextStep("to save that URL", run: command(options, found)),
                NextStep(
                    "to save the URL as typed",
                    run: command(options, ServerDetection.Found(kind: found.kind, url: context.globals.server ?? ""))),
            ])
    }

    private func command(_ options: ProfileAddCommand.Options, _ found: ServerDetection.Found) -> [String] {
        let globals = context.globals
        let needsApplication = context.backends.meant(by: found.kind)?.has(.takesApplication) == true
        return ["profile", "add", options.profile, "--backend", found.kind, "--server", found.url]
            + (globals.appID.map { ["--app-id", $0] } ?? (needsApplication ? ["--app-id", "ID"] : []))
            + (globals.clientKeyFile.map { ["--client-key-file", $0] } ?? [])
            + (globals.allowsHTTP ? ["--allow-http"] : [])
    }
}
