import TestSupport
import Testing

/// Django sites, and gateways in front of them, with responses that none of the packages sends. The status and the
/// shape decide the error, the request is not retried, and nothing is saved.
@Suite(.keepsSecrets) struct HostileSiteTests {
    private struct Case {
        let name: String
        let answer: ScriptedServer.Answer
        let operation: Operation
        let exit: Int32
        let reason: String

        init(_ name: String, _ answer: ScriptedServer.Answer, _ operation: Operation, _ exit: Int32, _ reason: String) {
            (self.name, self.answer, self.operation, self.exit, self.reason) = (name, answer, operation, exit, reason)
        }
    }

    private static let page = "<!DOCTYPE html>\n<html><head><title>canary-free page</title></head></html>"

    private static func json(_ status: String, _ body: String) -> ScriptedServer.Answer {
        .answer(status, ["Content-Type: application/json"], body)
    }

    private static func page(_ status: String) -> ScriptedServer.Answer {
        .answer(status, ["Content-Type: text/html; charset=utf-8"], page.replacing("canary-free", with: "Some"))
    }

    private func expect(_ cases: [Case]) throws {
        let server = try ScriptedServer(cases.map { .init(["*": [$0.answer]]) })
        try run(cases) { number, one in
            try OperationRun(
                one.operation, at: server.url("/dj-rest-auth", host: "localhost", listener: number), name: one.name,
                kind: .restAuth)
        } then: { _, one, run in
            try run.failure(one.exit, one.reason)
        }
        let requests = server.requests
        for (number, one) in cases.enumerated() {
            let asked = requests.to(number).filter { $0.target == "/dj-rest-auth\(one.operation.path(at: .restAuth))" }
            #expect(asked.count == 1, "\(one.operation): \(one.name)")
            #expect(!requests.to(number).contains { $0.has("Cookie") })
        }
    }

    @Test func `a page or an empty body is read by its status`() throws {
        let statuses: [(String, [Operation: (Int32, String)])] = [
            ("200 OK", [.whoami: (8, "broken-answer"), .login: (8, "broken-answer"), .signup: (8, "broken-answer")]),
            ("400 Bad Request", [.whoami: (8, "broken-answer"), .login: (8, "broken-answer")]),
            ("400 Bad Request", [.signup: (8, "broken-answer")]),
            ("401 Unauthorized", [.whoami: (5, "forbidden"), .login: (5, "forbidden")]),
            ("403 Forbidden", [.whoami: (5, "forbidden"), .login: (5, "forbidden"), .signup: (5, "forbidden")]),
            ("404 Not Found", [.whoami: (8, "wrong-endpoint"), .login: (8, "wrong-endpoint")]),
            ("404 Not Found", [.signup: (8, "wrong-endpoint"), .logout: (8, "wrong-endpoint")]),
            ("405 Method Not Allowed", [.login: (8, "wrong-endpoint"), .signup: (10, "unsupported")]),
            ("500 Internal Server Error", [.login: (9, "server-fault"), .signup: (8, "outcome-unknown")]),
            ("502 Bad Gateway", [.login: (9, "server-fault"), .signup: (8, "outcome-unknown")]),
            ("504 Gateway Timeout", [.login: (9, "server-fault"), .signup: (8, "outcome-unknown")]),
        ]
        try expect(
            statuses.flatMap { status, ends in
                ends.map { Case("page with \(status)", Self.page(status), $0, $1.0, $1.1) }
            })
        // A login response without a body may have set a session cookie; other tests cover it.
        try expect(
            statuses.flatMap { status, ends in
                ends.filter { status != "200 OK" || $0.key != .login }
                    .map { Case("nothing with \(status)", .answer(status), $0, $1.0, $1.1) }
            })
    }

    @Test func `JSON of a wrong shape is a broken answer and saves nothing`() throws {
        let bodies = ["[]", #"{"key":"canary-new""#]
        let shapes = bodies.flatMap { body in
            [Operation.whoami, .login, .signup].map { Case(body, Self.json("200 OK", body), $0, 8, "broken-answer") }
        }
        let users = ["{}", #"{"username":1,"email":[]}"#].map {
            Case($0, Self.json("200 OK", $0), .whoami, 8, "broken-answer")
        }
        let keys = [
            "1", #""canary-\r\nX-Evil: 1""#,
        ].flatMap { key in
            [Operation.login, .signup].flatMap { operation in
                ["key", "access"].map {
                    Case(
                        "\($0) \(key.prefix(30))", Self.json("200 OK", #"{"\#($0)":\#(key)}"#), operation, 8,
                        "broken-answer"
                    )
                }
            }
        }
        try expect(shapes + users + keys)
    }

    @Test func `a rejection of a wrong shape is still a rejection`() throws {
        let bodies = [
            "{}", "[]", "null", #"{"detail":7}"#, #"{"username":{"a":[{"b":[]}]}}"#, #"{"non_field_errors":null}"#,
        ]
        try expect(
            bodies.flatMap { body in
                let answer = Self.json("400 Bad Request", body)
                return [
                    Case(body, answer, .login, 4, "wrong-password"), Case(body, answer, .signup, 7, "invalid-fields"),
                ]
            })
    }

    @Test(arguments: [
        "Basic realm=\"canary\"", "Digest realm=\"a\", nonce=\"b\", qop=\"auth\", algorithm=MD5", "Negotiate",
        "\u{1}=,,\"",
    ])
    func `an authentication demand gets no credentials`(demand: String) throws {
        let kinds: [(String, String)] = [
            ("application/json", #"{"detail":"Invalid token."}"#), ("text/html", "<html>Log in</html>"), ("", ""),
        ]
        let cases = kinds.flatMap { type, body in
            [Operation.whoami, .login].map { operation in
                let fields = ["WWW-Authenticate: \(demand)"] + (type.isEmpty ? [] : ["Content-Type: \(type)"])
                let answer = ScriptedServer.Answer.answer("401 Unauthorized", fields, body)
                // Only JSON can come from the site itself, so only JSON can reject the session.
                guard type == "application/json" else {
                    return Case("\(demand) \(type)", answer, operation, 5, "forbidden")
                }
                return Case(demand, answer, operation, 4, operation == .login ? "wrong-password" : "session-revoked")
            }
        }
        try expect(cases)
    }

    @Test func `the text of a site is shown escaped on one line`() throws {
        let evil = #"\u001b]0;owned\u0007\u001b[2J\u202enot\r\nauthctl: error: you\u2028"#
        let server = try ScriptedServer([
            "*": [Self.json("400 Bad Request", #"{"username":["\#(evil)"],"\#(evil)":["no"]}"#)]
        ])
        let world = try Sandbox()
        let result = try world.start(
            ["signup", "ada", "--password-stdin", "--backend", "rest-auth", "--server", server.url("/api")],
            input: .password
        ).wait()
        #expect(result.exitCode == 7)
        #expect(result.errorLines.count == 3)
        #expect(result.errorLines.allSatisfy { $0.hasPrefix("authctl: error: ") })
        #expect(!result.stderr.unicodeScalars.contains { [0x1B, 0x07, 0x0D, 0x202E, 0x2028].contains($0.value) })
    }
}
