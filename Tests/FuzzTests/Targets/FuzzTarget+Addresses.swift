import Platform
import Transport

@testable import AuthClient

extension FuzzTarget {
    static let serverURL = FuzzTarget(
        name: "server-url",
        seeds: {
            [
                "HTTPS://A.Example:443/parse/", "http://127.0.0.1:1337", "https://[::1]:8443/a%20b",
                "https://a_b.example.",
                "https://user:hunter2@a.example/", "https://a.example/x?token=hunter2", "https://a.example/%2e%2e/",
            ].map { Array($0.utf8) }
        },
        check: { bytes in
            let given = String(decoding: bytes, as: UTF8.self)
            try checkMasked(given)
            do {
                let url = try ServerURL(given)
                try FuzzFault.unless(try ServerURL(url.text) == url, "no normal form: \(url.text)")
                try FuzzFault.unless(url.text.hasPrefix(url.isSecure ? "https://" : "http://"), url.text)
                let authority = url.text.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2).prefix {
                    $0 != UInt8(ascii: "/")
                }
                let isPlain =
                    !authority.contains(UInt8(ascii: "@"))
                    && url.text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"?#\\".utf8.contains($0) }
                try FuzzFault.unless(isPlain && url.text.last != "/", "a URL that hides something: \(url.text)")
                // The HTTP client must accept the URL, too.
                let parts = URLParts(url.text)
                try FuzzFault.unless(parts != nil, "no URL to others: \(url.text)")
            } catch let error as ServerURL.Fault {
                try FuzzFault.unless(!error.problem.isEmpty && !error.hint.isEmpty, "nothing is said of \(given)")
            }
        })

    private static func checkMasked(_ given: String) throws {
        let secret = "hunter2"
        guard given.hasPrefix("https://"), let end = given.lastIndex(of: "@") else { return }
        let user = given[..<end]
        guard String(user).holds(secret), !String(given[end...]).holds(secret) else { return }
        try FuzzFault.unless(!ServerURL.masked(given).holds(secret), "the password is shown")
    }

    static let retryAfter = FuzzTarget(
        name: "retry-after",
        seeds: {
            [
                "120", "Mon, 01 Jun 2026 00:02:00 GMT", "Monday, 01-Jun-26 00:02:00 GMT", "Mon Jun  1 00:02:00 2026",
                "99999999999999999999", "",
            ].map { Array($0.utf8) }
        },
        check: { bytes in
            let value = String(decoding: bytes, as: UTF8.self)
            guard let wait = RetryAfter.seconds(value, now: .whenFuzzed) else { return }
            try FuzzFault.unless((0...RetryAfter.longest).contains(wait), "a wait of \(wait)")
            let later = RetryAfter.seconds(value, now: .whenFuzzed.adding(.seconds(60)))
            try FuzzFault.unless(later.map { $0 <= wait } ?? false, "a minute later the wait is \(later ?? -1)")
        })
}
