import AuthModel
import JSON
import Platform

/// What a JSON Web Token says of its own life: `{"exp": seconds since 1970, "iat": seconds since 1970, …}`.
///
/// Who somebody is is never taken from it: only the server can tell whether it is genuine.
/// Source: RFC 7519, sections 3 and 4.1.
struct WebToken: Equatable {
    let expiresAt: Instant?
    let issuedAt: Instant?

    /// `nil` if the text has not the form of one: header, content and signature, with dots between them.
    init?(_ token: Secret) {
        guard let content = Self.content(of: token) else { return nil }
        expiresAt = Self.moment(content["exp"])
        issuedAt = Self.moment(content["iat"])
    }

    /// The end by the clock of this machine, for one that was issued just now: the server's may differ.
    func end(issuedAt now: Instant) -> Instant? {
        guard let expiresAt, let issuedAt, expiresAt > issuedAt else { return expiresAt }
        let (life, overflow) = expiresAt.milliseconds.subtractingReportingOverflow(issuedAt.milliseconds)
        let (end, isTooLate) = now.milliseconds.addingReportingOverflow(life)
        return overflow || isTooLate ? expiresAt : Instant(milliseconds: end)
    }

    /// What stands in the middle of one; `nil` as above.
    static func content(of token: Secret) -> JSONObject? {
        let parts = token.reveal().split(separator: "." as Character, omittingEmptySubsequences: false)
        // The signature may be empty, but then there still is its dot.
        guard parts.count == 3, let header = object(parts[0]), header["alg"] != nil else { return nil }
        return object(parts[1])
    }

    private static func object(_ part: Substring) -> JSONObject? {
        // `try?`: what is no JSON makes this no web token.
        [UInt8](base64: part, isForURLs: true).flatMap { try? JSONValue(parsing: $0) }?.object
    }

    /// A number of seconds, maybe with a fraction, which is cut.
    private static func moment(_ value: JSONValue?) -> Instant? {
        switch value {
        case .integer(let seconds): Instant(seconds: seconds)
        case .number(let seconds): Int64(exactly: seconds.rounded(.down)).map { Instant(seconds: $0) }
        default: nil
        }
    }
}

extension Session {
    /// Whether the token is a web token: the two kinds are told apart by what a server gave.
    var isWebToken: Bool { WebToken(token) != nil }

    /// One whose token the server gave just now. Of a web token the end is known, and what renews it.
    ///
    /// - Parameter refreshToken: an empty text where the site keeps it in a cookie.
    init(given token: Secret, refreshToken: JSONValue?, at now: Instant) {
        guard let webToken = WebToken(token) else {
            self.init(token: token)
            return
        }
        self.init(
            token: token, refreshToken: Secret(token: refreshToken), createdAt: now,
            expiresAt: webToken.end(issuedAt: now))
    }

    /// One whose token came from elsewhere.
    init(foreign token: Secret) {
        let webToken = WebToken(token)
        self.init(token: token, createdAt: webToken?.issuedAt, expiresAt: webToken?.expiresAt)
    }

    /// The one that takes the place of this one.
    ///
    /// - Parameter refreshToken: missing where the old one is good for another time.
    func renewed(_ token: Secret, refreshToken: JSONValue?, at now: Instant) -> Session {
        var session = Session(given: token, refreshToken: refreshToken, at: now)
        session.refreshToken = session.refreshToken ?? self.refreshToken
        session.id = id
        session.createdAt = createdAt
        return session
    }
}
