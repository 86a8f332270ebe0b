import Platform

/// The key from an e-mail, as the user pastes it: a code, or text that contains the whole link.
package struct MailKey: Sendable, Equatable {
    /// The link without the surrounding text, or the code without surrounding white space. Line breaks that a mail
    /// program inserted are removed. May be empty.
    package let text: String
    /// The parsed link; `nil` if the user pasted a code.
    package let link: MailLink?
    /// The lines of a pasted code that are not empty, such as a uid and a token; empty for a link.
    package let codeLines: [String]
    /// Whether another link is on the line after the link, so that it is unclear which one is meant.
    package let isAmbiguous: Bool
    /// The username of the current session, for a link that lacks it.
    package var owner: String?

    package init(_ pasted: String) {
        let lines = Self.lines(of: pasted.decodingCharacterReferences)
        let found = Self.link(in: lines) ?? Self.link(in: lines.map(\.percentDecoded))
        link = found.flatMap { MailLink($0.text) }
        isAmbiguous = found?.isAmbiguous ?? false
        codeLines = link == nil ? Self.lines(of: pasted).filter { !$0.isEmpty } : []
        text = link == nil ? codeLines.joined() : found?.text ?? ""
    }

    /// The username in the link. Parse Server 7 writes `undefined` if it does not know the username.
    package var username: String? { link?.query["username"].flatMap { $0 == "undefined" ? owner : $0 } }

    /// Whether `owner` is required.
    package var lacksUsername: Bool { link?.query["username"] == "undefined" }

    /// Whether the key is the user's; `nil` if it does not say whose it is.
    ///
    /// Links of Parse Server 7 and older name the user. The keys of PocketBase are JWTs with the id and the e-mail.
    package func isOf(_ user: User) -> Bool? {
        // Servers may store names in lowercase.
        let names = [user.username, user.email].compactMap { $0?.lowercased() }
        if let name = username, name != "undefined", !names.isEmpty { return names.contains(name.lowercased()) }
        let text = link.map { $0.query["token"] ?? $0.path.last ?? "" } ?? text
        guard let claims = JWT.payload(of: Secret(text)) else { return nil }
        if let id = claims["id"]?.string, let own = user.id { return id == own }
        let emails = ["email", "newEmail"].compactMap { claims[$0]?.string?.lowercased() }
        guard let own = user.email?.lowercased(), !emails.isEmpty else { return nil }
        return emails.contains(own)
    }

    private static func lines(of text: String) -> [String] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            var line = line
            while line.first?.isWhitespace == true { line.removeFirst() }
            while line.last?.isWhitespace == true { line.removeLast() }
            return String(line)
        }
    }

    /// Returns the first link. A link ends at white space, `<`, `>` or `"`, but may continue on the next lines.
    private static func link(in lines: [String]) -> (text: String, isAmbiguous: Bool)? {
        let text = lines.joined(separator: "\n")
        guard let mark = text.indices.first(where: { text[$0] == ":" && text[$0...].hasPrefix("://") }) else {
            return nil
        }
        let scheme = text[..<mark].reversed().prefix { $0.utf8.allSatisfy(MailLink.isOfScheme) }
        let rest = text[text.index(mark, offsetBy: -scheme.count)...]
        let word = rest.prefix { $0 == "\n" || !$0.isWhitespace && !"<>\"".contains($0) }
        let pieces = word.split(separator: "\n", omittingEmptySubsequences: false)
        var wrapped = pieces.indices.prefix { $0 == 0 || continues(pieces[$0 - 1], pieces[$0]) }.map { pieces[$0] }
        // A continuation line with further words belongs to the link only if a soft line break (`=`) precedes it.
        let isFollowed = wrapped.count == pieces.count && rest[word.endIndex...].first?.isWhitespace == true
        if isFollowed, wrapped.count > 1, !wrapped[wrapped.count - 2].hasSuffix("=") { wrapped.removeLast() }
        var link = unwrapped(wrapped.joined(separator: "\n"))
        // Punctuation at the end of a link belongs to the sentence that contains the link.
        while let last = link.last, ".,;:!?)]'".contains(last) { link.removeLast() }
        let next = pieces.dropFirst(wrapped.count).first ?? ""
        return (link, beginsLink(next) && next != link)
    }

    private static func beginsLink(_ line: Substring) -> Bool { MailLink(String(line)) != nil }

    /// Whether `next` continues a link from the previous line. Another link continues it only after an `=`. A single word, such as `Thanks`, continues a link only
    /// if the previous line ends with `=`, or has 60 to 80 bytes, the usual width at which mail programs wrap lines.
    private static func continues(_ line: Substring, _ next: Substring) -> Bool {
        let isWord = next.utf8.allSatisfy { $0.isASCIILetter || ",.!".utf8.contains($0) }
        return !next.isEmpty && (line.hasSuffix("=") || !beginsLink(next))
            && (!isWord || line.hasSuffix("=") || 60...80 ~= line.utf8.count)
    }

    /// Joins the lines of a link. Decodes a link from the source of a quoted-printable e-mail, which encodes `=` as
    /// `=3D` and ends a wrapped line with `=`. Source: RFC 2045, section 6.7.
    private static func unwrapped(_ link: String) -> String {
        let isEncoded =
            link.split(separator: "=", omittingEmptySubsequences: false).dropFirst()
            .allSatisfy { $0.hasPrefix("3D") || $0.hasPrefix("\n") }
            // Without `=3D`, an `=` at the end of a line such as `…?token=` is part of the query.
            && (link.holds("=3D") || !link.contains("?"))
        let text = isEncoded ? link.replacing("=\n", with: "").replacing("=3D", with: "=") : link
        return text.filter { $0 != "\n" }
    }
}

