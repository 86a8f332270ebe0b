package import Platform

/// An e-mail about an account.
package struct ReceivedMail: Sendable, Equatable {
    package enum Purpose: String, Sendable, CaseIterable {
        case verification, reset
    }

    package var recipient: String
    package var subject: String
    /// `nil` if the e-mail has no valid date.
    package var date: Instant?
    /// The link that verifies the address or resets the password, otherwise the first link; only visible ASCII.
    package var link: String?
    /// The distinct lines that may be a verification or reset code; only visible ASCII.
    package var codes: [String]
    package var code: String? { codes.count == 1 ? codes[0] : nil }
    /// `nil` if neither the subject nor the link shows the purpose.
    package var purpose: Purpose?

    package init(
        recipient: String, subject: String, date: Instant? = nil, link: String? = nil, codes: [String] = [],
        purpose: Purpose? = nil
    ) {
        self.recipient = recipient
        self.subject = subject
        self.date = date
        self.link = link
        self.codes = codes
        self.purpose = purpose
    }
}

extension ReceivedMail {
    /// Reads an e-mail from the embedded server, Parse Server or Django.
    init(_ message: MIMEMessage) {
        self.init(
            recipient: Self.address(message.header("to") ?? ""), subject: message.header("subject") ?? "",
            date: message.header("date").flatMap(Instant.init(mailText:)), text: message.text)
    }

    /// - Parameter text: the body, in plain text or HTML.
    package init(recipient: String, subject: String, date: Instant?, text: String) {
        let links = Self.links(in: text)
        let link = links.first { Self.purpose(of: Self.path($0)) != nil } ?? links.first
        self.init(
            recipient: recipient, subject: subject, date: date, link: link, codes: Self.codes(in: text),
            purpose: Self.purpose(of: subject) ?? link.flatMap { Self.purpose(of: Self.path($0)) })
    }

    /// Returns the address in `Ada <ada@example.org>`; for a list, the first address.
    private static func address(_ text: String) -> String {
        let first = text.split(separator: ",").first.map { String($0) } ?? ""
        guard let start = first.lastIndex(of: "<"), let end = first.lastIndex(of: ">"), start < end else {
            return first.trimmingSpaces
        }
        return String(first[first.index(after: start)..<end])
    }

    /// Returns a link without its query, because a username in the query could contain a word such as `reset`.
    private static func path(_ link: String) -> String {
        String(link.prefix { $0 != "?" })
    }

    /// Checks for a reset first, because of subjects such as "Confirm the reset of your password".
    private static func purpose(of text: String) -> Purpose? {
        let words = text.lowercased()
        if ["reset", "password"].contains(where: { words.holds($0) }) { return .reset }
        return ["verif", "confirm", "activat"].contains { words.holds($0) } ? .verification : nil
    }

    /// Returns the links in plain text or HTML, with `&amp;` decoded.
    private static func links(in text: String) -> [String] {
        text.split { $0.isWhitespace || "<>\"([".contains($0) }.compactMap { word in
            guard word.hasPrefix("http://") || word.hasPrefix("https://") else { return nil }
            let link = word.prefix { $0.isASCII && !$0.isNewline && ("!"..."~").contains($0) }
            // A punctuation mark or closing bracket after a link belongs to the sentence around it.
            let end = link.lastIndex { !".,;:!?)]'".contains($0) }
            return end.map { String(link[...$0]).replacing("&amp;", with: "&") }
        }
    }

    /// Returns the distinct lines of 4 to 16 capital letters, digits and hyphens, such as `MPDF-FRQW` or `123456`.
    ///
    /// A word such as `THANKS` is not a code: allauth's codes have no vowels, as RFC 8628, section 6.1, recommends.
    private static func codes(in text: String) -> [String] {
        let lines = text.split { $0.isNewline }.map { String($0).trimmingSpaces }.filter { line in
            let groups = line.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            let isWord = groups.count == 1 && line.contains { "AEIOUY".contains($0) } && !line.contains { $0.isNumber }
            return 4...16 ~= line.utf8.count && !isWord
                && groups.allSatisfy { group in
                    !group.isEmpty && group.allSatisfy { $0.isASCIIDigit || $0.isASCIILetter && $0 < 0x61 }
                }
        }
        return lines.enumerated().filter { !lines[..<$0.offset].contains($0.element) }.map(\.element)
    }
}

extension Instant {
    /// Parses `Fri, 02 Jan 2026 03:04:05 +0000`; the day of the week is optional. Source: RFC 5322, section 3.3.
    init?(mailText text: String) {
        let words = text.split { " \t,".contains($0) }.drop { !($0.utf8.first?.isASCIIDigit ?? false) }.map(String.init)
        guard words.count >= 4, let month = Self.months.firstIndex(of: words[1].lowercased()) else { return nil }
        let (day, time) = (words[0].utf8.count == 1 ? "0\(words[0])" : words[0], words[3])
        let seconds = time.utf8.count == 5 ? ":00" : ""
        let zone = words.count > 4 ? words[4] : "+0000"
        let offset =
            zone.utf8.count == 5 && zone.utf8.first.map { "+-".utf8.contains($0) } == true
            ? "\(zone.prefix(3)):\(zone.suffix(2))" : "Z"
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        self.init("\(words[2])-\(number)-\(day)T\(time)\(seconds)\(offset)")
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
}

extension String {
    var trimmingSpaces: String {
        let end = lastIndex { !$0.isWhitespace }
        return end.map { String(self[...$0].drop { $0.isWhitespace }) } ?? ""
    }
}
