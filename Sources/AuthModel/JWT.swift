package import JSON
package import Platform

/// The lifetime of a JWT: `{"exp": seconds since 1970, "iat": seconds since 1970, "nbf"?, …}`.
///
/// authctl never reads the user of a session from a JWT, because only the server can verify the signature.
/// Source: RFC 7519, sections 3 and 4.1.
package struct JWT: Equatable {
    package let expiresAt: Instant?
    package let issuedAt: Instant?
    /// The later one of `iat` and `nbf`. Many servers reject the token before that time, by their own clock.
    package let validFrom: Instant?

    /// `nil` if the text is not a JWT: header, payload and signature, separated by dots.
    package init?(_ token: Secret) {
        guard let payload = Self.payload(of: token) else { return nil }
        expiresAt = Self.instant(payload["exp"])
        issuedAt = Self.instant(payload["iat"])
        validFrom = [issuedAt, Self.instant(payload["nbf"])].compactMap(\.self).max()
    }

    /// The expiry, by this machine's clock, of a token that was issued at `now`. The server's clock may differ.
    package func end(issuedAt now: Instant) -> Instant? {
        guard let life else { return expiresAt }
        let (end, isTooLate) = now.milliseconds.addingReportingOverflow(life.milliseconds)
        return isTooLate ? expiresAt : Instant(milliseconds: end)
    }

    /// The time from the issue to the expiry; `nil` if one of them is missing.
    package var life: Duration? {
        guard let expiresAt, let issuedAt else { return nil }
        let (life, overflow) = expiresAt.milliseconds.subtractingReportingOverflow(issuedAt.milliseconds)
        return overflow || life <= 0 ? nil : .milliseconds(life)
    }

    /// The payload; `nil` if the text is not a JWT.
    package static func payload(of token: Secret) -> JSONObject? {
        let parts = token.reveal().split(separator: "." as Character, omittingEmptySubsequences: false)
        // The signature may be empty, but the dot before it is required.
        guard parts.count == 3, let header = object(parts[0]), header["alg"] != nil else { return nil }
        return object(parts[1])
    }

    private static func object(_ part: Substring) -> JSONObject? {
        // `try?`: if a part is not JSON, the text is not a JWT.
        [UInt8](base64: part, isForURLs: true).flatMap { try? JSONValue(parsing: $0) }?.object
    }

    /// Converts seconds since 1970, rounded down.
    private static func instant(_ value: JSONValue?) -> Instant? {
        switch value {
        case .integer(let seconds): Instant(seconds: seconds)
        case .number(let seconds): Int64(exactly: seconds.value.rounded(.down)).map { Instant(seconds: $0) }
        default: nil
        }
    }
}
