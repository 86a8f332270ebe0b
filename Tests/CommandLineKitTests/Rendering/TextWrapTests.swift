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
    func `text is wrapped at spaces, and a width below 20 counts as 20`(text: String, lines: [String]) {
        #expect(TextWrap(width: 20).lines(text) == lines)
        #expect(TextWrap(width: 3).lines(text) == lines)
    }

    @Test func `the first line and the following lines of wrapped text have separate indents`() {
        #expect(
            TextWrap(width: 20).lines("aaaa bbbb cccc dddd", indent: 2, hanging: 6) == [
                "  aaaa bbbb cccc", "      dddd",
            ])
        #expect(TextWrap(width: 20).lines("aaaa bbbb cccc dddd", indent: 2) == ["  aaaa bbbb cccc", "  dddd"])
    }

    @Test func `paragraphs of wrapped text are separated by an empty line`() {
        #expect(TextWrap().paragraphs("one\ntwo\n\n \nthree\n") == ["one two", "", "three"])
        #expect(TextWrap().paragraphs("").isEmpty)
    }
}
