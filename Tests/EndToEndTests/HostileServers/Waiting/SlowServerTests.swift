import TestSupport
import Testing

/// Servers that send nothing, or single bytes at intervals. The time limit of a request counts wall-clock time.
@Suite(.keepsSecrets, .mostlyWaits) struct SlowServerTests {
    private struct Case {
        let name: String
        let listener: ScriptedServer.Listener
        let operation: Operation
        let kind: ServerKind
        let wasSent: Bool
    }

    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

    private static let listeners: [(name: String, wasSent: Bool, listener: ScriptedServer.Listener)] = {
        func encrypted(_ change: (inout ScriptedServer.Listener) -> Void) -> ScriptedServer.Listener {
            var listener = ScriptedServer.Listener(certificate: TestAuthority.path("good"))
            change(&listener)
            return listener
        }
        func answering(_ steps: ScriptedServer.Step...) -> ScriptedServer.Listener {
            encrypted { $0.routes = ["*": [.init(when: .request, steps)]] }
        }
        return [
            ("silent when called", false, encrypted { $0.atAccept = [.stall] }),
            ("silent when greeted", false, encrypted { $0.atHello = [.stall] }),
            ("silent when asked", true, answering(.stall)),
            ("header by drops", true, answering(.drip(head + String(repeating: "X-A: b\r\n", count: 99), every: 0.1))),
            (
                "body by drops", true,
                answering(
                    .send("\(head)Content-Length: 999\r\n\r\n"), .drip(String(repeating: " ", count: 999), every: 0.1))
            ),
            (
                "chunks by drops", true,
                answering(
                    .send("\(head)Transfer-Encoding: chunked\r\n\r\n"),
                    .drip(String(repeating: "1\r\n \r\n", count: 99), every: 0.1))
            ),
        ]
    }()

    @Test func `a slow server is left at the time limit, and a signup then has an unknown outcome`() throws {
        let cases = Self.listeners.flatMap { name, wasSent, listener in
            let others = ServerKind.allCases.filter { $0 != .parse }.map { (Operation.signup, $0) }
            return (Operation.common.map { ($0, ServerKind.parse) } + (name == "silent when asked" ? others : []))
                .map { Case(name: name, listener: listener, operation: $0, kind: $1, wasSent: wasSent) }
        }
        let server = try ScriptedServer(cases.map(\.listener))
        try run(cases, atOnce: 16) { number, one in
            try OperationRun(
                one.operation, at: server.url("/api", scheme: "https", host: "localhost", listener: number),
                ["--ca-cert", TestAuthority.file, "--timeout", "1.5"], name: one.name, kind: one.kind)
        } then: { number, one, run in
            let isUnsure = one.operation == .signup && one.wasSent
            let error = try run.failure(8, isUnsure ? "outcome-unknown" : "timeout", within: .seconds(12))
            #expect(error.string("message")?.contains("'localhost:\(server.ports[number])'") == true)
        }
        #expect(server.connectionsOfAll.allSatisfy { $0 == 1 })
    }
}
