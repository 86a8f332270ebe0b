import Expectations
import JSON

@Suite struct JSONLayoutTests {
    static let document = #" { "a" : [ 1.0 , -2E+5,{ } , [ ]] ,"\u00e9\"{[,:" : "\ud83d \\" , "n":null}"# + "\n"

    private func laidOut(_ text: String, _ style: JSONLayout.Style, pieces length: Int = .max) -> String {
        var (layout, rest, output) = (JSONLayout(style), Array(text.utf8)[...], [UInt8]())
        while !rest.isEmpty {
            output += layout.laidOut(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `a compact JSON document is one line without white space outside of strings`() {
        let expected = #"{"a":[1.0,-2E+5,{},[]],"\u00e9\"{[,:":"\ud83d \\","n":null}"#
        expect(laidOut(Self.document, .compact), expected)
        expect(JSONLayout.compact(Array(Self.document.utf8)), Array(expected.utf8))
    }

    @Test func `JSON indentation starts a line for each member and element, and keeps numbers and escapes`() {
        #expect(
            laidOut(Self.document, .indented) == #"""
                {
                  "a": [
                    1.0,
                    -2E+5,
                    {},
                    []
                  ],
                  "\u00e9\"{[,:": "\ud83d \\",
                  "n": null
                }
                """#)
    }

    @Test(arguments: [JSONLayout.Style.compact, .indented])
    func `the layout of a JSON document does not depend on the pieces in which it arrives`(style: JSONLayout.Style) {
        let whole = laidOut(Self.document, style)
        for length in 1...Self.document.utf8.count {
            expect(laidOut(Self.document, style, pieces: length), whole, "\(length)")
        }
    }

    @Test(arguments: [
        ("]]}x", "\n]\n]\n}x"), ("[1", "[\n  1"), (#""a"#, #""a"#), (#""a\"#, #""a\"#), ("", ""), ("{]", "{]"),
        ("<html> <b>", "<html><b>"), ("[1]\n[2]", "[\n  1\n][\n  2\n]"),
    ])
    func `the indentation of a malformed JSON document does not make it valid`(text: String, expected: String) {
        expect(laidOut(text, .indented), expected)
    }

    @Test func `the indentation of a deeply nested JSON document is limited`() {
        let depth = 10_000
        let text = laidOut(String(repeating: "[", count: depth), .indented)
        #expect(text.utf8.count < depth * 140)
    }

    @Test func `the JSON layout keeps bytes that are not UTF-8 unchanged`() {
        var layout = JSONLayout(.indented)
        expect(layout.laidOut([0x22, 0xFF, 0x20, 0x22, 0xFE]), [0x22, 0xFF, 0x20, 0x22, 0xFE])
    }
}
