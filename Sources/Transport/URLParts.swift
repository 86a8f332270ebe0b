import Platform

/// An absolute URL with a host, split into its parts: `scheme://[user info@]host[:port][path][?query]`.
///
/// Stricter than `URLReference`: requires a host, which must be an IPv6 address in brackets (without a zone) or a name
/// with only letters, digits, `-` and `_` between dots. A port, if present, must be from 1 to 65535 and must not begin
/// with 0.
package struct URLParts: Sendable, Equatable {
    /// In lowercase.
    package let scheme: String
    /// As written, still percent-encoded.
    package let userInfo: String?
    private let place: HostAndPort
    /// As written, including dot segments; empty, or begins with `/`.
    package let path: String
    /// Without the leading `?`.
    package let query: String?

    package var host: String { place.host }
    /// `nil` if the URL contains no port. An explicit default port, such as 443 for https, is kept.
    package var port: Int? { place.port }

    /// `https://host`, with the port unless it is the default.
    package var origin: String { place.origin(scheme) }

    /// Whether no other machine can read a request: the scheme is https, or the host is this machine.
    package var isConfidential: Bool {
        scheme == "https" || IPAddress.isLoopback(host: host)
    }

    /// The URL without user info.
    package var address: String {
        origin + path + (query.map { "?" + $0 } ?? "")
    }

    /// Whether scheme, host and port are equal; a default port may be implicit.
    package func isSameOrigin(as other: URLParts) -> Bool {
        origin == other.origin
    }

    /// Whether the origins are equal, and this path is at or below the other path.
    ///
    /// False for paths that a server may resolve to another path: with dot segments, with percent-encoded dots, slashes
    /// or backslashes, or with parameters after dots as in `/..;/`, which Tomcat removes.
    package func isAtOrBelow(_ mount: URLParts) -> Bool {
        let above = mount.path.hasSuffix("/") ? String(mount.path.dropLast()) : mount.path
        return isSameOrigin(as: mount) && (path == above || path.hasPrefix(above + "/")) && hasPlainPath
    }

    /// Resolves a reference against this URL and removes dot segments; `nil` if the reference is invalid, or has a
    /// scheme but no host.
    ///
    /// Source: RFC 3986, section 5.2.2.
    package func resolving(_ text: String) -> URLParts? {
        guard let reference = URLReference(text) else { return nil }
        if reference.scheme != nil { return URLParts(reference)?.with(path: reference.path, reference.query) }
        if let authority = reference.authority {
            return URLParts(scheme: scheme, authority: authority, path: reference.path, query: reference.query)
                .flatMap { $0.with(path: $0.path, $0.query) }
        }
        if reference.path.isEmpty { return with(path: path, reference.query ?? query) }
        if reference.path.hasPrefix("/") { return with(path: reference.path, reference.query) }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        return with(path: folder + reference.path, reference.query)
    }

    private var hasPlainPath: Bool {
        let hidden = percentEncodedBytes(path[...]) ?? []
        return !hidden.contains { #"./\"#.utf8.contains($0) }
            && !path.split(separator: "/").contains { [".", ".."].contains($0.prefix { $0 != ";" }) }
    }

    private func with(path: String, _ query: String?) -> URLParts {
        URLParts(
            scheme: scheme, userInfo: userInfo, place: place, path: Self.removingDotSegments(path), query: query)
    }

    /// - Parameter path: empty, or begins with `/`.
    private static func removingDotSegments(_ path: String) -> String {
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for segment in segments {
            switch segment {
            case ".": break
            case "..": _ = kept.popLast()
            default: kept.append(segment)
            }
        }
        // A path that ends with a dot segment denotes a folder, so it gets a trailing slash.
        if let last = segments.last, [".", ".."].contains(last) { kept.append("") }
        return kept.map { "/" + $0 }.joined()
    }
}

extension URLParts {
    package init?(_ text: String) {
        guard let reference = URLReference(text) else { return nil }
        self.init(reference)
    }

    private init?(_ reference: URLReference) {
        guard let scheme = reference.scheme, let authority = reference.authority else { return nil }
        self.init(scheme: scheme, authority: authority, path: reference.path, query: reference.query)
    }

    private init?(scheme: String, authority: String, path: String, query: String?) {
        let at = authority.lastIndex(of: "@")
        let userInfo = at.map { String(authority[..<$0]) }
        // `try?`: a URL with an invalid host or port is invalid.
        guard userInfo?.contains(where: { "@[]".contains($0) }) != true,
            let place = try? HostAndPort(at.map { authority[authority.index(after: $0)...] } ?? authority[...])
        else { return nil }
        self.init(scheme: scheme.lowercased(), userInfo: userInfo, place: place, path: path, query: query)
    }
}

/// The host and port of a URL.
package struct HostAndPort: Sendable, Equatable {
    package enum Fault: Error { case host, port }

    /// In lowercase; an IPv6 address in brackets. Keeps a trailing dot: `a.test.` and `a.test` are different hosts.
    package let host: String
    /// `nil` if there is no port.
    package let port: Int?

    /// - Parameter text: the authority of a URL, without user info.
    package init(_ text: Substring) throws(Fault) {
        let end = text.hasPrefix("[") ? text.firstIndex(of: "]").map(text.index(after:)) : text.firstIndex(of: ":")
        host = text[..<(end ?? text.endIndex)].lowercased()
        guard host.hasPrefix("[") ? Self.isAddress(host) : Self.isName(host) else { throw .host }
        guard let end, end < text.endIndex else {
            port = nil
            return
        }
        let digits = text[end...].dropFirst()
        guard text[end] == ":", digits.isASCIIDigits, digits.first != "0", let number = UInt16(digits) else {
            throw .port
        }
        port = Int(number)
    }

    /// `https://host`, with the port unless it is the default of the scheme.
    package func origin(_ scheme: String) -> String {
        let usual = scheme == "https" ? 443 : scheme == "http" ? 80 : nil
        let number = port.flatMap { $0 == usual ? nil : ":\($0)" }
        return "\(scheme)://\(host)\(number ?? "")"
    }

    /// Whether the host's labels contain only letters, digits, `-` and `_`. A trailing dot is valid.
    private static func isName(_ host: String) -> Bool {
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        return host.utf8.count <= 254
            && name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                !label.isEmpty && label.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_".utf8.contains($0) }
            }
    }

    /// Whether the host is an IPv6 address in brackets, without a zone.
    private static func isAddress(_ host: String) -> Bool {
        host.hasSuffix("]") && host.contains(":") && IPAddress(String(host.dropFirst().dropLast())) != nil
    }
}

