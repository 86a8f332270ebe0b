import CurlTransport
import Foundation
import TestSupport
import Transport

/// Malformed, oversized and truncated responses, and unusual ones that are valid.
@Suite(.mostlyWaits) struct ResponseTests {
    private static let head = "HTTP/1.1 200 OK\r\n"
    private static let chunked = "\(head)Transfer-Encoding: chunked\r\n"

    private func outcome(
        of steps: [ScriptedServer.Step], _ method: HTTPRequest.Method = .get
    ) throws -> (response: HTTPResponse?, failure: TransportError?) {
        let server = try ScriptedServer(["/": [.init(when: .request, steps)]])
        let request = HTTPRequest(method, server.url("/"), isIdempotent: false)
        do throws(TransportError) {
            let response = try LibcurlTransport.impatient().send(request)
            return (response, nil)
        } catch {
            expect(server.requests.count, 1)
            return (nil, error)
        }
    }

    /// Sends a request whose response must be rejected with the message in the section of the running test.
    private func expectRejection(
        _ situation: String?, _ steps: ScriptedServer.Step..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let failure = try #require(try outcome(of: steps).failure, sourceLocation: sourceLocation)
        #expect(failure.kind == .invalidResponse, sourceLocation: sourceLocation)
        #expect(failure.wasSent, sourceLocation: sourceLocation)
        failure.expectMessage(situation, sourceLocation: sourceLocation)
    }

    @Test func `a response over 1 MiB is rejected, whatever its framing`() throws {
        try expectRejection(nil, .send("\(Self.head)Content-Length: 10000000000\r\n\r\n"), .stall)
        try expectRejection(nil, .send("\(Self.head)\r\n"), .repeating("a"))
        try expectRejection(nil, .send("\(Self.chunked)\r\n"), .repeating("5\r\nabcde\r\n"))
        let megabyte = 1 << 20
        try expectRejection(
            nil, .send("\(Self.head)Content-Length: \(megabyte + 1)\r\n\r\n"), .repeating("a", count: megabyte + 1))
        let whole = try outcome(of: [
            .send("\(Self.head)Content-Length: \(megabyte)\r\n\r\n"), .repeating("a", count: megabyte),
        ])
        expect(whole.response?.body.count, megabyte)
    }

    @Test(arguments: [["gzip"], ["deflate"], ["gzip", "gzip"], ["deflate", "gzip"]])
    func `a decompression bomb is rejected after its first megabyte`(encodings: [String]) throws {
        let head = "\(Self.chunked)Content-Encoding: \(encodings.joined(separator: ", "))\r\n\r\n"
        try expectRejection(nil, .send(head), .bomb(encodings))
    }

