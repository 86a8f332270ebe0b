import AuthModel
import JSON
import Platform

/// Renders an error as text or JSON.
struct ErrorReport {
    let error: AuthError
    let hints: HintRenderer
    let showsServerText: Bool

    /// The exit code of the process, usually the exit code of the error's outcome.
    private let exitCode: Int32

    init(_ error: AuthError, _ hints: HintRenderer, exitCode: Int32? = nil, showsServerText: Bool = false) {
        self.error = error
        self.hints = hints
        self.exitCode = exitCode ?? error.outcome.exitCode
        self.showsServerText = showsServerText
    }

    func text(_ style: TextStyle) -> String {
        var lines = [style.message("error", error.message, mark: style.failure)]
        lines += shown(listedFields).map { style.message("error", "  \($0)", mark: style.failure) }
        if showsServerText, let server = error.server {
            lines.append(style.message("server", said(server), mark: style.dim))
        }
        lines += error.nextSteps.map { style.message("hint", hints.hint($0), mark: style.strong) }
        return lines.joined()
    }

    /// The message and the reasons of the server in one line, for a row of a bulk command.
    var rowText: String {
        let isUnexplained = [.serverFault, .outcomeUnknown, .forbidden, .invalidFields].contains(error.reason)
        let said = error.server?.message.map { "\"\($0.asQuoted)\"" }
        let fields = shown(listedFields.filter { !error.message.holds($0.message.asQuoted) })
        let text = fields.isEmpty && isUnexplained ? said.flatMap { error.message.holds($0) ? nil : $0 } : nil
        return ([error.message] + fields + [text].compactMap(\.self)).joined(separator: "; ")
    }

    /// At most 20 field errors, then their number. JSON contains all of them.
    private func shown(_ fields: [FieldFault]) -> [String] {
        let most = 20
        let more = fields.count > most ? ["and \(fields.count - most) more"] : []
        return fields.prefix(most).map { "\($0.field): \($0.shownMessage)" } + more
    }

    /// The document for standard error, with the pending warnings.
    func document(_ warnings: [String]) -> JSONValue {
        ["v": 1, "kind": "error", "error": json, "warnings": JSONValue(warnings)]
    }

    /// The error object, which other documents may also contain.
    var json: JSONValue {
        [
            "code": .string(error.outcome.code),
            "exit": .integer(Int64(exitCode)),
            "reason": .string(error.reason.rawValue),
            // The message may quote the server, whose text must not start a new line or control the terminal.
            "message": .string(error.message.shown),
            "hint": JSONValue(error.nextSteps.first.map(hints.hint)),
            "hints": JSONValue(error.nextSteps.map(hints.hint)),
            "http": error.server.map { JSONValue($0.status) } ?? .null,
            "backend": error.server.flatMap(serverError) ?? .null,
            "fields": fields,
            "retryable": .bool(error.isRetryable),
            "retryAfter": error.retryAfter.map { JSONValue($0) } ?? .null,
        ]
    }

    /// `nil` if the response has neither a code nor a message.
    private func serverError(_ server: ServerDetail) -> JSONValue? {
        guard server.shownCode != .null || server.message != nil else { return nil }
        return ["code": server.shownCode, "message": JSONValue(server.message)]
    }

    /// The field errors that the message does not contain. A single error found by authctl is always in the message.
    private var listedFields: [FieldFault] {
        guard error.fields.count == 1 else { return error.fields }
        // A message such as "wrong password" already names the field.
        guard error.outcome != .rejected else { return [] }
        return error.fields.filter { $0.isServerText && !error.message.holds($0.message.asQuoted) }
    }

    /// An object that maps each field to the list of its error messages.
    private var fields: JSONValue {
        var messages = JSONObject()
        for fault in error.fields {
            let earlier = messages[fault.field]?.array ?? []
            messages[fault.field] = .array(earlier + [.string(fault.message)])
        }
        return .object(messages)
    }

    private func said(_ server: ServerDetail) -> String {
        let code = server.shownCode == .null ? "" : ", code \(server.shownCode.text)"
        let message = server.message.map { ": \"\($0.asQuoted)\"" } ?? ""
        return "HTTP \(server.status)\(code)\(message)"
    }
}

extension FieldFault {
    fileprivate var shownMessage: String { isServerText ? "\"\(message.asQuoted)\"" : message }
}

extension String {
    /// The server's message, cut to 200 characters for display.
    fileprivate var asQuoted: String { start(200) }
}
