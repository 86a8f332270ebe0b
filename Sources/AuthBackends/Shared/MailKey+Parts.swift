import AuthModel
import Platform

/// Reads the key from a link in an e-mail. The link leads to a front end, so each site chooses its own URL format.
extension MailKey {
    /// Returns the query parameter `key` of a link, else the last segment of its path. A key without its link is
    /// decoded, because its colons may be percent-encoded.
    func key(_ masker: Masker) throws(BackendError) -> String {
        guard let link else {
            masker.register(text.percentDecoded)
            return text.percentDecoded
        }
        guard let key = link.query["key"] ?? link.path.last, !key.isEmpty else {
            throw BackendError(.usage, "the link contains no key")
        }
        masker.register(key)
        return key
    }

    /// Returns the query parameters `uid` and `token`, else the last segments of the path: `…/<uid>/<token>/`, or
    /// `…/key/<uid>-<token>/` for allauth's own pages.
    func userAndToken(_ masker: Masker) throws(BackendError) -> (uid: String, token: String) {
        guard let link else {
            throw BackendError(
                .usage, "the token alone is not sufficient: the site also needs the uid in the link", next: .wholeLink)
        }
        guard let parts = Self.userAndToken(link) else {
            throw BackendError(.usage, "the link contains no uid and token")
        }
        masker.register(parts.token)
        return parts
    }

    private static func userAndToken(_ link: MailLink) -> (uid: String, token: String)? {
        if let uid = link.query["uid"], let token = link.query["token"] { return (uid, token) }
        guard let last = link.path.last, link.path.count > 1 else { return nil }
        let before = link.path[link.path.count - 2]
        guard before == "key" else { return (before, last) }
        guard let dash = last.firstIndex(of: "-") else { return nil }
        return (String(last[..<dash]), String(last[dash...].dropFirst()))
    }
}
