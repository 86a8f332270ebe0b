import Platform
import Transport

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
    /// Scheme, host and port of `text`.
    let origin: String
    package let isSecure: Bool
    /// Whether the host is this machine, as `IPAddress.isLoopback` decides.
    package let isLoopback: Bool

    package init(_ given: String) throws(Fault) {
        guard given.isVisibleASCII else {
            throw Fault(
                problem: "contains a space, a control character or a non-ASCII character",
                hint: "write an international domain name in its xn-- form")
        }
        guard let (givenScheme, rest) = Self.parts(given) else {
            // `try?`: an invalid URL is not suggested.
            let url = given.hasPrefix("http") ? nil : try? ServerURL("http://\(given)")
            throw Fault(
                problem: "has no scheme",
                hint: url.map { "use http\($0.isLoopback ? "" : "s")://\(given)" } ?? Self.form)
        }
        let scheme = givenScheme.lowercased()
        guard scheme == "https" || scheme == "http" else {
            throw Fault(problem: "is not an https or http URL", hint: Self.form)
        }
        let authority = rest.prefix { !"/?#\\".contains($0) }
        guard !["http:", "https:"].contains(authority.lowercased()) else {
            throw Fault(problem: "has two schemes", hint: Self.form)
        }
        let place = try Self.place(authority)
        isSecure = scheme == "https"
        isLoopback = IPAddress.isLoopback(host: place.host)
        origin = place.origin(scheme)
        text = origin + (try Self.path(rest[authority.endIndex...]))
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

    /// Splits a URL at `://`; `nil` if the URL has no scheme.
    private static func parts(_ text: String) -> (scheme: Substring, rest: Substring)? {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
        return (text[..<colon], text[colon...].dropFirst(3))
    }

    private static let form = "use an https URL with the path of the API, such as https://example.org/api"

    private static func place(_ authority: Substring) throws(Fault) -> HostAndPort {
        guard !authority.contains("@") else {
            throw Fault(
                problem: "contains a username or password", hint: "remove them: authctl sends no credentials in URLs")
        }
        do throws(HostAndPort.Fault) {
            // A colon without a port is valid.
            return try HostAndPort(authority.last == ":" ? authority.dropLast() : authority)
        } catch {
            switch error {
            case .host: throw Fault(problem: "has no host", hint: form)
            case .port: throw Fault(problem: "has an invalid port", hint: "use a port from 1 to 65535")
            }
        }
    }

    /// Validates a path, and removes its trailing slashes.
    static func path(_ text: Substring) throws(Fault) -> String {
        guard !text.contains(where: { "?#\\".contains($0) }) else {
            throw Fault(
                problem: "has a query, a fragment or a backslash",
                hint: "remove it: a base URL has a scheme, a host, a port and a path")
        }
        let isPlain = text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "/-._~!$&'()*+,;=:@%".utf8.contains($0) }
        guard isPlain, !hasBrokenEscape(text) else {
            throw Fault(problem: "has an invalid character in its path", hint: form)
        }
        let segments = text.split(separator: "/" as Character, omittingEmptySubsequences: false)
        guard !segments.contains(where: { $0 == "." || $0 == ".." }) else {
            throw Fault(problem: "has a path with '.' or '..'", hint: "remove '.' and '..' from the path")
        }
        var path = text
        while path.last == "/" { path.removeLast() }
        return String(path)
    }

    /// Whether a `%` lacks two hexadecimal digits, or encodes a character that a base URL must not contain: a control
    /// character, a space, a slash, a backslash, or a dot, which could hide `..`.
    private static func hasBrokenEscape(_ text: Substring) -> Bool {
        percentEncodedBytes(text)?.contains { $0 <= 0x20 || $0 == 0x7F || ".\\/".utf8.contains($0) } ?? true
    }
}
