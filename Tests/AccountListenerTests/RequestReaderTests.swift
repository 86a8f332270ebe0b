import Testing

@testable import AccountListener

@Suite struct RequestReaderTests {
    private static let line = "POST /parse/users HTTP/1.1\r\n"
    private static let sizes = [1, 2, 7, 1000]

    /// Reads a request from a connection that delivers `text` in pieces of `size` bytes and then ends.
    private func read(
        _ text: String, size: Int
    ) throws(RequestReader.Failure) -> (head: RequestHead, body: String, rest: Int) {
        var reader = RequestReader()
        var rest = Array(text.utf8)[...]
        let more: RequestReader.More = { bytes throws(RequestReader.Failure) in
            guard !rest.isEmpty else { throw .ended }
            bytes += rest.prefix(size)
            rest = rest.dropFirst(size)
        }
        let head = try reader.head(more)
        let body = try reader.body(of: head, more)
        return (head, String(decoding: body, as: UTF8.self), reader.count + rest.count)
    }

    private func expect(_ fault: RequestHead.Fault, _ text: String, size: Int = 1000) {
        #expect(throws: RequestReader.Failure.fault(fault)) { try read(text, size: size) }
    }

    @Test(arguments: [
        "", "Host: localhost:1337\r\n", "Content-Length: 2\r\n", "content-length:2\r\n", "Content-Length:  \t2 \r\n",
        "Transfer-Encoding: chunked\r\n", "TRANSFER-ENCODING:\tCHUNKED\r\n", "X-Empty:\r\n", "X-Tab: a\tb\r\n",
        "X-Bytes: \u{e4}\r\n", "Expect: 100-Continue\r\nContent-Length: 2\r\n", "Content-Length: 00\r\n",
    ])
    func `a valid request is read exactly to its end, whatever the size of the pieces in which it arrives`(
        fields: String
    ) throws {
        let isChunked = fields.lowercased().contains("chunked")
        let body = isChunked ? "1\r\n\n\r\n00A\r\n\r\n23456789\r\n000\r\n\r\n" : fields.contains("2") ? "{}" : ""
        for size in Self.sizes {
            let request = try read("\(Self.line)\(fields)\r\n\(body)\n\n\u{0}", size: size)
            #expect(request.body == (isChunked ? "\n\r\n23456789" : body) && request.rest == 3)
            #expect(request.head.line.target == "/parse/users" && request.head.line.method == .post)
        }
    }

    @Test func `white space around the value of a header field is ignored`() throws {
        let head = try read("\(Self.line)A:\t b  c \r\na: \r\nExpect: 100-continue\r\n\r\n", size: 3).head
        #expect(head.headers.values("A") == ["b  c", ""])
        #expect(head.expectsContinue && head.keepsConnection)
    }

    @Test(arguments: [
        ("HTTP/1.1", "", true), ("HTTP/1.1", "close", false), ("HTTP/1.1", "x, Close", false), ("HTTP/1.0", "", false),
        ("HTTP/1.0", "Keep-Alive", true), ("HTTP/1.0", "keep-alive, close", false),
    ])
    func `the HTTP version and the Connection field decide whether a connection is kept alive`(
        version: String, options: String, isKept: Bool
    )
        throws
    {
        let text = "GET / \(version)\r\nConnection: \(options)\r\nExpect: 100-continue\r\n\r\n"
        let head = try read(text, size: 1000).head
        #expect(head.keepsConnection == isKept)
        #expect(head.expectsContinue == (version == "HTTP/1.1"))
    }

    @Test(arguments: [
        "Content-Length: +2\r\n", "Content-Length: -2\r\n", "Content-Length: 0x2\r\n", "Content-Length: 2, 2\r\n",
        "Content-Length: 2 2\r\n", "Content-Length:\r\n", "Content-Length : 2\r\n", "Content-Length\t: 2\r\n",
        "Content-Length: 2\r\nContent-Length: 2\r\n", "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n", "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: chunked, chunked\r\n", "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: chun ked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "X-Folded: a\r\n b\r\n",
        "X-Folded: a\r\n\tb\r\n",
        "X-Bare: a\n", "X-Bare: a\nContent-Length: 2\r\n", "X-Bare: a\rb\r\n", "X-Null: a\u{0}b\r\n", "no colon\r\n",
        "X-Marks: \(String(repeating: "\u{301}", count: 600))\r\n", ": no name\r\n", "X-Na\u{e4}me: a\r\n",
        " X-Space: a\r\n", "\n", "\rX\r\n",
    ])
    func `a malformed request head is rejected, whatever the size of the pieces in which it arrives`(fields: String) {
        for size in Self.sizes { expect(.malformed, "\(Self.line)\(fields)\r\n", size: size) }
    }

