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
                "Date: \(date.mailText)",
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

extension Instant {
    /// `Fri, 02 Jan 2026 03:04:05 +0000`. Source: RFC 5322, section 3.3.
    fileprivate var mailText: String {
        let parts = text.split { "-T:.Z".contains($0) }
        // 1970-01-01 was a Thursday.
        let days = (milliseconds - milliseconds % 86_400_000) / 86_400_000
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int(days % 7)]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let month = months[(Int(parts[1]) ?? 1) - 1]
        return "\(weekday), \(parts[2]) \(month) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) +0000"
    }
}
