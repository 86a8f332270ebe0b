package import JSON
package import Platform
import Transport

/// A cookie as a browser keeps it. Its JSON is that of Playwright's `storageState`.
package struct Cookie: Sendable, Equatable {
    package let name: String
    /// Empty in a session, whose token is the value.
    package private(set) var value: Secret
    /// The host that gets the cookie; with a leading dot, the hosts below it get it, too.
    package let domain: String
    package var path = "/"
    /// `nil` if the cookie ends with the browser.
    package var expiresAt: Instant?
    package var isHTTPOnly = true
    package var isSecure = false
    /// `Strict`, `Lax` or `None`.
    package var sameSite = "Lax"

    package init(_ name: String, _ value: Secret, domain: String) {
        (self.name, self.value, self.domain) = (name, value, domain)
    }

    package func holding(_ value: Secret, until end: Instant? = nil) -> Cookie {
        var cookie = self
        (cookie.value, cookie.expiresAt) = (value, end)
        return cookie
    }

    package func isSent(to host: String) -> Bool {
        domain == host || domain.hasPrefix(".") && ".\(host)".hasSuffix(domain)
    }
}

extension Cookie {
    /// Reads a `Set-Cookie` field; `nil` if it has no name. `Max-Age` and `Expires` are not read: the token tells its end.
    /// A cookie without `SameSite` is `Lax`, as in Chromium. Source: RFC 6265, sections 5.2 and 5.3.
    ///
    /// - Parameter url: the URL of the request.
    package init?(setBy field: String, to url: String) {
        let parts = field.split(separator: ";" as Character, omittingEmptySubsequences: false).map { part in
            part.split(separator: "=" as Character, maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.filter { $0 != " " } }
        }
        guard let url = URLParts(url), parts[0].count == 2, !parts[0][0].isEmpty else { return nil }
        var attributes: [String: String] = [:]
        for part in parts.dropFirst() { attributes[part[0].lowercased()] = part.count > 1 ? part[1] : "" }
        let domain = attributes["domain"].map { ($0.hasPrefix(".") ? String($0.dropFirst()) : $0).lowercased() } ?? ""
        // A domain without a dot, and an address, have no hosts below them.
        let isHost = domain.isEmpty || domain == url.host && (!domain.contains(".") || IPAddress(domain) != nil)
        // Section 4.1.1 allows quotes around a value.
        self.init(
            parts[0][0], Secret(parts[0][1].filter { $0 != "\"" }), domain: isHost ? url.host : ".\(domain)")
        let folder = url.path.lastIndex(of: "/").map { String(url.path[..<$0]) } ?? ""
        path = attributes["path"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? (folder.isEmpty ? "/" : folder)
        (isHTTPOnly, isSecure) = (attributes["httponly"] != nil, attributes["secure"] != nil)
        let policy = attributes["samesite"]?.lowercased()
        sameSite = ["Strict", "None"].first { $0.lowercased() == policy } ?? sameSite
    }

    /// `expires` is in seconds since 1970; -1 if there is no end.
    package var json: JSONValue {
        [
            "name": .string(name), "value": .string(value.reveal()), "domain": .string(domain), "path": .string(path),
            "expires": expiresAt.map { .integer($0.seconds) } ?? -1, "httpOnly": .bool(isHTTPOnly),
            "secure": .bool(isSecure), "sameSite": .string(sameSite),
        ]
    }

    /// Reads the cookie of a saved session, which has no value.
    package init?(_ json: JSONValue?) {
        guard let name = json?["name"]?.string, let domain = json?["domain"]?.string else { return nil }
        self.init(name, Secret(""), domain: domain)
        path = json?["path"]?.string ?? path
        (isHTTPOnly, isSecure) = (json?["httpOnly"]?.bool ?? true, json?["secure"]?.bool ?? false)
        sameSite = json?["sameSite"]?.string ?? sameSite
    }
}
