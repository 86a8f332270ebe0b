import TestSupport
import Testing

/// Connections that end too early, by FIN or RST. Idempotent requests are tried three times. Other requests are not
/// repeated after they were sent.
@Suite(.keepsSecrets, .mostlyWaits) struct LostAnswerTests {
    /// The point at which a connection ends.
    private struct Place {
        let name: String
        let listener: @Sendable (_ body: String, _ end: ScriptedServer.Step) -> ScriptedServer.Listener

        /// After a part of the request was received.
        static func asked(_ name: String, _ when: ScriptedServer.Answer.Moment) -> Place {
            Place(name: name) { _, end in .init(["*": [.init(when: when, [end])]]) }
        }

        /// After a part of the response was sent and the client had time to read it.
        static func answered(_ name: String, _ text: @escaping @Sendable (_ body: String) -> String) -> Place {
            Place(name: name) { body, end in .init(["*": [[.send(text(body)), .pause(0.02), end]]]) }
        }
    }

    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

    private static let places = [
        Place.asked("after the header of the request", .headers), .asked("after half its body", .halfOfBody),
        .asked("after the request", .request),
        .answered("after half the header") { _ in "\(head)Content-Len" },
        .answered("before the body") { "\(head)Content-Length: \($0.utf8.count)\r\n\r\n" },
        .answered("after half the body") {
            "\(head)Content-Length: \($0.utf8.count)\r\n\r\n\($0.prefix($0.count / 2))"
        },
    ]

    @Test(arguments: [ScriptedServer.Step.close, .reset])
    func `idempotent requests are retried after a dropped connection, and others have an unknown outcome`(
        end: ScriptedServer.Step
    ) throws {
        let cases = Self.places.flatMap { place in Operation.common.map { (place, $0) } }
        let server = try ScriptedServer(cases.map { $0.listener($1.goodBody, end) })
        try run(cases, atOnce: 12) { number, one in
            try OperationRun(
                one.1, at: server.url("/api", host: "localhost", listener: number), name: one.0.name)
        } then: { number, one, run in
            let error: JSONDocument
            if one.1 == .signup {
                error = try run.failure(8, "outcome-unknown")
                #expect(error.string("hint")?.contains("authctl login") == true)
                #expect(error.flag("retryable") == false)
            } else {
                error = try run.failure(8, "connect", "invalid-response")
            }
            #expect(error.string("message")?.contains("'localhost:\(server.ports[number])'") == true)
        }
        let (requests, connections) = (server.requests, server.connectionsOfAll)
        for (number, (place, operation)) in cases.enumerated() {
            let expected = operation.isIdempotent ? 3 : 1
            #expect(requests.to(number).count == expected, "\(operation): \(place.name)")
            #expect(connections[number] == expected, "\(operation): \(place.name)")
        }
    }

    @Test func `a refused connection is tried three times for every command`() throws {
        let world = try Sandbox()
        // A port on which no process listens any more.
        let port = try ScriptedServer([:]).ports[0]
        let connection = ["--backend", "parse", "--server", "http://127.0.0.1:\(port)/parse", "--app-id", "shop", "-v"]
        for command in ["login", "signup"] {
            let result = try world.start([command, "ada", "--password-stdin"] + connection, input: .password).wait()
            #expect(result.exitCode == 8)
            #expect(result.errorLines.filter { $0.hasPrefix("authctl: > POST ") }.count == 3)
            #expect(result.stderr.contains("'127.0.0.1:\(port)'"))
            #expect(!result.stderr.contains("authctl \(command == "signup" ? "login" : "signup")"))
        }
    }
}
