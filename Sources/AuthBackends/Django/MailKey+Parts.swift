import AuthModel
import Platform

/// Reads the key from a link in an e-mail. The link leads to a front end, so each site chooses its own URL format. A key
/// is therefore recognized by its form, and a word of the path is never taken for a key.
extension MailKey {
    /// Returns the key in a link. A key without its link is decoded, because its colons may be percent-encoded.
    func key(_ masker: Masker) throws(BackendError) -> String {
        guard let link else {
            masker.register(text.percentDecoded)
            return text.percentDecoded
        }
        let named = ["key", "token", "code", "k"].compactMap { link.query[$0] }.filter { !$0.isEmpty }
        let candidates = named + link.query.values.sorted() + [link.fragment] + link.path.reversed()
        guard let key = candidates.first(where: Self.isKey) ?? named.first else {
            throw BackendError(.usage, "the link contains no key")
        }
        masker.register(key)
        return key
    }

    /// Returns the uid and the token in a link, or in two lines of text.
    func userAndToken(_ masker: Masker) throws(BackendError) -> (uid: String, token: String) {
        let (named, others) = link.map { ($0.query, $0.path + [$0.fragment]) } ?? Self.labeled(codeLines)
        guard let parts = Self.userAndToken(named, others) else {
            guard link == nil else { throw BackendError(.usage, "the link contains no uid and token") }
            throw BackendError(
                .usage, "the token alone is not sufficient: the site also needs the uid in the link", next: .wholeLink)
        }
        masker.register(parts.token)
        return parts
    }

    private static let uidNames = ["uid", "uidb64", "uidb36", "id", "user"]

    /// The usual words of a path before a token.
    private static let words = [
        "reset", "password", "confirm", "key", "token", "uid", "password-reset", "reset-password", "reset_password",
    ]

    /// - Parameter others: segments of a path, or lines. A uid without a name precedes the token, and `token` may stand
    ///   between them.
    private static func userAndToken(
        _ named: [String: String], _ others: [String]
    ) -> (uid: String, token: String)? {
        let values = named.values.sorted() + others
        let uid = uidNames.compactMap { named[$0] }.first { !$0.isEmpty }
        let isToken = { (text: String) in split(text)?.uid == "" }
        if let uid, let token = values.first(where: isToken) { return (uid, token) }
        if let parts = values.lazy.compactMap(split).first(where: { !$0.uid.isEmpty }) { return parts }
        if let index = others.lastIndex(where: isToken) {
            let before = others[..<index].last == "token" ? others[..<index].dropLast() : others[..<index]
            guard let uid = before.last, !words.contains(uid.lowercased()) else { return nil }
            return (uid, others[index])
        }
        guard let uid, let token = named["token"] ?? named["key"], !token.isEmpty else { return nil }
        return (uid, token)
    }

    /// Splits `UID-TOKEN` or `UID:TOKEN`. The uid is empty for a token alone.
    ///
    /// Django's token is a time in base 36, a dash and 32 hex digits, or 20 before Django 3.1. Source: Django,
    /// `PasswordResetTokenGenerator`.
    private static func split(_ text: String) -> (uid: String, token: String)? {
        guard let dash = text.lastIndex(of: "-") else { return nil }
        let (start, hash) = (text[..<dash], text[dash...].dropFirst())
        let mark = start.lastIndex { $0 == "-" || $0 == ":" }
        let time = mark.map { start[$0...].dropFirst() } ?? start
        guard 3...13 ~= time.utf8.count, time.utf8.allSatisfy(\.isASCIILetterOrDigit), 20...64 ~= hash.utf8.count,
            hash.utf8.allSatisfy({ $0.hexDigitValue != nil })
        else { return nil }
        return (mark.map { String(start[..<$0]) } ?? "", "\(time)-\(hash)")
    }

    /// Whether the text is `base64:time:signature` or 64 letters and digits, as allauth makes keys of verifications, or
    /// the `uid-token` of a reset. Source: allauth, `EmailConfirmationHMAC`, `EmailConfirmation`.
    private static func isKey(_ text: String) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let isSigned =
            parts.count == 3
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_.".utf8.contains($0) }
            }
        let isRandom = text.utf8.count == 64 && text.utf8.allSatisfy(\.isASCIILetterOrDigit)
        return isSigned || isRandom || split(text).map { !$0.uid.isEmpty } ?? false
    }

    /// Reads lines such as `uid: MQ`.
    private static func labeled(_ lines: [String]) -> (named: [String: String], others: [String]) {
        var (named, others) = ([String: String](), [String]())
        for line in lines {
            let parts = line.split(maxSplits: 1) { $0 == ":" || $0 == "=" }.map { $0.filter { !$0.isWhitespace } }
            if parts.count == 2, (uidNames + ["token"]).contains(parts[0].lowercased()) {
                named[parts[0].lowercased()] = parts[1]
            } else {
                others.append(line)
            }
        }
        return (named, others)
    }
}
