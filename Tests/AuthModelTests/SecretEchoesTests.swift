import JSON
import Testing

@testable import AuthModel

@Suite struct SecretEchoesTests {
    private static let secret = #"Pé"s w0rd<&>%41x\"#

    @Test(arguments: [
        secret, #"pé"S W0RD<&>%41X\"#, #"P\u00e9\"s w0rd<&>%41x\\"#, #"P\u00E9\u0022s w0rd\x3c&>%41x\\"#,
        "P%C3%A9%22s%20w0rd%3C%26%3E%2541x%5C", "%50%c3%a9%22s+w0rd%3c%26%3e%2541x%5c",
        #"Pé&quot;s w0rd&lt;&amp;&gt;%41x\"#, "P&#233;&#x22;s w0rd&#60;&#38;&gt;%41x&#92;",
        "50c3a92273207730 7264".filter { $0 != " " } + "3c263e253431785c",
        "50C3A9227320773072643C263E253431785C",
    ])
    func `are found in every writing`(written: String) {
        #expect(SecretEchoes([Self.secret]).masking("it's '\(written)'!") == "it's '<redacted>'!")
    }

    @Test(arguments: ["", "a", "ab", "ada:", "ada:x"])
    func `are found in base 64, after whatever`(before: String) {
        let secret = "pass>w0rd?¿"
        let encoded = Array((before + secret + "!").utf8).base64
        for text in [encoded, encoded.replacing("+", with: "-").replacing("/", with: "_")] {
            let masked = SecretEchoes([secret]).masking("Basic \(text).")
            #expect(masked.contains("<redacted>"))
            #expect(masked.utf8.count <= "Basic <redacted>.".utf8.count + before.utf8.count * 4 / 3 + 6)
        }
    }

    @Test func `are found without the white space around them, the longer one first`() {
        #expect(SecretEchoes(["  pass-w0rd ", "pass"]).masking("pass-w0rd pass") == "<redacted> <redacted>")
    }

    @Test(arguments: [
        "", "the password is wrong", "100 % of R&D; \\", "%4", "&#x", "&;", "\\u12", "\\ud800\\u0041", "&#99999999;",
    ])
    func `leave all else as it is`(text: String) {
        #expect(SecretEchoes([Self.secret, "abc", ""]).masking(text) == text)
    }

    @Test(.timeLimit(.minutes(1))) func `are sought quickly in long texts`() {
        let echoes = SecretEchoes([String(repeating: "\\", count: 200) + "x", "s3same-pass", "r:0123456789abcdef"])
        let start = ContinuousClock.now
        let text = String(repeating: "e\u{301}", count: 40_000)
        #expect(echoes.masking(text) == text)
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["a", "%61", "&#97;", "\\u0061"])
    func `are sought quickly in a text that is much like them, which is hidden then`(letter: String) {
        let echoes = SecretEchoes([String(repeating: "a", count: 60_000) + "b"])
        let text = String(repeating: letter, count: 200_000 / letter.utf8.count)
        let start = ContinuousClock.now
        let masked = echoes.masking(text)
        #expect(masked.hasSuffix("<redacted>"))
        #expect(masked.utf8.count < text.utf8.count / 2)
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test func `a row of a list of sessions does not tell them`() {
        let session = Session(token: Secret("tok-0123"), refreshToken: Secret("ref-4567"))
        let row = SessionSummary(
            id: "tok-0123", isCurrent: true, createdWith: "x tok-0123", device: "ref-4567", address: "::1")
        let kept = SessionSummary(
            id: "<redacted>", isCurrent: true, createdWith: "x <redacted>", device: "<redacted>", address: "::1")
        #expect(row.withoutTokens(of: session) == kept)
    }

    @Test func `a user is kept without them, but under the name that was typed`() {
        let user = User(
            id: "u1", username: "s3same", email: "s3same@example.org", providers: ["s3same", "facebook"],
            fields: ["zip": "8001", "deep": [["note": "is s3same"]], "s3same": true, "hex": "733373616d65"])
        let kept = user.without([Secret("s3same"), nil], keeping: ["s3same"])
        #expect(kept.username == "s3same")
        #expect(kept.email == "<redacted>@example.org")
        #expect(kept.providers == ["<redacted>", "facebook"])
        #expect(kept.fields == ["zip": "8001"])
    }

    @Test func `a log-in's user does not tell its tokens`() {
        var session = Session(token: Secret("tok-0123"), refreshToken: Secret("ref-4567"), id: "ref-4567")
        session.earlierTokens = [Secret("old-8901")]
        let logIn = NewSession(
            user: User(id: "u1", fields: ["a": "tok-0123", "b": ["x ref-4567"], "c": 1, "d": "old-8901"]),
            session: session)
        #expect(logIn.user.fields == ["c": 1])
        #expect(logIn.session.id == nil)
    }
}

extension [UInt8] {
    fileprivate var base64: String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var (text, bits, count): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        for byte in self + [0, 0] {
            (bits, count) = (bits << 8 | UInt32(byte), count + 8)
            while count >= 6 {
                count -= 6
                text.append(alphabet[Int(bits >> count & 63)])
            }
        }
        return String(decoding: text.prefix((self.count * 8 + 5) / 6), as: UTF8.self)
    }
}
