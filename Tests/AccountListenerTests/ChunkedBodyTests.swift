import Testing

@testable import AccountListener

@Suite struct ChunkedBodyTests {
    /// The result of a body that arrives in pieces of `size` bytes.
    private func read(_ text: String, size: Int) -> (fault: RequestHead.Fault?, isComplete: Bool) {
        var body = ChunkedBody()
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            if let fault = rest.prefix(size).withUnsafeBytes({ body.read($0) }) { return (fault, body.isComplete) }
            rest = rest.dropFirst(size)
        }
        return (nil, body.isComplete)
    }

    @Test(arguments: ["0\r\n\r\n", "2\r\n{}\r\n0\r\n\r\n", "1\r\n\n\r\n00A\r\n\r\n23456789\r\n000\r\n\r\n"])
    func `a valid body is accepted in pieces of any size, and the next request is not read`(text: String) {
        for size in [1, 2, 7, 1000] {
            #expect(read("\(text)\n\u{0}", size: size) == (nil, true))
            #expect(read(String(text.dropLast()), size: size) == (nil, false))
        }
    }

    @Test(arguments: [
        "\r\n", "+2\r\n", "-2\r\n", "0x2\r\n", " 2\r\n", "2 \r\n", "2;a=b\r\n", "2\n{}\r\n", "2\r{}",
        "2\r\n{}0\r\n\r\n",
        "2\r\n{}\n0\r\n\r\n", "2\r\n{}\r\n\r\n", "0\r\nX: a\r\n\r\n", "0\r\n\n", "g\r\n", "00000000000000000",
    ])
    func `a malformed body is rejected in pieces of any size`(text: String) {
        for size in [1, 2, 7, 1000] { #expect(read(text, size: size).fault == .malformed) }
    }

    @Test func `a body that is too large is rejected before it is read`() {
        #expect(read("100001\r\n", size: 1000) == (nil, false))
        #expect(read("100002", size: 1000).fault == .bodyTooLarge)
        #expect(read("ffffffffffffffffffffffff", size: 1000).fault == .bodyTooLarge)
        let chunk = "80000\r\n\(String(repeating: "x", count: 1 << 19))\r\n"
        #expect(read("\(chunk)\(chunk)1\r\nx\r\n", size: 1000) == (nil, false))
        #expect(read("\(chunk)\(chunk)2\r\n", size: 1000).fault == .bodyTooLarge)
    }
}
