import AuthBackends
import AuthClient
import AuthModel
import Platform

/// Everything that a command may access, and the settings in force.
struct Context: Sendable {
    let world: World
    let globals: GlobalOptions
    let printer: Printer
    /// The time on `World.uptime` at which all requests end, for saved sessions that are listed or checked together. A
    /// token in the environment then counts for none of them.
    var deadline: Duration?

    var events: TerminalEvents { printer.events }

    /// Renders next steps with the options of this command line.
    var hints: HintRenderer { events.hints }

    var environment: Environment { world.environment }

    /// The available backends; the first one is the default.
    var backends: BackendKinds { world.backends().descriptors }

    var prompts: PromptPolicy {
        PromptPolicy(
            allowsPrompts: globals.allowsPrompts, environment: environment, isInputTerminal: world.input.isTerminal)
    }

    /// Prints a warning. The same text is printed only once.
    var warn: World.Warn { { [events] text in events.warn(text) } }

    func configuration() throws(AuthError) -> any ConfigurationStore { try world.configuration(warn) }

    func sessions() throws(AuthError) -> any SessionStore { try world.sessions(warn) }

    /// Opens a file named by the user, or standard input. On a terminal, says what it waits for.
    ///
    /// - Parameter path: `-` is standard input.
    func source(_ path: String, of what: String) throws(AuthError) -> ByteSource {
        guard path == "-" else {
            do throws(FileError) {
                return try world.openFile(path)
            } catch {
                throw AuthError(.usage, error.message)
            }
        }
        if world.input.isTerminal {
            events.wait(for: "waiting for the \(what); end the input with Enter and Ctrl-D")
        }
        do throws(Errno) {
            return try world.input.source()
        } catch {
            throw AuthError(.usage, "cannot read standard input: \(error.description)")
        }
    }

    /// The settings of a profile. Options and environment variables are ignored.
    ///
    /// - Parameters:
    ///   - name: the session name; `nil` for the profile's own session.
    ///   - connection: the connection to use instead of the profile's own; `nil` for the profile's own.
    func settings(
        of profile: String, as name: String? = nil, _ connection: Connection? = nil, allowsHTTP: Bool = false,
        alone configuration: Configuration
    ) throws(AuthError) -> Settings {
        var options = SettingsResolver.Options.none
        (options.profile, options.sessionName, options.allowsHTTP) = (profile, name ?? "", allowsHTTP)
        options.backend = connection?.backend
        (options.server, options.appID) = (connection?.server, connection?.appID)
        return try SettingsResolver(options: options, environment: .fixed([:]), backends: backends)
            .settings(in: configuration)
    }

    func settings() throws(AuthError) -> Settings { try settings(by: resolver) }

    /// The settings in force for a command that uses the connection.
    ///
    /// - Throws: `AuthError` `usage` for an option or variable of the connection that the backend would ignore.
    func usedSettings() throws(AuthError) -> Settings {
        let settings = try settings()
        try resolver.refuseStrays(of: settings)
        return settings
    }

    /// The connection for a token from the environment. Ignores `--backend`, `--server` and `--app-id`.
    ///
    /// - Throws: `AuthError` `usage` if `--profile` selects a profile with another connection.
    func connectionOfEnvironment() throws(AuthError) -> Connection {
        var options = SettingsResolver.Options.none
        (options.profile, options.allowsHTTP) = (globals.profile, globals.allowsHTTP)
        let resolver = SettingsResolver(options: options, environment: environment, backends: backends)
        let own = try settings(by: resolver).connection
        // `try?`: an incomplete profile names no connection.
        guard let name = globals.profile, let configuration = try? configuration().load(), configuration[name] != nil,
            let named = try? settings(of: name, allowsHTTP: true, alone: configuration).connection, named != own
        else { return own }
        throw AuthError(
            .usage, "it belongs to \(own.name), and profile '\(name)' (option '--profile') is for \(named.name)",
            nextSteps: ["remove --profile", "or unset the variable with the token to use the profile's session"])
    }

    private func settings(by resolver: SettingsResolver) throws(AuthError) -> Settings {
        let configuration: Configuration
        do throws(AuthError) {
            configuration = try self.configuration().load()
        } catch {
            // A CI job without a home folder can use a token from the environment if an option or a variable names the
            // backend.
            guard tokenVariable != nil, resolver.namesBackend else { throw error }
            configuration = Configuration()
        }
        do throws(AuthError) {
            return try resolver.settings(in: configuration)
        } catch {
            guard error.reason == .unknownProfile else { throw error }
            throw AuthError(unknownProfile: try resolver.profileName(in: configuration), in: configuration)
        }
    }

    /// The session name of a command without `--as`; `nil` for the profile's own session.
    var usualSessionName: String? {
        // `try?`: without a readable configuration, no name is remembered.
        environment["AUTHCTL_AS"] ?? (try? configuration().load())?.currentUser
    }

    var resolver: SettingsResolver {
        SettingsResolver(options: SettingsResolver.Options(globals), environment: environment, backends: backends)
    }
}

extension SettingsResolver.Options {
    init(_ globals: GlobalOptions) {
        self = .none
        (profile, sessionName) = (globals.profile, globals.sessionName)
        (backend, server, appID) = (globals.backend, globals.server, globals.appID)
        (clientKeyFile, allowsHTTP) = (globals.clientKeyFile, globals.allowsHTTP)
    }
}
