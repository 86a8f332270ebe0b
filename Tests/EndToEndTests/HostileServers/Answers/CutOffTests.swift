import TestSupport
import Testing

/// Responses that are delimited by the end of the connection. With TLS they are complete only after close_notify.
/// Without it an attacker may have truncated them, even if they look complete (RFC 9112, section 9.8).
@Suite(.keepsSecrets) struct CutOffTests {
    private struct Case {
        let kind: ServerKind
        let operation: Operation
        let body: String

        var target: String { base + operation.path(at: kind) }

        var base: String { "/\(kind)/\(operation)/\(body.utf8.count)" }

        func answer(_ end: ScriptedServer.Step) -> ScriptedServer.Answer {
            let head = "HTTP/1.1 \(operation.goodStatus(of: kind))\r\nContent-Type: application/json\r\n\r\n"
            return [.send(head + body), end]
        }
    }

    private static let whole = ServerKind.allCases.flatMap { kind in
        (kind.operations + [.reset]).map { Case(kind: kind, operation: $0, body: $0.goodBody(of: kind)) }
    }

    /// The response to a logout or to a request for a mail may have an empty body.
    private static let empty = whole.filter { [.logout, .reset].contains($0.operation) && !$0.body.isEmpty }
        .map { Case(kind: $0.kind, operation: $0.operation, body: "") }

    private static func server(
        _ cases: [Case], _ end: ScriptedServer.Step, certificate: String? = TestAuthority.path("good")
    ) throws -> ScriptedServer {
        let routes = cases.reduce(into: [:]) { routes, one in
            routes.merge(one.operation.routes(at: one.kind, below: one.base, one.answer(end))) { $1 }
        }
        return try ScriptedServer([.init(routes, certificate: certificate)])
    }

    @Test func `a response that ends without close_notify is rejected as truncated`() throws {
        let cases = Self.whole + Self.empty
        let server = try Self.server(cases, .close)
        try run(cases) { _, one in
            let url = server.url(one.base, scheme: "https", host: "localhost")
            return try OperationRun(
                one.operation, at: url, ["--ca-cert", TestAuthority.file], name: one.base, kind: one.kind)
        } then: { _, one, run in
            let isUnsure = [.signup, .reset].contains(one.operation)
            let error = try run.failure(8, isUnsure ? "outcome-unknown" : "broken-answer")
            #expect(error.string("message")?.contains("'localhost:\(server.ports[0])'") == true)
        }
        let requests = server.requests
        for one in cases {
            let asked = requests.count { $0.target == one.target }
            #expect(asked == (one.operation.isIdempotent ? 3 : 1), "\(one.base)")
        }
    }

    @Test(arguments: [true, false])
    func `a response is complete at close_notify, and without TLS at the end of the connection`(isEncrypted: Bool)
        throws
    {
        let server = try Self.server(
            Self.whole, isEncrypted ? .closeNotify : .close,
            certificate: isEncrypted ? TestAuthority.path("good") : nil)
        try run(Self.whole) { _, one in
            let url = server.url(one.base, scheme: isEncrypted ? "https" : "http", host: "localhost")
            return try OperationRun(
                one.operation, at: url, ["--ca-cert", TestAuthority.file], name: one.base, kind: one.kind)
        } then: { _, _, run in
            try run.success()
        }
        let requests = server.requests
        for one in Self.whole { #expect(requests.contains { $0.target == one.target }, "\(one.base)") }
    }
}
