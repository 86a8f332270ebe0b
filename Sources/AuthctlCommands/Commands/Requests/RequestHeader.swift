import AuthClient
import AuthModel
import JSON
import Platform

/// The path and query of a request of the user, percent-encoded.
///
/// A path must not leave the base URL, however a server decodes it: it has no scheme, no host and no dot segment, not
/// even an encoded one. `SendRequest.ownID` stays as it is.
struct RequestPath: Equatable {
    /// Begins with `/`.
    let path: String
    /// Without its `?`.
    let query: String?

    init(_ text: String) throws(AuthError) {
        let parts = text.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        let path = String(Substring(parts[0]))
        try Self.check(text, path)
        self.path = (path.hasPrefix("/") ? "" : "/") + Self.encoded(path, allowed: Self.pathCharacters)
        query = parts.count < 2 ? nil : Self.encoded(String(Substring(parts[1])), allowed: Self.queryCharacters)
    }

    /// The query with these fields at its end. Values other than strings are JSON.
    func query(adding fields: JSONObject) -> String? {
        let pairs = fields.members.map { member in
            "\(member.name.percentEncoded)=\((member.value.string ?? member.value.text).percentEncoded)"
        }
        let all = (query.map { $0.isEmpty ? [] : [$0] } ?? []) + pairs
        return all.isEmpty ? query : all.joined(separator: "&")
    }

    private static func check(_ text: String, _ path: String) throws(AuthError) {
        if let problem = problem(of: text, path) {
            throw AuthError(
                .usage, "'\(text)' \(problem)", next: "use a path that begins with '/', such as /users/me")
        }
    }

    private static func problem(of text: String, _ path: String) -> String? {
        if path.isEmpty { return "is not a path" }
        if text.utf8.contains(where: \.isASCIIControl) { return "contains a control character" }
        if text.utf8.contains(UInt8(ascii: "#")) { return "has a fragment; write '#' as %23" }
        if hasScheme(path) { return "is a URL instead of a path" }
        // A server may decode twice.
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
        // Some servers drop what follows a semicolon: `..;/`.
        let segments = path.split(separator: UInt8(ascii: "/")).map { $0.prefix { $0 != UInt8(ascii: ";") } }
        let hasDots = segments.contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
        return hasDots ? "contains '.' or '..' as a segment" : nil
    }

    /// `https:` or `mailto:`, but not `/users/EMAIL:ada@example.org`.
    private static func hasScheme(_ path: String) -> Bool {
        guard let colon = path.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        return !path.utf8[..<colon].contains(UInt8(ascii: "/"))
    }

    private static let pathCharacters = Set("-._~!$&'()*+,;=:@/".utf8)
    private static let queryCharacters = Set("-._~!$&'()*+,;=:@/?".utf8)

    /// Encodes what a URL must not contain. Bytes that are encoded already stay as they are.
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

/// The method of a request of the user.
enum RequestMethod {
    /// - Throws: `AuthError` `usage` for a text that is no token of RFC 9110, section 5.6.2, and for a method that is not
    ///   about a path.
    static func parse(_ text: String) throws(AuthError) -> String {
        let method = text.uppercased()
        guard method.isHTTPToken else {
            throw AuthError(
                .usage, "'\(text)' is not a method (option '--method')", next: "use GET, POST, PUT, PATCH or DELETE")
        }
        guard method != "CONNECT", method != "TRACE" else {
            throw AuthError(.usage, "method '\(method)' is not supported (option '--method')")
        }
        return method
    }
}

/// A header field of the user.
enum RequestHeader {
    /// Parses `NAME: VALUE`.
    ///
    /// - Throws: `AuthError` `usage`, also for a field that belongs to the session, to the application or to HTTP.
    static func parse(_ text: String) throws(AuthError) -> HeaderField {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(Substring(parts[0]))
        guard parts.count == 2, name.isHTTPToken else {
            // The value may be a secret.
            throw AuthError(.usage, "a value of option '--header' is not 'NAME: VALUE'")
        }
        guard !isReserved(name.lowercased()) else {
            throw AuthError(
                .usage, "header '\(name)' is set by authctl (option '--header')",
                next: name.lowercased() == "authorization" ? "to use another session, set AUTHCTL_TOKEN" : nil)
        }
        guard !parts[1].contains(where: { $0.isASCIIControl && $0 != UInt8(ascii: "\t") }) else {
            throw AuthError(.usage, "the value of header '\(name)' contains a control character (option '--header')")
        }
        let value = parts[1].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return HeaderField(name, String(Substring(value)))
    }

    /// - Parameter name: in lower case.
    private static func isReserved(_ name: String) -> Bool {
        if name.hasPrefix("x-parse-") {
            return name.hasSuffix("-key") || name.hasSuffix("-token") || name == "x-parse-application-id"
        }
        return [
            "authorization", "cookie", "x-session-token", "x-kii-appid", "x-kii-appkey", "proxy-authorization", "host",
            "content-length", "transfer-encoding", "connection", "upgrade", "expect",
        ].contains(name)
    }
}
