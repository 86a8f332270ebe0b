import AuthClient
import AuthModel
import JSON

/// The result of a command, for users and for scripts.
protocol CommandOutput: Sendable {
    /// The text for users, as complete lines; may be empty.
    func text(_ style: TextStyle) -> String
    /// The JSON document; see `authctl help json`.
    var json: JSONValue { get }
    /// The command that shows the new state, for a hint if the output cannot be written; empty if no command shows it,
    /// and `nil` for a query.
    var stateCommand: [String]? { get }
    /// Whether nothing is left to print: the output was printed or written to a file, or there is only an error.
    var wasPrinted: Bool { get }
    var exitCode: Int32 { get }
    /// The error that the result contains, if any. By default, the error decides the exit code of the command.
    var error: AuthError? { get }
}

extension CommandOutput {
    var stateCommand: [String]? { nil }
    var wasPrinted: Bool { false }
    var error: AuthError? { nil }

    var exitCode: Int32 { error?.outcome.exitCode ?? 0 }
}

/// The output of a command that printed its result itself, or that has only an error.
struct PrintedOutput: CommandOutput {
    var error: AuthError?
    /// Overrides the exit code of the error.
    var ownExitCode: Int32?

    var wasPrinted: Bool { true }
    var exitCode: Int32 { ownExitCode ?? error?.outcome.exitCode ?? 0 }
    func text(_ style: TextStyle) -> String { "" }
    var json: JSONValue { .null }
}

/// A line of a command that prints JSON documents one by one.
struct JSONLine: CommandOutput {
    let json: JSONValue

    func text(_ style: TextStyle) -> String { "" }
}

extension Session {
    /// `{"id","createdAt","expiresAt"}`, without the token.
    var json: JSONValue {
        [
            "id": JSONValue(id),
            "createdAt": JSONValue(createdAt.map(\.text)),
            "expiresAt": JSONValue(expiresAt.map(\.text)),
        ]
    }
}

extension StoredSession {
    /// A session for a connection other than the current one: `{"backend","server","as","username"}`.
    var mention: JSONValue {
        [
            "backend": .string(connection.backend), "server": JSONValue(connection.server), "as": JSONValue(name),
            "username": JSONValue(user.displayName),
        ]
    }

    /// The text for messages: `of 'anna' for 'https://example.org/parse' (backend 'parse', application 'shop')`.
    var description: String {
        (user.displayName.map { "of '\($0)' " } ?? "") + "for \(connection.name)"
            + (name.map { " and --as '\($0)'" } ?? "")
    }
}

extension Settings {
    /// The text for messages: `(profile 'ci', session 'bob', local accounts)`.
    var place: String {
        let name = sessionName.map { ", session '\($0.value)'" } ?? ""
        return "(profile '\(profile.value)'\(name), \(connection.placeName.shown))"
    }
}

extension JSONValue {
    /// The JSON of an optional value; `nil` becomes `null`.
    init<Part>(_ part: Part?, _ json: (Part) -> JSONValue) {
        self = part.map(json) ?? .null
    }
}
