import TestSupport
import Testing

/// Responses that allauth and Kii never send. The status and the shape decide the error, the request is not retried,
/// and nothing is saved.
@Suite(.keepsSecrets, .mostlyWaits) struct OtherServerTests {
    private struct Case {
        let name: String
        let answer: ScriptedServer.Answer
        let operation: Operation
        let exit: Int32
        let reason: String
    }

    private static let kinds: [ServerKind] = [.allauth, .kii]
    private static let page = "<!DOCTYPE html>\n<html><head><title>Some page</title></head></html>"

    private static func json(_ body: String, _ status: String = "200 OK") -> ScriptedServer.Answer {
        .answer(status, ["Content-Type: application/json"], body)
    }

    private static func page(_ status: String) -> ScriptedServer.Answer {
        .answer(status, ["Content-Type: text/html; charset=utf-8"], page)
    }

    private func expect(_ cases: [Case], _ kind: ServerKind) throws {
        let server = try ScriptedServer(cases.map { .init(["*": [$0.answer]]) })
        try run(cases, atOnce: 12) { number, one in
            let url = server.url("/api", host: "localhost", listener: number)
            return try OperationRun(one.operation, at: url, name: one.name, kind: kind)
        } then: { _, one, run in
            try run.failure(one.exit, one.reason)
        }
        let requests = server.requests
        for (number, one) in cases.enumerated() {
            let asked = requests.to(number)
            #expect(asked.count == 1, "\(one.operation): \(one.name)")
            #expect(asked.allSatisfy { $0.target == "/api\(one.operation.path(at: kind))" && !$0.has("Cookie") })
        }
    }

    @Test(arguments: kinds)
    func `a success status with a wrong body is a broken answer`(kind: ServerKind) throws {
        let answers =
            ["", "[]", "{}", #"{"status":200"#]
            .map { ($0, Self.json($0)) } + [
                ("page", Self.page("200 OK")), ("204", [.send("HTTP/1.1 204 No\r\n\r\n")]),
                ("300", .answer("300 Multiple Choices", ["Location: /api"])),
            ]
        try expect(
            answers.flatMap { name, answer in
                kind.operations.filter { $0 != .logout }
                    .map { Case(name: name, answer: answer, operation: $0, exit: 8, reason: "broken-answer") }
            }, kind)
    }

    @Test(arguments: kinds)
    func `a token that no header can hold is a broken answer`(kind: ServerKind) throws {
        let tokens = ["1", #""canary-\r\nX-Evil: 1""#, "\"\(String(repeating: "canary", count: 2000))\""]
        let body = Operation.login.goodBody(of: kind)
        try expect(
            tokens.map { token in
                let answer = Self.json(body.replacing(#""canary-new""#, with: token))
                return Case(name: token, answer: answer, operation: .login, exit: 8, reason: "broken-answer")
            }, kind)
    }

    @Test(arguments: kinds)
    func `a page is read by its status`(kind: ServerKind) throws {
        let others: [(String, Int32, String)] = [
            ("400 Bad Request", 8, "broken-answer"), ("403 Forbidden", 5, "forbidden"),
            ("404 Not Found", 8, "wrong-endpoint"), ("405 Method Not Allowed", 8, "wrong-endpoint"),
        ]
        let pages = others.flatMap { status, exit, reason in
            kind.operations.map {
                Case(name: status, answer: Self.page(status), operation: $0, exit: exit, reason: reason)
            }
        }
        try expect(pages, kind)
    }
}
