import Platform

/// The key of an e-mail as the user pastes it: a code, or the whole link that contains it.
package struct MailKey: Sendable, Equatable {
    /// Without surrounding white space and the line breaks of a mail program. May be empty.
    package let text: String
    /// `nil`: the text is a code.
    package let link: MailLink?

    package init(_ pasted: String) {
        let lines = pasted.split(whereSeparator: \.isNewline).map { line in
            var line = line
            while line.first?.isWhitespace == true { line.removeFirst() }
            while line.last?.isWhitespace == true { line.removeLast() }
            return line
        }
        let code = lines.joined()
        // A link contains no white space. Mail programs put angle brackets around it.
        let packed = code.filter { !$0.isWhitespace && $0 != "<" && $0 != ">" }
        link = MailLink(packed) ?? MailLink(packed.percentDecoded)
        text = link == nil ? code : packed
    }
}

/// A link from an e-mail. authctl reads its parts and never requests it.
package struct MailLink: Sendable, Equatable {
    /// Scheme, host and port as written, without user info: `https://app.example:3000`.
    package let origin: String
    /// Whether the link contains a username or password.
    package let hasUserInfo: Bool
    /// The segments of the path, percent-decoded, without empty ones.
    package let path: [String]
    /// The parameters, decoded. The first occurrence wins.
    package let query: [String: String]

    /// `nil` for a text that is not an absolute URL.
    ///
    /// The fragment of a single-page app is its path: `https://app.example/#/verify/KEY`.
    package init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://"), let first = text.utf8.first,
            first.isASCIILetterOrDigit,
            text[..<colon].utf8.allSatisfy({ $0.isASCIILetterOrDigit || "+-.".utf8.contains($0) })
        else { return nil }
        let rest = text[colon...].dropFirst(3)
        let authority = rest.prefix { !"/?#".contains($0) }
        let host = authority.lastIndex(of: "@").map { authority[$0...].dropFirst() } ?? authority
        guard !host.isEmpty else { return nil }
        origin = "\(text[..<colon])://\(host)"
        hasUserInfo = host.endIndex != authority.endIndex || host.startIndex != authority.startIndex
        let parts = rest[authority.endIndex...].split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let fragment = parts.count == 2 ? parts[1].drop { $0 == "!" } : ""
        let route = fragment.hasPrefix("/") ? fragment : parts.first ?? ""
        let routed = route.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = (routed.first ?? "").split(separator: "/").map { String($0).percentDecoded }
        query = routed.count == 2 ? Self.parameters(routed[1]) : [:]
    }

    /// A link copied from the source of an HTML e-mail separates its parameters with `&amp;`.
    private static func parameters(_ text: Substring) -> [String: String] {
        let pairs = text.split(separator: "&").map { pair in
            let pair = pair.hasPrefix("amp;") ? pair.dropFirst(4) : pair
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? parts[1].percentDecoded(plusIsSpace: true) : []
            return (String(parts.first ?? ""), String(decoding: value, as: UTF8.self))
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}
