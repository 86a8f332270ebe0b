import Testing

@testable import Transport

@Suite struct SecretRedactorTests {
    private static let secret = #"Pé"s w0rd<&>%41x\"#

    @Test(arguments: [
        secret, #"pé"S W0RD<&>%41X\"#, #"P\u00e9\"s w0rd<&>%41x\\"#, #"P\u00E9\u0022s w0rd\x3c&>%41x\\"#,
        "P%C3%A9%22s%20w0rd%3C%26%3E%2541x%5C", "%50%c3%a9%22s+w0rd%3c%26%3e%2541x%5c",
        #"Pé&quot;s w0rd&lt;&amp;&gt;%41x\"#, "P&#233;&#x22;s w0rd&#60;&#38;&gt;%41x&#92;",
        "50c3a92273207730 7264".filter { $0 != " " } + "3c263e253431785c",
        "50C3A9227320773072643C263E253431785C",
    ])
    func `secrets are found in every encoding`(written: String) {
        #expect(SecretRedactor([Self.secret]).redact("it's '\(written)'!") == "it's '<redacted>'!")
    }

    @Test(arguments: ["", "a", "ab", "ada:", "ada:x"])
    func `secrets are found in Base64, after any bytes`(before: String) {
        let secret = "pass>w0rd?¿"
        let encoded = Array((before + secret + "!").utf8).base64
        for text in [encoded, encoded.replacing("+", with: "-").replacing("/", with: "_")] {
            let masked = SecretRedactor([secret]).redact("Basic \(text).")
            #expect(masked.contains("<redacted>"))
            #expect(masked.utf8.count <= "Basic <redacted>.".utf8.count + before.utf8.count * 4 / 3 + 6)
        }
    }

    @Test func `secrets are found without the white space around them, the longer one first`() {
        #expect(SecretRedactor(["  pass-w0rd ", "pass"]).redact("pass-w0rd pass") == "<redacted> <redacted>")
    }

    @Test(arguments: [
        "", "the password is wrong", "100 % of R&D; \\", "%4", "&#x", "&;", "\\u12", "\\ud800\\u0041", "&#99999999;",
    ])
    func `a text without a secret stays as it is`(text: String) {
        #expect(SecretRedactor([Self.secret, "abc", ""]).redact(text) == text)
    }

    @Test(arguments: ["corr<wbr>ect horse", "correct</b> <i>horse", "co<b>rr</b>ect&nbsp;</i>horse"])
    func `secrets are found although tags stand in them`(text: String) {
        let secret = text.contains("&nbsp;") ? "correct&nbsp;horse" : "correct horse"
        #expect(SecretRedactor([secret]).redact("<p>\(text)!") == "<p><redacted>!")
    }

    @Test(.timeLimit(.minutes(1))) func `a page of open tags is searched quickly`() {
        let text = String(repeating: "a<", count: 200_000)
        let start = ContinuousClock.now
        _ = SecretRedactor([String(repeating: "a", count: 1000)]).redact(text)
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test(.timeLimit(.minutes(1))) func `a long text is searched quickly`() {
        let redactor = SecretRedactor([String(repeating: "\\", count: 200) + "x", "s3same-pass", "r:0123456789abcdef"])
        let start = ContinuousClock.now
        let text = String(repeating: "e\u{301}", count: 40_000)
        #expect(redactor.redact(text) == text)
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["a", "%61", "&#97;", "\\u0061"])
    func `a text that is very similar to a secret is searched quickly and masked`(letter: String) {
        let redactor = SecretRedactor([String(repeating: "a", count: 60_000) + "b"])
        let text = String(repeating: letter, count: 200_000 / letter.utf8.count)
        let start = ContinuousClock.now
        let masked = redactor.redact(text)
        #expect(masked.hasSuffix("<redacted>"))
        #expect(masked.utf8.count < text.utf8.count / 2)
        #expect(ContinuousClock.now - start < .seconds(20))
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
