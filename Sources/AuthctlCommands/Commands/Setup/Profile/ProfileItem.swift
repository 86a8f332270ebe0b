import AuthClient
import AuthModel
import CommandLineKit
import JSON

/// A profile as the `profile` commands show it.
struct ProfileItem: Sendable, Equatable {
    let name: String
    let backend: String
    let server: String?
    let appID: String?
    /// `nil` if the profile's settings are invalid.
    let connection: Connection?
    /// The saved sessions that can be read, sorted by connection.
    let sessions: [StoredSession]
    let isBuiltIn: Bool
    /// The backend settings, as entered, without secrets.
    let settings: JSONObject

    /// The sessions for the profile's connection, starting with the session without a name.
    var ownSessions: [StoredSession] { sessions.filter { $0.connection == connection } }

    var otherSessions: [StoredSession] { sessions.filter { $0.connection != connection } }

    var username: String? { ownSessions.first { $0.name == nil }?.user.displayName }

    var sessionNames: [String] { ownSessions.compactMap(\.name) }

    var json: JSONValue {
        [
            "name": .string(name), "backend": .string(backend), "server": JSONValue(server),
            "appId": JSONValue(appID), "username": JSONValue(username), "users": JSONValue(sessionNames),
            "origin": isBuiltIn ? "built-in" : "configuration", "settings": .object(settings),
            "otherSessions": .array(otherSessions.map(\.mention)),
        ]
    }
}

/// The configuration and the saved sessions, for `profile` commands.
struct ProfileBook {
    let context: Context
    let configuration: Configuration
    let current: String
    /// The session name that `profile use --as` set, if its profile is in use.
    var currentUser: String? { configuration.current == current ? configuration.currentUser : nil }
    private let sessions: any SessionStore

    init(_ context: Context) throws(AuthError) {
        try self.init(context, context.configuration().load())
    }

    init(_ context: Context, _ configuration: Configuration) throws(AuthError) {
        self.context = context
        self.configuration = configuration
        current = try context.resolver.profileName(in: configuration).value
        sessions = try context.sessions()
    }

    var names: [String] { configuration.names }

    /// All profiles. If the sessions cannot be listed, prints a warning and omits the sessions.
    func items() -> [ProfileItem] {
        let saved = Dictionary(grouping: list(of: nil)) { $0.profile }
        let profiles = Dictionary(configuration.profiles.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        return names.map { item($0, profiles[$0], saved[$0] ?? []) }
    }

    func item(_ name: String) -> ProfileItem { item(name, configuration[name], list(of: name)) }

    private func list(of profile: String?) -> [SavedSession] {
        do throws(AuthError) {
            return try sessions.list(of: profile)
        } catch {
            context.events.warn(error.message)
            return []
        }
    }

    private func item(_ name: String, _ profile: Profile?, _ saved: [SavedSession]) -> ProfileItem {
        for error in saved.errors { context.events.warn(error.message) }
        // No other profile, so that a list of many profiles takes linear time.
        let own = Configuration(profiles: [profile].compactMap(\.self))
        let word = profile?.text(.backend) ?? context.backends[0].kind
        let backend = context.backends.meant(by: word)
        return ProfileItem(
            name: name, backend: backend?.kind ?? word,
            // A URL edited by hand may contain a password.
            server: profile?.text(.server).map { ServerURL.masked(backend?.url(named: $0) ?? $0) }
                ?? backend?.server(meantBy: word),
            appID: profile?.text(.appID),
            // `try?`: a profile with invalid settings has no connection.
            connection: try? context.settings(of: name, alone: own).connection, sessions: saved.readable,
            isBuiltIn: profile == nil,
            settings: backend.flatMap { profile?.settings(of: $0) } ?? [:])
    }

    /// - Throws: `AuthError` `unknownProfile`.
    func requireProfile(_ name: String, canBeAdded: Bool = false) throws(AuthError) {
        guard names.contains(name) else {
            throw AuthError(unknownProfile: Setting(name, from: .builtIn), in: configuration, canBeAdded: canBeAdded)
        }
    }

    /// Deletes a profile's saved sessions and pending logins, then runs `body`, which removes the profile.
    ///
    /// - Parameter check: called before the deletion, with true if any session is saved, even an unreadable one.
    func forgetSessions(
        _ name: String, after check: (_ hasSession: Bool) throws(AuthError) -> Void,
        _ body: () throws(AuthError) -> Void
    ) throws(AuthError) {
        try sessions.removeProfile(
            name, after: { () throws(AuthError) in try check(try sessions.profiles().contains(name)) }, then: body)
    }
}

extension AuthError {
    /// Suggests the profile that the user may have meant or, if there is none, a command that adds it.
    init(unknownProfile name: Setting<String>, in configuration: Configuration, canBeAdded: Bool = true) {
        let guess = Suggestions.question(for: name.value, among: configuration.names)
        self = .unknownProfile(name, canBeAdded: canBeAdded && guess == nil)
        if let guess { nextSteps.insert(NextStep(guess), at: 0) }
    }
}

extension Profile {
    /// The settings of the profile that belong to this backend and are not secret.
    func settings(of backend: BackendDescriptor) -> JSONObject {
        JSONObject(
            settings.members.filter { member in
                backend.settings.keyed(member.name).map { $0.form != .secret } ?? false && member.value.string != nil
            })
    }
}

/// The output of most `profile` commands: one profile.
struct ProfileOutput: CommandOutput {
    let item: ProfileItem
    let message: String
    /// The current profile, after the command.
    let current: String
    /// `profile add`: whether the profile is new.
    var isNew: Bool?
    var stateCommand: [String]? = ["profile", "list"]

    func text(_ style: TextStyle) -> String { message + "\n" }

    var json: JSONValue {
        [
            "v": 1, "kind": "profile", "state": JSONValue(isNew) { $0 ? "added" : "unchanged" },
            "current": .string(current), "item": item.json,
        ]
    }
}

extension Context {
    /// Changes the configuration and returns the changed profile.
    func changeProfile(
        _ name: String, _ message: String, _ change: (inout Configuration) throws(AuthError) -> Void
    ) throws(AuthError) -> ProfileOutput {
        // The changed configuration is not read again: a read error would suggest that the change failed.
        var changed = Configuration()
        try self.configuration().update { configuration throws(AuthError) in
            try change(&configuration)
            changed = configuration
        }
        let book = try ProfileBook(self, changed)
        return ProfileOutput(item: book.item(name), message: message, current: book.current)
    }
}
