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
        "", "Host: localhost:1337\r\n", "Content-Length: 2\r\n", "content-length:2\r\n", "Content-Length: \t 2 \r\n",
        "Transfer-Encoding: chunked\r\n", "TRANSFER-ENCODING:CHUNKED\r\n", "X-Empty:\r\n", "X-Tab: a\tb\r\n",
        "X-Bytes: \u{e4}\r\n", "Content-Length: 1048577\r\n",
    ])
    func `a valid head is accepted in pieces of any size, and its body is not read`(fields: String) {
        for size in [1, 2, 7, 1000] {
            #expect(fault("\(Self.line)\(fields)\r\n\n\n\u{0}", size: size) == nil)
        }
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
        ": no name\r\n", "X-Na\u{e4}me: a\r\n", " X-Space: a\r\n", "\n", "\rX",
    ])
    func `a malformed head is rejected in pieces of any size`(fields: String) {
        for size in [1, 2, 7, 1000] {
            #expect(fault("\(Self.line)\(fields)\r\n", size: size) == .malformed)
        }
    }

    @Test(arguments: [
        "nonsense\r\n", "GET / HTTP/1.1\n", "GET / HTTP/2.0\r\n", "GET /\r\n", "\r\n", "\n", "GET /\tHTTP/1.1\n",
        "GET /\u{0} HTTP/1.1\r\n",
    ])
    func `a malformed request line is rejected`(line: String) {
        #expect(fault("\(line)\r\n", size: 1000) == .malformed)
    }

    @Test func `an oversized head and an oversized body are rejected before they are read`() {
        let name = String(repeating: "x", count: 33_000)
        #expect(fault("\(Self.line)X-Long: \(name)", size: 1000) == .headTooLarge)
        #expect(fault("GET /\(name)", size: 1000) == .headTooLarge)
        for length in ["1048578", "99999999999999999999999999"] {
            #expect(fault("\(Self.line)Content-Length: \(length)\r\n", size: 1000) == .bodyTooLarge)
        }
    }
}
