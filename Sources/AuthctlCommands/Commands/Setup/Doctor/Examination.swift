import AuthBackends
import AuthClient
import AuthModel
import Platform
import Transport

/// The checks of `authctl doctor`.
struct Examination {
    let context: Context
}

// MARK: - Files and this machine

extension Examination {
    /// With a session and a backend in the environment, no command needs the files.
    var ofFiles: [Finding] {
        let needsFiles = context.tokenVariable == nil || !context.resolver.namesBackend
        return files.filter { needsFiles || $0.level != .error } + machine
    }

    private var files: [Finding] {
        // `try?`: another finding reports invalid settings.
        let isLocal = (try? context.settings())?.backend.value.has(.takesServer) != true
        return Finding.of("configuration.file") { () throws(AuthError) in
            let count = try context.configuration().load().profiles.count
            return .ok("configuration.file", "config.json is readable, \(count) profile\(count == 1 ? "" : "s")")
        }
            + folder("configuration.folder", .sessions, "the sessions")
            + (isLocal ? folder("data.folder", .localAccounts, "the local accounts") : [])
            + Finding.of("files.lock") { () throws(AuthError) in
                try context.world.requireUnlocked(context.warn)
                return .ok("files.lock", "no other process holds a lock")
            } + sessions
    }

    private func folder(_ check: String, _ files: World.StoredFiles, _ content: String) -> [Finding] {
        Finding.of(check) { () throws(AuthError) in
            let path = try context.world.requireWritable(files, context.warn)
            return .ok(check, "\(content) can be saved in '\(path)'")
        }
    }

    private var sessions: [Finding] {
        let check = "sessions.readable"
        do throws(AuthError) {
            let saved = try context.sessions().list(of: nil)
            let faults = saved.errors.map { Finding.error(check, $0) }
            let loose = saved.compactMap { saved in
                saved.loosePath.map {
                    Finding.warning(
                        check, "'\($0)' is readable by other users", NextStep("run: chmod go-r \($0.shellQuoted)"))
                }
            }
            return faults.isEmpty && loose.isEmpty ? [.ok(check, "\(saved.count) saved")] : faults + loose
        } catch {
            return [.error(check, error)]
        }
    }

    private var machine: [Finding] {
        let world = context.world
        return Finding.of("network.library") { () throws(AuthError) in
            .ok("network.library", try world.networkLibrary().name)
        }
            + Finding.of("network.settings") { () throws(AuthError) in
                let settings = try context.networkSettings()
                if let path = settings.authorities {
                    do throws(TransportError) {
                        try checkAuthorities(at: path) { limit throws(FileError) in
                            try world.readFile(path, limit).bytes
                        }
                    } catch {
                        throw AuthError(error)
                    }
                }
                // `try?`: another finding reports a library that cannot be loaded.
                let (library, own) = (try? world.networkLibrary(), settings.authorities ?? settings.authorityFolder)
                if own == nil, let library, library.authorities == nil {
                    return .warning(
                        "network.settings", "this system has no certificates of authorities, which https requires",
                        "install them: apt-get install ca-certificates")
                }
                guard let proxy = settings.proxy else {
                    let place = own.map { "in '\($0)'" } ?? library?.authorities ?? "of the system"
                    return .ok("network.settings", "certificates of authorities \(place)")
                }
                return .warning(
                    "network.settings", "https requests go through the proxy '\(ServerURL.masked(proxy))'",
                    "if they should not, unset HTTPS_PROXY or set NO_PROXY")
            }
            + Finding.of("clock") { () throws(AuthError) in
                let now = world.clock.now()
                guard let release = Instant("\(programDate)T00:00:00Z"), now < release else {
                    return .ok("clock", now.text)
                }
                return .warning(
                    "clock", "this machine's time \(now.text) is before the release of this version",
                    "set the clock: sessions and certificates depend on it")
            }
    }
}

// MARK: - The settings in force, and the session that they select

