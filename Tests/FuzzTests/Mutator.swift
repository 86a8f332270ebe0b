/// Mutates bytes. The same seed always gives the same mutations.
struct Mutator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// The bytes after one to four changes.
    mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...below(4) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let place = below(bytes.count + 1)
        let end = min(place + below(8), bytes.count)
        switch below(7) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(below(8))
        case 1 where place < bytes.count: bytes[place] = UInt8(below(256))
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: bytes[place..<end], at: below(bytes.count + 1))
        case 4: bytes.removeSubrange(place...)
        case 5: bytes.insert(contentsOf: Self.words[below(Self.words.count)].utf8, at: place)
        default: bytes.replaceSubrange(place..<end, with: Self.words[below(Self.words.count)].utf8)
        }
    }

    /// A random number below the bound, from SplitMix64.
    private mutating func below(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var number = state
        number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((number ^ (number >> 31)) % UInt64(bound))
    }

    /// Words that parsers look for or that are hard to parse.
    static let words =
        [
            "{", "}", "[", "]", ":", ",", "\"", "\\", "\\u0000", "\\u001b[31m", "\\ud83d\\ude00", "\\ud800", "\\u202e",
            "null", "true", "false", "-0", "1e308", "1e400", "9223372036854775807", "-9223372036854775808", "0.1",
            "[[[[",
            "\u{0}", "\u{1B}]0;x\u{7}", "\u{85}", "\u{202E}", "\u{FEFF}", "\u{FFFD}", "é", "e\u{301}",
            "\u{1F468}\u{200D}",
            "\r\n", "%00", "%2e%2e", "%", "&", "=", "?", "#", "@", "://", "--", "<title>", "</p>",
            FuzzUser.login, "r:0123456789abcdef", "2026-01-02T03:04:05.678Z",
            "Sun, 06 Nov 1994 08:49:37 GMT", "9999", "0000",
        ]
        + FuzzUser.secrets
        + ["objectId", "sessionToken", "username", "email", "emailVerified", "authData", "facebook", "createdAt"]
        + ["expiresAt", "results", "code", "error", "error_subcode", "message", "__type", "Date", "iso", "createdWith"]
        + ["key", "access_token", "refresh_token", "access", "refresh", "user", "pk", "detail", "non_field_errors"]
        + [
            "data", "meta", "session_token", "is_authenticated", "flows", "id", "is_pending", "errors", "param",
            "status",
        ]
        + ["errorCode", "userID", "expires_in", "interval", "user_code", "verification_uri", "_accessToken", "where"]

    /// The words in libFuzzer's dictionary format: `"\x7b"`, one per line.
    static var dictionary: String {
        let digits = Array("0123456789abcdef")
        return words.map { word in
            "\"" + word.utf8.map { "\\x\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined() + "\"\n"
        }.joined()
    }
}
