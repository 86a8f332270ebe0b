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
    static let spec = declaration(
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
            .flag(
                { $0.sendsRequest = $1 }, "offline", sets: false,
                help: "Only delete the saved session; send no request."),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        guard options.allProfiles else {
            let logOut = LogOut(try context.client())
            let result = try options.sendsRequest ? logOut.run() : logOut.offline()
            return Output(results: [result], isOfAll: false, hints: context.hints)
        }
        let sessions = LogOutOfAll(try context.sessions(), sendsRequest: options.sendsRequest) {
            stored throws(AuthError) in
            try context.client(for: stored, sendsRequest: options.sendsRequest)
        }
        let results = try sessions.run().map { $0.naming(in: context) }
        return Output(results: results, isOfAll: true, hints: context.hints)
    }

    struct Output: CommandOutput {
        let results: [LogOutResult]
        /// Whether the results are those of all profiles; otherwise, there is one.
        let isOfAll: Bool
        let hints: HintRenderer

        func text(_ style: TextStyle) -> String {
            let text = results.isEmpty ? "no profile has a session\n" : results.map(\.text).joined()
            // Add one line per provider, even if several sessions were created with it.
            return text
                + Set(results.compactMap { $0.method?.provider?.title }).sorted()
                .map { "the login to \($0) itself is unchanged\n" }.joined()
        }

        var stateCommand: [String]? { ["profile", "list"] }

        var json: JSONValue {
            guard isOfAll else {
                let head: JSONObject = ["v": 1, "kind": "logout"]
                return .object(JSONObject(head.members + results.flatMap { $0.members(hints) }))
            }
            // The least certain revocation: `already` only if every result is `already`.
            let order: [Revocation] = [.unknown, .unsupported, .yes]
            let revoked = order.first { kind in results.contains { $0.revoked == kind } } ?? .already
            return [
                "v": 1, "kind": "logout", "profile": nil,
                "changed": .bool(results.contains { $0.changed }), "revoked": .string(revoked.rawValue),
                "forgotten": .bool(results.contains { $0.forgotten }),
                "error": JSONValue(error) { ErrorReport($0, hints).json },
                "items": .array(results.map { .object(JSONObject($0.members(hints))) }),
            ]
        }

        var error: AuthError? { results.lazy.compactMap(\.error).first }
    }
}

extension LogOutResult {
    /// The result with next steps for its own session, even if the command line selects a different session.
    fileprivate func naming(in context: Context) -> LogOutResult {
        guard let key else { return self }
        var result = self
        result.error?.nextSteps = context.stepsFor(key, after: error)
        return result
    }

    /// `(profile 'ci')` or `(profile 'ci', session 'bob')`, with the server if the result has a key.
    private var place: String {
        let name = sessionName.map { ", session '\($0)'" } ?? ""
        return "(profile '\(profile)'\(name)\(key.map { ", \($0.connection.placeName.shown)" } ?? ""))"
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
        guard let connection = key?.connection else { return object.members }
        let names: JSONObject = [
            "as": JSONValue(sessionName), "backend": .string(connection.backend),
            "server": JSONValue(connection.server),
        ]
        return object.members + names.members
    }
}
