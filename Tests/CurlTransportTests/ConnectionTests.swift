import CurlTransport
import Foundation
import TestSupport
import Testing
import Transport

/// Hosts that are not there.
@Suite struct ConnectionTests {
    @Test func `names a host that has no address`() {
        let failure = LibcurlTransport.impatient().failure(HTTPRequest(.post, "https://no-such-host.invalid/?a=secret"))
        #expect(failure == TransportError(.dns, "cannot find the host 'no-such-host.invalid'"))
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `names a host that takes no connection`(host: String) {
        let failure = LibcurlTransport.impatient().failure(HTTPRequest(.post, "http://\(host):1/?a=secret"))
        #expect(failure == TransportError(.connect, "cannot connect to '\(host):1': connection refused"))
    }

    @Test func `speaks to a host by its address of version 6`() throws {
        var listener = ScriptedServer.Listener(["/": [.answer("200 OK")]])
        listener.address = "::1"
        let server = try ScriptedServer([listener])
        for host in ["[::1]", "localhost"] {
            let response = try LibcurlTransport.impatient().send(HTTPRequest(.get, server.url("/", host: host)))
            #expect(response.status == 200)
        }
    }
}
