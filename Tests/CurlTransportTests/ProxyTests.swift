import CurlTransport
import Foundation
import TestSupport

@testable import Transport

/// Requests through a proxy. Listener 0 is the proxy, listener 1 the server.
@Suite(.mostlyWaits) struct ProxyTests {
    private func servers(_ answers: [ScriptedServer.Answer]) throws -> ScriptedServer {
        let server = ScriptedServer.Listener(
            ["/": [.answer("200 OK", ["X-From: server"], "ok")]], certificate: TestAuthority.path("good"))
        return try ScriptedServer([.init(["CONNECT": answers, "*": [.answer("500 No")]]), server])
    }

    private static let tunnel: ScriptedServer.Answer = [.send("HTTP/1.1 200 OK\r\nX-From: proxy\r\n\r\n"), .tunnel(1)]

    private func transport(
        _ servers: ScriptedServer, user: String = "", except hosts: String? = nil, limit: Duration = .seconds(5)
    ) -> LibcurlTransport {
        LibcurlTransport(
            NetworkSettings(
                timeLimit: limit, authorities: TestAuthority.file,
                proxy: "http://\(user)127.0.0.1:\(servers.ports[0])", hostsWithoutProxy: hosts))
    }

    private static let request = HTTPRequest(
        .post, "https://account.test/?a=b", headers: ["X-Parse-Session-Token": "secret"], body: Array("{}".utf8))

    @Test func `a proxy receives only the CONNECT request, not the HTTPS request`() throws {
        let servers = try servers([Self.tunnel])
        let response = try transport(servers, user: "ada:pass%20word@").send(Self.request)
        expect(response.body.text, "ok")
        expect(response.headers["X-From"], "server")
        let asked = servers.requests.filter { $0.listener == 0 }
        expect(asked.count, 1)
        expect(asked.first?.head.hasPrefix("CONNECT account.test:443 HTTP/1.1\r\n"), true)
        let names = asked.first?.fields.map { String($0.prefix { $0 != ":" }) }
        expect(names?.sorted(), ["Host", "Proxy-Authorization", "Proxy-Connection", "User-Agent"])
        let sent = try #require(servers.requests.last { $0.listener == 1 })
        #expect(sent.head.hasPrefix("POST /?a=b HTTP/1.1\r\n"))
        #expect(sent.head.contains("X-Parse-Session-Token: secret\r\n"))
        #expect(!sent.head.contains("Proxy-"))
    }

    @Test(
        arguments: [
            (ScriptedServer.Answer.answer("407 No", ["Proxy-Authenticate: Basic"]), "status 407"),
            (.answer("502 Bad Gateway", [], "<html>"), "status 502"),
            ([.send("hello\r\n\r\n"), .close], "no valid response"), ([.close], "no valid response"),
            ([.reset], "no valid response"), ([.send("HTTP/1.1 200 OK\r\n"), .close], "no valid response"),
        ] as [(ScriptedServer.Answer, String)])
    func `the error for a failed CONNECT contains the proxy's URL with the username and password masked`(
        answer: ScriptedServer.Answer, situation: String
    ) throws {
        let servers = try servers([answer])
        let failure = transport(servers, user: "ada:canary@").failure(Self.request)
        expect(failure?.kind, .proxy)
        expect(failure?.message.contains("canary"), false)
        try #require(failure).expectMessage(situation)
        expect(failure?.wasSent, false)
        // Status 407 is final, because each retry of a rejected proxy login may count towards a lockout.
        expect(failure?.isFinal, (situation == "status 407"))
        expect(servers.requests.count, 1)
    }

    @Test func `a proxy timeout is reported with the proxy's URL`() throws {
        let servers = try servers([[.stall]])
        let failure = transport(servers, limit: .milliseconds(200)).failure(Self.request)
        expect(failure?.kind, .timeout)
        try #require(failure).expectMessage()
        expect(failure?.wasSent, false)
    }

    @Test func `an unreachable proxy is reported with its masked URL, and an unusable proxy URL is rejected`() {
        for (proxy, name) in [
            ("ada:canary@127.0.0.1:1", "http://***@127.0.0.1:1"),
            ("http://no-such.invalid", "http://no-such.invalid:1080"),
            ("https://no-such.invalid", "https://no-such.invalid:443"),
        ] {
            let failure = LibcurlTransport.impatient(proxy: proxy).failure(Self.request)
            expect(failure?.kind, .proxy)
            expect(failure?.message.contains("'\(name)'"), true)
            expect(failure?.wasSent, false)
        }
        for proxy in ["http://canary:p@ss word", "socks5://p:1", "ftp://p", "http://h:99999"] {
            expect(LibcurlTransport.impatient(proxy: proxy).failure(Self.request)?.kind, .unusableSetting)
        }
    }

