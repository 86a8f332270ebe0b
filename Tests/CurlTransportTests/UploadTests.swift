import CurlTransport
import Foundation
import Platform
import TestSupport
import Transport

/// Request bodies that are read from a source while they are sent.
@Suite(.mostlyWaits) struct UploadTests {
    private static let everyByte = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }

    private func request(_ url: String, _ source: ByteSource, _ method: HTTPRequest.Method = .post) -> HTTPRequest {
        var request = HTTPRequest(method, url)
        request.bodySource = source
        return request
    }

    /// A source of unknown length, which cannot be read again.
    private func pipe(_ bytes: [UInt8], failingWith failure: Errno? = nil) -> ByteSource {
        let first = ByteSource(bytes: bytes)
        return ByteSource(
            count: nil,
            input: { buffer throws(Errno) in
                let number = (try? first.read(into: buffer)) ?? 0
                if number == 0, let failure { throw failure }
                return number
            }, goBack: nil)
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch, .delete, .get, .options])
    func `a request body of known length adds no header except Content-Length`(method: HTTPRequest.Method) throws {
        let server = try ScriptedServer(["/": [.answer("200 OK")]])
        let request = request(server.url("/"), ByteSource(bytes: Self.everyByte), method)
        try expect(LibcurlTransport.impatient().send(request).status, 200)
        let sent = try #require(server.requests.first)
        expect(sent.method, method.rawValue)
        expect(sent.body, Data(Self.everyByte))
        #expect(
            sent.fields.filter { !$0.hasPrefix("Accept-Encoding: ") } == [
                "Host: 127.0.0.1:\(server.ports[0])", "User-Agent: authctl", "Content-Length: 100000",
            ])
    }

    @Test(arguments: [0, 1, 100_000])
    func `a request body of unknown length is sent with chunked transfer encoding`(count: Int) throws {
        let server = try ScriptedServer(["/": [.answer("200 OK")]])
        let bytes = Array(Self.everyByte.prefix(count))
        try expect(LibcurlTransport.impatient().send(request(server.url("/"), pipe(bytes))).status, 200)
        let sent = try #require(server.requests.first)
        expect(sent.method, "POST")
        expect(sent.body, Data(bytes))
        #expect(sent.fields.contains("Transfer-Encoding: chunked"))
        #expect(sent.fields.allSatisfy { !$0.hasPrefix("Content-Length") && !$0.hasPrefix("Expect") })
    }

    @Test func `an empty request body is sent with Content-Length 0`() throws {
        let server = try ScriptedServer(["/": [.answer("200 OK")]])
        _ = try LibcurlTransport.impatient().send(request(server.url("/"), ByteSource(bytes: [])))
        #expect(try #require(server.requests.first).fields.contains("Content-Length: 0"))
    }

    @Test func `a request body that is sent twice is read from its start each time`() throws {
        let server = try ScriptedServer(["/": [.answer("200 OK")]])
        let (transport, source) = (LibcurlTransport.impatient(), ByteSource(bytes: Self.everyByte))
        for _ in 1...2 { _ = try transport.send(request(server.url("/"), source)) }
        expect(server.requests.map(\.body), [Data(Self.everyByte), Data(Self.everyByte)])
        expect(server.connections(), 2, "a body that is a stream must not reuse a connection")
    }

    @Test func `a request body that cannot be rewound is sent only once`() throws {
        let server = try ScriptedServer(["/": [.answer("200 OK")]])
        let (transport, source) = (LibcurlTransport.impatient(), pipe([1, 2, 3]))
        _ = try transport.send(request(server.url("/"), source))
        let failure = transport.failure(request(server.url("/"), source))
        expect(failure?.kind, .stream)
        expect(failure?.isFinal, true)
        expect(server.requests.count, 1)
    }

    @Test func `failing to read the whole request body is a final error`() throws {
        for source in [pipe(Self.everyByte, failingWith: Errno(5)), Self.shrinking] {
            let server = try ScriptedServer(["/": [.answer("200 OK")]])
            let failure = LibcurlTransport.impatient().failure(request(server.url("/"), source))
            expect(failure?.kind, .stream)
            expect(failure?.isFinal, true)
            #expect(source.failure != nil)
            #expect(server.requests.isEmpty)
        }
    }

    /// A source with fewer bytes than announced, like a file that was truncated after it was opened.
    private static var shrinking: ByteSource {
        let first = ByteSource(bytes: everyByte)
        return ByteSource(
            count: everyByte.count + 1,
            input: { buffer throws(Errno) in (try? first.read(into: buffer)) ?? 0 }, goBack: { first.rewind() })
    }

    @Test func `a response is received even if it arrives before a large request body is sent completely`() throws {
        let server = try ScriptedServer([
            "/": [.init(when: .headers, [.send("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig"), .close])]
        ])
        let body = ByteSource(bytes: [UInt8](repeating: 7, count: 20 << 20))
        let response = try LibcurlTransport.impatient().send(request(server.url("/"), body))
        expect(response.status, 413)
        expect(response.body.text, "big")
        #expect(body.position < 20 << 20)
    }

    @Test func `a connection lost during an upload is a final error only if the body cannot be rewound`() throws {
        for (source, isFinal) in [(pipe(Self.everyByte), true), (ByteSource(bytes: Self.everyByte), false)] {
            let server = try ScriptedServer(["*": [.init(when: .bytes(1000), [.reset])]])
            let failure = try #require(LibcurlTransport.impatient().failure(request(server.url("/"), source)))
            expect(failure.kind, .connect)
            #expect(failure.wasSent)
            expect(failure.isFinal, isFinal)
        }
    }

    @Test func `a request body can be sent again if the connection failed before the body was read`() throws {
        let failure = try #require(
            LibcurlTransport.impatient().failure(request("http://127.0.0.1:1/", pipe(Self.everyByte))))
        expect(failure.kind, .connect)
        #expect(!failure.isFinal && !failure.wasSent)
    }

    @Test func `a request times out if the server stops reading the body`() throws {
        let server = try ScriptedServer(["/": [.init(when: .headers, [.pause(30)])]])
        var request = request(server.url("/"), ByteSource(bytes: [UInt8](repeating: 7, count: 64 << 20)))
        request.stallLimit = .milliseconds(100)
        let failure = try #require(LibcurlTransport.impatient().failure(request))
        expect(failure.kind, .timeout)
        #expect(failure.wasSent)
    }
}
