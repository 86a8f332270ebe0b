import AuthModel
import Testing

@testable import AuthctlCommands

@Suite struct ErrorReportTests {
    static let full = AuthError(
        .invalidFields, "cannot create account 'x': 2 things must be changed", next: "mend that",
        server: ServerDetail(status: 400, code: 142, message: "No \"good\"\n\u{1B}[31m."),
        fields: [
            FieldFault("email", "is bad"), FieldFault("password", "is short"), FieldFault("email", "is taken"),
        ], retryAfter: 30)

    @Test func `says what failed, each fault, and the next step`() {
        #expect(
            ErrorReport(Self.full, HintRenderer(profile: nil)).text(.plain) == """
                authctl: error: cannot create account 'x': 2 things must be changed
                authctl: error:   email: is bad
                authctl: error:   password: is short
                authctl: error:   email: is taken
                authctl: hint: mend that

                """)
    }

    @Test func `shows the server's words only if asked to, on one line and harmless`() {
        let text = ErrorReport(Self.full, HintRenderer(profile: nil), showsServerText: true).text(.plain)
        #expect(text.contains(#"authctl: server: HTTP 400, code 142: "No "good"\u{a}\u{1b}[31m.""# + "\n"))
    }

    @Test func `cuts the server's words short`() {
        let server = ServerDetail(status: 500, message: String(repeating: "x", count: 300))
        let text = ErrorReport(
            AuthError(.serverFault, "x", server: server), HintRenderer(profile: nil), showsServerText: true
        ).text(.plain)
        #expect(text.contains("HTTP 500: \"\(String(repeating: "x", count: 200))\"\n"))
    }

    @Test func `is one object in JSON, with every fault of a field together`() {
        #expect(
            ErrorReport(Self.full, HintRenderer(profile: nil)).document([]).text == """
                {"v":1,"kind":"error","error":{"code":"invalid","exit":7,"reason":"invalid-fields",\
                "message":"cannot create account 'x': 2 things must be changed","hint":"mend that","hints":["mend that"],"http":400,\
                "backend":{"code":142,"message":"No \\"good\\"\\n\\u001b[31m."},\
                "fields":{"email":["is bad","is taken"],"password":["is short"]},"retryable":false,"retryAfter":30},\
                "warnings":[]}
                """)
    }

    @Test func `has every key in JSON also where nothing is known`() {
        #expect(
            ErrorReport(AuthError(.connect, "x"), HintRenderer(profile: nil)).document([]).text == """
                {"v":1,"kind":"error","error":{"code":"unreachable","exit":8,"reason":"connect","message":"x",\
                "hint":null,"hints":[],"http":null,"backend":null,"fields":{},"retryable":true,"retryAfter":null},\
                "warnings":[]}
                """)
    }

    static let long = String(repeating: "x", count: 300)

    @Test func `quotes what the server says of a field, harmless and not without end`() {
        let error = AuthError(
            .invalidFields, "cannot create account 'x': the server refuses it",
            fields: [
                FieldFault("email", "Enter a valid\n\u{1B}[31m \"e-mail\".", isServerText: true),
                FieldFault("password", "is short"), FieldFault("email", Self.long, isServerText: true),
            ])
        #expect(
            ErrorReport(error, HintRenderer(profile: nil)).text(.plain) == #"""
                authctl: error: cannot create account 'x': the server refuses it
                authctl: error:   email: "Enter a valid\u{a}\u{1b}[31m "e-mail"."
                authctl: error:   password: is short
                authctl: error:   email: "\#(Self.long.prefix(200))"

                """#)
        #expect(
            ErrorReport(error, HintRenderer(profile: nil)).json["fields"] == [
                "email": ["Enter a valid\n\u{1B}[31m \"e-mail\".", .string(Self.long)], "password": ["is short"],
            ])
    }

    @Test(arguments: [
        ("the server refuses it", "Bad.", true, true), ("the server says \"Bad.\"", "Bad.", true, false),
        ("Bad", "Bad.", true, true), ("it is bad", "is bad", false, false), ("else", "is bad", false, false),
        ("the server says \"\(long.prefix(200))\"", long, true, false),
    ])
    func `lists a single fault only if it is the server's and not in the message`(
        message: String, fault: String, isServerText: Bool, isListed: Bool
    ) {
        let fields = [FieldFault("email", fault, isServerText: isServerText)]
        let text = ErrorReport(AuthError(.invalidFields, message, fields: fields), HintRenderer(profile: nil)).text(
            .plain)
        let line = "authctl: error:   email: \"\(fault.prefix(200))\"\n"
        #expect(text == "authctl: error: \(message)\n" + (isListed ? line : ""))
    }

    @Test(arguments: AuthError.Reason.allCases)
    func `tells every reason with its code`(reason: AuthError.Reason) {
        let json = ErrorReport(AuthError(reason, "x"), HintRenderer(profile: nil)).json
        #expect(json["reason"]?.string == reason.rawValue)
        #expect(json["code"]?.string == reason.outcome.code)
        #expect(json["exit"]?.integer == Int64(reason.outcome.exitCode))
    }

    @Test(arguments: [126, 127] as [Int32])
    func `tells another exit code than that of the reason`(exitCode: Int32) {
        let report = ErrorReport(AuthError(.usage, "cannot run 'x'"), HintRenderer(profile: nil), exitCode: exitCode)
        #expect(report.json["exit"]?.integer == Int64(exitCode))
        #expect(report.json["code"]?.string == "usage")
        #expect(report.text(.plain) == "authctl: error: cannot run 'x'\n")
    }

    @Test func `marks its labels where there is colour`() {
        let text = ErrorReport(AuthError(.connect, "x", next: "y"), HintRenderer(profile: nil)).text(
            TextStyle(isColored: true))
        #expect(text == "authctl: \u{1B}[31merror\u{1B}[0m: x\nauthctl: \u{1B}[1mhint\u{1B}[0m: y\n")
    }
}
