import Platform

/// A plain-text e-mail.
package struct Mail: Sendable {
    /// An address accepted by `isDeliverable`.
    package let recipient: String
    /// ASCII only.
    package let subject: String
    /// The link in the body.
    let link: String
    /// Lines end with a line feed and are at most 998 bytes long.
    package let body: String
    let date: Instant
    /// Globally unique: the part of `Message-ID` before the `@`.
    let id: String

    /// The message with CRLF line ends. Source: RFC 5322; RFC 6532 for non-ASCII addresses.
    package var text: String {
        let lines =
            [
                "From: authctl <no-reply@localhost>",
                "To: <\(recipient)>",
                "Subject: \(subject)",
                "Date: \(UTCTime(secondsSince1970: date.seconds).textWithWeekday) +0000",
                "Message-ID: <\(id)@authctl.localhost>",
                "MIME-Version: 1.0",
                "Content-Type: text/plain; charset=utf-8",
                "Content-Transfer-Encoding: 8bit",
                "Auto-Submitted: auto-generated",
                "",
            ] + body.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return lines.joined(separator: "\r\n")
    }

    /// Whether an address can be put into a header unchanged.
    ///
    /// Accounts may have other addresses, because Parse requires only an `@`. Such an address receives no e-mail.
    static func isDeliverable(_ address: String) -> Bool {
        address.utf8.count <= 320
            && address.unicodeScalars.allSatisfy { scalar in
                scalar.value > 0x20 && !(0x7F...0x9F).contains(scalar.value)
                    && !"<>()[]\\,;:\"\u{2028}\u{2029}".unicodeScalars.contains(scalar)
            }
    }
}
