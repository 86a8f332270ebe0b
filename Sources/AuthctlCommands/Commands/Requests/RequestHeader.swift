import AuthModel
import Platform
import Transport

enum RequestMethod {
    /// - Throws: `AuthError` `usage` for CONNECT, TRACE, or a method that is not a token (RFC 9110, section 5.6.2).
    static func parse(_ text: String) throws(AuthError) -> String {
        let method = text.uppercased()
        guard method.isHTTPToken else {
            throw AuthError(
                .usage, "'\(text)' is not a method (option '--method')", next: "use GET, POST, PUT, PATCH or DELETE")
        }
        guard method != "CONNECT", method != "TRACE" else {
            throw AuthError(.usage, "method '\(method)' is not supported (option '--method')")
        }
        return method
    }
}

enum RequestHeader {
    /// Parses `NAME: VALUE`.
    ///
    /// - Throws: `AuthError` `usage` for invalid syntax, or for a reserved field such as `Authorization` or `Host`.
    static func parse(_ text: String) throws(AuthError) -> HTTPHeaders.Field {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(Substring(parts[0]))
        guard parts.count == 2, name.isHTTPToken else {
            // Do not quote the value in the message, because it may be a secret.
            throw AuthError(.usage, "a value of option '--header' is not 'NAME: VALUE'")
        }
        guard !isReserved(canonical(name)) else {
            throw AuthError(.usage, "header '\(name)' cannot be set (option '--header')", next: step(insteadOf: name))
        }
        guard !parts[1].contains(where: { $0.isASCIIControl && $0 != UInt8(ascii: "\t") }) else {
            throw AuthError(.usage, "the value of header '\(name)' contains a control character (option '--header')")
        }
        let value = parts[1].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return HTTPHeaders.Field(name: name, value: String(Substring(value)))
    }

    /// The name in lowercase, with `-` in place of `_`, because servers behind CGI or WSGI do not distinguish the two.
    private static func canonical(_ name: String) -> String {
        String(decoding: name.lowercased().utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }, as: UTF8.self)
    }

    private static func step(insteadOf name: String) -> NextStep? {
        switch canonical(name) {
        case "authorization", "x-parse-session-token", "x-session-token": "to use another session, set AUTHCTL_TOKEN"
        case "x-parse-application-id", "x-kii-appid": "to use another application, add --app-id ID"
        case "x-parse-master-key":
            NextStep(
                "to act as a user, log in with the master key",
                run: ["login", "--impersonate", "USERNAME", "--admin-key-file", "FILE"])
        case let name where name.hasSuffix("master-key") || name.hasSuffix("maintenance-key"):
            "remove the header: authctl sends no key that grants more rights than the user has"
        case let name where name.hasPrefix("x-parse-") || name == "x-kii-appkey":
            "to use another client key, add --client-key-file FILE"
        default: nil
        }
    }

    /// - Parameter name: the name in canonical form.
    private static func isReserved(_ name: String) -> Bool {
        if name.hasPrefix("x-parse-") {
            return name.hasSuffix("-key") || name.hasSuffix("-token") || name == "x-parse-application-id"
        }
        return [
            "authorization", "cookie", "x-session-token", "x-kii-appid", "x-kii-appkey", "proxy-authorization", "host",
            "content-length", "transfer-encoding", "connection", "upgrade", "expect",
        ].contains(name)
    }
}
