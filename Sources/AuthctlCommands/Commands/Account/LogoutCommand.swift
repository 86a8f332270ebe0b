import AuthClient
import AuthModel
import CommandLineKit
import JSON

enum LogoutCommand: Command {
    struct Options: CommandOptions {
        var allProfiles = false
        var sendsRequest = true
    }

    static let name = "logout"
    static let summary = "Log out: revoke and delete the saved session"
    static let spec = CommandSpec<Options>(
        name,
        summary: summary,
        discussion: """
            Deletes the saved session even if the server does not revoke it. If the server gives no usable response, \
            the exit code is 8 or 9, and the session may still be valid on the server. If the saved session cannot be \
            deleted, the exit code is 12. Servers of \(HelpTopics.backends(with: .endsSessionsByPasswordChange)) have \
            no logout: a token works until it expires or the password changes.
            """,
        examples: [
            Example("authctl logout", "Log out; safe to repeat."),
            Example("authctl logout --all-profiles", "Log out of every profile."),
        ],
        exitCodes: [0, 2, 5, 7, 8, 9, 10, 12],
        arguments: [
            .flag({ $0.allProfiles = $1 }, "all-profiles", help: "Log out of all sessions of all profiles."),
            .disablingFlag(
                { $0.sendsRequest = $1 }, "offline", help: "Only delete the saved session; send no request."),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        guard options.allProfiles else {
            return Output(scope: .one(try logOut(context.client(), options)), hints: context.hints)
        }
        let sessions = try context.sessions()
        // Include profiles that have only a pending login.
        let profiles = Set(try sessions.profiles()).union(try sessions.unfinished.profiles())
        let results = profiles.sorted().flatMap { logOutAll(of: $0, sessions, options, context) }
        return Output(scope: .all(results), hints: context.hints)
    }

    private static func logOut(_ client: Client, _ options: Options) throws(AuthError) -> LogOutResult {
        try options.sendsRequest ? LogOut(client).run() : LogOut(client).offline()
    }

    /// Logs out of all sessions of a profile, even if one logout fails.
    private static func logOutAll(
        of profile: String, _ sessions: any SessionStore, _ options: Options, _ context: Context
    ) -> [LogOutResult] {
        do throws(AuthError) {
            let list = try sessions.list(of: profile)
            var results = list.compactMap({ try? $0.content.get() }).sortedByConnection().map { stored in
                logOut(of: stored, sessions, options, context).naming(stored.key, in: context)
            }
            for saved in list {
                guard case .failure(let error) = saved.content else { continue }
                guard error.reason == .corrupt || error.reason == .newerVersion else {
                    results.append(failed(profile, error))
                    continue
                }
                results.append(
                    forget("a session", of: profile, error.message, options) { () throws(AuthError) in
                        try sessions.discard(saved)
                    })
            }
            // A pending login has no session on the server yet, so there is nothing to revoke.
            try sessions.unfinished.discardAll(of: profile)
            guard results.isEmpty else { return results }
            return [LogOutResult(profile: profile, changed: false, revoked: .already, forgotten: false, error: nil)]
        } catch {
            return [failed(profile, error)]
        }
    }

    private static func logOut(
        of stored: StoredSession, _ sessions: any SessionStore, _ options: Options, _ context: Context
    ) -> LogOutResult {
        do throws(AuthError) {
            return try logOut(context.client(for: stored, sendsRequest: options.sendsRequest), options)
        } catch {
            guard error.outcome == .usage else { return failed(stored.profile, error) }
            // The profile was removed or has unusable settings.
            let cause = error.reason == .unknownProfile ? "the profile no longer exists" : error.message
            return forget(
                "the session of profile '\(stored.profile)'", of: stored.profile, cause, options
            ) { () throws(AuthError) in try sessions.discard(stored.key) }
        }
    }

    /// Deletes a session that cannot be revoked.
    private static func forget(
        _ session: String, of profile: String, _ cause: String, _ options: Options,
        _ discard: () throws(AuthError) -> Void
    ) -> LogOutResult {
        do throws(AuthError) {
            try discard()
        } catch {
            return failed(profile, error)
        }
        let error = AuthError(.outcomeUnknown, "cannot revoke \(session), which may still be valid: \(cause)")
        return LogOutResult(
            profile: profile, changed: true, revoked: .unknown, forgotten: true,
            // With `--offline` the user knows that the session was not revoked.
            error: options.sendsRequest ? error : nil)
    }

    private static func failed(_ profile: String, _ error: AuthError) -> LogOutResult {
        LogOutResult(profile: profile, changed: false, revoked: .unknown, forgotten: false, error: error)
    }

    struct Output: CommandOutput {
        enum Scope: Equatable {
            case one(LogOutResult)
            case all([LogOutResult])
        }

        let scope: Scope
        let hints: HintRenderer

        func text(_ style: TextStyle) -> String {
            let text =
                switch scope {
                case .one(let result): result.text
                case .all([]): "no profile has a session\n"
                case .all(let results): results.map(\.text).joined()
                }
            // Add one line per provider, even if several sessions were created with it.
            return text
                + Set(results.compactMap { $0.method?.provider?.title }).sorted()
                .map { "the login to \($0) itself is unchanged\n" }.joined()
        }

        var stateCommand: [String]? { ["profile", "list"] }

        private var results: [LogOutResult] {
            switch scope {
            case .one(let result): [result]
            case .all(let results): results
            }
        }

        var json: JSONValue {
            switch scope {
            case .one(let result):
                let head: JSONObject = ["v": 1, "kind": "logout"]
                return .object(JSONObject(head.members + result.members(hints)))
            case .all(let results):
                return [
                    "v": 1, "kind": "logout", "profile": nil,
                    "changed": .bool(results.contains { $0.changed }),
                    "revoked": .string(Self.worst(results).rawValue),
                    "forgotten": .bool(results.contains { $0.forgotten }),
                    "error": JSONValue(error) { ErrorReport($0, hints).json },
                    "items": .array(results.map { .object(JSONObject($0.members(hints))) }),
                ]
            }
        }

        var error: AuthError? {
            switch scope {
            case .one(let result): result.error
            case .all(let results): results.lazy.compactMap(\.error).first
            }
        }

        /// The least certain revocation among the results: `already` only if every result is `already`.
        private static func worst(_ results: [LogOutResult]) -> Revocation {
            let order: [Revocation] = [.unknown, .unsupported, .yes]
            return order.first { kind in results.contains { $0.revoked == kind } } ?? .already
        }
    }
}

extension LogOutResult {
    /// The result with next steps for its own session, even if the command line selects a different session.
    fileprivate func naming(_ key: SessionKey, in context: Context) -> LogOutResult {
        var result = self
        result.sessionName = key.name
        result.connection = key.connection
        result.error?.nextSteps = context.stepsFor(key, after: error)
        return result
    }

