import Testing

@testable import AuthctlCommands

@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("", ""), ("日本 é 😀", "日本 é 😀"), ("\u{1B}[31m", #"\u{1b}[31m"#),
        ("a\nb\r\t\0", #"a\u{a}b\u{d}\u{9}\u{0}"#), ("\u{7F}\u{85}\u{9B}", #"\u{7f}\u{85}\u{9b}"#),
        ("\u{202E}\u{2066}\u{200F}\u{061C}", #"\u{202e}\u{2066}\u{200f}\u{61c}"#),
        ("\u{2028}\u{2029}", #"\u{2028}\u{2029}"#), ("\r\n", #"\u{d}\u{a}"#), ("👩‍💻", #"👩\u{200d}💻"#),
        ("a\u{200B}b\u{2060}\u{2064}c\u{FEFF}", #"a\u{200b}b\u{2060}\u{2064}c\u{feff}"#),
        ("x\u{E0041}\u{E007F}", #"x\u{e0041}\u{e007f}"#), ("\u{AD}\u{180E}\u{FFF9}", #"\u{ad}\u{180e}\u{fff9}"#),
        ("❤️ e\u{301} 👍🏽 🇩🇪", "❤️ e\u{301} 👍🏽 🇩🇪"),
    ])
    func `control and invisible characters in a string are escaped for a terminal`(text: String, shown: String) {
        #expect(text.shown == shown)
    }

    @Test(arguments: ["a", "e\u{301}\u{301}", "\u{1B}"])
    func `a long string is truncated, even if its characters have combining marks or are escaped`(part: String) {
        let long = "x" + String(repeating: part, count: 20_000)
        #expect(long.shown.unicodeScalars.count <= 4097 * 6)
        #expect(long.shownShort.unicodeScalars.count <= 257 * 6)
        #expect(long.shownShort.hasSuffix("…"))
    }

    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한국", 4), ("ｱ", 1), ("Ａ", 2), ("😀", 2),
        ("👩‍💻", 2), ("👨‍👩‍👧‍👦", 2), ("🇩🇪", 2), ("👍🏽", 2), ("❤️", 2), ("❤", 1), ("1️⃣", 2), ("\u{200B}", 0), ("𠀀", 2),
    ])
    func `the column count of a string counts a wide character as two columns`(text: String, columns: Int) {
        #expect(text.columns == columns)
    }
}
