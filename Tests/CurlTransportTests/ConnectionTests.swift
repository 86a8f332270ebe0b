import Foundation
import TestSupport
import Transport

@testable import CurlTransport

/// Loading libcurl, and connecting to hosts.
@Suite(.mostlyWaits) struct ConnectionTests {
    @Test func `a missing libcurl is reported with an installation hint`() throws {
        let error = try #require(throws: TransportError.self) {
            try CurlLibrary.load("libcurl-absent.so.4", beside: nil)
        }
        expect(error.kind, .unavailable)
        #expect(error.message.contains("'libcurl-absent.so.4'"))
        #expect(!error.hints.isEmpty)
        #expect(!error.wasSent)
    }

    @Test func `an unknown host name is reported as a DNS error`() throws {
        let failure = LibcurlTransport.impatient().failure(HTTPRequest(.post, "https://no-such-host.invalid/?a=secret"))
        expect(failure?.kind, .dns)
        expect(failure?.wasSent, false)
        try #require(failure).expectMessage()
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `a refused connection is reported with its host`(host: String) throws {
        let failure = LibcurlTransport.impatient().failure(HTTPRequest(.post, "http://\(host):1/?a=secret"))
        expect(failure?.kind, .connect)
        expect(failure?.wasSent, false)
        try #require(failure).expectMessage(host)
    }

    @Test func `a host is reached by its IPv6 address`() throws {
        var listener = ScriptedServer.Listener(["/": [.answer("200 OK")]])
        listener.address = "::1"
        let server = try ScriptedServer([listener])
        for host in ["[::1]", "localhost"] {
            let response = try LibcurlTransport.impatient().send(HTTPRequest(.get, server.url("/", host: host)))
            expect(response.status, 200)
        }
    }
}
