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
        .answered("after half the status line") { _ in "HTTP/1.1 2" },
        .answered("after the status line") { _ in "HTTP/1.1 200 OK\r\n" },
        .answered("after half the header") { _ in "\(head)Content-Len" },
        .answered("before the body") { "\(head)Content-Length: \($0.utf8.count)\r\n\r\n" },
        .answered("after half the body") {
            "\(head)Content-Length: \($0.utf8.count)\r\n\r\n\($0.prefix($0.count / 2))"
        },
        .answered("one byte too early") { "\(head)Content-Length: \($0.utf8.count + 1)\r\n\r\n\($0)" },
        .answered("without the last chunk") {
            "\(head)Transfer-Encoding: chunked\r\n\r\n\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n"
        },
    ]

    /// One case of each sort, which is tested for every backend.
    private static let main = places.filter {
        ["after half its body", "after the request", "after half the header", "after half the body"].contains($0.name)
    }

    @Test(arguments: [ScriptedServer.Step.close, .reset], ServerKind.allCases)
    func `idempotent requests are retried after a dropped connection, and others have an unknown outcome`(
        end: ScriptedServer.Step, kind: ServerKind
    ) throws {
        let cases = (kind == .parse ? Self.places : Self.main).flatMap { place in kind.operations.map { (place, $0) } }
        let server = try ScriptedServer(cases.map { $0.listener($1.goodBody(of: kind), end) })
        try run(cases, atOnce: 12) { number, one in
            try OperationRun(
                one.1, at: server.url("/api", host: "localhost", listener: number), name: one.0.name, kind: kind)
        } then: { number, one, run in
            let error: JSONDocument
            if one.1 == .signup {
                error = try run.failure(8, "outcome-unknown")
                #expect(error.string("hint")?.contains("authctl login") == true)
                #expect(error.flag("retryable") == false)
            } else {
                error = try run.failure(8, "connect", "broken-answer")
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

    /// The request may have been sent when the connection ends. A signup that was sent is never reported as unsent.
    @Test(arguments: [ScriptedServer.Step.close, .reset], ServerKind.allCases)
    func `a connection closed before a response does not repeat a signup`(
        end: ScriptedServer.Step, kind: ServerKind
    ) throws {
        var listener = ScriptedServer.Listener()
        listener.atAccept = [end]
        let server = try ScriptedServer(kind.operations.map { _ in listener })
        try run(kind.operations) { number, operation in
            try OperationRun(operation, at: server.url("/api", host: "localhost", listener: number), kind: kind)
        } then: { number, operation, run in
            let error = try run.failure(8, operation == .signup ? "outcome-unknown" : "connect", "connect")
            let isUnsent = operation.isIdempotent || operation == .signup && error.string("reason") == "connect"
            #expect((isUnsent ? 3...3 : 1...3).contains(server.connections(to: number)), "\(operation)")
        }
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [ScriptedServer.Step.close, .reset], ServerKind.allCases)
    func `a connection that ends before the TLS handshake is retried`(
        end: ScriptedServer.Step, kind: ServerKind
    ) throws {
        var listener = ScriptedServer.Listener(certificate: TestAuthority.path("good"))
        listener.atHello = [end]
        let server = try ScriptedServer(kind.operations.map { _ in listener })
        try run(kind.operations) { number, operation in
            let url = server.url("/api", scheme: "https", host: "localhost", listener: number)
            return try OperationRun(operation, at: url, ["--ca-cert", TestAuthority.file], kind: kind)
        } then: { number, _, run in
            try run.failure(8, "connect")
            #expect(server.connections(to: number) == 3)
        }
        #expect(server.requests.isEmpty)
    }

    /// Without a response from the server itself, the mail may have been sent and the identity linked.
    @Test(
        arguments: [
            [.close], [.reset], [.send("HTTP/1.1 200 OK\r\n"), .pause(0.02), .reset], .answer("502 No", [], "<html>"),
            .answer("504 No", ["Content-Type: application/json"], "{}"),
        ] as [ScriptedServer.Answer], ServerKind.allCases)
    func `a mail or a link without a response is not requested twice`(answer: ScriptedServer.Answer, kind: ServerKind)
        throws
    {
        try expectOnce(answer, kind)
    }

    /// An error page of a Django site: it could not send the mail or could not reach Facebook.
    @Test func `a mail or a link answered with an error page is not requested twice`() throws {
        try expectOnce(.answer("500 No", [], "<html>"), .parse)
    }

    private func expectOnce(_ answer: ScriptedServer.Answer, _ kind: ServerKind) throws {
        func json(_ body: String) -> [ScriptedServer.Answer] {
            [.answer("200 OK", ["Content-Type: application/json"], body)]
        }
        let facebook = #"{"socialaccount":{"providers":[{"id":"facebook","client_id":"1"}]}}"#
        let operations = [Operation.reset, .link]
        let server = try ScriptedServer(
            operations.reduce(into: [:]) { routes, operation in
                routes["/\(operation)\(Operation.whoami.path(at: kind))"] = [Operation.whoami.goodAnswer(of: kind)]
                routes["/\(operation)/socialaccounts/"] = json("[]")
                routes["/\(operation)/account/providers"] = json(#"{"status":200,"data":[]}"#)
                routes["/\(operation)/config"] = json(#"{"status":200,"data":\#(facebook)}"#)
                routes["/\(operation)\(operation.path(at: kind))"] = [answer]
            })
        try run(operations) { _, operation in
            try OperationRun(operation, at: server.url("/\(operation)", host: "localhost"), kind: kind)
        } then: { _, operation, run in
            try run.failure(8, "outcome-unknown")
            #expect(server.requests.count { $0.target == "/\(operation)\(operation.path(at: kind))" } == 1)
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
