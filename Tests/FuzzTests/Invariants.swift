import AuthClient
import AuthModel
import JSON
import Platform

@testable import AuthctlCommands

/// Invariants of every value that the client derives from a response.
enum Invariants {
    /// Checks the error from a response. The error must not show the request's secrets, even if the response does.
    static func check(_ failure: BackendError, _ secrets: [String]) throws {
        let error = failure.shown
        let ours: [Outcome] = [.failure, .storage]
        try FuzzFault.unless(!ours.contains(error.outcome), "no response has the reason \(error.reason)")
        try FuzzFault.unless(
            (1...1000).contains(error.message.unicodeScalars.count), "a message without a sensible length")
        for step in error.nextSteps {
            try FuzzFault.unless(!step.sentence.isEmpty, "an empty hint")
            let name = step.command.prefix { !$0.hasPrefix("-") && $0 != $0.uppercased() }.joined(separator: " ")
            let isKnown = step.command.isEmpty || CommandRegistry.names.contains { name.hasPrefix($0) }
            try FuzzFault.unless(isKnown, "a hint at a command that does not exist: \(step.command)")
        }
        try FuzzFault.unless((0...1_000_000_000).contains(error.retryAfter ?? 0), "a wait of \(error.retryAfter ?? 0)")
        try failure.replacement.map(check)

        let hints = HintRenderer(profile: nil, usesProfile: CommandRegistry.usesProfile)
        let report = ErrorReport(error, hints, showsServerText: true)
        let text = report.text(.plain)
        for line in text.split(separator: "\n") { try checkShown(String(line)) }
        try check(report.document([]))
        // The JSON text is not searched: in it, the `r` of an escape `\r` can look like the first letter of a secret.
        let told =
            [text, error.message, error.server?.message].compactMap(\.self) + error.nextSteps.map(\.sentence)
            + error.fields.flatMap { [$0.field, $0.message] }
        let isTold = secrets.contains { secret in told.contains { $0.holds(secret) } }
        try FuzzFault.unless(!isTold, "a secret of the request is shown: \(text)")
    }

    static func check(_ found: BackendCalls.Found) throws {
        switch found {
        case .logIn(let logIn): try check(logIn)
        case .session(let session): try check(session)
        case .user(let user): try check(user.json)
        case .summary(let summary): try FuzzFault.unless(!summary.id.isEmpty, "a session without an id")
        case .pending(let pending, let user):
            try pending.token.map(check)
            try user.map { try check($0.json) }
        }
    }

    private static func check(_ logIn: NewSession) throws {
        try check(logIn.session)
        try check(logIn.user.json)
    }

    private static func check(_ session: Session) throws {
        try check(session.token)
        try session.refreshToken.map(check)
    }

    /// Checks that a token is a valid header value, which cannot end the header line.
    static func check(_ token: Secret) throws {
        let text = token.reveal()
        let isPlain = (1...65_536).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        try FuzzFault.unless(isPlain, "an invalid token: \(text.debugDescription)")
    }

    /// Checks that a document has no control characters in its text, and equals the result of parsing its text.
    static func check(_ document: JSONValue) throws {
        try checkShown(document.text, atMost: .max)
        // `try?`: text that cannot be parsed gives `nil`, which differs from the document.
        try FuzzFault.unless(
            (try? JSONValue(parsing: document.bytes)) == document, "read again it is another one: \(document.text)")
    }

    /// Checks that a string is one line of at most `length` Unicode scalars, without terminal control characters.
    static func checkShown(_ text: String, atMost length: Int = 4200) throws {
        let isPlain = text.unicodeScalars.allSatisfy { !$0.mustBeEscaped }
        try FuzzFault.unless(isPlain, "a control character is shown: \(text.debugDescription)")
        try FuzzFault.unless(text.unicodeScalars.count <= length, "a line without a sensible length")
    }
}