/// A URL or relative reference, split at its delimiters. The fragment is dropped.
///
/// Strict, because a URL that two parsers read differently can send a request to the wrong host. Rejects characters
/// that RFC 3986 forbids, percent-encoded control characters, and brackets outside the authority. Source: RFC 3986,
/// section 3 and appendix B.
struct URLReference {
    /// As written: the text before the first `:`, if no `/`, `?` or `#` precedes it.
    let scheme: String?
    /// As written; `nil` without `//`, empty in `file:///x`.
    let authority: String?
    let path: String
    /// Without the leading `?`.
    let query: String?

    init?(_ text: String) {
        guard text.utf8.allSatisfy(Self.isAllowed),
            percentEncodedBytes(text[...])?.contains(where: \.isASCIIControl) == false
        else { return nil }
        var rest = text.prefix { $0 != "#" }
        query = rest.firstIndex(of: "?").map { String(rest[rest.index(after: $0)...]) }
        rest = rest.prefix { $0 != "?" }
        if let colon = rest.firstIndex(of: ":"), !rest[..<colon].contains("/") {
            scheme = String(rest[..<colon])
            rest = rest[rest.index(after: colon)...]
        } else {
            scheme = nil
        }
        if rest.hasPrefix("//") {
            authority = rest.dropFirst(2).prefix { $0 != "/" }.description
            rest = rest.dropFirst(2).drop { $0 != "/" }
        } else {
            authority = nil
        }
        path = String(rest)
        guard scheme.map(Self.isScheme) ?? true, !path.contains(where: isBracket),
            query?.contains(where: isBracket) != true
        else { return nil }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "-._~:/?#[]@!$&'()*+,;=%".utf8.contains(byte)
    }

    private static func isScheme(_ text: String) -> Bool {
        text.utf8.first?.isASCIILetter == true
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "+-.".utf8.contains($0) }
    }
}

private func isBracket(_ character: Character) -> Bool {
    character == "[" || character == "]"
}

/// The values of the percent-encoded bytes, in order; `nil` if a `%` is not followed by two hexadecimal digits.
package func percentEncodedBytes(_ text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    for piece in text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst() {
        let digits = piece.prefix(2)
        // Parse each digit separately, because `UInt8(_:radix:)` accepts a sign.
        let values = digits.compactMap { $0.hexDigitValue }
        guard values.count == 2 else { return nil }
        bytes.append(values[0] << 4 | values[1])
    }
    return bytes
}
