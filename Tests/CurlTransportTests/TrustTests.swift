import CurlTransport
import Foundation
import Platform
import TestSupport
import Transport

/// Certificate verification. A server with a rejected certificate receives no byte of HTTP.
@Suite(.mostlyWaits) struct TrustTests {
    private func server(_ certificate: String, _ change: (inout ScriptedServer.Listener) -> Void = { _ in }) throws
        -> ScriptedServer
    {
        var listener = ScriptedServer.Listener(
            ["/": [.answer("200 OK", [], "secret")]], certificate: TestAuthority.path(certificate))
        change(&listener)
        return try ScriptedServer([listener])
    }

    private func rejection(
        of server: ScriptedServer, host: String = "localhost", authorities: String? = TestAuthority.file
    ) -> TransportError? {
        let transport = LibcurlTransport.impatient(authorities: authorities)
        let failure = transport.failure(HTTPRequest(.get, server.url("/", scheme: "https", host: host)))
        expect(failure?.wasSent, false)
        #expect(server.requests.isEmpty)
        return failure
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `a certificate from an authority in the given CA file is trusted`(host: String) throws {
        let server = try server("good")
        let transport = LibcurlTransport.impatient(authorities: TestAuthority.file)
        for _ in 1...2 {
            let response = try transport.send(HTTPRequest(.get, server.url("/", scheme: "https", host: host)))
            expect(response.body.text, "secret")
        }
        expect(server.connections(), 1)
    }

    @Test(arguments: ["expired", "not-yet-valid", "wrong-host", "self-signed", "orphan"])
    func `an invalid certificate is rejected with the reason`(certificate: String) throws {
        let server = try server(certificate)
        let failure = try #require(rejection(of: server))
        expect(failure.kind, .tls)
        #expect(failure.message.contains("'localhost:\(server.ports[0])'"))
        #if os(Linux)
            failure.expectMessage(certificate)
        #endif
        expect(server.connections(), 1)
    }

    @Test func `a certificate that does not name the server's IP address is rejected`() throws {
        let server = try server("wrong-host")
        let failure = try #require(rejection(of: server, host: "127.0.0.1"))
        expect(failure.kind, .tls)
        #if os(Linux)
            failure.expectMessage()
        #endif
    }

    @Test func `a hint mentions an intermediate certificate only if one may be missing`() throws {
        let other = TestAuthority.path("other-authority")
        for (certificate, isMissing) in [("orphan", true), ("self-signed", false)] {
            let failure = rejection(of: try server(certificate), authorities: other)
            expect(failure?.hints.first?.contains("--ca-cert FILE"), true)
            #if os(Linux)
                expect(failure?.hints.first?.contains("intermediate"), isMissing, "\(certificate)")
            #endif
        }
        let whole = try server("chain")
        let transport = LibcurlTransport.impatient(authorities: TestAuthority.file)
        let url = whole.url("/", scheme: "https", host: "localhost")
        try expect(transport.send(HTTPRequest(.get, url)).status, 200)
    }

    @Test func `a certificate from an authority that is not in the given CA file is rejected`() throws {
        let server = try server("good")
        let failure = rejection(of: server, authorities: TestAuthority.path("other-authority"))
        expect(failure?.kind, .tls)
        expect(failure?.hints.first?.contains("--ca-cert FILE"), true)
        expect(server.connections(), 1)
    }

    /// If the system's CA folder lacks the server's authority, a second connection may try the CA bundle.
    @Test func `a certificate from an authority unknown to the system is rejected`() throws {
        let server = try server("good")
        let failure = rejection(of: server, authorities: nil)
        expect(failure?.kind, .tls)
        #expect((1...2).contains(server.connections()))
    }

    @Test func `an unusable CA file is reported with its path`() throws {
        let world = Sandbox()
        let (missing, empty, text) = ("\(world.home)/missing.pem", "\(world.home)/empty.pem", "\(world.home)/text.pem")
        let broken = "\(world.home)/broken.pem"
        try world.write("", to: empty)
        try world.write("hello", to: text)
        try world.write("-----BEGIN CERTIFICATE-----\nhello\n-----END CERTIFICATE-----\n", to: broken)
        let server = try server("good")
        for (path, situation) in [
            (missing, "missing"), (empty, "empty"), (text, "not PEM"), (world.home, "folder"), (broken, "broken PEM"),
        ] {
            let failure = try #require(rejection(of: server, authorities: path))
            expect(failure.kind, (path == broken ? .tls : .unusableSetting))
            failure.expectMessage(situation, replacing: [world.home: "/home"])
        }
    }

    @Test func `a FIFO in place of a CA file is rejected at once`() throws {
        let world = Sandbox()
        try world.runScript("mkfifo '\(world.home)/pipe'")
        let failure = rejection(of: try server("good"), authorities: "\(world.home)/pipe")
        expect(failure?.kind, .unusableSetting)
        try #require(failure).expectMessage(replacing: [world.home: "/home"])
    }

    @Test(arguments: ["1.0", "1.1"])
    func `TLS older than 1.2 is rejected`(version: String) throws {
        let server = try server("good") { $0.newestTLS = version }
        let failure = rejection(of: server)
        expect(failure?.kind, .tls)
        try #require(failure).expectMessage()
        expect(server.handshakes(), 0)
    }

    @Test func `TLS 1.2 is accepted`() throws {
        let server = try server("good") { $0.newestTLS = "1.2" }
        let transport = LibcurlTransport.impatient(authorities: TestAuthority.file)
        let url = server.url("/", scheme: "https", host: "localhost")
        try expect(transport.send(HTTPRequest(.get, url)).status, 200)
    }

    @Test func `a TLS cipher without encryption is rejected`() throws {
        let server = try server("good") { $0.hasNoEncryption = true }
        expect(rejection(of: server)?.kind, .tls)
        expect(server.handshakes(), 0)
    }

    @Test func `a connection that ends during the TLS handshake is a connection error`() throws {
        for end in [ScriptedServer.Step.close, .reset] {
            for time in [\ScriptedServer.Listener.atAccept, \.atHello] {
                let server = try server("good") { $0[keyPath: time] = [end] }
                let failure = rejection(of: server)
                expect(failure?.kind, .connect)
                expect(failure?.message.contains("'localhost:\(server.ports[0])'"), true)
                expect(server.connections(), 1)
            }
        }
    }

    /// Only TLS 1.3 has an alert for a missing client certificate, so the test checks the message only for TLS 1.3.
    @Test(arguments: ["1.2", "1.3"])
    func `a server that requires a client certificate is reported`(version: String) throws {
        let server = try server("good") { ($0.wantsCertificate, $0.newestTLS) = (true, version) }
        let transport = LibcurlTransport.impatient(authorities: TestAuthority.file)
        let failure = transport.failure(HTTPRequest(.get, server.url("/", scheme: "https", host: "localhost")))
        expect(failure?.kind, .tls)
        #expect(server.requests.isEmpty)
        if version == "1.3" { try #require(failure).expectMessage() }
    }

    @Test func `a server that does not speak TLS is reported`() throws {
        let server = try ScriptedServer([.init(["*": [.init(when: .bytes(1), [.send("HTTP/1.1 400 No\r\n\r\n")])]])])
        let transport = LibcurlTransport.impatient(authorities: TestAuthority.file)
        let failure = transport.failure(HTTPRequest(.get, server.url("/", scheme: "https", host: "localhost")))
        expect(failure?.kind, .tls)
        try #require(failure).expectMessage()
        expect(failure?.wasSent, false)
    }
}
