package import AuthModel
package import JSON
import Platform

/// The path and query that the user typed, percent-encoded.
///
/// The path must stay below the base URL, however a server decodes it. It has no scheme, no host and no dot segments,
/// not even percent-encoded ones. The placeholder `{me}` stays unencoded.
package struct RequestPath: Equatable {
    /// The path, which begins with `/`.
    package let path: String
    /// The query without the leading `?`.
    package let query: String?

    package init(_ text: String) throws(AuthError) {
        let parts = text.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        let path = String(Substring(parts[0]))
        if let problem = Self.problem(of: text, path) {
            throw AuthError(
                .usage, "'\(text)' \(problem)", next: "use a path that begins with '/', such as /users/me")
        }
        self.path = (path.hasPrefix("/") ? "" : "/") + Self.encoded(path, allowed: Self.pathCharacters)
        query = parts.count < 2 ? nil : Self.encoded(String(Substring(parts[1])), allowed: Self.queryCharacters)
    }

    /// Returns the query with the fields appended. Values other than strings are written as JSON.
    package func query(adding fields: JSONObject) -> String? {
        let pairs = fields.members.map { member in
            "\(member.name.percentEncoded)=\((member.value.string ?? member.value.text).percentEncoded)"
        }
        let all = (query.map { $0.isEmpty ? [] : [$0] } ?? []) + pairs
        return all.isEmpty ? query : all.joined(separator: "&")
    }

    private static func problem(of text: String, _ path: String) -> String? {
        if text.utf8.contains(where: \.isASCIIControl) { return "contains a control character" }
        if text.utf8.contains(UInt8(ascii: "#")) { return "has a fragment; write '#' as %23" }
        return problem(of: path)
    }

    /// Describes why a path could lead outside the base URL; `nil` if it cannot.
    static func problem(of path: String) -> String? {
        if path.isEmpty { return "is not a path" }
        if hasScheme(path) { return "is a URL instead of a path" }
        // A server may percent-decode the path more than once.
        var (decoded, earlier) = (Array(path.utf8), [UInt8]())
        while decoded != earlier {
            if let problem = problem(ofDecoded: decoded) { return problem }
            (earlier, decoded) = (decoded, String(decoding: decoded, as: UTF8.self).percentDecoded(plusIsSpace: false))
        }
        return nil
    }

    private static func problem(ofDecoded path: [UInt8]) -> String? {
        if path.starts(with: "//".utf8) { return "names a host instead of a path" }
        if path.contains(where: \.isASCIIControl) { return "contains an encoded control character" }
        if path.contains(UInt8(ascii: "\\")) { return "contains a backslash" }
        // Some servers drop the part of a segment after a semicolon, as in `..;/`.
        let segments = path.split(separator: UInt8(ascii: "/")).map { $0.prefix { $0 != UInt8(ascii: ";") } }
        let hasDots = segments.contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
        return hasDots ? "contains '.' or '..' as a segment" : nil
    }

    /// True for `https:` and `mailto:`, but not for `/users/EMAIL:ada@example.org`.
    private static func hasScheme(_ path: String) -> Bool {
        guard let colon = path.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        return !path.utf8[..<colon].contains(UInt8(ascii: "/"))
    }

    private static let pathCharacters = Set("-._~!$&'()*+,;=:@/".utf8)
    private static let queryCharacters = Set("-._~!$&'()*+,;=:@/?".utf8)

    /// Percent-encodes bytes that a URL must not contain. Bytes that are already percent-encoded stay unchanged.
    private static func encoded(_ text: String, allowed: Set<UInt8>) -> String {
        var (rest, output) = (Array(text.utf8)[...], [UInt8]())
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "{"), rest.starts(with: SendRequest.ownID.utf8.dropFirst()) {
                output += SendRequest.ownID.utf8
                rest = rest.dropFirst(SendRequest.ownID.utf8.count - 1)
            } else if byte.isASCIILetterOrDigit || allowed.contains(byte) {
                output.append(byte)
            } else if byte == UInt8(ascii: "%"), rest.prefix(2).compactMap(\.hexDigitValue).count == 2 {
                output.append(byte)
            } else {
                output += "%".utf8 + [byte].hexadecimalBytes.map(\.uppercasedASCII)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
