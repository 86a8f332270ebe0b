import AuthClient
import AuthModel
import CommandLineKit
import Platform

/// Where a command finds the administrator's key.
struct AdminKeyOptions: Sendable, Equatable {
    var file: String?
    /// The profile whose saved session is the key.
    var profile: String?

    var isGiven: Bool { file != nil || profile != nil }

    /// The words that repeat the options in a command.
    var words: [String] {
        (file.map { .option("--admin-key-file", $0) } ?? []) + (profile.map { .option("--admin", $0) } ?? [])
    }
}

protocol TakesAdminKey: CommandOptions {
    var admin: AdminKeyOptions { get set }
}

extension Array {
    /// The options `--admin-key-file` and `--admin`.
    static func adminKeySources<Options: TakesAdminKey>() -> [Element] where Element == Argument<Options> {
        [
            .option(
                { $0.admin.file = $1 }, "admin-key-file", value: "FILE",
                help: "Read the administrator's key from FILE.",
                environment: [Context.adminKeyVariable]),
            .option(
                { $0.admin.profile = $1 }, "admin", value: "PROFILE",
                help: "Use the session of PROFILE as the key (pocketbase)."
            ).completed(by: .profiles),
        ]
    }
}

extension OptionRule {
    static let oneAdminKey = exclusive("admin-key-file", "admin")
}

extension Context {
    fileprivate static let adminKeyVariable = "AUTHCTL_ADMIN_KEY_FILE"

    /// Reads the administrator's key of the server in use; `nil` for local accounts and emulators, which need no key.
    ///
    /// AUTHCTL_ADMIN_KEY_FILE is used only if AUTHCTL_SERVER names the server in use or, for a server that all users of
    /// its kind share, AUTHCTL_BACKEND and AUTHCTL_APP_ID name the application. Others must not receive the key.
    ///
    /// - Parameter activity: the operation for messages, such as "option --impersonate".
    func adminKey(
        _ options: AdminKeyOptions, of settings: Settings, for activity: String
    ) throws(AuthError) -> Secret? {
        guard settings.connection.server != nil else {
            guard options.isGiven else { return nil }
            throw AuthError(
                options.file == nil ? .unsupported : .usage, "local accounts have no master key",
                next: "remove \(options.file == nil ? "--admin" : "--admin-key-file")")
        }
        if let profile = options.profile { return try adminSession(of: profile, for: settings) }
        let name = settings.backend.value.adminKey?.name ?? "master key"
        guard let path = options.file ?? (hasAdminKey(of: settings) ? environment[Self.adminKeyVariable] : nil) else {
            if settings.isForEmulator { return nil }
            let variable = """
                use --admin-key-file FILE; \(Self.adminKeyVariable) counts only for \(settings.isForSharedServer
                    ? "the project in AUTHCTL_APP_ID, with AUTHCTL_BACKEND" : "the server in AUTHCTL_SERVER")
                """
            let session = settings.backend.value.adminKey?.collection.map { collection in
                NextStep("or use the session of a profile whose collection is '\(collection)': add --admin PROFILE")
            }
            throw AuthError(
                .usage, "\(activity) requires a \(name)",
                nextSteps: [NextStep(variable)] + [session].compactMap(\.self))
        }
        return try SecretReader(what: name, context: self).token(in: path, isPassword: true)
    }

    /// The token of a profile's saved session, refreshed like any other. The profile must be for administrators of the
    /// same server.
    private func adminSession(of profile: String, for settings: Settings) throws(AuthError) -> Secret {
        guard let collection = settings.backend.value.adminKey?.collection else {
            throw AuthError(
                .unsupported, "backend '\(settings.backendName)' has no sessions of administrators",
                next: "use --admin-key-file FILE instead of --admin")
        }
        let configuration = try configuration().load()
        guard configuration[profile] != nil else {
            throw AuthError(
                unknownProfile: Setting(profile, from: .option("--admin")), in: configuration, canBeAdded: false)
        }
        // The server is compared below, and its use of plain HTTP was decided before.
        let other = try self.settings(of: profile, allowsHTTP: true, alone: configuration)
        guard other.connection == settings.connection else {
            throw AuthError(
                .usage,
                "profile '\(profile)' (option '--admin') is for \(other.connection.name), not for \(settings.connection.name)"
            )
        }
        guard other.serverSettings[BackendSetting.collection.key] == collection else {
            throw AuthError(
                .usage, "profile '\(profile)' (option '--admin') is not for collection '\(collection)'",
                next: NextStep("set it", run: ["profile", "set", profile, "collection", collection]))
        }
        do throws(AuthError) {
            return try client(other, usesToken: false).sessions.liveSession().session.token
        } catch {
            // The hints of this command line would name its own profile.
            var error = error.explaining("cannot use the session of profile '\(profile)' (option '--admin')")
            if error.outcome == .notLoggedIn || error.reason.meansInvalidSession {
                error.nextSteps = [NextStep("log in again: authctl login -p \(profile.shellQuoted)")]
            }
            throw error
        }
    }

    /// - Parameter inputs: the options and their files; `-` is standard input.
    /// - Throws: `AuthError` `usage` if two of them read standard input.
    func requireOneStandardInput(_ inputs: [(option: String, file: String?)]) throws(AuthError) {
        let readers = inputs.filter { $0.file == "-" }
        guard readers.count > 1 else { return }
        throw AuthError(
            .usage, "\(readers[0].option) and \(readers[1].option) both read standard input",
            next: "use a file for one of them")
    }

    /// Whether AUTHCTL_ADMIN_KEY_FILE is set for the server in use.
    func hasAdminKey(of settings: Settings) -> Bool {
        guard environment[Self.adminKeyVariable] != nil else { return false }
        if settings.isForSharedServer {
            let application = environment["AUTHCTL_APP_ID"]
            return environment["AUTHCTL_BACKEND"] == settings.connection.backend && application != nil
                && application == settings.connection.appID
        }
        // `try?`: an invalid URL is not the server in use.
        let server = environment["AUTHCTL_SERVER"].flatMap { try? ServerURL($0) }?.text
        return server != nil && server == settings.connection.server
    }
}
