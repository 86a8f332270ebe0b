import Foundation
import TestSupport
import Testing

/// Bodies of `api` in both directions, and what interrupts them.
@Suite(.keepsInvariants) struct ApiStreamTests {
    private static let everyByte = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 256) })
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"

    private static func connection(to server: ScriptedServer) -> [String] {
        ["--backend", "parse", "--server", server.url("/api"), "--app-id", OperationRun.appID]
    }

    /// A sandbox with a session for a scripted Parse server. `$C` are the options of the connection.
    private func world(at server: ScriptedServer) throws -> Sandbox {
        let world = try Sandbox()
        try world.keepSession(for: server.url("/api"))
        world.set("C", to: Self.connection(to: server).joined(separator: " "))
        return world
    }

    private func run(_ words: String..., at server: ScriptedServer, in world: Sandbox? = nil) throws -> Finished {
        try (world ?? self.world(at: server)).start(words + Self.connection(to: server)).wait()
    }

    @Test func `a body of any size is printed unchanged`() throws {
        let length = "\(Self.head)Content-Length: \(Self.everyByte.count)\r\n\r\n"
        let server = try ScriptedServer(["/api/a": [[.send(length), .sendBytes(Self.everyByte)]]])
        let finished = try run("api", "/a", at: server)
        #expect(finished.output == Self.everyByte)
        #expect(finished.stderr.isEmpty)
        #expect(finished.exitCode == 0)
    }

    @Test func `a file and a pipe of any size are sent unchanged`() throws {
        let server = try ScriptedServer(["/api/a": [.answer("201 Created", [], "done")]])
        let world = try world(at: server)
        try world.write([UInt8](Self.everyByte), to: "\(world.root)/body")
        for script in [
            #""$A" api /a $C --input "\#(world.root)/body""#, #"cat "\#(world.root)/body" | "$A" api /a $C --input -"#,
        ] {
            let finished = try world.runScript(script)
            #expect(finished.stdout == "done", "\(finished.stderr)")
        }
        #expect(server.requests.map(\.body) == [Self.everyByte, Self.everyByte])
        #expect(server.requests[0].fields.contains("Content-Length: \(Self.everyByte.count)"))
        #expect(server.requests[1].fields.contains("Transfer-Encoding: chunked"))
    }

    @Test(arguments: ["Content-Length: 99\r\n\r\nhalf", "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"])
    func `a truncated response is exit 8, and is not requested again`(text: String) throws {
        let server = try ScriptedServer(["/api/a": [[.send(Self.head + text), .close]]])
        let finished = try run("api", "/a", "--json", at: server)
        #expect(finished.exitCode == 8)
        #expect(finished.stdout == "half")
        #expect(try finished.error().string("reason") == "invalid-response")
        #expect(server.requests.count == 1)
    }

    @Test func `an error response before the end of the upload is printed`() throws {
        let early = ScriptedServer.Answer(
            when: .headers, [.send("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig"), .close])
        let server = try ScriptedServer(["/api/a": [early]])
        let world = try world(at: server)
        try world.write([UInt8](Self.everyByte), to: "\(world.root)/body")
        let finished = try run("api", "/a", "--input", "\(world.root)/body", at: server, in: world)
        #expect(finished.exitCode == 7, "\(finished.stderr)")
        #expect(finished.stdout == "big")
    }

    @Test func `a closed standard output ends api quietly in the middle of a body`() throws {
        let server = try ScriptedServer(["/api/a": [[.send("\(Self.head)\r\n"), .repeating("0123456789")]]])
        let finished = try world(at: server).runScript(#""$A" api /a $C | head -c 10; echo " ${PIPESTATUS[0]}""#)
        #expect(finished.stdout == "0123456789 141\n")
        #expect(finished.stderr.isEmpty)
    }

    @Test(.enabled(if: Host.hasFullDevice, "needs /dev/full"))
    func `a full standard output is exit 12`() throws {
        let server = try ScriptedServer(["/api/a": [[.send("\(Self.head)\r\n"), .repeating("0123456789")]]])
        let finished = try world(at: server).runScript(#""$A" api /a $C > /dev/full; echo "$?""#)
        #expect(finished.stdout == "12\n")
        #expect(finished.stderr.hasPrefix("authctl: error: cannot write to standard output: no space left"))
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal ends api at once in the middle of a body`(signal: Int32) throws {
        let server = try ScriptedServer([
            "/api/a": [[.send("\(Self.head)Content-Length: 99\r\n\r\nhalf"), .stall]]
        ])
        let world = try world(at: server)
        let pipe = Pipe()
        let program = try world.start(
            ["api", "/a"] + Self.connection(to: server), output: pipe.fileHandleForWriting.fileDescriptor)
        try pipe.fileHandleForWriting.close()
        #expect(pipe.fileHandleForReading.availableData == Data("half".utf8))
        program.send(signal)
        let end = program.wait()
        #expect(end.signal == signal)
        #expect(end.stderr.isEmpty)
    }

    @Test func `a signal ends api at once while it waits for its input`() throws {
        let server = try ScriptedServer(["/api/a": [.answer("200 OK")]])
        let world = try world(at: server)
        let finished = try world.runScript(
            #"mkfifo p; "$A" api /a $C --input p & exec 3> p; echo a >&3; kill -TERM $!; wait $!; echo "$?""#)
        #expect(finished.stdout == "143\n", "\(finished.everything)")
        #expect(server.connections() == 0)
    }

    @Test(arguments: [".", "/none/body", "/dev/null/body"])
    func `an input that cannot be opened is exit 2, and nothing is sent`(path: String) throws {
        let server = try ScriptedServer(["/api/a": [.answer("200 OK")]])
        let finished = try run("api", "/a", "--input", path, at: server)
        #expect(finished.exitCode == 2)
        #expect(finished.stdout.isEmpty)
        #expect(finished.errorLines.first?.contains("'\(path)'") == true, "\(finished.stderr)")
        #expect(server.connections() == 0)
    }

    @Test func `a page that is limited is requested again, and no item is lost or repeated`() throws {
        let server = try ScriptedServer([
            "/api/a": [
                .answer("200 OK", ["Content-Type: application/json"], #"{"results":[1,2]}"#),
                .answer("429 Busy", ["Retry-After: 0"]), .answer("429 Busy", ["Retry-After: 0"]),
                .answer("429 Busy", ["Retry-After: 0"]), .answer("429 Busy", ["Retry-After: 0"]),
                .answer("200 OK", ["Content-Type: application/json"], #"{"results":[3]}"#),
                .answer("200 OK", ["Content-Type: application/json"], #"{"results":[]}"#),
            ]
        ])
        let finished = try run("api", "/a", "--paginate", at: server)
        #expect(finished.stdout == "1\n2\n3\n", "\(finished.stderr)")
        #expect(finished.exitCode == 0)
        #expect(server.requests.count == 7)
    }

    @Test func `only the field of the session goes to the API URL of the login`() throws {
        let server = try ScriptedServer([
            .init(["/api/login": [Operation.login.goodAnswer]]),
            .init(["/v1/orders": [.answer("401 Unauthorized", [], "no")]]),
        ])
        let world = try Sandbox()
        let connection = Self.connection(to: server)
        let environment = ["AUTHCTL_API_URL": server.url("/v1", listener: 1), "AUTHCTL_CLIENT_KEY": "canary"]
        let login = try world.start(
            ["login", "ada", "--password-stdin"] + connection, input: .password, environment: environment
        ).wait()
        #expect(login.exitCode == 0, "\(login.everything)")
        let orders = try world.start(["api", "/orders", "--json"] + connection, environment: environment).wait()
        #expect(orders.exitCode == 4)
        #expect(orders.stdout == "no")
        #expect(try orders.error().string("reason") == "token-refused")
        let sent = try #require(server.requests.last)
        #expect(sent.listener == 1)
        #expect(
            sent.fields.map { $0.prefix { $0 != ":" } } == ["Host", "User-Agent", "Accept", "X-Parse-Session-Token"],
            "\(sent.head)")
        let other = try world.start(
            ["api", "/orders"] + connection, environment: ["AUTHCTL_API_URL": server.url("/v2", listener: 1)]
        ).wait()
        #expect(other.exitCode == 2)
        #expect(other.stderr.contains("authctl login"), "\(other.stderr)")
        #expect(server.requests.count == 2)
    }
}
