import Transport

/// The proxy that a request goes through.
struct Proxy {
    /// Maybe with a password.
    let url: String
    /// For messages: without what stands before an `@`.
    let name: String
    let hasUser: Bool
    /// Whether it is spoken to in TLS.
    let isEncrypted: Bool

    /// - Throws: `TransportError` `unusableSetting` if it is no URL.
    init(_ url: String) throws(TransportError) {
        guard let parts = CurlURL(url, guessesScheme: true), !hidesControl(url),
            ["http", "https"].contains(parts.scheme)
        else {
            throw TransportError(
                .unusableSetting, "the proxy URL is not an http or https URL",
                hint: "use a URL such as http://proxy.example.org:3128 in HTTPS_PROXY or --proxy")
        }
        self.url = url
        hasUser = parts.hasUser
        name = "\(parts.scheme)://\(parts.hasUser ? "***@" : "")\(parts.authority)"
        isEncrypted = parts.scheme == "https"
    }

    /// `nil` if the request goes straight to its host: not encrypted, to this machine, or to a listed host.
    static func onTheWay(to url: CurlURL, _ settings: NetworkSettings) throws(TransportError) -> Proxy? {
        guard let proxy = settings.proxy, !proxy.isEmpty, url.scheme == "https", !url.isLoopback,
            !isListed(url, in: settings.hostsWithoutProxy ?? "")
        else { return nil }
        return try Proxy(proxy)
    }
}

/// Whether it holds a control character or another end of a line, percent-encoded or as it is.
///
/// Those of ASCII in a user or a password libcurl 7.88 cannot decode, and goes straight to the host without a word.
private func hidesControl(_ url: String) -> Bool {
    let pieces = url.split(separator: "%" as Character, omittingEmptySubsequences: false)
    let bytes = pieces.dropFirst().reduce(into: Array(pieces[0].utf8)) { bytes, piece in
        if let byte = UInt8(piece.prefix(2), radix: 16) { bytes.append(byte) }
        bytes += piece.utf8.dropFirst(2)
    }
    return String(decoding: bytes, as: UTF8.self).unicodeScalars.contains { scalar in
        [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }
}

/// Whether a list names the host: itself, a domain above it with or without a dot before, or `*`.
///
/// Entries are separated by commas or spaces; one with a port counts for that port alone.
private func isListed(_ url: CurlURL, in list: String) -> Bool {
    let host = url.plainHost
    return list.lowercased().split { $0 == "," || $0.isWhitespace }.contains { entry in
        if entry == "*" { return true }
        // An address of version 6 may stand there as it is.
        let isBare = !entry.hasPrefix("[") && entry.utf8.count { $0 == UInt8(ascii: ":") } > 1
        let named = CurlURL("https://\(isBare ? "[\(entry)]" : "\(entry.drop { $0 == "." || $0 == "*" })")")
        guard let named, named.port == nil || named.port == url.port ?? "443" else { return false }
        return host == named.plainHost || host.hasSuffix(".\(named.plainHost)")
    }
}