extension Examination {
    var ofSettings: [Finding] {
        let set = overridden.filter { context.environment[$0] != nil }
        // `try?`: another finding reports invalid settings.
        let backend = (try? context.settings())?.backend.value
        let overrides = set.map { name in
            let isUnused =
                name == "AUTHCTL_APP_ID" && backend?.knowsApplications == false
                || name.hasPrefix("AUTHCTL_CLIENT_KEY") && backend?.knowsClientKeys == false
            guard let kind = backend?.kind, isUnused else {
                return Finding.warning(
                    "environment", "\(name) overrides the profile", NextStep("if it should not: unset \(name)"))
            }
            return .warning(
                "environment", "\(name) cannot be used with backend '\(kind)'", NextStep("unset \(name)"))
        }
        return overrides
            + Finding.of("profile.settings") { () throws(AuthError) in
                let settings = try context.settings()
                _ = try context.clientKey(of: settings)
                do throws(AuthError) {
                    try context.resolver.refuseStrays(of: settings)
                } catch {
                    return Finding(
                        check: "profile.settings", level: .warning, message: error.message, steps: error.nextSteps)
                }
                return .ok("profile.settings", "profile '\(settings.profile.value)': \(settings.connection.name)")
            } + session + graph
    }

    /// The variables that override a profile or, if the profile is the built-in one, its saved session.
    private var overridden: [String] {
        // `try?`: another finding reports an unreadable configuration or session.
        guard let configuration = try? context.configuration().load(),
            let name = try? context.resolver.profileName(in: configuration).value
        else { return [] }
        if configuration[name] != nil { return ConnectionVariables.overriding }
        let hasSession = (try? context.sessions().list(of: name))?.isEmpty == false
        return hasSession ? ConnectionVariables.ofSession : []
    }

    /// The client of the settings in force; `nil` if they are invalid, which another finding reports.
    private var client: Client? { (try? context.settings()).map { context.client($0) } }

    private var session: [Finding] {
        guard let client else { return [] }
        guard !client.settings.backend.value.has(.takesServer) else { return saved(client) }
        let database = localAccounts(client)
        return saved(client) + database
            + (database.contains { $0.level == .error } ? [] : Finding.ofSession(client))
    }

    /// Checks the database of the local accounts, unless there is neither a database nor a session.
    private func localAccounts(_ client: Client) -> [Finding] {
        // `try?`: another finding reports an unusable folder.
        guard let folder = try? Paths(environment: context.environment).data(), let names = try? folder.fileNames()
        else { return [] }
        let hasDatabase = names.contains("local.db")
        // `try?`: another finding reports an unreadable session.
        guard hasDatabase || (try? client.sessions.find()) != nil else { return [] }
        return Finding.of("data.accounts") { () throws(AuthError) in
            guard hasDatabase else {
                throw AuthError(
                    .unreadable, "the database of the local accounts, '\(folder.path)/local.db', is missing",
                    nextSteps: ["restore the file", NextStep("or delete the session", run: ["logout", "--offline"])])
            }
            // The request is always rejected, because it has no session. Only a storage error is a problem.
            if let error = rejectionWithoutSession(by: client), error.outcome == .storage { throw error }
            return .ok("data.accounts", "the local accounts can be read")
        }
    }

    private func saved(_ client: Client) -> [Finding] {
        Finding.of("session") { () throws(AuthError) in
            let state = try CurrentUser(client).offline()
            switch state.state {
            case .absent:
                guard let other = client.sessions.sessionsOfOtherConnections().first else {
                    return .ok("session", "not logged in")
                }
                return .warning(
                    "session", "the profile's session is bound to \(other.connection.name), not to these settings",
                    NextStep("log in here", run: client.settings.logInCommand),
                    NextStep("or use that session", run: ["whoami"] + other.connection.options))
            case .expired: throw state.error ?? .sessionExpired
            default:
                return .ok("session", "logged in as '\(state.active?.user.displayName ?? "an unnamed user")'")
            }
        }
    }

    private var graph: [Finding] {
        guard let settings = try? context.settings(), settings.serverSettings[BackendSetting.facebookAppID.key] != nil
        else { return [] }
        let version = BackendSetting.facebookGraphVersion.standard ?? ""
        let (now, end) = (context.world.clock.now(), BackendSetting.facebookGraphEnd)
        guard settings.serverSettings[BackendSetting.facebookGraphVersion.key] ?? version == version,
            let end = Instant("\(end)T00:00:00Z"), now.adding(.seconds(90 * 86400)) >= end
        else { return [] }
        return [
            .warning(
                "facebook.version", "\(version) of Facebook's Graph API ends on \(BackendSetting.facebookGraphEnd)",
                NextStep(
                    "set a newer version",
                    run: ["profile", "set", settings.profile.value, "facebookGraphVersion", "VERSION"]))
        ]
    }
}

// MARK: - The server

