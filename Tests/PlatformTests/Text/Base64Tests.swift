import Testing

@testable import Platform

@Suite struct Base64Tests {
    /// Source of the first seven examples: RFC 4648, section 10. The last two contain `+` and `/`, which base64url
    /// replaces.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"), ("app:ключ", "YXBwOtC60LvRjtGH"), ("??>", "Pz8+"), ("???", "Pz8/"),
    ])
    func `Base64 matches the examples of RFC 4648`(text: String, encoded: String) {
        #expect(Array(text.utf8).base64Encoded == encoded)
        #expect([UInt8](base64: encoded) == Array(text.utf8))
    }

    @Test func `Base64 encodes and decodes any byte`() {
        let bytes = [UInt8](0...255)
        #expect([UInt8](base64: bytes.base64Encoded) == bytes)
        #expect(bytes.base64Encoded.hasPrefix("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g"))
    }

    @Test(arguments: ["Zm9v YmFy", "Zm9-", "Zm9_", "é"])
    func `decoding Base64 rejects characters outside of the alphabet`(text: String) {
        #expect([UInt8](base64: text) == nil)
    }

    @Test func `decoding base64url accepts the base64url alphabet and rejects padding`() {
        #expect([UInt8](base64: "Pz8-", isForURLs: true) == Array("??>".utf8))
        #expect([UInt8](base64: "Pz8+", isForURLs: true) == nil)
        #expect([UInt8](base64: "Zg==", isForURLs: true) == nil)
    }
}
