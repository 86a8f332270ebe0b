import AuthBackends
import AuthClient
import AuthModel
import Platform

struct ClientFactory: Sendable {
    let context: Context
    /// The time on `World.uptime` at which all requests end, for saved sessions that are listed or checked together. A
    /// token in the environment then counts for none of them.
    var deadline: Duration?

    private var connector: Connector {
        var connector = context.connector
        connector.deadline = deadline
        return connector
    }

    func make() throws(AuthError) -> Client {
        make(settings: try context.settings())
    }

    /// The client of a saved session, for the server and application that the session is bound to.
    ///
    /// - Parameter sendsRequest: whether the client will send requests. If not, plain HTTP is always allowed.
    func make(for stored: StoredSession, sendsRequest: Bool) throws(AuthError) -> Client {
        let configuration = try context.configuration().load()
        let allowsHTTP = !sendsRequest || context.globals.allowsHTTP || context.environment.isOn("AUTHCTL_ALLOW_HTTP")
        // `try?`: if the profile is incomplete, the connection of the saved session is used instead.
        let own = try? context.settings(of: stored.profile, as: stored.name, alone: configuration)
        var chosen =
            if let own, own.connection == stored.connection { own } else {
                try context.settings(
                    of: stored.profile, as: stored.name, stored.connection, allowsHTTP: allowsHTTP, alone: configuration
                )
            }
        // `try?`: incomplete settings select no connection.
        let isInUse = (try? context.settings())?.connection == stored.connection
        if chosen.clientKey == nil || isInUse { chosen.clientKey = context.resolver.givenClientKey ?? chosen.clientKey }
        return make(settings: chosen)
    }

    /// Checks that the command can save its session and change local accounts. Call this before prompting.
    func requireWritable(for client: Client, savesSession: Bool = true) throws(AuthError) {
        if savesSession {
            do throws(AuthError) {
                try context.world.requireWritable(.sessions, context.warn)
            } catch {
                // Another folder, as the hint suggests, would not contain the profile.
                var error = error
                if client.settings.profile.value != Profile.defaultName, error.reason == .notWritten {
                    error.nextSteps = []
                }
                throw error
            }
            try client.sessions.requireDistinctName()
        }
        guard !client.settings.backend.value.takesServer else { return }
        try context.world.requireWritable(.localAccounts, context.warn)
    }

    private func make(settings: Settings) -> Client {
        let world = context.world
        let isAlone = deadline == nil
        return Client(
            settings: settings,
            backend: { () throws(AuthError) in try makeBackend(settings, connector) },
            store: { () throws(AuthError) in try context.sessions() },
            profileExists: { () throws(AuthError) in
                let name = settings.profile.value
                // The built-in profile exists even if the configuration is missing or unreadable.
                if name == Profile.defaultName { return true }
                return try context.configuration().load()[name] != nil
            }, environmentToken: isAlone ? context.environmentToken : nil,
            events: isAlone ? context.events : WarningsAlone(events: context.events), masker: world.masker,
            clock: world.clock,
            randomness: world.randomness, waiting: Waiting(pause: world.pause),
            facebook: { () throws(AuthError) in try context.connector.makeFacebook(settings) },
            requestLimit: { () throws(AuthError) in try connector.networkSettings().timeLimit },
            isVerbose: context.globals.isVerbose)
    }

    /// A backend with its own HTTP connection, for one thread of a bulk command.
    func makeWorker(_ settings: Settings) throws(AuthError) -> BulkWorker {
        let masker = Masker(within: context.world.masker)
        let connector = Connector(
            world: context.world, globals: context.globals, events: context.events, masker: masker, isBulk: true)
        return BulkWorker(try makeBackend(settings, connector), masker: masker)
    }

    private func makeBackend(_ settings: Settings, _ connector: Connector) throws(AuthError) -> any Backend {
        let site = Site(
            settings.connection, clientKey: try clientKey(settings.clientKey), settings: settings.serverSettings)
        return try context.world.backends().makeBackend(for: site, connector.transports(settings))
    }

    func clientKey(_ key: Setting<ClientKey>?) throws(AuthError) -> Secret? {
        guard let key else { return nil }
        switch key.value {
        case .file(let path): return try SecretReader(what: "client key", context: context).token(in: path)
        case .text(let text):
            let input = SecretInput(what: "client key", source: key.origin.name ?? "the settings", context.world.masker)
            return try input.token(from: Array(text.reveal().utf8))
        }
    }
}
