import Foundation
import TestSupport
import Testing

/// Responses with a success status and an invalid body. They are reported, the request is not retried, and nothing is
/// saved.
@Suite(.keepsSecrets) struct BrokenAnswerTests {
    private struct Case {
        let name: String
        let answer: ScriptedServer.Answer
        var operations: [Operation] = [.whoami, .login, .signup]

        init(_ name: String, _ answer: ScriptedServer.Answer, _ operations: Operation...) {
            self.name = name
            self.answer = answer
            if !operations.isEmpty { self.operations = operations }
        }

        /// A JSON response with a success status.
        init(_ name: String, json: String, _ operations: Operation...) {
            self.init(name, .answer("200 OK", ["Content-Type: application/json"], json))
            if !operations.isEmpty { self.operations = operations }
        }

        /// A complete user with this session token.
        init(token: String, _ name: String, _ operations: Operation...) {
            self.init(name, json: #"{"objectId":"u1","username":"ada","sessionToken":\#(token)}"#)
            self.operations = operations.isEmpty ? [.login, .signup] : operations
        }
    }

    private static let page = "<!DOCTYPE html>\n<html><head><title>Airport Wi-Fi</title></head>\n<body>…</body></html>"

    /// One case of each kind. The backends' own tests cover the others.
    private static let cases = [
        Case("page", .answer("200 OK", ["Content-Type: text/html"], page)),
        Case("page that says it is JSON", .answer("200 OK", ["Content-Type: application/json"], page)),
        Case("empty", .answer("200 OK")), Case("204", [.send("HTTP/1.1 204 No\r\n\r\n")]), Case("list", json: "[]"),
        Case("object", json: "{}"), Case("half", json: #"{"objectId":"u1","sessionToken":"r:canary-new""#),
        Case("error with a good status", json: #"{"code":101,"error":"Invalid username/password."}"#),
        Case(token: #""r:canary-\r\nX-Evil: 1""#, "token with an end of line"),
    ]

    /// The cases that a logout rejects. A logout accepts any JSON object or an empty body.
    private static let notLoggedOut = ["page", "page that says it is JSON", "list", "half"]

    @Test func `a broken response is reported, not retried, and nothing is saved`() throws {
        let logouts = Self.cases.filter { Self.notLoggedOut.contains($0.name) }.map { ($0, Operation.logout) }
        let cases = Self.cases.flatMap { one in one.operations.map { (one, $0) } } + logouts
        let server = try ScriptedServer(cases.map { one, _ in .init(["*": [one.answer]]) })
        try run(cases) { number, one in
            try OperationRun(one.1, at: server.url("/parse", host: "localhost", listener: number), name: one.0.name)
        } then: { _, one, run in
            let error = try run.failure(8, "broken-answer")
            #expect(error.number("http").map { (200...205).contains($0) } == true, "\(one.0.name)")
            if one.0.name.hasPrefix("page") {
                #expect(error.string("message")?.contains("\"Airport Wi-Fi\"") == true)
            }
        }
        let requests = server.requests
        for (number, (one, operation)) in cases.enumerated() {
            #expect(requests.to(number).count == 1, "\(operation): \(one.name)")
        }
    }

    /// A response over the size limit is not read, so the outcome is unknown.
    @Test func `a response over 1 MiB is not read to its end`() throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10000017\r\n\r\n{\"sessionToken\":\""
        let answer: ScriptedServer.Answer = [.send(head), .repeating("canary1234", count: 1_000_000), .send("\"}")]
        let server = try ScriptedServer(Operation.common.map { _ in .init(["*": [answer]]) })
        try run(Operation.common) { number, operation in
            try OperationRun(operation, at: server.url("/parse", host: "localhost", listener: number))
        } then: { number, operation, run in
            let error = try run.failure(8, operation == .signup ? "outcome-unknown" : "broken-answer")
            #expect(error.string("message")?.contains("1 MiB") == true)
            #expect(server.requests.to(number).count == (operation.isIdempotent ? 3 : 1))
        }
    }

    @Test(arguments: ["whoami", "login"])
    func `the title of a page is shown escaped and truncated`(command: String) throws {
        let evil = "\u{1B}]0;owned\u{7}\u{1B}[2J\u{9B}31m\u{202E}live\u{2066}\u{8} "
        let long = String(repeating: "Welcome to the lounge. ", count: 100)
        let page = "\n<html><script type='a'>\n</script><title>\(evil)\(long)\nsecond line</title></html>"
        let server = try ScriptedServer(["*": [.answer("200 OK", ["Content-Type: text/html"], page)]])
        let world = try Sandbox()
        try world.keepSession(for: server.url("/parse"))
        let words = command == "login" ? ["ada", "--password-stdin"] : []
        let connection = ["--backend", "parse", "--server", server.url("/parse"), "--app-id", "shop"]
        let result = try world.start([command] + words + connection, input: .password).wait()
        #expect(result.exitCode == 8)
        let quoted = try #require(result.stderr.firstMatch(of: /"(.*)"\n/)?.1)
        #expect(quoted.contains("Welcome to the lounge."), "\(quoted)")
        // 200 characters of the page, plus escape sequences for direction marks.
        #expect((190...220).contains(quoted.count), "\(quoted.count)")
        #expect(!result.everything.contains("second line"))
        #expect(
            result.everything.unicodeScalars.allSatisfy { scalar in
                scalar == "\n"
                    || scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
                        && !(0x202A...0x202E).contains(scalar.value) && !(0x2066...0x2069).contains(scalar.value)
            })
        #expect(result.errorLines.allSatisfy { $0.hasPrefix("authctl: ") })
    }
}
