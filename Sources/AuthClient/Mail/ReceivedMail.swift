package import Platform

/// An e-mail about an account.
package struct ReceivedMail: Sendable, Equatable {
    package enum Purpose: String, Sendable, CaseIterable {
        case verification, reset, login

        /// The purposes that e-mails may seem to have, the best first; `nil` is an unknown one. An e-mail with a code or link
        /// that logs in can have any words, but it counts only if it was not there before the request.
        package var accepted: [Purpose?] { self == .login ? [.login, nil, .verification] : [self] }
    }

    package var recipient: String
    /// The addresses of further recipients, including those of copies.
    package private(set) var otherRecipients: [String] = []
    package var subject: String
    /// `nil` if the e-mail has no valid date.
    package var date: Instant?
    /// The link that verifies the address or resets the password, otherwise the first link; only visible ASCII.
    package var link: String?
    /// The distinct words that may be a verification or reset code; only visible ASCII.
    package var codes: [String]
    package var code: String? { codes.count == 1 ? codes[0] : nil }
    /// `nil` if neither the subject nor the link shows the purpose.
    package var purpose: Purpose?
    /// Whether the end of the e-mail is missing, because its file may still be written.
    package var isUnfinished = false

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
            recipients: Self.recipientFields.flatMap { message.values($0) }.flatMap { Self.addresses(in: $0) },
            subject: message.header("subject") ?? "", date: message.header("date").flatMap(Instant.init(mailText:)),
            parts: message.textParts)
    }

    private static let recipientFields = ["to", "cc", "bcc", "delivered-to", "x-original-to"]

    /// - Parameter parts: the parts in the order in which their links and codes are preferred. Attachments count only if
    ///   no other part has a link or code.
    package init(recipients: [String], subject: String, date: Instant?, parts: [MailPart]) {
        let body = parts.filter { !$0.isAttachment }
        let parts = body.contains { !$0.links.isEmpty || !$0.codes.isEmpty } ? body : parts
        let links = parts.first { !$0.links.isEmpty }?.links ?? []
        let codes = parts.first { !$0.codes.isEmpty }?.codes ?? []
        // In an e-mail with a code, a link to a site's home page stands only in the footer.
        let link =
            links.first { Self.purpose(of: Self.path($0)) != nil }
            ?? links.first { codes.count != 1 || $0.contains("?") || $0.split(separator: "/").count > 2 }
        self.init(
            recipient: recipients.first ?? "", subject: subject, date: date, link: link, codes: codes,
            purpose: Self.purpose(of: subject) ?? (Self.meansLogIn(subject) ? .login : nil)
                ?? link.flatMap { Self.purpose(of: Self.path($0)) })
        otherRecipients = Array(recipients.dropFirst())
    }

    /// The e-mail with this address as its recipient; `nil` if it has other recipients. The case does not matter.
    package func addressed(to address: String) -> ReceivedMail? {
        var mail = self
        guard let match = ([recipient] + otherRecipients).first(where: { $0.lowercased() == address.lowercased() })
        else { return nil }
        mail.recipient = match
        return mail
    }

    /// Returns the addresses in `"Lovelace, Ada" <ada@example.org>, bob@example.org (Bob)`. Source: RFC 5322, section 3.4.
    ///
    /// - Parameter value: the value before its encoded words are decoded, because a decoded name may contain a comma.
    private static func addresses(in value: String) -> [String] {
        var (addresses, text, isQuoted, isEscaped, comments) = ([String](), "", false, false, 0)
        for character in value {
            let wasEscaped = isEscaped
            isEscaped = character == "\\" && !wasEscaped
            switch character {
            case "\"" where comments == 0 && !wasEscaped:
                isQuoted.toggle()
                text.append(character)
            case "(" where !isQuoted && !wasEscaped: comments += 1
            case ")" where comments > 0 && !wasEscaped: comments -= 1
            case _ where comments > 0: break
            case "," where !isQuoted, ";" where !isQuoted:
                addresses.append(address(text))
                text = ""
            // The name of a group, such as `undisclosed-recipients:;`.
            case ":" where !isQuoted && !text.contains("@"): text = ""
            default: text.append(character)
            }
        }
        return (addresses + [address(text)]).filter { !$0.isEmpty }
    }

    /// Returns the address in `Ada <ada@example.org>`.
    private static func address(_ text: String) -> String {
        guard let start = text.lastIndex(of: "<"), let end = text.lastIndex(of: ">"), start < end else {
            return text.trimmingSpaces
        }
        return String(text[text.index(after: start)..<end])
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
}

extension ReceivedMail {
    /// Whether the subject is that of a code or link that logs in: `OTP for Shop`, `Sign-In Code`, `Your Magic Link`.
    private static func meansLogIn(_ subject: String) -> Bool {
        let words = subject.lowercased()
        return words.hasPrefix("otp ")
            || ["log in", "login", "log-in", "sign in", "sign-in", "signin", "magic link", "one-time", "passcode"]
                .contains { words.holds($0) }
    }

    /// The link or the code, for a login the code first: it is valid only for the address, or for the login that waits.
    package func key(for purpose: Purpose) -> String { (purpose == .login ? code ?? link : link ?? code) ?? "" }
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
