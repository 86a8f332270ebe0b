import Expectations
import Platform

@Suite struct MaskerTests {
    private func masked(_ text: String, _ secrets: String...) -> String {
        let masker = Masker()
        for secret in secrets { masker.register(secret) }
        return masker.mask(text)
    }

    @Test(arguments: [
        "pä ss\"w/rd", "p%C3%A4%20ss%22w%2Frd", "p%c3%a4%20ss%22w/rd", "%70%C3%A4%20ss\"w/rd", #"pä ss\"w\/rd"#,
        #"p\u00e4 ss\u0022w/rd"#, #"\u0070\u00E4\u0020ss\"w\u002Frd"#,
    ])
    func `a secret is masked in its raw, percent-encoded and JSON-escaped forms`(form: String) {
        expect(masked("sent: \(form)!", "pä ss\"w/rd"), "sent: <redacted>!")
    }

    @Test(arguments: [
        ("😀 smile", #"\ud83d\ude00 smile"#), ("a\nb\tc\\d", #"a\nb\tc\\d"#), ("\u{8}\u{C}\r....", #"\b\f\r...."#),
    ])
    func `masking recognizes every JSON escape sequence in a secret`(secret: String, form: String) {
        expect(masked(#""\#(form)""#, secret), #""<redacted>""#)
    }

    @Test(arguments: [
        ("%", "%"), ("100% of %4", "100% of %4"), (#"\"#, #"\"#), (#"a\u12"#, #"a\u12"#),
        (#"\ud83d\u0041"#, #"\ud83d\u0041"#),
        ("", ""), ("HUNTER22", "HUNTER22"), ("hunter-22", "hunter-22"),
    ])
    func `masking keeps text without the secret, even incomplete escape sequences`(text: String, expected: String) {
        expect(masked(text, "hunter22"), expected)
    }

    @Test(arguments: [
        ("ada", "<redacted>"), ("ada's", "<redacted>'s"), ("canada", "canada"), ("ada_2", "ada_2"),
        ("adä ada2 ada", "adä ada2 <redacted>"),
        ("x%20ada%20x", "x%20<redacted>%20x"), (#"\nada"#, #"\n<redacted>"#), ("éada", "éada"),
    ])
    func `a secret of fewer than six characters is masked only as a whole word`(text: String, expected: String) {
        expect(masked(text, "ada"), expected)
    }

    @Test(arguments: [
        ("password", "This password is too common.", true), ("password", "Invalid username/password.", true),
        ("love", "All you need is love", true), ("password", "Wrong: password", false), ("password", "password", false),
        ("password", "You sent \"password\" as text", false), ("password", "sent with key=password here", false),
        ("password", "my passwords are 3", false), ("hunter22", "The word hunter22 is bad", false),
        ("Password", "This Password is too common.", false), ("correcthorse", "The word correcthorse is bad", false),
    ])
    func `a password that is a plain word is not masked as a word of a sentence`(
        password: String, text: String, isShown: Bool
    ) {
        let masker = Masker()
        masker.register(password, isPassword: true)
        expect((masker.mask(text) == text), isShown)
        // A token is always masked, even if it equals the password.
        masker.register(password)
        #expect(!masker.mask(text).contains(password))
    }

    @Test func `a secret of six characters is masked within a word`() {
        expect(masked("xabcdefx", "abcdef"), "x<redacted>x")
        expect(masked("xääääx", "ääää"), "xääääx")
    }

    @Test func `secrets that overlap or contain each other are masked as one`() {
        expect(masked("abcdefghijkl-abcdef", "abcdefgh", "efghijkl", "abcdef"), "<redacted>-<redacted>")
        expect(masked("aaaaaaaaaa", "aaaaaa"), "<redacted>")
    }

    @Test func `an empty secret masks nothing`() {
        expect(masked("abc", ""), "abc")
    }

    /// An inner masker holds the secrets of one operation; the secrets of the whole process stay in the outer masker.
    @Test func `a masker within an outer masker masks the secrets of both`() {
        let outer = Masker()
        outer.register("outer-secret")
        let inner = Masker(within: outer)
        inner.register("inner-secret")
        expect(inner.mask("outer-secret inner-secret"), "<redacted> <redacted>")
        expect(outer.mask("outer-secret inner-secret"), "<redacted> inner-secret")
    }

    @Test func `masked text is truncated to 16,384 Unicode scalars`() {
        expect(masked(String(repeating: "a", count: 20_000), "secret").count, 16_384)
    }
}
