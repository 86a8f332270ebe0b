import Platform

/// The base URL of a server, in the normal form that sessions are bound to.
///
/// Normal form: scheme and host in lowercase, no default port, no trailing slash. Rejects everything that could send a
/// secret to an unexpected host: user info, control characters, white space and backslashes (even percent-encoded, such
/// as `%0a`), non-ASCII characters, a query, a fragment, the segments `.` and `..`, and percent-encoded dots and
/// slashes. Source: RFC 3986, sections 3 and 6.2.
package struct ServerURL: Sendable, Equatable {
    /// Why a string is not a base URL, such as `has no scheme`.
    package struct Fault: Error, Equatable {
        package let problem: String
        package let hint: String
    }

    /// The URL in normal form.
    package let text: String
    package let isSecure: Bool
    /// Whether the host is this machine: `localhost`, `127.x.x.x` or `[::1]`.
    package let isLoopback: Bool

    package init(_ given: String) throws(Fault) {
        guard given.isVisibleASCII else {
            throw Fault(
                "contains a space, a control character or a non-ASCII character",
                hint: "write an international domain name in its xn-- form")
        }
        guard let (givenScheme, rest) = Self.parts(given) else {
            // `try?`: an invalid URL is not suggested.
            let isLocal = (try? ServerURL("http://\(given)"))?.isLoopback ?? false
            throw Fault("has no scheme", hint: isLocal ? "use http://\(given)" : Self.form)
        }
        let scheme = givenScheme.lowercased()
        guard scheme == "https" || scheme == "http" else { throw Fault("is not an https or http URL", hint: Self.form) }
        let authority = rest.prefix { !"/?#\\".contains($0) }
        let place = try Place(authority, isSecure: scheme == "https")
        isSecure = scheme == "https"
        isLoopback = place.isLoopback
        text = "\(scheme)://\(place.text)\(try Self.path(rest[authority.endIndex...]))"
    }

    /// Returns the given URL for messages, with user info, query and fragment masked.
    package static func masked(_ given: String) -> String {
        var shown = given
        // Mask the text up to the last `@`, because a password in an invalid URL may contain any character.
        if let end = given.lastIndex(of: "@") {
            let start = parts(given)?.rest.startIndex ?? given.startIndex
            shown = given[..<min(start, end)] + "<redacted>" + given[end...]
        }
        guard let mark = shown.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return shown }
        return shown[...mark] + "<redacted>"
    }

    var origin: String {
        let host = text.dropFirst(isSecure ? 8 : 7).prefix { $0 != "/" }
        return "\(isSecure ? "https" : "http")://\(host)"
    }

    /// Splits a URL at `://`; `nil` if the URL has no scheme.
    private static func parts(_ text: String) -> (scheme: Substring, rest: Substring)? {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
        return (text[..<colon], text[colon...].dropFirst(3))
    }

    fileprivate static let form = "use an https URL with the path of the API, such as https://example.org/api"

    /// Validates a path, and removes its trailing slashes.
    static func path(_ text: Substring) throws(Fault) -> String {
        guard !text.contains(where: { "?#\\".contains($0) }) else {
            throw Fault(
                "has a query, a fragment or a backslash",
                hint: "remove it: a base URL has a scheme, a host, a port and a path")
        }
        guard text.utf8.allSatisfy(isPathCharacter), !hasBrokenEscape(text) else {
            throw Fault("has an invalid character in its path", hint: form)
        }
        let segments = text.split(separator: "/" as Character, omittingEmptySubsequences: false)
        guard !segments.contains(where: { $0 == "." || $0 == ".." }) else {
            throw Fault("has a path with '.' or '..'", hint: "remove '.' and '..' from the path")
        }
        var path = text
        while path.last == "/" { path.removeLast() }
        return String(path)
    }

    private static func isPathCharacter(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "/-._~!$&'()*+,;=:@%".utf8.contains(byte)
    }

    /// Whether a `%` lacks two hexadecimal digits, or encodes a character that a base URL must not contain.
    private static func hasBrokenEscape(_ text: Substring) -> Bool {
        text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst().contains { part in
            guard let digits = String(part.prefix(2)), digits.utf8.count == 2, let byte = UInt8(digits, radix: 16)
            else {
                return true
            }
            // Reject control characters, spaces, slashes, backslashes, and dots, which could hide `..`.
            return byte <= 0x20 || byte == 0x7F || ".\\/".utf8.contains(byte)
        }
    }
}

extension ServerURL.Fault {
    fileprivate init(_ problem: String, hint: String) {
        self.problem = problem
        self.hint = hint
    }
}

/// Host and port.
private struct Place {
    let text: String
    let isLoopback: Bool

    init(_ authority: Substring, isSecure: Bool) throws(ServerURL.Fault) {
        guard !authority.contains("@") else {
            throw ServerURL.Fault(
                "contains a username or password", hint: "remove them: authctl sends no credentials in URLs")
        }
        let isBracketed = authority.first == "["
        let hostEnd =
            isBracketed
            ? authority.lastIndex(of: "]").map(authority.index(after:)) ?? authority.endIndex
            : authority.firstIndex(of: ":") ?? authority.endIndex
        let host = authority[..<hostEnd].lowercased()
        guard isBracketed ? Self.isAddress(host) : Self.isName(host) else {
            throw ServerURL.Fault("has no host", hint: ServerURL.form)
        }
        let port = try Self.port(authority[hostEnd...])
        text = port.map { $0 == (isSecure ? 443 : 80) ? host : "\(host):\($0)" } ?? host
        isLoopback = IPAddress.isLoopback(host: host)
    }

    private static func port(_ text: Substring) throws(ServerURL.Fault) -> UInt16? {
        if text.isEmpty || text == ":" { return nil }
        let digits = text.dropFirst()
        guard text.first == ":", digits.isASCIIDigits, let port = UInt16(digits),
            port > 0
        else { throw ServerURL.Fault("has an invalid port", hint: "use a port from 1 to 65535") }
        return port
    }

    /// Whether the host's labels contain only letters, digits, `-` and `_`. A trailing dot is valid.
    private static func isName(_ host: String) -> Bool {
        var labels = host.split(separator: "." as Character, omittingEmptySubsequences: false)
        if labels.count > 1, labels.last == "" { labels.removeLast() }
        return host.utf8.count <= 254
            && labels.allSatisfy { label in
                !label.isEmpty
                    && label.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_".utf8.contains($0) }
            }
    }

    /// Whether the host is an IPv6 address in brackets, without a zone.
    private static func isAddress(_ host: String) -> Bool {
        host.hasSuffix("]") && host.contains(":") && IPAddress(String(host.dropFirst().dropLast())) != nil
    }
}
