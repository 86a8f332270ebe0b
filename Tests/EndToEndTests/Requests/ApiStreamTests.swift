import Foundation
import TestSupport

/// Request and response bodies of `api`, including interrupted ones.
@Suite(.mostlyWaits, .keepsInvariants) struct ApiStreamTests {
    private static let everyByte = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 256) })
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"

    /// A sandbox with a session for a scripted Parse server. The environment variable `C` has the connection options.
    private func world(at server: ScriptedServer) throws -> Sandbox {
        let world = Sandbox()
        try world.keepSession(for: server.url("/api"))
        world.set("C", to: ParseSession.options(at: server.url("/api")).joined(separator: " "))
        return world
    }

    private func run(_ words: String..., at server: ScriptedServer, in world: Sandbox? = nil) throws -> Finished {
        try (world ?? self.world(at: server)).start(words + ParseSession.options(at: server.url("/api"))).wait()
    }

    @Test func `api prints a large response body unchanged`() throws {
        let length = "\(Self.head)Content-Length: \(Self.everyByte.count)\r\n\r\n"
        let server = try ScriptedServer(["/api/a": [[.send(length), .sendBytes(Self.everyByte)]]])
        let finished = try run("api", "/a", at: server)
        expect(finished.output, Self.everyByte)
        #expect(finished.stderr.isEmpty)
        expect(finished.exitCode, 0)
    }

    @Test func `api sends a large request body from a file or a pipe unchanged`() throws {
        let server = try ScriptedServer(["/api/a": [.answer("201 Created", [], "done")]])
        let world = try world(at: server)
        try world.write([UInt8](Self.everyByte), to: "\(world.root)/body")
        for script in [
            #""$A" api /a $C --input "\#(world.root)/body""#, #"cat "\#(world.root)/body" | "$A" api /a $C --input -"#,
        ] {
            let finished = try world.runScript(script)
            expect(finished.stdout, "done", "\(finished.stderr)")
        }
        expect(server.requests.map(\.body), [Self.everyByte, Self.everyByte])
        #expect(server.requests[0].fields.contains("Content-Length: \(Self.everyByte.count)"))
        #expect(server.requests[1].fields.contains("Transfer-Encoding: chunked"))
    }

    @Test func `api ends silently if standard output is closed in the middle of a response body`() throws {
        let server = try ScriptedServer(["/api/a": [[.send("\(Self.head)\r\n"), .repeating("0123456789")]]])
        let finished = try world(at: server).runScript(#""$A" api /a $C | head -c 10; echo " ${PIPESTATUS[0]}""#)
        expect(finished.stdout, "0123456789 141\n")
        #expect(finished.stderr.isEmpty)
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal ends api immediately in the middle of a response body`(signal: Int32) throws {
        let server = try ScriptedServer(["/api/a": [[.send("\(Self.head)Content-Length: 99\r\n\r\nhalf"), .stall]]])
        let world = try world(at: server)
        let pipe = Pipe()
        let program = try world.start(
            ["api", "/a"] + ParseSession.options(at: server.url("/api")),
            output: pipe.fileHandleForWriting.fileDescriptor)
        try pipe.fileHandleForWriting.close()
        expect(pipe.fileHandleForReading.availableData, Data("half".utf8))
        program.send(signal)
        let end = program.wait()
        expect(end.signal, signal)
        #expect(end.stderr.isEmpty)
    }

    @Test func `SIGTERM ends api immediately while api waits for the rest of --input`() throws {
        let server = try ScriptedServer(["/api/a": [.answer("200 OK")]])
        let world = try world(at: server)
        let finished = try world.runScript(
            #"mkfifo p; "$A" api /a $C --input p & exec 3> p; echo a >&3; kill -TERM $!; wait $!; echo "$?""#)
        expect(finished.stdout, "143\n", "\(finished.everything)")
        expect(server.connections(), 0)
    }
}
