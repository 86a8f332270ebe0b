import Expectations

@testable import Platform

@Suite struct StringsTests {
    @Test(arguments: [
        ("/home/ada/.config", "/home/ada/.config"), ("a-b_c.d:e@f%g+h", "a-b_c.d:e@f%g+h"), ("", "''"),
        ("a b", "'a b'"), ("it's", #"'it'\''s'"#), ("$(rm)", "'$(rm)'"), ("`rm`", "'`rm`'"), ("a;b", "'a;b'"),
        ("~", "'~'"), ("*", "'*'"), ("é", "'é'"), ("a\nb", "'a\nb'"), ("\"", "'\"'"), ("\\", "'\\'"), ("'", #"''\'''"#),
        ("'\u{301}", "''\\''\u{301}'"),
    ])
    func `a string is shell-quoted unless it is a plain ASCII word`(text: String, quoted: String) {
        expect(text.shellQuoted, quoted)
    }

    @Test(arguments: [
        ("a&#61;b&#x3D;c&#X2f;", "a=b=c/"), ("&lt;&amp;lt;&GT;&quot;&apos;", "<&lt;>\"'"),
        ("a&b&;&#;&#x;", "a&b&;&#;&#x;"),
        ("&unknown;&amp", "&unknown;&amp"), ("&#xD800;&#1114112;", "&#xD800;&#1114112;"), ("a&nbsp;b", "a\u{A0}b"),
    ])
    func `HTML character references are decoded once, and unknown ones are kept`(text: String, decoded: String) {
        expect(text.decodingCharacterReferences, decoded)
    }

    @Test(arguments: [
        ("a : b : c", "a|b : c"), (" : a", "|a"), ("a : ", "a|"), ("a: b", nil), ("", nil),
    ])
    func `a string is cut at the first occurrence of another one`(text: String, parts: String?) {
        expect(text.cut(at: " : ").map { "\($0.before)|\($0.after)" }, parts)
    }

    @Test(arguments: [
        ([], ""), (["a"], "'a'"), (["a", "b"], "'a', 'b'"), (["a", "b", "c", "d"], "'a', 'b' and 2 more"),
    ])
    func `a quoted list contains the first strings and the number of omitted strings`(texts: [String], list: String) {
        expect(texts.quotedList(atMost: 2), list)
    }
}

@Suite struct ASCIITests {
    private static let bytes = UInt8.min...UInt8.max

    @Test func `each ASCII class, such as digits or letters, contains the expected bytes and no others`() {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        expect(text(Self.bytes.filter(\.isASCIIDigit)), "0123456789")
        expect(text(Self.bytes.filter(\.isASCIILetter)), letters)
        expect(text(Self.bytes.filter(\.isASCIILetterOrDigit)), "0123456789\(letters)")
        expect(Self.bytes.filter(\.isVisibleASCII), Array(UInt8(ascii: "!")...UInt8(ascii: "~")))
        expect(Self.bytes.filter(\.isASCIIControl), Array(0..<32) + [127])
    }

    @Test func `ASCII lowercasing changes only capital letters`() {
        for byte in Self.bytes {
            let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            expect(byte.lowercasedASCII, (isCapital ? byte + 32 : byte))
        }
    }

    @Test func `only hexadecimal digits, in either case, have a hexadecimal value`() {
        for byte in Self.bytes {
            let value = byte < 128 ? Character(Unicode.Scalar(byte)).hexDigitValue : nil
            expect(byte.hexDigitValue.map(Int.init), value)
        }
    }

    @Test(arguments: [
        ("", false), ("0", true), ("0123456789", true), ("+1", false), (" 1", false), ("1a", false), ("١", false),
    ])
    func `a string of ASCII digits has at least one digit and no other character`(text: String, expected: Bool) {
        expect(text.isASCIIDigits, expected)
    }

    @Test(arguments: [("", true), ("!~", true), ("a b", false), ("\u{7F}", false), ("é", false), ("a\n", false)])
    func `a string with a space, a control character or a non-ASCII character is not visible ASCII`(
        text: String, expected: Bool
    ) {
        expect(text.isVisibleASCII, expected)
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

@Suite struct Base64Tests {
    /// Source of the first seven examples: RFC 4648, section 10. The last two contain `+` and `/`, which base64url
    /// replaces.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"), ("app:ключ", "YXBwOtC60LvRjtGH"), ("??>", "Pz8+"), ("???", "Pz8/"),
    ])
    func `Base64 matches the examples of RFC 4648`(text: String, encoded: String) {
        expect(Array(text.utf8).base64Encoded, encoded)
        expect([UInt8](base64: encoded), Array(text.utf8))
    }

    @Test func `Base64 encodes and decodes any byte`() {
        let bytes = [UInt8](0...255)
        expect([UInt8](base64: bytes.base64Encoded), bytes)
        #expect(bytes.base64Encoded.hasPrefix("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g"))
    }

    @Test(arguments: ["Zm9v YmFy", "Zm9-", "Zm9_", "é"])
    func `decoding Base64 rejects characters outside of the alphabet`(text: String) {
        expect([UInt8](base64: text), nil)
    }

    @Test func `decoding base64url accepts the base64url alphabet and rejects padding`() {
        expect([UInt8](base64: "Pz8-", isForURLs: true), Array("??>".utf8))
        expect([UInt8](base64: "Pz8+", isForURLs: true), nil)
        expect([UInt8](base64: "Zg==", isForURLs: true), nil)
    }
}

@Suite struct HexadecimalTests {
    @Test func `hexadecimal text has two lowercase digits per byte`() {
        expect([UInt8]().hexadecimal, "")
        expect([0x00, 0x0F, 0xA0, 0xFF].hexadecimal, "000fa0ff")
    }
}

@Suite struct PercentEncodingTests {
    @Test(arguments: [
        ("a%20b+c", true, "a b c"), ("a+b", false, "a+b"), ("%C5%BE", false, "ž"), ("100%", false, "100%"),
        ("%zz%4", false, "%zz%4"), ("%2525", true, "%25"),
    ])
    func `percent-encoding is decoded once`(text: String, plusIsSpace: Bool, expected: String) {
        expect(String(decoding: text.percentDecoded(plusIsSpace: plusIsSpace), as: UTF8.self), expected)
    }
}

@Suite struct IPAddressTests {
    /// Columns: the input; the normalized address, the host in a URL, whether the address is loopback, whether it is a
    /// wildcard.
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1 127.0.0.1 true false"), ("127.9.9.9", "127.9.9.9 127.9.9.9 true false"),
        ("::1", "::1 [::1] true false"), ("0:0:0:0:0:0:0:1", "::1 [::1] true false"),
        ("0.0.0.0", "0.0.0.0 0.0.0.0 false true"), ("::", ":: [::] false true"),
        ("192.168.1.5", "192.168.1.5 192.168.1.5 false false"), ("FE80::1", "fe80::1 [fe80::1] false false"),
    ])
    func `an IP address is normalized and recognized as loopback or wildcard`(text: String, expected: String) throws {
        let address = try #require(IPAddress(text))
        expect("\(address.text) \(address.host) \(address.isLoopback) \(address.isWildcard)", expected)
    }

