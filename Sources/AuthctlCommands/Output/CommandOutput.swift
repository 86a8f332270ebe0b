import AuthClient
import AuthModel
import JSON

/// The result of a command, for users and for scripts.
protocol CommandOutput: Sendable {
    /// The text for users, as complete lines; may be empty.
    func text(_ style: TextStyle) -> String
    /// The JSON document of the contract, beginning with `v` and `kind`.
    var json: JSONValue { get }
    /// A command that shows the new state if the output cannot be written; `nil` if nothing was changed.
    var stateCommand: [String]? { get }
    /// Whether nothing is left to print, because it was printed before the command ended or because there is only an
    /// error.
    var wasPrinted: Bool { get }
    var exitCode: Int32 { get }
    /// The error in the reported state; the command exits with its code.
    var error: AuthError? { get }
}

extension CommandOutput {
    var stateCommand: [String]? { nil }
    var wasPrinted: Bool { false }
    var error: AuthError? { nil }

    var exitCode: Int32 { error?.outcome.exitCode ?? 0 }
}

/// The output of a command that has printed its result itself, or has only an error.
struct PrintedOutput: CommandOutput {
    var error: AuthError?
    /// Overrides the exit code of the error.
    var ownExitCode: Int32?

    var wasPrinted: Bool { true }
    var exitCode: Int32 { ownExitCode ?? error?.outcome.exitCode ?? 0 }
    func text(_ style: TextStyle) -> String { "" }
    var json: JSONValue { .null }
}

/// Objects that the documents of several commands share.
extension Session {
    /// `{"id","createdAt","expiresAt"}`: never the token.
    var json: JSONValue {
        [
            "id": JSONValue(id),
            "createdAt": JSONValue(createdAt.map(\.text)),
            "expiresAt": JSONValue(expiresAt.map(\.text)),
        ]
    }
}

extension StoredSession {
    /// A session for another connection: `{"backend","server","as","username"}`.
    var mention: JSONValue {
        [
            "backend": .string(connection.backend), "server": JSONValue(connection.server), "as": JSONValue(name),
            "username": JSONValue(user.displayName),
        ]
    }

    /// For messages: `of 'anna' for 'https://example.org/parse' (backend 'parse', application 'shop')`.
    var description: String {
        (user.displayName.map { "of '\($0)' " } ?? "") + "for \(connection.name)"
            + (name.map { " and --as '\($0)'" } ?? "")
    }
}

extension Settings {
    /// For messages: `(profile 'ci', session 'bob', local accounts)`.
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