    /// `(profile 'ci')` or `(profile 'ci', session 'bob')`, with the server if the result has a connection.
    private var place: String {
        let name = sessionName.map { ", session '\($0)'" } ?? ""
        return "(profile '\(profile)'\(name)\(connection.map { ", \($0.placeName.shown)" } ?? ""))"
    }

    fileprivate var text: String {
        if let variable { return text(from: variable) }
        guard changed else { return error == nil ? "not logged in \(place)\n" : "" }
        guard forgotten else { return "\(undeletedText) \(place)\n" }
        return switch revoked {
        case .yes: "logged out \(place)\n"
        case _ where hadExpired && revoked != .unknown: "logged out \(place); the session had expired\n"
        case .already: "logged out \(place); the session was no longer valid\n"
        case .unsupported where revokedByPasswordChange:
            "deleted the saved session \(place); it is valid on the server until it expires or the password "
                + "changes\n"
        case .unsupported:
            "deleted the saved session \(place); it is valid on the server until it expires\n"
        case .unknown where !hasServer:
            "deleted the saved session \(place); it "
                + (error == nil ? "stays valid until it expires\n" : "may still be valid\n")
        case .unknown: "deleted the saved session \(place); it may still be valid on the server\n"
        }
    }

    /// The text for a session from the environment.
    private func text(from variable: String) -> String {
        switch revoked {
        case .yes: "revoked the session from \(variable) \(place)\n"
        case .already: "the session from \(variable) was no longer valid \(place)\n"
        case .unsupported where revokedByPasswordChange:
            "the session from \(variable) is valid until it expires or the password changes \(place)\n"
        case .unsupported: "the session from \(variable) is valid until it expires \(place)\n"
        // The error reports the outcome.
        case .unknown: ""
        }
    }

    /// The text for a saved session that could not be deleted.
    private var undeletedText: String {
        let place = hasServer ? " on the server" : ""
        return switch revoked {
        case .yes, .already: "the session is revoked\(place), but the saved session could not be deleted"
        case .unsupported: "the saved session could not be deleted, and it is still valid\(place)"
        case .unknown: "the saved session could not be deleted, and it may still be valid\(place)"
        }
    }

    fileprivate func members(_ hints: HintRenderer) -> [JSONObject.Member] {
        let object: JSONObject = [
            "profile": .string(profile), "changed": .bool(changed), "revoked": .string(revoked.rawValue),
            "forgotten": .bool(forgotten), "error": JSONValue(error) { ErrorReport($0, hints).json },
        ]
        guard let connection else { return object.members }
        let names: JSONObject = [
            "as": JSONValue(sessionName), "backend": .string(connection.backend),
            "server": JSONValue(connection.server),
        ]
        return object.members + names.members
    }
}