    @Test func `a gzip response body is decoded`() throws {
        let zipped = try #require(Data(base64Encoded: "H4sIAAAAAAACA6tWKkktLlGyUiopKk1VqgUAQ/zdGQ8AAAA="))
        let outcome = try outcome(of: [
            .send("\(Self.head)Content-Encoding: gzip\r\nContent-Length: \(zipped.count)\r\n\r\n"), .sendBytes(zipped),
        ])
        expect(outcome.response?.body.text, #"{"test":"true"}"#)
    }

    @Test func `a response with an invalid or unknown content encoding is rejected`() throws {
        let head = "\(Self.head)Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\n"
        try expectRejection(nil, .send("\(head)hello"))
        let other = "\(Self.head)Content-Encoding: rot13\r\nContent-Length: 5\r\n\r\n"
        try expectRejection(nil, .send("\(other)hello"))
    }

    @Test func `a response with endless headers is rejected`() throws {
        try expectRejection("many fields", .send(Self.head), .repeating("X-A: b\r\n"))
        try expectRejection("many fields", .repeating("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"))
        try expectRejection("many fields", .send(Self.chunked + "\r\n5\r\nhello\r\n0\r\n"), .repeating("X-A: b\r\n"))
        // libcurl itself rejects a header line longer than 100 KiB.
        try expectRejection("one endless field", .send("\(Self.head)X-A: "), .repeating("b"))
    }

    @Test func `interim responses with status 100 are skipped`() throws {
        let interim = "HTTP/1.1 100 Continue\r\nX-Interim: a\r\n\r\n"
        let outcome = try outcome(of: [
            .repeating(interim, count: 1000), .send("\(Self.head)X-A: b\r\nContent-Length: 2\r\n\r\nok"),
        ])
        expect(outcome.response?.body.text, "ok")
        expect(outcome.response?.headers["X-Interim"], nil)
        expect(outcome.response?.headers["X-A"], "b")
    }

    @Test func `trailer fields of a chunked response are skipped`() throws {
        let outcome = try outcome(of: [.send("\(Self.chunked)\r\n2\r\nok\r\n0\r\nX-After: a\r\n\r\n")])
        expect(outcome.response?.body.text, "ok")
        expect(outcome.response?.headers["X-After"], nil)
    }

    @Test func `response header lines that lack CR or have unusual values are accepted`() throws {
        let outcome = try outcome(of: [
            .send("HTTP/1.1 200 OK\nContent-Length:2\nX-A:  \u{1B}[31m \u{E9}  \nX-B:\n\nok")
        ])
        expect(outcome.response?.body.text, "ok")
        expect(outcome.response?.headers["X-A"], "\u{1B}[31m \u{E9}")
        expect(outcome.response?.headers["X-B"], "")
    }

    @Test(arguments: [
        "Content-Length: 2\r\nContent-Length: 3", "Content-Length: 2, 3",
        "Content-Length: 2\r\nTransfer-Encoding: chunked",
    ])
    func `a response with conflicting lengths is rejected`(fields: String) throws {
        try expectRejection(nil, .send("\(Self.head)\(fields)\r\n\r\nok"), .close)
    }

    @Test func `a response with two equal Content-Length fields is accepted`() throws {
        let outcome = try outcome(of: [.send("\(Self.head)Content-Length: 2\r\nContent-Length: 2\r\n\r\nok")])
        expect(outcome.response?.body.text, "ok")
    }

    @Test(arguments: [
        "hello\r\n", "HTTP/0.9 200 OK\r\n\r\n", "HTTP/1.1 999 No\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1\r\n\r\n",
        "HTTP/1.1 600 No\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 099 No\r\n\r\n",
        "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n", "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n", "HTTP/1.1 200 OK\r\nhello\r\n\r\n", "HTTP/1.1 200 OK\r\n: a\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: a\rContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok", "HTTP/1.1 200 OK\r\nContent-Length: 2 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok", "HTTP/1.1 200 OK\r\nContent-Length: 0x2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551618\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nokXX0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        "\r\nHTTP/1.1 200 OK\r\n\r\n", "http/1.1 200 OK\r\n\r\n", "HTTP/1.2 200 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
        "ICY 200 OK\r\n\r\n", "\0\0\u{12}\u{4}\0\0\0\0\0",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "{\"sessionToken\":\"r:1\"}",
    ])
    func `a malformed HTTP response is rejected`(text: String) throws {
        let failure = try outcome(of: [.send(text), .close]).failure
        expect(failure?.kind, .invalidResponse, "\(failure?.message ?? "taken")")
        expect(failure?.wasSent, true)
    }

    /// The bytes that arrive before the connection ends, and whether they contain a complete status line.
    @Test(arguments: [
        ("", false), ("HTT", false), ("HTTP/1.1 200", false), ("HTTP/1.1 200 OK\r\nX-A: b\r\nX-", true),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", true),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", true),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nha", true),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", true),
    ])
    func `a truncated response is reported`(text: String, hasBegun: Bool) throws {
        for end in [ScriptedServer.Step.close, .reset] {
            let failure = try outcome(of: [.send(text), .pause(0.02), end], .post).failure
            expect(failure?.wasSent, true)
            #expect([.connect, .invalidResponse].contains(failure?.kind))
            if text.isEmpty { expect(failure?.kind, .connect) }
            if hasBegun { expect(failure?.kind, .invalidResponse, "\(text): \(failure?.message ?? "taken")") }
        }
    }

    @Test func `a connection that the server closes during the request is reported`() throws {
        for end in [ScriptedServer.Step.close, .reset] {
            for count in [10, 120, 100_000] {
                let server = try ScriptedServer(["*": [.init(when: .bytes(count), [end])]])
                let body = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
                let request = HTTPRequest(.post, server.url("/"), body: body)
                let failure = LibcurlTransport.impatient().failure(request)
                expect(failure?.kind, .connect)
                expect(failure?.wasSent, true)
                try #require(failure).expectMessage()
                expect(server.connections(), 1)
            }
        }
    }

    @Test func `a response without a length ends when the connection closes`() throws {
        try expect(outcome(of: [.send("HTTP/1.0 200 OK\r\n\r\nok"), .close]).response?.body.text, "ok")
    }

    @Test func `a response to HEAD has no body`() throws {
        let outcome = try outcome(of: [.send("\(Self.head)Content-Length: 9999999\r\n\r\n")], .head)
        expect(outcome.response?.headers["Content-Length"], "9999999")
        expect(outcome.response?.body.isEmpty, true)
    }
}