extension Examination {
    /// The check `server.kind` sends at most eight requests. Each other check sends at most one, plus retries and a
    /// refresh of the session.
    var ofServer: [Finding] {
        guard let client, let server = client.settings.connection.server else {
            return []
        }
        let settings = client.settings
        let reachable = reach(server)
        guard !reachable.contains(where: { $0.level == .error }) else { return reachable }
        let kind = kind(of: server, settings)
        guard !kind.contains(where: { $0.level == .error }) else { return reachable + kind }
        let application = application(client)
        // Only a server of the configured kind may receive the session.
        let isServer = (kind + application).allSatisfy { $0.level == .ok }
        return reachable + kind + application + (isServer ? Finding.ofSession(client) : [])
    }

    /// The finding without `--network`, if there is a server.
    var withoutServer: [Finding] {
        // `try?`: another finding reports invalid settings.
        guard let server = (try? context.settings())?.connection.server else { return [] }
        return [
            Finding(
                check: "server", level: .skipped, message: "'\(server)' was not asked",
                steps: [NextStep("to ask it, add --network")])
        ]
    }

    /// Sends one request to the base URL. Any status means that the server is reachable.
    private func reach(_ server: String) -> [Finding] {
        do throws(AuthError) {
            let transport = context.stack(try context.networkSettings()).transportOfSingleRequests(to: server)
            let response = try transport.response(
                to: HTTPRequest(.get, "\(server)/", headers: ["Accept": "application/json"]))
            return [.ok("server.reachable", "'\(server)' responds")] + clock(response)
        } catch {
            return [.error("server.reachable", error)]
        }
    }

    private func clock(_ response: HTTPResponse) -> [Finding] {
        guard let date = response.headers["Date"].flatMap({ RetryAfter.date($0) }) else { return [] }
        let difference = (context.world.clock.now().milliseconds - date.milliseconds) / 1000
        guard abs(difference) > 300 else { return [.ok("server.clock", "differs by \(abs(difference)) s")] }
        return [
            .warning(
                "server.clock",
                "this machine's time is \(abs(difference)) s \(difference > 0 ? "ahead of" : "behind") the server's",
                "set the clock: sessions seem to expire too \(difference > 0 ? "early" : "late")")
        ]
    }

    private func kind(of server: String, _ settings: Settings) -> [Finding] {
        let (check, own) = ("server.kind", settings.connection.backend)
        return Finding.of(check) { () throws(AuthError) in
            let stack = context.stack(try context.networkSettings())
            let found = try ServerDetection(
                stack.transportOfSingleRequests(to: server),
                uptime: context.world.uptime, masker: context.world.masker
            ).run(at: server, preferring: own)
            if found.contains(where: { $0.kind == own && $0.url == server }) { return .ok(check, own) }
            guard let other = found.first(where: { $0.kind == own }) ?? found.first else {
                return .warning(
                    check, "the server does not answer as '\(own)' does",
                    "check the path in the server URL", "check the backend")
            }
            let isOwn = other.kind == own && settings.serverOrigin == .profile(settings.profile.value)
            throw AuthError(
                .wrongEndpoint, "a server of the kind '\(other.kind)' answers at '\(other.url)'",
                next: isOwn
                    ? NextStep(
                        "change the URL", run: ["profile", "set", settings.profile.value, "server", other.url])
                    : NextStep(
                        "create a profile for it",
                        run: ["profile", "add", "NAME", "--backend", other.kind, "--server", other.url]))
        }
    }

    /// Sends the request that shows whether the server would take a login.
    private func application(_ client: Client) -> [Finding] {
        Finding.of("server.application") { () throws(AuthError) in
            try CurrentUser(client).requireServer()
            return .ok("server.application", "the server answers requests for accounts")
        }
    }

    /// The error of a request that requires a session and has none.
    private func rejectionWithoutSession(by client: Client) -> AuthError? {
        SendRequest(client, usesSession: false).run(HTTPRequest(.get, "/users/me")).error
    }
}

extension Finding {
    /// Checks whether the server or the local accounts accept the current session.
    fileprivate static func ofSession(_ client: Client) -> [Finding] {
        // `try?`: another finding reports an unreadable session.
        guard (try? client.sessions.find()) != nil else { return [] }
        return of("session.valid") { () throws(AuthError) in
            if let error = try CurrentUser(client).check(savesUser: false).error { throw error }
            return .ok("session.valid", "the session is accepted")
        }
    }
}
