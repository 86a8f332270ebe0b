import AuthBackends
import AuthClient
import AuthModel
import Platform
import Transport

extension Context {
    /// The client of the settings in force.
    func client() throws(AuthError) -> Client {
        let settings = try usedSettings()
        if settings.ignoresHandedSettings {
            events.inform("\(HandedSettings.variable) is ignored: it belongs to another server, backend or profile")
        }
        return client(settings)
    }

    /// A client that shows warnings, but no progress, for a command that shows that of all its requests.
    func quietClient() throws(AuthError) -> Client { client(try usedSettings(), WarningsAlone(events: events)) }

    /// The client of a saved session, for the server and application that the session is bound to.
    ///
    /// - Parameter sendsRequest: whether the client will send requests. If not, plain HTTP is always allowed.
    func client(for stored: StoredSession, sendsRequest: Bool) throws(AuthError) -> Client {
        let configuration = try configuration().load()
        let allowsHTTP = !sendsRequest || globals.allowsHTTP || environment.isOn("AUTHCTL_ALLOW_HTTP")
        // `try?`: if the profile is incomplete, the connection of the saved session is used instead.
        let own = try? settings(of: stored.profile, as: stored.name, alone: configuration)
        var chosen =
            if let own, own.connection == stored.connection { own } else {
                try settings(
                    of: stored.profile, as: stored.name, stored.connection, allowsHTTP: allowsHTTP, alone: configuration
                )
            }
        // `try?`: incomplete settings select no connection.
        let isInUse = (try? settings())?.connection == stored.connection
        if chosen.clientKey == nil || isInUse { chosen.clientKey = resolver.givenClientKey ?? chosen.clientKey }
        return client(chosen)
    }

    /// - Parameter usesToken: whether a token in the environment overrides the saved session.
    func client(_ settings: Settings, _ quiet: WarningsAlone? = nil, usesToken: Bool = true) -> Client {
        let quiet = quiet ?? (deadline == nil ? nil : WarningsAlone(events: events))
        return Client(
            settings: settings, sources: self, tokenVariable: usesToken && deadline == nil ? tokenVariable : nil,
            events: quiet ?? events as any Events,
            masker: world.masker, clock: world.clock, randomness: world.randomness,
            waiting: Waiting(now: world.uptime, pause: world.pause), isVerbose: globals.isVerbose)
    }

    /// Checks that the command can save its session and change local accounts. Call this before prompting.
    func requireWritable(for client: Client, savesSession: Bool = true) throws(AuthError) {
        if savesSession {
            do throws(AuthError) {
                _ = try world.requireWritable(.sessions, warn)
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
        guard !client.settings.backend.value.has(.takesServer) else { return }
        _ = try world.requireWritable(.localAccounts, warn)
    }

    /// A backend with its own HTTP connection, for one thread of a bulk command.
    func makeWorker(_ settings: Settings) throws(AuthError) -> BulkWorker {
        let masker = Masker(within: world.masker)
        var network = try networkSettings()
        // The journal resolves unknown outcomes of signups and deletions.
        network.alwaysKeepsConnections = true
        return BulkWorker(try makeBackend(settings, stack(network, masker)), masker: masker, settings)
    }

    private func makeBackend(_ settings: Settings, _ stack: HTTPStack) throws(AuthError) -> any Backend {
        if let variable = settings.backend.value.emulatorVariable,
            settings.serverOrigin == .environment(variable), let server = settings.connection.server
        {
            events.noteOnce("using the emulator at '\(server)' (from \(variable))")
        }
        if settings.isExposed, let server = settings.connection.server { events.warnOfPlainHTTP(server) }
        let site = Site(
            settings.connection, clientKey: try clientKey(of: settings), settings: settings.serverSettings,
            token: { tokenInUse(settings) },
            embedded: settings.backend.value.has(.takesServer)
                ? nil : try world.embedded(try embeddedFacebook(settings), warn))
        return try world.backends().makeBackend(for: site, stack)
    }

    /// The token of the session in use; `nil` if there is none.
    func tokenInUse(_ settings: Settings) -> Secret? {
        // `try?`: without a readable session, a message names what is missing.
        ((try? client(settings).sessions.find()) ?? nil)?.session.token
    }

    /// The transports to remote hosts.
    func stack(_ settings: NetworkSettings, _ masker: Masker? = nil) -> HTTPStack {
        let masker = masker ?? world.masker
        let trace: @Sendable (String) -> Void = { [events] in events.trace($0) }
        return HTTPStack(
            world.network(settings), settings: settings, sharesTimeLimit: deadline != nil, masker: masker,
            clock: world.clock, pause: world.pause, trace: globals.isVerbose ? trace : nil)
    }

    /// - Throws: `AuthError` `usage` also if the key is a secret key, which is no client key.
    func clientKey(of settings: Settings) throws(AuthError) -> Secret? {
        guard let key = try settings.clientKey.map(clientKey) else { return nil }
        try world.backends()[settings.connection.backend]?.checkClientKey(key)
        return key
    }

    private func clientKey(_ key: Setting<ClientKey>) throws(AuthError) -> Secret {
        switch key.value {
        case .file(let path): return try SecretReader(what: "client key", context: self).token(in: path)
        case .text(let text):
            let input = SecretInput(what: "client key", source: key.origin.name ?? "the settings", masker: world.masker)
            return try input.token(from: Array(text.reveal().utf8))
        }
    }
}

extension Context: ClientSources {
    func backend(_ settings: Settings) throws(AuthError) -> any Backend {
        try makeBackend(settings, stack(try networkSettings()))
    }

    func requestLimit() throws(AuthError) -> Duration { try networkSettings().timeLimit }
}
