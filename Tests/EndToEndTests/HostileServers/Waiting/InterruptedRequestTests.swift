import Foundation
import TestSupport
import Testing

/// A signal ends a command during a request at once, with the status that a shell expects, and changes nothing.
@Suite(.keepsInvariants, .mostlyWaits) struct InterruptedRequestTests {
    /// The client waits for the response, for the rest of it, or for a retry.
    private static let moments: [ScriptedServer.Answer] = [
        [.stall], [.send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"), .stall],
        .answer("503 No", ["Retry-After: 20"]),
    ]

    private static let cases = ServerKind.allCases.flatMap { kind in
        kind.operations.map { (0, $0, kind) }
            + (kind == .parse ? [(1, Operation.login, kind), (1, .signup, kind), (2, .whoami, kind)] : [])
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal ends a request at once and changes nothing`(signal: Int32) throws {
        let server = try ScriptedServer(Self.cases.map { .init(["*": [Self.moments[$0.0]]]) })
        let runs = try Self.cases.enumerated().map { number, one in
            try OperationRun(one.1, at: server.url("/api", host: "localhost", listener: number), kind: one.2)
        }
        let limit = Date(timeIntervalSinceNow: 20)
        while Set(server.requests.map(\.listener)).count < runs.count, Date() < limit { usleep(20_000) }
        // Time for the responses to arrive.
        usleep(100_000)
        for (run, one) in zip(runs, Self.cases) {
            let begin = Date()
            run.send(signal)
            let end = run.end()
            // Much less than the 20 or 30 seconds that the client would wait.
            #expect(Date().timeIntervalSince(begin) < 5)
            #expect(end.signal == signal, "\(one): \(end.everything)")
            #expect(end.everything.isEmpty, "\(one)")
            #expect(run.world.snapshot() == run.before, "\(one)")
        }
        #expect(server.requests.count == runs.count)
    }
}