/// A link from an e-mail. authctl parses the link and never sends a request to it.
package struct MailLink: Sendable, Equatable {
    /// Scheme, host and port as written, without user info: `https://app.example:3000`.
    package let origin: String
    /// Whether the link contains a username or password.
    package let hasUserInfo: Bool
    /// The non-empty segments of the path, percent-decoded.
    package let path: [String]
    /// The query parameters with decoded values, also those in the fragment. If a name occurs several times, the first
    /// occurrence wins.
    package let query: [String: String]
    /// The fragment, percent-decoded; empty if it is a path or contains parameters.
    package let fragment: String

    /// Returns `nil` if the text is not an absolute URL.
    ///
    /// A fragment that begins with `/` or `!/` is the path, as in single-page apps: `https://app.example/#/verify/KEY`.
    package init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://"), let first = text.utf8.first,
            first.isASCIILetterOrDigit,
            text[..<colon].utf8.allSatisfy(Self.isOfScheme)
        else { return nil }
        let rest = text[colon...].dropFirst(3)
        let authority = rest.prefix { !"/?#".contains($0) }
        let host = authority.lastIndex(of: "@").map { authority[$0...].dropFirst() } ?? authority
        guard !host.isEmpty else { return nil }
        origin = "\(text[..<colon])://\(host)"
        hasUserInfo = host.endIndex != authority.endIndex || host.startIndex != authority.startIndex
        let parts = rest[authority.endIndex...].split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let fragment = parts.count == 2 ? parts[1].drop { $0 == "!" } : ""
        let isRoute = fragment.hasPrefix("/")
        let route = isRoute ? fragment : parts.first ?? ""
        let routed = route.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = (routed.first ?? "").split(separator: "/").map { String($0).percentDecoded }
        let hasParameters = !isRoute && fragment.contains("=")
        query = Self.parameters(routed.dropFirst() + (hasParameters ? [fragment] : []))
        self.fragment = isRoute || hasParameters ? "" : String(fragment).percentDecoded
    }

    fileprivate static func isOfScheme(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "+-.".utf8.contains(byte)
    }

    /// A `+` is not a space: no server writes a space in this way, but some write the `+` of an address as it is.
    private static func parameters(_ texts: some Sequence<Substring>) -> [String: String] {
        let pairs = texts.flatMap { $0.split(separator: "&") }.map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? parts[1].percentDecoded(plusIsSpace: false) : []
            return (String(parts.first ?? ""), String(decoding: value, as: UTF8.self))
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}
