import CurlTransport
import Foundation
import TestSupport

@testable import Transport

/// Requests as the server receives them.
@Suite(.mostlyWaits) struct RequestTests {
    @Test func `the HTTP transport adds only Host, User-Agent, Accept-Encoding and Content-Length to a request`() throws
    {
        let server = try ScriptedServer(["/1/login": [.answer("200 OK", ["X-A: b"], "{}")]])
        let request = HTTPRequest(
            .post, server.url("/1/login?a=%20b"),
            headers: ["X-Parse-Application-Id": "app", "X-Empty": "", "Content-Type": "application/json"],
            body: Array(#"{"a":1}"#.utf8))
        let response = try LibcurlTransport.impatient().send(request)
        let sent = try #require(server.requests.first)
        #expect(sent.head.hasPrefix("POST /1/login?a=%20b HTTP/1.1\r\n"))
        #expect(
            sent.fields.filter { !$0.hasPrefix("Accept-Encoding: ") } == [
                "Host: 127.0.0.1:\(server.ports[0])", "User-Agent: authctl", "X-Parse-Application-Id: app", "X-Empty:",
                "Content-Type: application/json", "Content-Length: 7",
            ])
        expect(sent.body.text, #"{"a":1}"#)
        expect(response.status, 200)
        expect(response.headers["x-a"], "b")
        expect(response.body.text, "{}")
    }

    @Test(arguments: [
        (HTTPRequest.Method.get, nil, nil), (.delete, nil, nil), (.options, nil, nil), (.head, nil, nil),
        (.post, nil, "0"), (.post, "", "0"), (.put, "", "0"), (.put, "x=1", "3"), (.delete, "y", "1"),
        (.init(rawValue: "PATCH"), "z", "1"),
    ])
    func `a request has Content-Length if it has a body or its method expects a body`(
        method: HTTPRequest.Method, body: String?, length: String?
    ) throws {
        let server = try ScriptedServer(["/": [.answer("200 OK")]])
        let request = HTTPRequest(method, server.url("/"), body: body.map { Array($0.utf8) })
        try expect(LibcurlTransport.impatient().send(request).status, 200)
        let sent = try #require(server.requests.first)
        expect(sent.method, method.rawValue)
        expect(sent.body.text, body ?? "")
        expect(sent.fields.filter { $0.hasPrefix("Content-Length") }, length.map { ["Content-Length: \($0)"] } ?? [])
        #expect(!sent.head.contains("Content-Type"))
    }

    @Test func `a large request body is sent without waiting for 100 Continue`() throws {
        let server = try ScriptedServer(["/": [.answer("200 OK")]])
        let body = [UInt8](repeating: UInt8(ascii: "a"), count: 3 << 20)
        _ = try LibcurlTransport.impatient().send(HTTPRequest(.post, server.url("/"), body: body))
        let sent = try #require(server.requests.first)
        expect(sent.body, Data(body))
        #expect(!sent.head.contains("Expect"))
    }

    @Test func `dot segments in a request path are sent unchanged`() throws {
        let server = try ScriptedServer(["/a/../b": [.answer("200 OK")]])
        try expect(LibcurlTransport.impatient().send(HTTPRequest(.get, server.url("/a/../b"))).status, 200)
    }

    @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\0b"])
    func `a request with a line break or a NUL in a header field is not sent`(value: String) throws {
        let server = try ScriptedServer(["/": [.answer("200 OK")]])
        for headers: HTTPHeaders in [["X-A": value], [value: "a"]] {
            let failure = LibcurlTransport.impatient().failure(HTTPRequest(.get, server.url("/"), headers: headers))
            expect(failure?.kind, .unavailable)
            expect(failure?.wasSent, false)
        }
        expect(server.connections(), 0)
    }

    @Test(arguments: [
        "ftp://127.0.0.1/", "file:///etc/passwd", "127.0.0.1", "http://u:p@127.0.0.1/", "http://127.0.0.1/a b",
        "http://127.0.0.1/\r\nX: y", "http://127.0.0.1/\0", "",
    ])
    func `a request to an unusable URL is not sent`(url: String) {
        let failure = LibcurlTransport.impatient().failure(HTTPRequest(.get, url))
        expect(failure?.kind, .unavailable)
        expect(failure?.wasSent, false)
    }

    @Test func `a connection is reused for the next request`() throws {
        let server = try ScriptedServer(["/": [.answer("200 OK", [], "a")]])
        let transport = LibcurlTransport.impatient()
        for _ in 1...3 { _ = try transport.send(HTTPRequest(.get, server.url("/"))) }
        expect(server.requests.map(\.connection), [1, 1, 1])
    }

    @Test func `a non-idempotent request opens a new connection, and the next idempotent request reuses it`() throws {
        let server = try ScriptedServer(["/": [.answer("200 OK")]])
        let transport = LibcurlTransport.impatient()
        for method in [HTTPRequest.Method.get, .post, .get] {
            _ = try transport.send(HTTPRequest(method, server.url("/")))
        }
        expect(server.requests.map(\.connection), [1, 2, 2])
    }

    @Test func `a request contains no part of the previous request`() throws {
        let server = try ScriptedServer(["/": [.answer("200 OK")]])
        let transport = LibcurlTransport.impatient()
        _ = try transport.send(HTTPRequest(.put, server.url("/"), headers: ["X-Secret": "s"], body: Array("b".utf8)))
        _ = try transport.send(HTTPRequest(.get, server.url("/")))
        let sent = try #require(server.requests.last)
        expect(sent.method, "GET")
        #expect(!sent.head.contains("X-Secret"))
        #expect(!sent.head.contains("Content-Length"))
    }

    @Test(arguments: [true, false])
    func `only an idempotent request is repeated after the server drops the connection`(isIdempotent: Bool) throws {
        let server = try ScriptedServer(["/": [.answer("200 OK")], "/dead": [[.close], .answer("200 OK")]])
        let transport = LibcurlTransport.impatient()
        _ = try transport.send(HTTPRequest(.get, server.url("/")))
        let request = HTTPRequest(.post, server.url("/dead"), body: Array("b".utf8), isIdempotent: isIdempotent)
        let failure = transport.failure(request)
        expect(server.requests.filter { $0.target == "/dead" }.count, (isIdempotent ? 2 : 1))
        expect(failure?.wasSent, (isIdempotent ? nil : true))
    }

    @Test func `a POST reuses a connection if alwaysKeepsConnections is set, and is not repeated if it fails`() throws {
        let server = try ScriptedServer(["/": [.answer("200 OK")], "/dead": [[.close], .answer("200 OK")]])
        var settings = NetworkSettings(timeLimit: .seconds(5))
        settings.alwaysKeepsConnections = true
        let transport = LibcurlTransport(settings)
        for _ in 1...2 { _ = try transport.send(HTTPRequest(.post, server.url("/"), body: Array("b".utf8))) }
        let failure = transport.failure(HTTPRequest(.post, server.url("/dead"), body: Array("b".utf8)))
        expect(server.requests.map(\.connection), [1, 1, 1])
        #expect(failure?.wasSent == true && failure?.kind == .connect)
    }

    @Test(arguments: ["301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary Redirect"])
    func `the HTTP transport returns a redirect and does not follow it`(status: String) throws {
        let server = try ScriptedServer(["/": [.answer(status, ["Location: /other"])], "/other": [.answer("200 OK")]])
        let response = try LibcurlTransport.impatient().send(HTTPRequest(.get, server.url("/")))
        expect(response.headers["Location"], "/other")
        expect(server.requests.count, 1)
    }

    @Test(arguments: [
        ["Basic realm=\"a\""], ["Digest realm=\"a\", nonce=\"n\""], ["Negotiate"], ["NTLM"], ["Bearer"], ["Token"],
        ["Basic realm=\"a\"", "Negotiate"], ["\u{1F}?"], [],
    ])
    func `a 401 or 403 response is returned, whatever authentication scheme it requests`(schemes: [String]) throws {
        for status in ["401 Unauthorized", "403 Forbidden"] {
            let fields = schemes.map { "WWW-Authenticate: \($0)" }
            let server = try ScriptedServer(["/": [.answer(status, fields, "no")]])
            let response = try LibcurlTransport.impatient().send(
                HTTPRequest(.post, server.url("/"), body: Array("b".utf8)))
            expect("\(response.status)", status.prefix(3))
            expect(response.body.text, "no")
            expect(server.requests.count, 1)
            #expect(!server.requests[0].head.contains("Authorization"))
        }
    }

    @Test func `a cookie in a response is not sent with the next request`() throws {
        let server = try ScriptedServer(["/": [.answer("200 OK", ["Set-Cookie: a=b", "Cache-Control: max-age=9"])]])
        let transport = LibcurlTransport.impatient()
        for _ in 1...2 { _ = try transport.send(HTTPRequest(.get, server.url("/"))) }
        expect(server.requests.count, 2)
        #expect(!server.requests[1].head.contains("Cookie"))
    }

    @Test func `bytes that arrive before a request is sent are not used as its response`() throws {
        let forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"
        for pause in [0, 0.05] {
            let server = try ScriptedServer([
                "/first": [[.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), .pause(pause), .send(forged)]],
                "/second": [.answer("200 OK", [], "true")],
            ])
            let transport = LibcurlTransport.impatient()
            _ = try transport.send(HTTPRequest(.get, server.url("/first")))
            usleep(150_000)
            try expect(transport.send(HTTPRequest(.get, server.url("/second"))).body.text, "true")
        }
    }

    @Test func `the HTTP transport ignores .netrc, .curlrc and the proxy environment variables`() async {
        await #expect(processExitsWith: .success) {
            let server = try ScriptedServer(["/": [.answer("200 OK")]])
            let world = Sandbox()
            try world.write("machine 127.0.0.1 login ada password canary\n", to: "\(world.home)/.netrc")
            try world.write("user = ada:canary\n", to: "\(world.home)/.curlrc")
            for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
                setenv(name, "http://127.0.0.1:1", 1)
            }
            setenv("HOME", world.home, 1)
            setenv("NETRC", "\(world.home)/.netrc", 1)
            let before = world.snapshot()
            _ = try LibcurlTransport.impatient().send(HTTPRequest(.get, server.url("/")))
            let failure = LibcurlTransport.impatient().failure(HTTPRequest(.get, "https://no-such-host.invalid/"))
            precondition(server.requests.count == 1)
            precondition(!server.requests[0].head.contains("Authorization"))
            precondition(failure?.kind == .dns)
            precondition(world.snapshot() == before)
        }
    }
}
