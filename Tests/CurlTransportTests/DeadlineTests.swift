import CurlTransport
import Foundation
import TestSupport
import Testing
import Transport

/// Servers that keep a client waiting: the limit is one of the whole request.
@Suite(.mostlyWaits) struct DeadlineTests {
    private func failure(
        _ listener: ScriptedServer.Listener, scheme: String = "http", request limit: Duration? = nil
    ) throws -> (TransportError?, seconds: Double, authority: String) {
        let server = try ScriptedServer([listener])
        let settings = NetworkSettings(
            timeLimit: .milliseconds(300), connectLimit: .milliseconds(200), authorities: TestAuthority.file)
        var request = HTTPRequest(.get, server.url("/", scheme: scheme, host: "localhost"))
        request.timeLimit = limit
        let transport = LibcurlTransport(settings)
        let start = Date()
        let failure = transport.failure(request)
        return (failure, Date().timeIntervalSince(start), "localhost:\(server.ports[0])")
    }

    @Test func `waits no longer than that for an answer`() throws {
        let (failure, seconds, authority) = try failure(.init(["/": [[.stall]]]))
        #expect(failure?.kind == .timeout)
        #expect(failure?.message == "no answer from '\(authority)' within 300 ms")
        #expect(failure?.wasSent == true)
        #expect((0.25...10).contains(seconds))
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"])
    func `waits no longer for the end of an answer that comes drop by drop`(head: String) throws {
        let text = String(repeating: "X-A: b\r\n", count: 50)
        let (failure, seconds, authority) = try failure(.init(["/": [[.send(head), .drip(text, every: 0.02)]]]))
        #expect(failure?.kind == .timeout)
        #expect(failure?.message == "the answer of '\(authority)' did not end within 300 ms")
        #expect(failure?.wasSent == true)
        #expect((0.25...10).contains(seconds))
    }

    @Test func `waits a shorter time for the connection`() throws {
        var listener = ScriptedServer.Listener(certificate: TestAuthority.path("good"))
        listener.atAccept = [.stall]
        let (failure, seconds, authority) = try failure(listener, scheme: "https")
        #expect(failure?.kind == .timeout)
        #expect(failure?.message == "no connection to '\(authority)' within 200 ms")
        #expect(failure?.hint?.hasSuffix("--connect-timeout SECONDS") == true)
        #expect(failure?.wasSent == false)
        #expect((0.15...10).contains(seconds))
    }

    @Test func `lets a request have a limit of its own`() throws {
        let (failure, seconds, authority) = try failure(.init(["/": [[.stall]]]), request: .milliseconds(100))
        #expect(failure?.message == "no answer from '\(authority)' within 100 ms")
        #expect((0.05...10).contains(seconds))
        let (none, _, _) = try self.failure(.init(["/": [[.stall]]]), request: .zero)
        #expect(none?.kind == .timeout)
    }
}