    @Test(arguments: ["p@canary", "1/canary", "p#canary", "p?canary", "p canary"])
    func `a proxy URL with a raw delimiter in the password is rejected with the form to write`(password: String) throws
    {
        for start in ["http://", "https://", ""] {
            let failure = LibcurlTransport.impatient(proxy: "\(start)ada:\(password)@proxy.invalid:8080").failure(
                Self.request)
            expect(failure?.kind, .unusableSetting)
            expect(failure?.message.contains("canary"), false)
            let form = ["@": "%40", "/": "%2F", "#": "%23", "?": "%3F", " ": "%20"]
            let raw = try #require(password.first { form[String($0)] != nil })
            expect(failure?.hints.first?.hasSuffix(form[String(raw)] ?? ""), true)
        }
    }

    /// libcurl 7.88 would ignore a proxy URL with control characters and connect to the host directly.
    @Test(arguments: ["ada%00", "ada:canary%0a", "ada:canary\u{7F}"])
    func `a proxy URL with control characters in the username or password is rejected`(user: String) throws {
        let servers = try servers([Self.tunnel])
        let failure = transport(servers, user: "\(user)@").failure(Self.request)
        expect(failure?.kind, .unusableSetting)
        expect(failure?.message.contains("canary"), false)
        expect(servers.connections(to: 0), 0)
    }

    @Test func `the TLS certificate of a server behind a proxy is verified`() throws {
        let server = ScriptedServer.Listener(certificate: TestAuthority.path("expired"))
        let servers = try ScriptedServer([.init(["CONNECT": [Self.tunnel]]), server])
        let failure = transport(servers).failure(Self.request)
        expect(failure?.kind, .tls)
        expect(failure?.message.contains("'account.test'"), true)
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `a loopback host is reached without the proxy`(host: String) throws {
        let servers = try servers([Self.tunnel])
        let url = servers.url("/", scheme: "https", host: host, listener: 1)
        try expect(transport(servers).send(HTTPRequest(.get, url)).status, 200)
        expect(servers.connections(to: 0), 0)
    }

    @Test func `a plain HTTP request is sent without the proxy`() throws {
        let servers = try servers([.answer("502 Bad Gateway")])
        expect(transport(servers).failure(HTTPRequest(.get, "http://account.invalid/"))?.kind, .dns)
        expect(servers.connections(to: 0), 0)
    }

    @Test(arguments: [
        ("account.invalid", false), (".invalid", false), ("invalid", false), ("*", false),
        ("a.test, ACCOUNT.invalid.", false),
        ("account.invalid:443", false), ("account.invalid:8443", true), ("ccount.invalid", true), ("", true),
        ("other.test,,::1", true),
    ])
    func `a host bypasses the proxy if no_proxy lists it`(list: String, isProxied: Bool) throws {
        let servers = try servers([.answer("502 Bad Gateway")])
        let failure = transport(servers, except: list).failure(HTTPRequest(.get, "https://account.invalid/"))
        expect(failure?.kind, (isProxied ? .proxy : .dns))
        expect(servers.connections(to: 0), (isProxied ? 1 : 0))
    }

    @Test(arguments: [
        ("fd00::1", false), ("[fd00::1]", false), ("::1,fd00::1", false), ("fd00::2", true),
        ("fd00::/8", false), ("fe80::/10", true), ("fd00::1/129", true),
    ])
    func `an IPv6 address bypasses the proxy if no_proxy lists it`(list: String, isProxied: Bool) throws {
        let servers = try servers([.answer("502 Bad Gateway")])
        let limit = Duration.milliseconds(300)
        _ = transport(servers, except: list, limit: limit).failure(HTTPRequest(.get, "https://[fd00::1]:9/"))
        expect(servers.connections(to: 0), (isProxied ? 1 : 0))
    }

    @Test func `the TLS certificate of an HTTPS proxy is verified`() throws {
        let server = ScriptedServer.Listener(["/": [.answer("200 OK")]], certificate: TestAuthority.path("good"))
        for certificate in ["good", "expired", "wrong-host"] {
            let isGood = certificate == "good"
            let proxy = ScriptedServer.Listener(
                ["CONNECT": [Self.tunnel]], certificate: TestAuthority.path(certificate))
            let servers = try ScriptedServer([proxy, server])
            let name = "https://localhost:\(servers.ports[0])"
            let transport = LibcurlTransport.impatient(authorities: TestAuthority.file, proxy: name)
            let failure = transport.failure(Self.request)
            expect(failure?.message.contains("'\(name)'"), (isGood ? nil : true))
            expect(servers.requests.count, (isGood ? 2 : 0))
            #if os(Linux)
                failure?.expectMessage(certificate)
            #endif
        }
    }
}
