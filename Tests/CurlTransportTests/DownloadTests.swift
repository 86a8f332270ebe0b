import CurlTransport
import Foundation
import Platform
import TestSupport

@testable import Transport

/// Response bodies that are passed to a sink while they arrive.
@Suite(.mostlyWaits) struct DownloadTests {
    private static let head = "HTTP/1.1 200 OK\r\nX-A: b\r\n"
    private static let everyByte = Data((0...255).map { UInt8($0) })
    private static let megabyte = 1 << 20

    private let sink = RecordingSink()

    /// Sends a request to a server that runs `steps`. Returns the response or the error.
    private func outcome(
        of steps: [ScriptedServer.Step], _ method: HTTPRequest.Method = .get, holdsSuccess: Bool = false,
        sink: RecordingSink? = nil
    ) throws -> (response: HTTPResponse?, failure: TransportError?) {
        let server = try ScriptedServer(["/": [.init(when: .request, steps)]])
        let request = (sink ?? self.sink).request(server.url("/"), method, holdsSuccess: holdsSuccess)
        do throws(TransportError) {
            return (try LibcurlTransport.impatient().send(request), nil)
        } catch {
            return (nil, error)
        }
    }

    @Test(arguments: ["Content-Length: 256\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n100\r\n", "\r\n"])
    func `the header and every body byte of a streamed response reach the sink unchanged`(framing: String) throws {
        let isChunked = framing.contains("chunked")
        let response = try outcome(
            of: [
                .send(Self.head + framing), .sendBytes(Self.everyByte), .send(isChunked ? "\r\n0\r\n\r\n" : ""), .close,
            ]
        ).response
        expect(sink.bytes, [UInt8](Self.everyByte))
        expect(sink.heads.count, 1)
        expect(sink.heads.first?.status, 200)
        expect(sink.heads.first?.headers["X-A"], "b")
        expect(response?.status, 200)
        expect(response?.body, [])
    }

    @Test func `a streamed response body may be larger than 1 MiB`() throws {
        let count = 3 * Self.megabyte
        let response = try outcome(of: [
            .send("\(Self.head)Content-Length: \(count)\r\n\r\n"), .repeating("abc", count: Self.megabyte),
        ]).response
        expect(response?.status, 200)
        expect(sink.bytes.count, count)
    }

    @Test func `a streamed response is requested without compression and never decoded`() throws {
        let zipped = try #require(Data(base64Encoded: "H4sIAAAAAAACA6tWKkktLlGyUiopKk1VqgUAQ/zdGQ8AAAA="))
        let head = "\(Self.head)Content-Encoding: gzip\r\nContent-Length: \(zipped.count)\r\n\r\n"
        let server = try ScriptedServer(["/": [[.send(head), .sendBytes(zipped)]]])
        _ = try LibcurlTransport.impatient().send(sink.request(server.url("/")))
        expect(sink.bytes, [UInt8](zipped))
        #expect(try #require(server.requests.first).fields.allSatisfy { !$0.hasPrefix("Accept-Encoding") })
    }

