import CurlTransport
import Foundation
import TestSupport

@testable import Transport

/// Slow and unresponsive servers. The client's time limit applies to the whole request.
@Suite(.mostlyWaits) struct DeadlineTests {
    private func failure(
        _ listener: ScriptedServer.Listener, scheme: String = "http", request limit: Duration? = nil
    ) throws -> (TransportError?, seconds: Double) {
        let server = try ScriptedServer([listener])
        let settings = NetworkSettings(
            timeLimit: .milliseconds(300), connectLimit: .milliseconds(200), authorities: TestAuthority.file)
        var request = HTTPRequest(.get, server.url("/", scheme: scheme, host: "localhost"))
        request.timeLimit = limit
        let transport = LibcurlTransport(settings)
        let start = Date()
        let failure = transport.failure(request)
        return (failure, Date().timeIntervalSince(start))
    }

    @Test func `a request times out if no response arrives`() throws {
        let (failure, seconds) = try failure(.init(["/": [[.stall]]]))
        expect(failure?.kind, .timeout)
        try #require(failure).expectMessage()
        expect(failure?.wasSent, true)
        #expect((0.25...10).contains(seconds))
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"])
    func `a request times out if its response does not end`(head: String) throws {
        let text = String(repeating: "X-A: b\r\n", count: 50)
        let (failure, seconds) = try failure(.init(["/": [[.send(head), .drip(text, every: 0.02)]]]))
        expect(failure?.kind, .timeout)
        try #require(failure).expectMessage()
        expect(failure?.wasSent, true)
        #expect((0.25...10).contains(seconds))
    }

    @Test func `a stalled TLS handshake exceeds the connect timeout, and no request is sent`() throws {
        var listener = ScriptedServer.Listener(certificate: TestAuthority.path("good"))
        listener.atAccept = [.stall]
        let (failure, seconds) = try failure(listener, scheme: "https")
        expect(failure?.kind, .timeout)
        expect(failure?.hints.first?.contains("--connect-timeout"), true)
        try #require(failure).expectMessage()
        expect(failure?.wasSent, false)
        #expect((0.15...10).contains(seconds))
    }

    @Test func `a request can override the time limit of the transport`() throws {
        let (failure, seconds) = try failure(.init(["/": [[.stall]]]), request: .milliseconds(100))
        expect(failure?.message.contains("100 ms"), true)
        #expect((0.05...10).contains(seconds))
        let (none, _) = try self.failure(.init(["/": [[.stall]]]), request: .zero)
        expect(none?.kind, .timeout)
    }
}
