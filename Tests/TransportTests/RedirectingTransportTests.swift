import Expectations
import Transport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

private let redirects = [301, 302, 303, 307, 308]
private let mount = "https://good.test/parse"

/// A request in which every header value, the query and the body are secrets.
private func request(_ method: HTTPRequest.Method, _ url: String = "\(mount)/users/me?s=canary") -> HTTPRequest {
    let headers: HTTPHeaders = [
        "X-Parse-Session-Token": "canary", "Authorization": "Basic canary", "Cookie": "canary",
        "x-kii-appkey": "canary",
    ]
    return HTTPRequest(method, url, headers: headers, body: method == .get ? nil : Array("canary".utf8))
}

@Suite struct RedirectingTransportTests {
    @Test func `a redirect is an ordinary response if the request does not follow redirects`() throws {
        var request = request(.get)
        request.followsRedirects = false
        let inner = ScriptedTransport([.redirect(302, to: "\(mount)/x")])
        try expect(RedirectingTransport(inner, mount: mount).send(request).status, 302)
    }

    @Test(
        arguments: redirects,
        [
            ("https://good.test/parse/x", "https://good.test/parse/x"),
            ("HTTPS://GOOD.TEST:443/parse/x?y=1#z", "https://good.test/parse/x?y=1"),
            ("https://good.test/parse", "https://good.test/parse"),
            ("https://good.test/parse?x", "https://good.test/parse?x"),
            ("//Good.test/parse/x", "https://good.test/parse/x"),
            ("/parse/x", "https://good.test/parse/x"), ("x", "https://good.test/parse/users/x"),
            ("?q", "https://good.test/parse/users/me?q"), ("../x/./y", "https://good.test/parse/x/y"),
            ("/other/../parse/x", "https://good.test/parse/x"), ("me/", "https://good.test/parse/users/me/"),
        ])
    func `a GET follows a redirect within the base URL and sends the same headers`(
        status: Int, way: (location: String, url: String)
    ) throws {
        let inner = ScriptedTransport([.redirect(status, to: way.location), .status(200)])
        let response = try RedirectingTransport(inner, mount: mount).send(request(.get))
        expect(response.status, 200)
        expect(inner.received, [request(.get), request(.get, way.url)])
    }

    /// The Location header, its origin, and whether a hint of the error suggests that origin as the server.
    static let elsewhere = [
        ("https://good.test:8443/parse/users/me", "https://good.test:8443", true),
        ("https://other.test/parse/x?q=canary", "https://other.test", true),
        ("https://api.good.test/parse/x", "https://api.good.test", true),
        ("https://test/parse/x", "https://test", true),
        ("https://good.test.evil.test/parse/x", "https://good.test.evil.test", true),
        ("https://good.test@evil.test/parse/x", "https://evil.test", true),
        ("https://canary:canary@evil.test:444/canary?canary#canary", "https://evil.test:444", true),
        ("https://good.test./parse/x", "https://good.test.", true),
        ("//evil.test", "https://evil.test", true), ("//evil.test/parse/x", "https://evil.test", true),
        ("https://[::1]/parse/x", "https://[::1]", true),
        ("http://good.test/parse/x", "http://good.test", false),
        ("http://good.test:443/parse/x", "http://good.test:443", false),
        ("ftp://good.test/parse/x", "ftp://good.test", false), ("file://good.test/x", "file://good.test", false),
    ]

    @Test(arguments: redirects, elsewhere)
    func `a redirect to a different origin is not followed`(
        status: Int, way: (location: String, origin: String, isOffered: Bool)
    ) {
        for method in [HTTPRequest.Method.get, .post, .put, .delete] {
            let error = rejection(request(method), .redirect(status, to: way.location))
            expect(error?.message.contains("'\(way.origin)'"), true)
            expect((error?.hints.first != nil), way.isOffered)
        }
    }

    @Test(arguments: ["https", "http"])
    func `the error about a redirect from https to a different origin suggests that origin only if it uses https`(
        scheme: String
    ) throws {
        let error = try #require(rejection(request(.get), .redirect(to: "\(scheme)://other.test/parse/x")))
        error.expectMessage(in: "network/redirects", scheme)
    }

