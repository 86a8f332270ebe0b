import CLibcurl
import Platform

/// A URL as libcurl parses it, so that no other parser decides where a request goes.
struct CurlURL {
    let scheme: String
    /// An IPv6 address is in brackets.
    let host: String
    /// `nil` if the URL has none.
    let port: String?
    let hasUser: Bool

    /// - Parameter guessesScheme: whether to accept also `host:port`, without a scheme.
    init?(_ text: String, guessesScheme: Bool = false) {
        let reading = guessesScheme ? LIBCURL_GUESS_SCHEME : LIBCURL_ABSOLUTE_ONLY
        guard !text.utf8.contains(0), let url = libcurl_url_parse(text, reading) else { return nil }
        defer { libcurl_url_free(url) }
        guard let scheme = part(LIBCURL_PART_SCHEME, of: url), let host = part(LIBCURL_PART_HOST, of: url) else {
            return nil
        }
        self.scheme = scheme
        self.host = host
        port = part(LIBCURL_PART_PORT, of: url)
        hasUser = part(LIBCURL_PART_USER, of: url) != nil
    }

    /// `host` or `host:port`, as written.
    var authority: String { port.map { "\(host):\($0)" } ?? host }

    /// In lower case, without brackets and without a trailing dot.
    var plainHost: String {
        let name = host.lowercased().drop { $0 == "[" }
        return String(name.last == "]" || name.last == "." ? name.dropLast() : name)
    }

    /// Whether the host is this machine, recognised without a DNS lookup.
    var isLoopback: Bool {
        let name = plainHost
        if name == "localhost" || name.hasSuffix(".localhost") || name == "::1" { return true }
        return name.hasPrefix("127.") && name.utf8.allSatisfy { $0 == UInt8(ascii: ".") || $0.isASCIIDigit }
    }
}

private func part(_ part: libcurl_part, of url: UnsafeMutableRawPointer) -> String? {
    guard let text = libcurl_url_part(url, part) else { return nil }
    defer { libcurl_free(text) }
    return String(cString: text)
}