    @Test(arguments: [
        (HTTPRequest.Method.head, "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"), (.get, "HTTP/1.1 204 None\r\n\r\n"),
        (.get, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        (.get, "HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\nHTTP/1.1 204 None\r\n\r\n"),
    ])
    func `the head of a response without a body reaches the sink`(method: HTTPRequest.Method, text: String) throws {
        let response = try outcome(of: [.send(text)], method).response
        expect(sink.heads.map(\.status), [response?.status])
        expect(sink.heads.first?.headers["X-Early"], nil)
        expect(sink.bytes, [])
    }

    // MARK: - Held responses

    @Test(arguments: ["302 Found", "304 Not Modified", "400 Bad Request", "401 Unauthorized", "500 No"])
    func `the body of an unsuccessful response is returned and not passed on to the sink`(status: String) throws {
        let body = status.hasPrefix("304") ? "" : "details"
        let response = try outcome(of: [
            .send("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        ]).response
        expect(response?.body.text, body)
        #expect(sink.heads.isEmpty)
        #expect(sink.bytes.isEmpty)
    }

    @Test func `if holdsSuccess is set, a successful response is returned and not passed on to the sink`() throws {
        let response = try outcome(
            of: [.send("\(Self.head)Content-Length: 7\r\n\r\ndetails")], .post, holdsSuccess: true
        ).response
        expect(response?.body.text, "details")
        #expect(sink.heads.isEmpty)
    }

    @Test(arguments: ["200 OK", "500 No"])
    func `a response body held back from the sink is streamed in full once it exceeds 1 MiB`(status: String) throws {
        let count = Self.megabyte + 7
        let response = try outcome(
            of: [
                .send("HTTP/1.1 \(status)\r\nContent-Length: \(count)\r\n\r\nfirst"),
                .repeating("a", count: Self.megabyte), .send("zz"),
            ], holdsSuccess: true
        ).response
        expect(sink.heads.count, 1)
        expect(sink.bytes.count, count)
        #expect(sink.bytes.starts(with: "first".utf8))
        expect(sink.bytes.suffix(3).text, "azz")
        expect(response?.body, [])
    }

    @Test func `the body of a redirect is never passed on to the sink`() throws {
        let failure = try outcome(of: [
            .send("HTTP/1.1 302 Found\r\nContent-Length: \(2 * Self.megabyte)\r\n\r\n"),
            .repeating("ab", count: Self.megabyte),
        ]).failure
        expect(failure?.kind, .invalidResponse)
        #expect(sink.heads.isEmpty)
    }

    @Test func `only the final response after a redirect is passed on to the sink`() throws {
        let server = try ScriptedServer([
            "/a": [.answer("302 Found", ["Location: /a/b"], "moved")], "/a/b": [.answer("200 OK", [], "here")],
        ])
        let transport = RedirectingTransport(LibcurlTransport.impatient(), mount: server.url("/a"))
        try expect(transport.send(sink.request(server.url("/a"))).status, 200)
        expect(sink.heads.map(\.status), [200])
        expect(sink.bytes.text, "here")
    }

    // MARK: - Failures

    @Test(arguments: ["Content-Length: 99\r\n\r\nhalf", "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"])
    func `a truncated response is a final error if a part of it already reached the sink`(rest: String) throws {
        for end in [ScriptedServer.Step.close, .reset] {
            let sink = RecordingSink()
            let failure = try outcome(of: [.send(Self.head + rest), .pause(0.02), end], sink: sink).failure
            expect(failure?.kind, .invalidResponse)
            expect(failure?.isFinal, true)
            #expect("half".hasPrefix(sink.bytes.text))
            try #require(failure).expectMessage()
        }
    }

    @Test func `a truncated response is not a final error if no part of it reached the sink`() throws {
        let failure = try outcome(of: [.send("HTTP/1.1 500 No\r\nContent-Length: 99\r\n\r\nhalf"), .close]).failure
        expect(failure?.kind, .invalidResponse)
        expect(failure?.isFinal, false)
    }

    @Test func `a streamed response body is not read to the end if the sink fails`() throws {
        let sink = RecordingSink(failing: Errno(28), after: 10)
        let failure = try outcome(of: [.send("\(Self.head)\r\n"), .repeating("0123456789abcdef")], sink: sink).failure
        expect(failure?.kind, .stream)
        expect(failure?.isFinal, true)
        #expect(sink.bytes.count < 2 * Self.megabyte)
    }
}

/// The time limits of streamed bodies.
@Suite(.mostlyWaits) struct StallTests {
    private let sink = RecordingSink()

    @Test(arguments: ["HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf", "HTTP/1.1 200 OK\r\n", ""])
    func `a streamed response without progress times out`(text: String) throws {
        let server = try ScriptedServer(["/": [[.send(text), .stall]]])
        let request = sink.request(server.url("/"), stallLimit: .milliseconds(100))
        let failure = try #require(LibcurlTransport.impatient().failure(request))
        expect(failure.kind, .timeout)
        #expect(failure.wasSent)
        expect(failure.isFinal, text.contains("half"))
        failure.expectMessage()
    }

    @Test func `a slow streamed response may exceed the time limit as long as it makes progress`() throws {
        let body = String(repeating: "a", count: 40)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n"
        let server = try ScriptedServer(["/": [[.send(head), .drip(body, every: 0.01)]]])
        let transport = LibcurlTransport(NetworkSettings(timeLimit: .milliseconds(200), connectLimit: .seconds(10)))
        try expect(transport.send(sink.request(server.url("/"), stallLimit: .seconds(20))).status, 200)
        expect(sink.bytes.text, body)
    }

    @Test func `a streamed response without a stall limit still has a total time limit`() throws {
        let server = try ScriptedServer(["/": [[.send("HTTP/1.1 200 OK\r\n\r\n"), .drip("aaaaaaaaaaaa", every: 0.1)]]])
        let failure = try #require(LibcurlTransport.impatient(300).failure(sink.request(server.url("/"))))
        expect(failure.kind, .timeout)
        #expect(failure.isFinal)
    }
}