    @Test(arguments: [
        ("10.1.2.3", "10.0.0.0/8", true), ("11.1.2.3", "10.0.0.0/8", false), ("10.1.2.3", "10.1.2.2/31", true),
        ("10.1.2.4", "10.1.2.2/31", false), ("10.1.2.3", "0.0.0.0/0", true), ("10.1.2.3", "10.1.2.3/32", true),
        ("10.1.2.3", "10.1.2.3/33", false), ("10.1.2.3", "10.0.0.0/x", false), ("10.1.2.3", "10.0.0.0/", false),
        ("10.1.2.3", "10.1.2.3", nil), ("10.1.2.3", "a.test/8", nil), ("fd12::1", "fd00::/8", true),
        ("fe12::1", "fd00::/8", false), ("fd12::1", "fd12::/127", true), ("fd12::2", "fd12::/127", false),
        ("fd12::1", "fd12::1/129", false), ("fd12::1", "0.0.0.0/0", false), ("10.1.2.3", "::/0", false),
    ])
    func `a CIDR block contains the addresses that begin with its prefix`(
        address: String, block: String, isInside: Bool?
    ) throws {
        try expect(#require(IPAddress(address)).isIn(block: block), isInside)
    }

    @Test(arguments: [
        ("localhost", true), ("app.localhost", true), ("127.0.0.9", true), ("[::1]", true), ("localhost.test", false),
        ("evillocalhost", false), ("128.0.0.1", false), ("[::2]", false), ("", false),
    ])
    func `a host is loopback if it is localhost, a name below it or a loopback address`(host: String, isLocal: Bool) {
        expect(IPAddress.isLoopback(host: host), isLocal)
    }

    @Test(arguments: [
        "", "localhost", "127.1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "[::1]", "fe80::1%eth0", "127.0.0.1\0", " ::1",
    ])
    func `a malformed IP address is rejected`(text: String) {
        expect(IPAddress(text), nil)
    }
}