    @Test(arguments: [
        "nonsense\r\n", "GET / HTTP/1.1\n", "GET / HTTP/2.0\r\n", "GET /\r\n", "\r\n", "\n", "GET /\tHTTP/1.1\n",
        "GET /\u{0} HTTP/1.1\r\n", "GET  / HTTP/1.1\r\n", "GET /a b HTTP/1.1\r\n", " GET / HTTP/1.1\r\n",
        "GET / HTTP/1.1 \r\n", "GET / http/1.1\r\n", "GET / HTTP/1.10\r\n", "GET /HTTP/1.1\r\n", "PRI * HTTP/2.0\r\n",
    ])
    func `a malformed request line is rejected before the header fields arrive`(line: String) {
        expect(.malformed, line)
    }

    @Test(arguments: [
        "HEAD / HTTP/1.1\r\nContent-Length: 1\r\n", "HEAD / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n",
        "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n",
    ])
    func `a HEAD request with a body is rejected, and so is an HTTP/1.0 request with a chunked body`(head: String) {
        expect(.malformed, "\(head)\r\n")
    }

    @Test(arguments: ["get", "Get", "Patch", "TRACE", "CONNECT", "GETGETGET", "GE:T"])
    func `a request with an unsupported HTTP method is rejected`(method: String) {
        expect(.unknownMethod, "\(method) / HTTP/1.1\r\n")
    }

    @Test(arguments: ["http://localhost:1337/parse/users", "//evil.test/parse/users", "//", "*", "parse/users", "?/"])
    func `a request target that is not a path is rejected`(target: String) {
        expect(.foreignTarget, "GET \(target) HTTP/1.1\r\n")
    }

    @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])
    func `a request with a supported method and the target / is accepted`(method: String) throws {
        #expect(try read("\(method) / HTTP/1.0\r\nContent-Length: 0\r\n\r\n", size: 1000).head.line.target == "/")
    }

    @Test(arguments: ["200-ok", "", "100-continued", "300-continue", "100"])
    func `an Expect field other than 100-continue is rejected`(value: String) {
        expect(.unknownExpectation, "\(Self.line)Expect: \(value)\r\n\r\n")
    }

    @Test(arguments: [
        "\r\n", "+2\r\n", "-2\r\n", "0x2\r\n", " 2\r\n", "2 \r\n", "2;a=b\r\n", "2\n{}\r\n", "2\r{}",
        "2\r\n{}0\r\n\r\n",
        "2\r\n{}\n0\r\n\r\n", "2\r\n{}\r\n\r\n", "0\r\nX: a\r\n\r\n", "0\r\n\n0", "g\r\n", "00000000000000000",
    ])
    func `a malformed chunked body is rejected, whatever the size of the pieces in which it arrives`(body: String) {
        for size in Self.sizes {
            expect(.malformed, "\(Self.line)Transfer-Encoding: chunked\r\n\r\n\(body)", size: size)
        }
    }

    @Test func `an oversized request head or body is rejected before it is read completely`() {
        let name = String(repeating: "x", count: 33_000)
        expect(.headTooLarge, "\(Self.line)X-Long: \(name)")
        expect(.targetTooLong, "GET /\(name)")
        for length in ["1048578", "99999999999999999999999999"] {
            expect(.bodyTooLarge, "\(Self.line)Content-Length: \(length)\r\n\r\n")
        }
        let chunked = "\(Self.line)Transfer-Encoding: chunked\r\n\r\n"
        let half = "80000\r\n\(String(repeating: "x", count: 1 << 19))\r\n"
        for body in ["100002", "ffffffffffffffffffffffff", "\(half)\(half)2\r\n"] {
            expect(.bodyTooLarge, chunked + body)
        }
        #expect(throws: RequestReader.Failure.ended) { try read("\(chunked)100001\r\n", size: 1000) }
    }

    @Test func `reading a body of many small chunks takes linear time`() throws {
        let body = String(repeating: "1\r\nx\r\n", count: 200_000) + "0\r\n\r\n"
        let start = ContinuousClock.now
        let text = "\(Self.line)Transfer-Encoding: chunked\r\n\r\n\(body)"
        #expect(try read(text, size: 16 << 10).body.utf8.count == 200_000)
        #expect(ContinuousClock.now - start < .seconds(20))
    }
}
