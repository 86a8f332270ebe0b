import AuthBackends
import AuthClient
import AuthModel
import Platform

/// Everything that a command may access.
struct Context: Sendable {
    let world: World
    let globals: GlobalOptions
    private let printer: Printer

    init(world: World, globals: GlobalOptions, printer: Printer) {
        self.world = world
        self.globals = globals
        self.printer = printer
    }

    var events: TerminalEvents { printer.events }

    /// Prints an output while the command continues.
    func announce(_ output: some CommandOutput) throws(AuthError) {
        try printer.announce(output)
    }

    /// Prints an output on standard error, because standard output belongs to another command.
    func announceAside(_ output: some CommandOutput) {
        printer.announceAside(output)
    }

    /// The error after a failed write to standard output.
    func unwritten(_ failure: Errno) -> AuthError { printer.unwritten(failure) }

    /// Renders next steps with the options of this command line.
    var hints: HintRenderer { printer.hints }

    var environment: Environment { world.environment }

    var connector: Connector { Connector(world: world, globals: globals, events: events) }

    /// The available backends; the first one is the default.
    var backends: BackendKinds { world.backends().descriptors }

    /// Whether the user may be asked.
    var prompts: PromptPolicy {
        PromptPolicy(
            allowsPrompts: globals.allowsPrompts, environment: environment, isInputTerminal: world.input.isTerminal)
    }

    /// Whether the user may be asked for the key of an e-mail: a script that reads the output does not expect a prompt.
    var offersKeys: Bool {
        prompts.areAllowed && world.output.isTerminal && printer.format == .text && !events.isQuiet
    }

    /// Runs `body`. If Ctrl-C ends the process after a request was sent, the error is printed first.
    func printing<Value>(
        _ error: AuthError, ifInterrupted body: () throws(AuthError) -> Value
    ) throws(AuthError) -> Value {
        let line = (world.errorOutput.isTerminal ? "\n" : "") + printer.text(of: error, exitCode: 130)
        return try writing(line, ifInterrupted: body)
    }

    /// Opens a file named by the user, to be read piece by piece.
    ///
    /// - Parameter path: `-` is standard input.
    func source(_ path: String) throws(AuthError) -> ByteSource {
        guard path != "-" else {
            do throws(Errno) {
                return try world.input.source()
            } catch {
                throw AuthError(.usage, "cannot read standard input: \(error.description)")
            }
        }
        do throws(FileError) {
            return try world.openFile(path)
        } catch {
            throw AuthError(.usage, error.message)
        }
    }

    /// Prints a warning, each text once.
    var warn: World.Warn { { [events] text in events.warn(text) } }

    func configuration() throws(AuthError) -> any ConfigurationStore { try world.configuration(warn) }

    func sessions() throws(AuthError) -> any SessionStore { try world.sessions(warn) }

    /// Checks that the result of a signup or login could be saved under the session name in force, before the user is prompted for anything.
    func requireWritable(for client: Client, savesSession: Bool = true) throws(AuthError) {
        if savesSession {
            try world.requireWritable(.sessions, warn)
            try client.sessions.requireDistinctName()
        }
        if !client.settings.backend.value.takesServer { try world.requireWritable(.localAccounts, warn) }
    }

    /// The client of the profile in use.
    func makeClient() throws(AuthError) -> Client {
        makeClient(settings: try settings())
    }

    /// The client of a saved session, for the server and application that the session is bound to.
    ///
    /// - Parameter sendsRequest: whether the client may send requests, so that plain http needs the user's permission.
    func makeClient(for stored: StoredSession, sendsRequest: Bool) throws(AuthError) -> Client {
        let configuration = try self.configuration().load()
        let allowsHTTP = !sendsRequest || globals.allowsHTTP || environment.isOn("AUTHCTL_ALLOW_HTTP")
        // `try?`: the profile may be incomplete now.
        let own = try? settings(of: stored.profile, as: stored.name, alone: configuration)
        var chosen =
            if let own, own.connection == stored.connection { own } else {
                try settings(
                    of: stored.profile, as: stored.name, stored.connection, allowsHTTP: allowsHTTP, alone: configuration
                )
            }
        // `try?`: options and environment need not name a complete connection.
        let isInUse = (try? settings())?.connection == stored.connection
        if chosen.clientKey == nil || isInUse { chosen.clientKey = resolver.givenClientKey ?? chosen.clientKey }
        return makeClient(settings: chosen)
    }