    @Test(arguments: [
        ("http://localhost:1337/parse", "http://127.0.0.1:1337/parse/x", "http://127.0.0.1:1337/parse"),
        ("http://127.0.0.1:1337/parse", "http://localhost:1337/parse/x", "http://localhost:1337/parse"),
        ("http://localhost/parse", "https://localhost/parse/x", "https://localhost/parse"),
        ("http://localhost/parse", "http://[::1]/parse/x", "'http://[::1]/parse'"),
    ])
    func `a redirect between loopback origins is not followed, and the hint suggests the new origin`(
        mount: String, location: String, server: String
    ) {
        let error = rejection(request(.get, mount + "/me"), .redirect(to: location), mount: mount)
        expect(error?.hints.first?.hasSuffix("--server \(server)"), true)
    }

    @Test(arguments: [
        "/", "/parse2/x", "/Parse/x", "/other/users/me", "../../x", "/parse/../x", "/parse/x/../../../x", "/..",
        "/parse/%2e%2e/x", "/parse/.%2E/x", "/parse/..%2Fx", "/parse/..%5cx", "/parse/..;/x", "/parse/%2E/x",
        "https://good.test", "https://good.test//parse/x", "https://canary@good.test/parse/x",
        "https://canary:canary@good.test/parse/x",
    ])
    func `a redirect to a URL with a username or outside of the base URL is not followed`(location: String) {
        for method in [HTTPRequest.Method.get, .post] {
            let error = rejection(request(method), .redirect(to: location))
            expect(error?.message.contains("'https://good.test'"), true)
            expect(error?.hints.first, nil)
            error?.expectMessage(in: "network/redirects")
        }
    }

    @Test(arguments: redirects, [HTTPRequest.Method.post, .put, .delete, .head, .options])
    func `a request with a method other than GET does not follow a redirect`(status: Int, method: HTTPRequest.Method) {
        let error = rejection(request(method), .redirect(status, to: "/parse/users/me/"))
        expect(error?.kind, .missingSlash)
        expect(error?.message.contains(method.rawValue), true)
        if method == .post { error?.expectMessage(in: "network/redirects") }
    }

    @Test(arguments: [
        "file:///etc/passwd", "https:///parse/x", "https:/parse/x", "https:good.test", "javascript:canary",
        "https://good.test\\@evil.test/parse", "\\\\evil.test", "/\\evil.test", "/parse/x y", " /parse/x", "/parse/x\n",
        "/parse/\r\nX-Canary: 1", "/parse/\0", "/parse/%0d%0aX-Canary:%201", "/parse/é", "/parse/%",
        "https://good.test:x/",
        "https://good.test:443:443/parse", "https://a@b@good.test/parse", "https://good%2etest/parse", "//",
        "///parse/x",
        "http://[::1/parse", "https://good.test /parse",
    ])
    func `a redirect to a malformed or ambiguous URL is not followed`(location: String) {
        for method in [HTTPRequest.Method.get, .post] {
            let error = rejection(request(method), .redirect(to: location))
            error?.expectMessage(in: "network/redirects")
        }
    }

    @Test func `a redirect without a Location is an error`() {
        for answer in [ScriptedTransport.Answer.status(301), .redirect(301, to: "")] {
            let error = rejection(request(.get), answer)
            error?.expectMessage(in: "network/redirects")
        }
    }

    @Test(arguments: [200, 201, 300, 304, 305, 306, 309, 400, 401, 503])
    func `a response with a Location but no redirect status is not treated as a redirect`(status: Int) throws {
        let inner = ScriptedTransport([.redirect(status, to: "https://evil.test/")])
        try expect(RedirectingTransport(inner, mount: mount).send(request(.get)).status, status)
        expect(inner.received, [request(.get)])
    }

    @Test func `five redirects are followed, each relative to the previous URL`() throws {
        let hops = ["a/", "b/", "c/", "d/", "e/"].map { ScriptedTransport.Answer.redirect(to: $0) }
        let inner = ScriptedTransport(hops + [.status(200)])
        try expect(RedirectingTransport(inner, mount: mount).send(request(.get)).status, 200)
        expect(inner.received.last, request(.get, "https://good.test/parse/users/a/b/c/d/e/"))
    }

