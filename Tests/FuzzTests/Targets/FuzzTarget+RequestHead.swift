import Foundation
import Transport

@testable import AccountListener

extension FuzzTarget {
    /// The bytes that a client sends to the listener. Input: a byte N, then the request, which arrives in pieces of
    /// N + 1 bytes.
    static let requestHead = FuzzTarget(
        name: "request-head",
        seeds: {
            [
                "GET /parse/users/me?a=b%20c HTTP/1.1\r\nHost: localhost\r\nX-Parse-Session-Token: r:1\r\n\r\n",
                "POST /parse/login HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{}",
                "PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\nGET /b HTTP/1.1\r\n",
                "HEAD / HTTP/1.0\r\nContent-Length:0\r\nA: \r\n\r\n",
                "OPTIONS //a HTTP/1.1\r\nContent-Length : 2\r\n b\r\n\r\n",
            ].map { [7] + Array($0.utf8) }
        },
        check: { bytes in
            guard let size = bytes.first else { return }
            let request = Array(bytes.dropFirst())
            let whole = read(request, pieces: request.count)
            try FuzzFault.unless(read(request, pieces: Int(size) + 1) == whole, "the pieces change the result")
            if let head = whole.head { try check(request, head) }
        })

    private struct Result: Equatable {
        var head: HTTPHeaders?
        var body: [UInt8]?
        var failure: RequestReader.Failure?
    }

    private static func read(_ bytes: [UInt8], pieces size: Int) -> Result {
        var (reader, result, rest) = (RequestReader(), Result(), bytes[...])
        let more: RequestReader.More = { bytes throws(RequestReader.Failure) in
            guard !rest.isEmpty else { throw .ended }
            bytes += rest.prefix(max(size, 1))
            rest = rest.dropFirst(max(size, 1))
        }
        do throws(RequestReader.Failure) {
            let head = try reader.head(more)
            result.head = head.headers
            result.body = try reader.body(of: head, more)
        } catch {
            result.failure = error
        }
        return result
    }

    /// Checks each line of a request head, independently of the parser.
    private static func check(_ request: [UInt8], _ head: HTTPHeaders) throws {
        // Latin-1: one character for each byte.
        let text = String(request.map { Character(Unicode.Scalar($0)) })
        guard let end = text.utf16.firstRange(of: Array("\r\n\r\n".utf16)) else {
            throw FuzzFault(description: "a head without an empty line")
        }
        let lines = String(text[..<end.lowerBound]).components(separatedBy: "\r\n")
        let isClean = lines.allSatisfy { line in line.utf16.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 } }
        try FuzzFault.unless(isClean, "a control character in a line")
        try FuzzFault.unless(
            lines[0].split(separator: " ", omittingEmptySubsequences: false).count == 3, "no request line")
        let fields = try lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            try FuzzFault.unless(parts.count == 2 && !parts[0].isEmpty, "no field: \(line)")
            try FuzzFault.unless(!parts[0].contains { $0 == " " || $0 == "\t" }, "white space in a name")
            return (name: parts[0].lowercased(), value: parts[1].trimmingCharacters(in: .whitespaces))
        }
        let lengths = fields.filter { $0.name == "content-length" }.map(\.value)
        try FuzzFault.unless(fields.map(\.name) == head.fields.map { $0.name.lowercased() }, "other fields")
        let encodings = fields.filter { $0.name == "transfer-encoding" }.map { $0.value.lowercased() }
        try FuzzFault.unless(lengths.count + encodings.count <= 1, "two lengths of a body")
        try FuzzFault.unless(lengths.allSatisfy { UInt($0) != nil && !$0.hasPrefix("+") }, "no length")
        try FuzzFault.unless(encodings.allSatisfy { $0 == "chunked" }, "an unknown encoding")
    }
}
