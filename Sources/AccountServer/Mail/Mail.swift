package import Platform

/// A plain-text e-mail.
package struct Mail: Sendable {
    /// An address that `isDeliverable` accepts.
    package let recipient: String
    /// The subject, in ASCII characters only.
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

    /// Whether an address can be written to a header unchanged.
    ///
    /// Parse requires only an `@`, so accounts may have undeliverable addresses. Such accounts get no e-mail.
    static func isDeliverable(_ address: String) -> Bool {
        address.utf8.count <= 320
            && address.unicodeScalars.allSatisfy { scalar in
                scalar.value > 0x20 && !(0x7F...0x9F).contains(scalar.value)
                    && !"<>()[]\\,;:\"\u{2028}\u{2029}".unicodeScalars.contains(scalar)
            }
    }
}

/// A destination for the server's e-mails.
package protocol MailOutlet: Sendable {
    /// Returns when the e-mail has been stored durably.
    func deliver(_ mail: Mail) throws(FileError)
}

/// Writes each e-mail to a separate file in a folder. Mail programs can open the files.
///
/// File names consist of time and random digits, such as `20260102T030405678Z-0f3a….eml`. Only the owner can read the
/// files, because their links are as sensitive as passwords.
package struct MailFolder: MailOutlet {
    private let folder: PrivateFolder

    package init(_ folder: PrivateFolder) {
        self.folder = folder
    }

    package func deliver(_ mail: Mail) throws(FileError) {
        try folder.lock().overwrite(name(mail), with: Array(mail.text.utf8))
    }

    private func name(_ mail: Mail) -> String {
        let time = mail.date.textWithMilliseconds.filter { $0 != "-" && $0 != ":" && $0 != "." }
        return "\(time)-\(Randomness.system.hex(byteCount: 8)).eml"
    }
}
