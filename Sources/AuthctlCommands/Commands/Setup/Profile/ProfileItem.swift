import AuthClient
import AuthModel
import JSON

/// A profile as `profile list` and its relatives show it.
struct ProfileItem: Sendable, Equatable {
    enum Definition: String, Sendable {
        case builtIn = "built-in"
        case configuration
    }

    let name: String
    let backend: String
    let server: String?
    let appID: String?
    /// Whose session is kept for it.
    let username: String?
    let definition: Definition
    /// What is set for its kind of backend, as it was given.
    let settings: JSONObject

    var json: JSONValue {
        [
            "name": .string(name), "backend": .string(backend), "server": JSONValue(server),
            "appId": JSONValue(appID), "username": JSONValue(username), "origin": .string(definition.rawValue),
            "settings": .object(settings),
        ]
    }
}

/// The configuration and the sessions together, as far as `profile` commands need them.
struct ProfileBook {
    let context: Context
    let configuration: Configuration
    /// The profile that commands mean now.
    let current: String
    private let sessions: any SessionStore

    init(_ context: Context) throws(AuthError) {
        try self.init(context, context.world.configuration().load())
    }

    init(_ context: Context, _ configuration: Configuration) throws(AuthError) {
        self.context = context
        self.configuration = configuration
        current = try context.resolver.profileName(in: configuration).value
        sessions = try context.world.sessions()
    }

    /// All profiles, the built-in one among them while nothing is configured for it.
    var names: [String] {
        let names = configuration.profiles.map(\.name)
        return names.contains(Profile.defaultName) ? names : ([Profile.defaultName] + names).sorted()
    }

    func item(_ name: String) -> ProfileItem {
        let profile = configuration[name]
        let word = profile?.text(.backend) ?? context.backends[0].kind
        let backend = context.backends.meant(by: word)
        return ProfileItem(
            name: name, backend: backend?.kind ?? word,
            // Somebody may have put a password into it by hand.
            server: profile?.text(.server).map { ServerURL.masked(backend?.url(named: $0) ?? $0) }
                ?? backend?.server(meantBy: word),
            appID: profile?.text(.appID),
            username: username(name), definition: profile == nil ? .builtIn : .configuration,
            settings: backend.flatMap { profile?.settings(of: $0) } ?? [:])
    }

    /// - Throws: `AuthError` `unknownProfile`.
    func requireProfile(_ name: String) throws(AuthError) {
        guard names.contains(name) else { throw .unknownProfile(Setting(name, from: .builtIn)) }
    }

    /// Also one that cannot be read.
    func hasSession(_ name: String) throws(AuthError) -> Bool {
        try sessions.profiles().contains(name)
    }

    func forgetSession(_ name: String) throws(AuthError) {
        try sessions.discard(name)
    }

    /// What waits for a mailed code has no value without the profile, and is no session that anybody would miss.
    func forgetUnfinishedLogIn(_ name: String) throws(AuthError) {
        let unfinished = sessions.unfinished
        if try unfinished.profiles().contains(name) { try unfinished.discard(name) }
    }

    /// A session that cannot be read is no reason to hide the profile: it is warned of.
    private func username(_ name: String) -> String? {
        do throws(AuthError) {
            guard let stored = try sessions.load(name) else { return nil }
            // `try?`: a profile that leads nowhere has nobody logged in. One that was led elsewhere since, neither.
            let settings = try? context.settings(of: name, alone: configuration)
            return settings?.connection == stored.connection ? stored.user.displayName : nil
        } catch {
            context.events.warn(error.message)
            return nil
        }
    }
}

extension Profile {
    /// Those texts that are set for a kind of backend and may be seen, in the order in which it lists them.
    fileprivate func settings(of backend: BackendDescriptor) -> JSONObject {
        var set = JSONObject()
        for setting in backend.settings where setting.form != .secret {
            if let value = settings[setting.key]?.string { set[setting.key] = .string(value) }
        }
        return set
    }
}

/// One profile, as most `profile` commands end with it.
struct ProfileOutput: CommandOutput {
    let item: ProfileItem
    /// What was done with it, or is known of it, for people.
    let message: String
    var shownBy: [String]? = ["profile", "list"]

    func text(_ style: TextStyle) -> String { message + "\n" }

    var json: JSONValue { ["v": 1, "kind": "profile", "item": item.json] }
}

extension Context {
    /// Changes the configuration and tells how the profile stands then.
    func changeProfile(
        _ name: String, _ message: String, _ change: (inout Configuration) throws(AuthError) -> Void
    ) throws(AuthError) -> ProfileOutput {
        // Not read again: it is changed by then, and a failure would say otherwise.
        var changed = Configuration()
        let wasLoose = try world.configuration().update { configuration throws(AuthError) in
            try change(&configuration)
            changed = configuration
        }
        if wasLoose { events.warn("other users could read the configuration; its permissions are now fixed") }
        return ProfileOutput(item: try ProfileBook(self, changed).item(name), message: message)
    }
}
