import AuthModel
import Expectations
import MessageSnapshots

@testable import AuthctlCommands

@Suite struct ErrorReportTests {
    private static let messages = MessageFile("commands/errors")

    static let full = AuthError(
        .invalidFields, "cannot create account 'x': 2 things must be changed", next: "change them",
        server: ServerDetail(status: 400, code: 142, message: "No \"good\"\n\u{1B}[31m."),
        fields: [
            FieldFault("email", "is bad"), FieldFault("password", "is short"), FieldFault("email", "is taken"),
        ], retryAfter: 30)

    @Test(arguments: [false, true])
    func `an error printed as text contains its message, fields, hints and, on request, the server's message`(
        showsServerText: Bool
    ) {
        let text = ErrorReport(Self.full, HintRenderer(profile: nil), showsServerText: showsServerText).text(.plain)
        Self.messages.expect(text, showsServerText ? "with the server's message" : "without the server's message")
        expect(text.contains(#"No "good"\u{a}\u{1b}[31m."#), showsServerText)
        #expect(!text.contains("\u{1B}"))
    }

    @Test func `a server message longer than 200 characters is truncated`() {
        let server = ServerDetail(status: 500, message: String(repeating: "x", count: 300))
        let text = ErrorReport(
            AuthError(.serverFault, "x", server: server), HintRenderer(profile: nil), showsServerText: true
        ).text(.plain)
        #expect(text.contains("\"\(String(repeating: "x", count: 200))\"\n"))
    }

    @Test func `an error printed as JSON groups the messages by field`() {
        Self.messages.expect(ErrorReport(Self.full, HintRenderer(profile: nil)).document([]).text)
    }

    @Test func `an error printed as JSON contains every key even if no details are known`() {
        Self.messages.expect(ErrorReport(AuthError(.connect, "x"), HintRenderer(profile: nil)).document([]).text)
    }

    @Test func `control characters from the server are escaped in the message of an error printed as JSON`() {
        let error = AuthError(.serverFault, "the server failed: \"x\n\u{1B}[31m\"")
        let json = ErrorReport(error, HintRenderer(profile: nil)).json
        expect(json["message"], .string(#"the server failed: "x\u{a}\u{1b}[31m""#))
    }

    static let long = String(repeating: "x", count: 300)

    @Test func `a field message from the server is quoted, escaped and truncated in text but complete in JSON`() {
        let error = AuthError(
            .invalidFields, "cannot create account 'x': the server rejects it",
            fields: [
                FieldFault("email", "Enter a valid\n\u{1B}[31m \"e-mail\".", isServerText: true),
                FieldFault("password", "is short"), FieldFault("email", Self.long, isServerText: true),
            ])
        Self.messages.expect(ErrorReport(error, HintRenderer(profile: nil)).text(.plain))
        #expect(
            ErrorReport(error, HintRenderer(profile: nil)).json["fields"] == [
                "email": ["Enter a valid\n\u{1B}[31m \"e-mail\".", .string(Self.long)], "password": ["is short"],
            ])
    }

    @Test(arguments: [20, 21, 37])
    func `text output lists at most 20 field errors and counts the rest; JSON output lists all of them`(count: Int) {
        let fields = (1...count).map { FieldFault("f\($0)", "is bad", isServerText: true) }
        let report = ErrorReport(
            AuthError(.invalidFields, "the server rejects \(count) fields", fields: fields), HintRenderer(profile: nil))
        let lines = report.text(.plain).split(separator: "\n")
        expect(lines.count, (count == 20 ? 21 : 22))
        expect(lines[20], #"authctl: error:   f20: "is bad""#)
        if count > 20 { expect(lines[21], "authctl: error:   and \(count - 20) more") }
        expect(report.json["fields"]?.object?.names.count, count)
    }

    @Test(arguments: [
        ("the server rejects it", "Bad.", true, true), ("the server says \"Bad.\"", "Bad.", true, false),
        ("Bad", "Bad.", true, true), ("it is bad", "is bad", false, false), ("else", "is bad", false, false),
        ("the server says \"\(long.prefix(200))\"", long, true, false),
    ])
    func `a single field error is listed only if it is from the server and missing from the error message`(
        message: String, fault: String, isServerText: Bool, isListed: Bool
    ) {
        let fields = [FieldFault("email", fault, isServerText: isServerText)]
        let text = ErrorReport(AuthError(.invalidFields, message, fields: fields), HintRenderer(profile: nil)).text(
            .plain)
        let line = "authctl: error:   email: \"\(fault.prefix(200))\"\n"
        expect(text, "authctl: error: \(message)\n" + (isListed ? line : ""))
    }

    /// PocketBase has one sentence for all causes; Supabase names the failing trigger in its message alone.
    @Test(arguments: [
        (AuthError.Reason.invalidFields, ["Cannot be blank."], #"; email: "Cannot be blank.""#),
        (.invalidFields, ["Bad.", "is short"], #"; email: "Bad."; email: "is short""#),
        (.invalidFields, [], #"; "Failed.""#), (.serverFault, [], #"; "Failed.""#), (.wrongPassword, [], ""),
    ])
    func `a row of a bulk command shows the reasons of the server in one line`(
        reason: AuthError.Reason, fields: [String], text: String
    ) {
        let error = AuthError(
            reason, "the server rejects it", server: ServerDetail(status: 400, message: "Failed."),
            fields: fields.map { FieldFault("email", $0, isServerText: true) })
        expect(ErrorReport(error, HintRenderer(profile: nil)).rowText, "the server rejects it\(text)")
        let known = AuthError(.invalidFields, "the e-mail is bad", fields: [FieldFault("email", "is bad")])
        expect(ErrorReport(known, HintRenderer(profile: nil)).rowText, "the e-mail is bad")
    }

    @Test(arguments: AuthError.Reason.allCases)
    func `an error printed as JSON contains the error reason, its outcome code and its exit code`(
        reason: AuthError.Reason
    ) {
        let json = ErrorReport(AuthError(reason, "x"), HintRenderer(profile: nil)).json
        expect(json["reason"]?.string, reason.rawValue)
        expect(json["code"]?.string, reason.outcome.code)
        expect(json["exit"]?.integer, Int64(reason.outcome.exitCode))
    }

    @Test(arguments: [126, 127] as [Int32])
    func `an explicit exit code overrides the exit code of the error reason`(exitCode: Int32) {
        let report = ErrorReport(AuthError(.usage, "cannot run 'x'"), HintRenderer(profile: nil), exitCode: exitCode)
        expect(report.json["exit"]?.integer, Int64(exitCode))
        expect(report.json["code"]?.string, "usage")
        expect(report.text(.plain), "authctl: error: cannot run 'x'\n")
    }

    @Test func `the labels 'error' and 'hint' are colored if colors are enabled`() {
        let text = ErrorReport(AuthError(.connect, "x", next: "y"), HintRenderer(profile: nil)).text(
            TextStyle(isColored: true))
        expect(text, "authctl: \u{1B}[31merror\u{1B}[0m: x\nauthctl: \u{1B}[1mhint\u{1B}[0m: y\n")
    }
}
