import Platform
import Testing

@Suite struct ASCIITests {
    private static let bytes = UInt8.min...UInt8.max

    @Test func `each ASCII class, such as digits or letters, contains the expected bytes and no others`() {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        #expect(text(Self.bytes.filter(\.isASCIIDigit)) == "0123456789")
        #expect(text(Self.bytes.filter(\.isASCIILetter)) == letters)
        #expect(text(Self.bytes.filter(\.isASCIILetterOrDigit)) == "0123456789\(letters)")
        #expect(Self.bytes.filter(\.isVisibleASCII) == Array(UInt8(ascii: "!")...UInt8(ascii: "~")))
        #expect(Self.bytes.filter(\.isASCIIControl) == Array(0..<32) + [127])
    }

    @Test func `ASCII lowercasing changes only capital letters`() {
        for byte in Self.bytes {
            let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            #expect(byte.lowercasedASCII == (isCapital ? byte + 32 : byte))
        }
    }

    @Test func `only hexadecimal digits, in either case, have a hexadecimal value`() {
        for byte in Self.bytes {
            let value = byte < 128 ? Character(Unicode.Scalar(byte)).hexDigitValue : nil
            #expect(byte.hexDigitValue.map(Int.init) == value)
        }
    }

    @Test(arguments: [
        ("", false), ("0", true), ("0123456789", true), ("+1", false), (" 1", false), ("1a", false), ("١", false),
    ])
    func `a string of ASCII digits has at least one digit and no other character`(text: String, expected: Bool) {
        #expect(text.isASCIIDigits == expected)
    }

    @Test(arguments: [("", true), ("!~", true), ("a b", false), ("\u{7F}", false), ("é", false), ("a\n", false)])
    func `a string with a space, a control character or a non-ASCII character is not visible ASCII`(
        text: String, expected: Bool
    ) {
        #expect(text.isVisibleASCII == expected)
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
