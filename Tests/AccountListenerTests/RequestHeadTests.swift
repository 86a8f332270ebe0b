import Testing

@testable import AccountListener

@Suite struct RequestHeadTests {
    private static let line = "POST /parse/users HTTP/1.1\r\n"

    /// The fault of a head that arrives in pieces of `size` bytes.
    private func fault(_ text: String, size: Int) -> RequestHead.Fault? {
        var head = RequestHead()
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            if let fault = rest.prefix(size).withUnsafeBytes({ head.read($0) }) { return fault }
            rest = rest.dropFirst(size)
        }
        return nil
    }

    @Test(arguments: [
        "", "Host: localhost:1337\r\n", "Content-Length: 2\r\n", "content-length:2\r\n", "Content-Length:   2 \r\n",
        "Transfer-Encoding: chunked\r\n", "TRANSFER-ENCODING:CHUNKED\r\n", "X-Empty:\r\n", "X-Tab: a\tb\r\n",
        "X-Bytes: \u{e4}\r\n", "Content-Length: 1048577\r\n", "Expect: 100-Continue\r\nContent-Length: 2\r\n",
    ])
    func `a valid head is accepted in pieces of any size, and its body is not read`(fields: String) {
        for size in [1, 2, 7, 1000] {
            let body = fields.lowercased().contains("chunked") ? "1\r\na\r\n0\r\n\r\n" : ""
            #expect(fault("\(Self.line)\(fields)\r\n\(body)\n\n\u{0}", size: size) == nil)
        }
    }

    @Test(arguments: [
        "Content-Length: +2\r\n", "Content-Length: -2\r\n", "Content-Length: 0x2\r\n", "Content-Length: 2, 2\r\n",
        "Content-Length: 2 2\r\n", "Content-Length:\t2\r\n", "Content-Length:\r\n", "Content-Length : 2\r\n",
        "Content-Length\t: 2\r\n",
        "Content-Length: 2\r\nContent-Length: 2\r\n", "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n", "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: chunked, chunked\r\n", "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: chun ked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding:\tchunked\r\n",
        "Expect:\t100-continue\r\n", "X-Folded: a\r\n b\r\n",
        "X-Folded: a\r\n\tb\r\n",
        "X-Bare: a\n", "X-Bare: a\nContent-Length: 2\r\n", "X-Bare: a\rb\r\n", "X-Null: a\u{0}b\r\n", "no colon\r\n",
        "X-Marks: \(String(repeating: "\u{301}", count: 600))\r\n", ": no name\r\n", "X-Na\u{e4}me: a\r\n",
        " X-Space: a\r\n", "\n", "\rX",
    ])
    func `a malformed head is rejected in pieces of any size`(fields: String) {
        for size in [1, 2, 7, 1000] {
            #expect(fault("\(Self.line)\(fields)\r\n", size: size) == .malformed)
        }
    }

    @Test(arguments: [
        "nonsense\r\n", "GET / HTTP/1.1\n", "GET / HTTP/2.0\r\n", "GET /\r\n", "\r\n", "\n", "GET /\tHTTP/1.1\n",
        "GET /\u{0} HTTP/1.1\r\n", "GET  / HTTP/1.1\r\n", "GET /a b HTTP/1.1\r\n", " GET / HTTP/1.1\r\n",
        "GET / HTTP/1.1 \r\n", "GET / http/1.1\r\n", "GET / HTTP/1.10\r\n", "GET /HTTP/1.1\r\n",
        "PRI * HTTP/2.0\r\n", "HEAD / HTTP/1.1\r\nContent-Length: 1\r\n",
        "HEAD / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n",
    ])
    func `a malformed request line is rejected`(line: String) {
        #expect(fault("\(line)\r\n", size: 1000) == .malformed)
    }

    @Test(arguments: ["get", "Get", "PATCH", "TRACE", "CONNECT", "GETGETGET", "GE:T"])
    func `an unknown method is rejected`(method: String) {
        #expect(fault("\(method) / HTTP/1.1\r\n", size: 1000) == .unknownMethod)
    }

    @Test(arguments: ["http://localhost:1337/parse/users", "//evil.test/parse/users", "//", "*", "parse/users", "?/"])
    func `a target that is not a path is rejected`(target: String) {
        #expect(fault("GET \(target) HTTP/1.1\r\n", size: 1000) == .foreignTarget)
    }

    @Test(arguments: ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"])
    func `a supported method with the shortest target is accepted`(method: String) {
        #expect(fault("\(method) / HTTP/1.0\r\nContent-Length: 0\r\n\r\n", size: 1000) == nil)
    }

    @Test(arguments: ["200-ok", "", "100-continued", "300-continue", "100"])
    func `an expectation other than 100-continue is rejected`(value: String) {
        #expect(fault("\(Self.line)Expect: \(value)\r\n", size: 1000) == .unknownExpectation)
    }

    @Test func `an oversized head and an oversized body are rejected before they are read`() {
        let name = String(repeating: "x", count: 33_000)
        #expect(fault("\(Self.line)X-Long: \(name)", size: 1000) == .headTooLarge)
        #expect(fault("GET /\(name)", size: 1000) == .targetTooLong)
        for length in ["1048578", "99999999999999999999999999"] {
            #expect(fault("\(Self.line)Content-Length: \(length)\r\n", size: 1000) == .bodyTooLarge)
        }
    }
}