    @Test(arguments: ["me?s=canary", "me/"])
    func `a redirect loop and a sixth redirect are errors`(location: String) throws {
        let inner = ScriptedTransport([.redirect(to: location)])
        let error = #expect(throws: TransportError.self) {
            try RedirectingTransport(inner, mount: mount).send(request(.get))
        }
        expect(error?.kind, .redirect)
        expect(error?.wasSent, true)
        error?.expectMessage(in: "network/redirects")
        expect(inner.received.count, 6)
    }

    @Test func `a second redirect that leaves the base URL is not followed`() {
        let inner = ScriptedTransport([.redirect(to: "x"), .redirect(to: "//evil.test")])
        #expect(throws: TransportError.self) { try RedirectingTransport(inner, mount: mount).send(request(.get)) }
        expect(inner.received, [request(.get), request(.get, "https://good.test/parse/users/x")])
    }

    @Test func `no redirect is followed if the base URL is invalid`() {
        #expect(rejection(request(.get), .redirect(to: "/parse/x"), mount: "good.test") != nil)
    }

    @Test func `all redirects share the time limit of the request`() throws {
        let clock = HandClock()
        let inner = ScriptedTransport(
            [.redirect(to: "x"), .redirect(to: "y"), .status(200)], delay: .seconds(4), clock: clock)
        var limited = request(.get)
        limited.timeLimit = .seconds(10)
        _ = try RedirectingTransport(inner, mount: mount, clock: clock.now).send(limited)
        expect(inner.received.map(\.timeLimit), [.seconds(10), .seconds(6), .seconds(2)])
    }

    @Test func `no redirect is followed after the time limit`() {
        let clock = HandClock()
        let inner = ScriptedTransport([.redirect(to: "x")], delay: .seconds(5), clock: clock)
        var limited = request(.get)
        limited.timeLimit = .seconds(10)
        let error = #expect(throws: TransportError.self) {
            try RedirectingTransport(inner, mount: mount, clock: clock.now).send(limited)
        }
        expect(error?.kind, .timeout)
        expect(error?.wasSent, true)
        error?.expectMessage(in: "network/redirects")
        expect(inner.received.count, 2)
    }

    @Test func `a request that fails to connect counts as sent only if it fails after a redirect`() {
        let failure = ScriptedTransport.Answer.failure(.connect, wasSent: false)
        for (answers, wasSent) in [([failure], false), ([.redirect(to: "x"), failure], true)] {
            let error = #expect(throws: TransportError.self) {
                try RedirectingTransport(ScriptedTransport(answers), mount: mount).send(request(.get))
            }
            expect(error, TransportError(.connect, "connection reset", wasSent: wasSent))
        }
    }

    /// Sends a request that must reach the server once. Returns the error, which must not contain secrets.
    private func rejection(
        _ request: HTTPRequest, _ answer: ScriptedTransport.Answer, mount: String = mount
    ) -> TransportError? {
        let inner = ScriptedTransport([answer, .status(200)])
        let error = #expect(throws: TransportError.self) {
            try RedirectingTransport(inner, mount: mount).send(request)
        }
        expect(inner.received, [request])
        #expect([.redirect, .missingSlash].contains(error?.kind))
        expect(error?.wasSent, true)
        for text in [error?.message, error?.hints.first] {
            #expect(text?.contains { $0 == "@" || $0 == "?" || $0.isNewline } != true)
            #expect(text?.contains("canary") != true)
        }
        return error
    }

    @Test(arguments: [
        ("/accounts/login/", true), ("/en/enter/?back=%2Fa%2Fb%3Fc%3D1", true),
        ("/enter/?next=https://a.example/a/b?c=1", true),
        ("https://other.example/accounts/login/", false), ("/a/b/", false), ("/enter/?next=/other/", false),
    ])
    func `a redirect to the login form is told by its path or by the way back in its query`(
        location: String, asks: Bool
    ) {
        var request = HTTPRequest(.get, "https://a.example/a/b?c=1")
        let response = HTTPResponse(status: 302, headers: ["Location": location])
        #expect(!response.asksForLogin(request))
        request.loginPath = "/accounts/login/"
        #expect(response.asksForLogin(request) == asks)
        request.loginPath = ""
        #expect(response.asksForLogin(request) == (asks && location.contains("?")))
    }
}
