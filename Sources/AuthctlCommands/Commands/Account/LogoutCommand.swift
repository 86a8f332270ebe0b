import AuthClient
import AuthModel
import CommandLineKit
import JSON

/// Revokes the session on the server and deletes it here.
enum LogoutCommand: Command {
    struct Options: CommandOptions {
        var allProfiles = false
        var sendsRequest = true
    }

    static let name = "logout"
    static let spec = CommandSpec<Options>(
        name,
        summary: "Log out: revoke the session and delete it here",
        discussion: """
            The saved session is deleted in every case. If the server cannot be reached, the exit code is 8 or 9: the \
            session may still be valid on the server.
            """,
        examples: [
            Example("authctl logout", "Log out; safe to repeat."),
            Example("authctl logout --all-profiles", "Log out of every profile."),
        ],
        exitCodes: [0, 2, 5, 7, 8, 9, 12],
        arguments: [
            .flag({ $0.allProfiles = $1 }, "all-profiles", help: "Log out of all profiles."),
            .disablingFlag(
                { $0.sendsRequest = $1 }, "offline", help: "Only delete the saved session; send no request."),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        guard options.allProfiles else {
            let client = try context.makeClient()
            return Output(
                scope: .one(try options.sendsRequest ? LogOut(client).run() : LogOut(client).offline()),
                hints: context.hints)
        }
        var results: [LogOutResult] = []
        let sessions = try context.sessions()
        // Includes profiles that have only a pending login.
        let profiles = Set(try sessions.profiles()).union(try sessions.unfinished.profiles())
        for profile in profiles.sorted() {
            results.append(outcome(of: profile, options, context))
        }
        return Output(scope: .all(results), hints: context.hints)
    }

    /// An error in one profile must not keep the other profiles logged in.
    private static func outcome(of profile: String, _ options: Options, _ context: Context) -> LogOutResult {
        do throws(AuthError) {
            let client = try context.makeClient(profile: profile)
            return try (options.sendsRequest ? LogOut(client).run() : LogOut(client).offline()).namingProfile()
        } catch {
            guard error.reason == .unknownProfile else {
                return LogOutResult(profile: profile, changed: false, revoked: .unknown, forgotten: false, error: error)
                    .namingProfile()
            }
            return forget(profile, options, context)
        }
    }

    /// The session of a removed profile has no connection any more; it can only be deleted here.
    private static func forget(_ profile: String, _ options: Options, _ context: Context) -> LogOutResult {
        do throws(AuthError) {
            try context.sessions().discard(profile)
            let error = AuthError(
                .outcomeUnknown,
                "the session of '\(profile)' may still be valid on the server: the profile no longer exists")
            // With `--offline` the user knows that the session was not revoked.
            return LogOutResult(
                profile: profile, changed: true, revoked: .unknown, forgotten: true,
                error: options.sendsRequest ? error : nil)
        } catch {
            return LogOutResult(profile: profile, changed: false, revoked: .unknown, forgotten: false, error: error)
        }
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
            // Printed once for all profiles.
            return text
                + (results.contains { $0.method == .facebook } ? "the login to Facebook itself is unchanged\n" : "")
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
                return .object(JSONObject(Self.head + result.members(hints)))
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

        private static let head = ([("v", 1), ("kind", "logout")] as [(String, JSONValue)]).map {
            JSONObject.Member(name: $0.0, value: $0.1)
        }

        /// The least certain result of all profiles.
        private static func worst(_ results: [LogOutResult]) -> Revocation {
            let order: [Revocation] = [.unknown, .unsupported, .yes]
            return order.first { kind in results.contains { $0.revoked == kind } } ?? .already
        }
    }
}

extension LogOutResult {
    /// The result with next steps for its own profile. The options of this command line do not apply to it.
    fileprivate func namingProfile() -> LogOutResult {
        let hints = HintRenderer(profile: profile)
        var result = self
        result.error?.nextSteps = (error?.nextSteps ?? []).map { NextStep(hints.hint($0)) }
        return result
    }

    fileprivate var text: String {
        guard changed else { return error == nil ? "not logged in (profile '\(profile)')\n" : "" }
        guard forgotten else { return "\(undeletedText) (profile '\(profile)')\n" }
        return switch revoked {
        case .yes: "logged out (profile '\(profile)')\n"
        case .already: "logged out (profile '\(profile)'); the server had already revoked the session\n"
        case .unsupported where revokedByPasswordChange:
            "deleted the saved session (profile '\(profile)'); it is valid on the server until it expires or the password "
                + "changes\n"
        case .unsupported:
            "deleted the saved session (profile '\(profile)'); it is valid on the server until it expires\n"
        case .unknown: "deleted the saved session (profile '\(profile)'); it may still be valid on the server\n"
        }
    }

    /// The outcome if the session could not be deleted here.
    private var undeletedText: String {
        switch revoked {
        case .yes, .already: "the session is revoked on the server, but the saved session could not be deleted"
        case .unsupported: "the saved session could not be deleted, and it is still valid on the server"
        case .unknown: "the saved session could not be deleted, and it may still be valid on the server"
        }
    }

    fileprivate func members(_ hints: HintRenderer) -> [JSONObject.Member] {
        let object: JSONObject = [
            "profile": .string(profile), "changed": .bool(changed), "revoked": .string(revoked.rawValue),
            "forgotten": .bool(forgotten), "error": JSONValue(error) { ErrorReport($0, hints).json },
        ]
        return object.members
    }
}
