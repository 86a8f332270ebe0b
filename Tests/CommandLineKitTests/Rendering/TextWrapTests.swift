import CommandLineKit
import Testing

@Suite struct TextWrapTests {
    @Test(arguments: [
        ("", []),
        ("  one\n two ", ["one two"]),
        ("aaaaaaaaa bbbbbbbbbb", ["aaaaaaaaa bbbbbbbbbb"]),
        ("aaaaaaaaaa bbbbbbbbbb", ["aaaaaaaaaa", "bbbbbbbbbb"]),
        ("a bbbbbbbbbbbbbbbbbbbbbbbbb c", ["a", "bbbbbbbbbbbbbbbbbbbbbbbbb", "c"]),
    ])
    func `breaks at spaces to fit twenty columns`(text: String, lines: [String]) {
        #expect(TextWrap(width: 20).lines(text) == lines)
        #expect(TextWrap(width: 3).lines(text) == lines)
    }

    @Test func `indents the first line and the others as told`() {
        #expect(
            TextWrap(width: 20).lines("aaaa bbbb cccc dddd", indent: 2, hanging: 6) == [
                "  aaaa bbbb cccc", "      dddd",
            ])
        #expect(TextWrap(width: 20).lines("aaaa bbbb cccc dddd", indent: 2) == ["  aaaa bbbb cccc", "  dddd"])
    }

    @Test func `keeps paragraphs apart`() {
        #expect(TextWrap().paragraphs("one\ntwo\n\n \nthree\n") == ["one two", "", "three"])
        #expect(TextWrap().paragraphs("").isEmpty)
    }
}
