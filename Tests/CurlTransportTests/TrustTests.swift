import CurlTransport
import Foundation
import TestSupport
import Testing
import Transport

/// Whom the transport takes for whom. Every refused server saw one connection and no byte of HTTP.
@Suite struct TrustTests {
    private func server(_ certificate: String, _ change: (inout ScriptedServer.Listener) -> Void = { _ in }) throws
        -> ScriptedServer
    {
        var listener = ScriptedServer.Listener(
            ["/": [.answer("200 OK", [], "secret")]], certificate: TestAuthority.path(certificate))
        change(&listener)
        return try ScriptedServer([listener])
    }

    private func refusal(
        of server: ScriptedServer, host: String = "localhost", authorities: String? = TestAuthority.file
    ) -> TransportError? {
        let transport = LibcurlTransport.impatient(authorities: authorities)
        let failure = transport.failure(HTTPRequest(.get, server.url("/", scheme: "https", host: host)))
        #expect(failure?.wasSent == false)
        #expect(server.requests.isEmpty)
        return failure
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `speaks to a server of the named authority`(host: String) throws {
        let server = try server("good")
        let transport = LibcurlTransport.impatient(authorities: TestAuthority.file)
        for _ in 1...2 {
            let response = try transport.send(HTTPRequest(.get, server.url("/", scheme: "https", host: host)))
            #expect(response.body.text == "secret")
        }
        #expect(server.connections() == 1)
    }

    @Test(arguments: [
        ("expired", "has expired"), ("not-yet-valid", "is not yet valid"), ("wrong-host", "is for another host"),
        ("self-signed", "is self-signed"), ("orphan", "comes from an unknown authority"),
    ])
    func `says what is wrong with a certificate`(certificate: String, fault: String) throws {
        let server = try server(certificate)
        let failure = try #require(refusal(of: server))
        #expect(failure.kind == .tls)
        // Where OpenSSL verifies, whose it is and who signed it is told.
        let name = certificate == "self-signed" ? "localhost" : "authctl test \(certificate)"
        let issuer = ["self-signed": "localhost", "orphan": "authctl test intermediate"][certificate]
        let names = "(subject '/CN=\(name)', issuer '/CN=\(issuer ?? "authctl test authority")') "
        let subject = "the certificate of 'localhost:\(server.ports[0])' "
        #expect([subject + names + fault, subject + fault].contains(failure.message))
        #if os(Linux)
            #expect(failure.message.contains(names))
        #endif
        #expect(server.connections() == 1)
    }

    @Test func `refuses a number that the certificate does not have`() throws {
        let server = try server("wrong-host")
        #expect(refusal(of: server, host: "127.0.0.1")?.message.hasSuffix("is for another host") == true)
    }

    /// A certificate of the authority itself looks the same as one whose intermediate is missing: both are said.
    @Test func `tells of a missing intermediate where there may be one`() throws {
        let other = TestAuthority.path("other-authority")
        for (certificate, isMissing) in [("orphan", true), ("chain", false), ("self-signed", false)] {
            let failure = refusal(of: try server(certificate), authorities: other)
            #expect(failure?.hint?.contains("--ca-cert FILE") == true)
            #if os(Linux)
                #expect(failure?.hint?.contains("intermediate") == isMissing, "\(certificate)")
            #endif
        }
        let whole = try server("chain")
        let transport = LibcurlTransport.impatient(authorities: TestAuthority.file)
        let url = whole.url("/", scheme: "https", host: "localhost")
        #expect(try transport.send(HTTPRequest(.get, url)).status == 200)
    }

    @Test func `trusts the named file in the place of the system's authorities`() throws {
        let server = try server("good")
        let failure = refusal(of: server, authorities: TestAuthority.path("other-authority"))
        #expect(failure?.kind == .tls)
        #expect(failure?.message.hasSuffix("comes from an unknown authority") == true)
        #expect(failure?.hint?.contains("--ca-cert FILE") == true)
        #expect(server.connections() == 1)
    }

    /// The folder of hashed links comes first, then the whole bundle: it could hold an authority that has no link.
    @Test func `refuses an authority that the system does not know`() throws {
        let server = try server("good")
        let failure = refusal(of: server, authorities: nil)
        #expect(failure?.kind == .tls)
        #expect(failure?.message.hasSuffix("comes from an unknown authority") == true)
        #expect((1...2).contains(server.connections()))
    }

    @Test func `names a file of authorities that is none`() throws {
        let world = try Sandbox()
        let (missing, empty, text) = ("\(world.home)/missing.pem", "\(world.home)/empty.pem", "\(world.home)/text.pem")
        let broken = "\(world.home)/broken.pem"
        try world.write("", to: empty)
        try world.write("hello", to: text)
        try world.write("-----BEGIN CERTIFICATE-----\nhello\n-----END CERTIFICATE-----\n", to: broken)
        let server = try server("good")
        let none = "holds no certificate in PEM form"
        let expected = [
            (missing, "cannot read '\(missing)': no such file or directory"), (empty, "'\(empty)' \(none)"),
            (text, "'\(text)' \(none)"), (world.home, "cannot read '\(world.home)': is a directory"),
            (broken, "cannot use the authorities in '\(broken)'"),
        ]
        for (path, message) in expected {
            let failure = refusal(of: server, authorities: path)
            let isRead = path == broken
            #expect(failure?.kind == (isRead ? .tls : .unusableSetting))
            #expect(failure?.message == (isRead ? message : "no authorities to trust: \(message)"))
        }
    }

    @Test func `waits for no pipe in the place of a file of authorities`() throws {
        let world = try Sandbox()
        try world.runScript("mkfifo '\(world.home)/pipe'")
        let failure = refusal(of: try server("good"), authorities: "\(world.home)/pipe")
        #expect(failure?.kind == .unusableSetting)
        #expect(failure?.message == "no authorities to trust: '\(world.home)/pipe' is no regular file")
    }

    @Test(arguments: ["1.0", "1.1"])
    func `speaks no TLS older than 1.2`(version: String) throws {
        let server = try server("good") { $0.newestTLS = version }
        let failure = refusal(of: server)
        #expect(failure?.kind == .tls)
        #expect(failure?.message == "'localhost:\(server.ports[0])' speaks no TLS from version 1.2 on")
        #expect(server.handshakes() == 0)
    }

    @Test func `speaks TLS 1.2`() throws {
        let server = try server("good") { $0.newestTLS = "1.2" }
        let transport = LibcurlTransport.impatient(authorities: TestAuthority.file)
        let url = server.url("/", scheme: "https", host: "localhost")
        #expect(try transport.send(HTTPRequest(.get, url)).status == 200)
    }

    @Test func `speaks no TLS without encryption`() throws {
        let server = try server("good") { $0.hasNoEncryption = true }
        #expect(refusal(of: server)?.kind == .tls)
        #expect(server.handshakes() == 0)
    }

    @Test func `takes the end of a handshake for a lost connection`() throws {
        for end in [ScriptedServer.Step.close, .reset] {
            for moment in [\ScriptedServer.Listener.atAccept, \.atHello] {
                let server = try server("good") { $0[keyPath: moment] = [end] }
                let failure = refusal(of: server)
                #expect(failure?.kind == .connect)
                #expect(failure?.message.contains("'localhost:\(server.ports[0])'") == true)
                #expect(server.connections() == 1)
            }
        }
    }

    @Test func `tells of a server that speaks something else`() throws {
        let server = try ScriptedServer([.init(["*": [.init(when: .bytes(1), [.send("HTTP/1.1 400 No\r\n\r\n")])]])])
        let transport = LibcurlTransport.impatient(authorities: TestAuthority.file)
        let failure = transport.failure(HTTPRequest(.get, server.url("/", scheme: "https", host: "localhost")))
        #expect(failure?.kind == .tls)
        #expect(failure?.message == "'localhost:\(server.ports[0])' does not speak TLS")
        #expect(failure?.wasSent == false)
    }
}
