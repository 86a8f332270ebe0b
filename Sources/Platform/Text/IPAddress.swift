internal import LibC

/// An IPv4 or IPv6 address, without a zone id.
package struct IPAddress: Sendable, Equatable {
    /// The canonical text form: `127.0.0.1`, `::1`.
    package let text: String
    /// The 4 or 16 bytes of the address in network byte order.
    private let bytes: [UInt8]

    /// - Returns: `nil` if the text is not an IP address but, for example, a host name or an abbreviated IPv4 address.
    package init?(_ text: String) {
        let isIPv6 = text.utf8.contains(UInt8(ascii: ":"))
        let family = isIPv6 ? AF_INET6 : AF_INET
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        guard !text.utf8.contains(0), inet_pton(family, text, &bytes) == 1 else { return nil }
        var characters = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, &bytes, &characters, socklen_t(characters.count)) != nil else { return nil }
        self.bytes = bytes
        self.text = String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private var isIPv6: Bool { bytes.count == 16 }

    /// Whether the address is in a CIDR block such as `10.0.0.0/8` or `fd00::/8`. `nil` if the text before the slash is
    /// not an address; an invalid length, such as `/33` for IPv4, contains no address. Source: RFC 4632, section 3.1.
    package func isIn(block: String) -> Bool? {
        let parts = block.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let base = IPAddress(String(parts[0])) else { return nil }
        guard parts[1].isASCIIDigits, let length = Int(parts[1]), length <= base.bytes.count * 8,
            base.bytes.count == bytes.count
        else { return false }
        return bytes.indices.allSatisfy { index in
            let ignored = min(max(8 * (index + 1) - length, 0), 8)
            return Int(bytes[index] ^ base.bytes[index]) >> ignored == 0
        }
    }

    /// 127.0.0.0/8 or ::1.
    package var isLoopback: Bool { isIPv6 ? text == "::1" : bytes[0] == 127 }

    /// Whether the host of a URL is this machine: `localhost`, a name below it, `127.x.x.x` or `[::1]`.
    package static func isLoopback(host: String) -> Bool {
        isLocalhost(host) || host == "[::1]" || IPAddress(host)?.isLoopback == true
    }

    /// Whether a name in lowercase is `localhost` or below it, such as `app.localhost`. Browsers and curl look up neither.
    /// Source: RFC 6761, section 6.3.
    package static func isLocalhost(_ name: String) -> Bool { name == "localhost" || name.hasSuffix(".localhost") }

    /// 0.0.0.0 or ::, which stand for all addresses of the machine.
    package var isWildcard: Bool { bytes.allSatisfy { $0 == 0 } }

    /// The form in URLs and in the `Host` header: IPv6 addresses are in brackets.
    package var host: String { isIPv6 ? "[\(text)]" : text }

    package static let loopback = IPAddress("127.0.0.1")!
    package static let loopbackIPv6 = IPAddress("::1")!
}