    /// The settings of a profile. Options and environment variables are ignored.
    ///
    /// - Parameters:
    ///   - name: the session name; `nil` for the profile's own session.
    ///   - connection: another connection than the profile's own.
    func settings(
        of profile: String, as name: String? = nil, _ connection: Connection? = nil, allowsHTTP: Bool = false,
        alone configuration: Configuration
    ) throws(AuthError) -> Settings {
        let resolver = SettingsResolver(
            options: SettingsResolver.Options(
                profile: profile, sessionName: name, backend: connection?.backend, server: connection?.server,
                appID: connection?.appID, allowsHTTP: allowsHTTP),
            environment: .fixed([:]), backends: backends)
        return try resolver.settings(in: configuration)
    }

    func settings() throws(AuthError) -> Settings { try settings(by: resolver) }

    /// The connection of a token from the environment: no option changes it except the profile's name.
    func connectionOfEnvironment() throws(AuthError) -> Connection {
        let options = SettingsResolver.Options(profile: globals.profile, allowsHTTP: globals.allowsHTTP)
        let resolver = SettingsResolver(options: options, environment: environment, backends: backends)
        return try settings(by: resolver).connection
    }

    private func settings(by resolver: SettingsResolver) throws(AuthError) -> Settings {
        let token = environmentToken
        let configuration: Configuration
        do throws(AuthError) {
            configuration = try self.configuration().load()
        } catch {
            // A job without a home folder can use a token from the environment if the environment also names the
            // backend.
            guard token != nil, resolver.namesBackend else { throw error }
            configuration = Configuration()
        }
        return try resolver.settings(in: configuration)
    }

    var resolver: SettingsResolver {
        SettingsResolver(
            options: SettingsResolver.Options(globals), environment: environment, backends: backends)
    }

    private func makeClient(settings: Settings) -> Client {
        // One shared copy for both closures, because every command pays for copies.
        let context: @Sendable () -> Context = { [self] in self }
        return Client(
            settings: settings,
            backend: { () throws(AuthError) in try context().makeBackend(settings) },
            store: { () throws(AuthError) in try context().sessions() },
            profileExists: { () throws(AuthError) in
                let name = settings.profile.value
                // The built-in profile exists without a configuration, which may be unreadable.
                if name == Profile.defaultName { return true }
                return try context().configuration().load()[name] != nil
            }, environmentToken: environmentToken,
            events: events, masker: world.masker, clock: world.clock,
            randomness: world.randomness, waiting: Waiting(pause: world.pause),
            facebook: { () throws(AuthError) in try context().connector.makeFacebook(settings) },
            requestLimit: { () throws(AuthError) in try context().connector.networkSettings().timeLimit },
            isVerbose: globals.isVerbose)
    }

    private func makeBackend(_ settings: Settings) throws(AuthError) -> any Backend {
        let site = Site(
            settings.connection, clientKey: try clientKey(settings.clientKey), settings: settings.serverSettings)
        return try world.backends().makeBackend(for: site, connector.transports(settings))
    }

    func clientKey(_ key: Setting<ClientKey>?) throws(AuthError) -> Secret? {
        guard let key else { return nil }
        switch key.value {
        case .file(let path): return try SecretReader(what: "client key", context: self).token(in: path)
        case .text(let text):
            let input = SecretInput(what: "client key", source: key.origin.name ?? "the settings", world.masker)
            return try input.token(from: Array(text.reveal().utf8))
        }
    }
}

extension Context {
    /// Notes the folder with the e-mails of local accounts.
    func noteMailFolder(of client: Client) {
        guard !client.settings.backend.value.takesServer, let folder = try? Paths(environment: environment).mails()
        else { return }
        events.note(
            "e-mails of local accounts are files in '\(folder.path)'; "
                + "'authctl mail' shows them, and 'authctl serve' answers their links")
    }
}

extension SettingsResolver.Options {
    init(_ globals: GlobalOptions) {
        self.init(
            profile: globals.profile, sessionName: globals.sessionName,
            backend: globals.backend, server: globals.server, appID: globals.appID,
            clientKeyFile: globals.clientKeyFile, allowsHTTP: globals.allowsHTTP)
    }
}
