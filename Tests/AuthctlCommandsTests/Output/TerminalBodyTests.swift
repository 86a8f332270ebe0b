import Expectations

@testable import AuthctlCommands

/// Response bodies that are shown on a terminal.
@Suite struct TerminalBodyTests {
    private func shown(_ bytes: [UInt8], isJSON: Bool = false, pieces length: Int = .max) -> String {
        var (body, rest, text) = (TerminalBody(isJSON: isJSON), bytes[...], "")
        while !rest.isEmpty {
            text += body.shown(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return text + body.end()
    }

    @Test(arguments: [1, 2, 3, 4, 5, 7, 100])
    func `a UTF-8 character whose bytes arrive in several pieces is printed as one character`(length: Int) {
        let text = "aé€😀\u{10FFFF}b"
        expect(shown(Array("\(text)\n".utf8), pieces: length), "\(text)\n")
        expect(shown(Array("[\"\(text)\"]".utf8), isJSON: true, pieces: length), "[\n  \"\(text)\"\n]\n")
    }

    @Test(arguments: [1, 2, 100])
    func `bytes that are not UTF-8 are printed as replacement characters, and no other byte is lost`(length: Int) {
        expect(shown([0x61, 0xFF, 0x62], pieces: length), "a\u{FFFD}b\n")
        expect(shown([0x80, 0x80, 0x80, 0x80, 0x62], pieces: length), "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}b\n")
        expect(shown([0x61, 0xC3], pieces: length), "a\u{FFFD}\n")
        #expect(shown([0xF0, 0x9F, 0x98], pieces: length).hasPrefix("\u{FFFD}"))
    }

    @Test(arguments: [
        ("\u{1B}[2J", "\\u{1b}[2J"), ("\u{0}\u{7}\u{8}\r\n", "\\u{0}\\u{7}\\u{8}\\u{d}\n"), ("a\tb\nc", "a\tb\nc"),
        ("\u{9B}31m", "\\u{9b}31m"), ("\u{202E}a\u{200B}\u{E0041}", "\\u{202e}a\\u{200b}\\u{e0041}"),
        ("\u{7F}", "\\u{7f}"),
    ])
    func `control and hidden characters of a response body are escaped on a terminal`(text: String, expected: String) {
        for length in [1, 100] {
            let isWhole = expected.hasSuffix("\n")
            expect(shown(Array(text.utf8), pieces: length), expected + (isWhole ? "" : "\n"))
        }
    }

    @Test(arguments: [("", ""), ("a", "a\n"), ("a\n", "a\n"), ("\n", "\n"), ("a\n\n", "a\n\n")])
    func `a response body on a terminal ends with a newline unless it is empty`(text: String, expected: String) {
        expect(shown(Array(text.utf8)), expected)
    }

    @Test func `an incomplete last character of a response body is printed once, even if end() is called twice`() {
        var body = TerminalBody()
        expect(body.shown([0x61, 0xC3]), "a")
        expect(body.end(), "\u{FFFD}\n")
        expect(body.end(), "")
    }

    @Test func `a JSON body on a terminal is indented, and its escape sequences stay unchanged`() {
        let text = #"{"a":[1,2.0],"b":"\u001b\ud83d"}"#
        expect(
            shown(Array(text.utf8), isJSON: true),
            "{\n  \"a\": [\n    1,\n    2.0\n  ],\n  \"b\": \"\\u001b\\ud83d\"\n}\n")
    }
}
