import CLibcurl
import Platform
import Transport

/// A URL as parsed by libcurl. If another parser were used, the checked host might differ from the host to which
/// libcurl connects.
struct CurlURL {
    let scheme: String
    /// The host, percent-decoded, in its original case. An IPv4 address is in normal form: `127.0.0.1` for `0x7f.1`.
    /// An IPv6 address is in brackets.
    let host: String
    /// `nil` if the URL contains no port.
    let port: String?
    let hasUser: Bool

    /// - Parameter guessesScheme: whether `host:port` without a scheme is accepted.
    init?(_ text: String, guessesScheme: Bool = false) {
        let flags = guessesScheme ? UInt32(CURLU_GUESS_SCHEME) : 0
        guard !text.utf8.contains(0), let url = libcurl_url_parse(text, flags) else { return nil }
        defer { libcurl_url_free(url) }
        guard let scheme = part(CURLUPART_SCHEME, of: url), let host = part(CURLUPART_HOST, of: url) else {
            return nil
        }
        self.scheme = scheme
        self.host = host
        port = part(CURLUPART_PORT, of: url)
        hasUser = part(CURLUPART_USER, of: url) != nil
    }

    /// `host`, or `host:port` if the URL contains a port.
    var authority: String { port.map { "\(host):\($0)" } ?? host }

    /// The host in lowercase, without brackets and without a trailing dot.
    var plainHost: String {
        let name = host.lowercased().drop { $0 == "[" }
        return String(name.last == "]" || name.last == "." ? name.dropLast() : name)
    }

    /// Whether the host is `localhost`, a subdomain of it, or a loopback address. Needs no DNS lookup.
    var isLoopback: Bool {
        let name = plainHost
        if IPAddress.isLocalhost(name) || name == "::1" { return true }
        return name.hasPrefix("127.") && name.utf8.allSatisfy { $0 == UInt8(ascii: ".") || $0.isASCIIDigit }
    }
}

private func part(_ part: CURLUPart, of url: OpaquePointer) -> String? {
    guard let text = libcurl_url_part(url, part) else { return nil }
    defer { libcurl_free(text) }
    return String(cString: text)
}

/// The proxy that forwards a request.
struct Proxy {
    /// The proxy URL. It may contain a password.
    let url: String
    /// The proxy URL for messages, with `***` in place of user and password.
    let name: String
    let hasUser: Bool
    /// Whether the connection to the proxy uses TLS.
    let isEncrypted: Bool

    /// - Throws: `TransportError` `unusableSetting` if the URL is invalid or not an http or https URL.
    init(_ url: String) throws(TransportError) {
        // libcurl would end the user info at one of these characters, and might take a part of the password for the host.
        if let raw = url.userInfo.unicodeScalars.first(where: { "@#/?".unicodeScalars.contains($0) || $0 == " " }) {
            throw TransportError(
                .unusableSetting, "the user or password in the proxy URL contains '\(raw)'",
                hint: "percent-encode it: in place of '\(raw)', write \(String(raw).percentEncoded)")
        }
        // libcurl 7.88 silently bypasses a proxy whose user or password contains a control character.
        guard let parts = CurlURL(url, guessesScheme: true), ["http", "https"].contains(parts.scheme),
            !url.percentDecoded(plusIsSpace: false).contains(where: \.isASCIIControl)
        else {
            throw TransportError(
                .unusableSetting, "the proxy URL is not an http or https URL",
                hint: "use a URL such as http://proxy.example.org:3128 in HTTPS_PROXY or --proxy")
        }
        self.url = url
        hasUser = parts.hasUser
        isEncrypted = parts.scheme == "https"
        // Without a port, libcurl uses 1080 (CURL_DEFAULT_PROXY_PORT) or 443, so messages name it.
        let port = parts.port ?? (isEncrypted ? "443" : "1080")
        name = "\(parts.scheme)://\(parts.hasUser ? "***@" : "")\(parts.host):\(port)"
    }

    /// The proxy for a request; `nil` without a proxy setting, for plain HTTP, loopback hosts and hosts in `NO_PROXY`.
    static func onTheWay(to url: CurlURL, _ settings: NetworkSettings) throws(TransportError) -> Proxy? {
        guard let proxy = settings.proxy, !proxy.isEmpty, url.scheme == "https", !url.isLoopback,
            !isListed(url, in: settings.hostsWithoutProxy ?? "")
        else { return nil }
        return try Proxy(proxy)
    }
}

extension String {
    /// The text between the scheme and the last `@` of a URL, such as `user:password`; empty without an `@`.
    fileprivate var userInfo: String {
        let afterScheme = drop { $0 != ":" }
        let start = afterScheme.hasPrefix("://") ? afterScheme.dropFirst(3) : self[...]
        return String(start[..<(start.lastIndex(of: "@") ?? start.startIndex)])
    }
}

/// Whether a list in the format of `NO_PROXY` contains the host, a parent domain of the host, or `*`.
///
/// Entries are comma- or space-separated. An entry with a port applies to that port only. An entry such as `10.0.0.0/8`
/// lists all addresses of the block.
private func isListed(_ url: CurlURL, in list: String) -> Bool {
    let host = url.plainHost
    let address = IPAddress(host)
    return list.lowercased().split { $0 == "," || $0.isWhitespace }.contains { entry in
        if entry == "*" { return true }
        if let isInBlock = address?.isIn(block: String(entry)) { return isInBlock }
        // An IPv6 address may be listed without brackets.
        let isBare = !entry.hasPrefix("[") && entry.utf8.count { $0 == UInt8(ascii: ":") } > 1
        let named = CurlURL("https://\(isBare ? "[\(entry)]" : "\(entry.drop { $0 == "." || $0 == "*" })")")
        guard let named, named.port == nil || named.port == url.port ?? "443" else { return false }
        return host == named.plainHost || host.hasSuffix(".\(named.plainHost)")
    }
}
