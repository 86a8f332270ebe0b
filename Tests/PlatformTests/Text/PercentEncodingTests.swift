import Platform
import Testing

@Suite struct PercentEncodingTests {
    @Test(arguments: [
        ("a%20b+c", true, "a b c"), ("a+b", false, "a+b"), ("%C5%BE", false, "ž"), ("100%", false, "100%"),
        ("%zz%4", false, "%zz%4"), ("%2525", true, "%25"),
    ])
    func `percent-encoding is decoded once`(text: String, plusIsSpace: Bool, expected: String) {
        #expect(String(decoding: text.percentDecoded(plusIsSpace: plusIsSpace), as: UTF8.self) == expected)
    }
}
