import CommandTestSupport
import Platform

@testable import AuthctlCommands

@Suite struct TableTests {
    @Test func `table columns with wide characters are aligned`() {
        var table = Table(["NAME", "X", "LAST"])
        table.add(["ada", "1", "a"])
        table.add(["日本", "22", "b"])
        table.add(["e\u{301}😀", "3", "c"])
        #expect(
            table.text(.plain) == """
                NAME  X   LAST
                ada   1   a
                日本  22  b
                e\u{301}😀   3   c

                """)
    }

    @Test func `a table truncates long runs of combining marks, and its columns stay aligned`() {
        var table = Table(["A", "B"])
        table.add(["e" + String(repeating: "\u{301}", count: 10_000), "1"])
        table.add(["x", "2"])
        let lines = table.text(.plain).split(separator: "\n")
        #expect(lines.map(\.unicodeScalars.count).max()! < 300)
        expect(Set(lines.map { String($0.dropLast()).columns }).count, 1)
    }

    @Test(arguments: [
        ([["x", ""], ["", ""]], "A  B\nx\n\n"), ([], "A  B\n"),
        ([["a\nb\u{1B}[31m", "c"]], "A                  B\na\\u{a}b\\u{1b}[31m  c\n"),
    ])
    func `no line of a table ends in spaces, and control characters in a cell are escaped`(
        rows: [[String]], text: String
    ) {
        var table = Table(["A", "B"])
        for row in rows { table.add(row) }
        expect(table.text(.plain), text)
    }

    @Test func `a colored table header is aligned with the rows`() {
        var table = Table(["A", "B"])
        table.add(["xx", "y"])
        expect(table.text(TextStyle(isColored: true)), "\u{1B}[2mA   B\u{1B}[0m\nxx  y\n")
    }

    @Test func `a table that is too wide for the terminal truncates only its shrinkable columns`() {
        var table = Table(["ID", "DEVICE", "ADDRESS"])
        table.add(["esWfL9dtS3", "Mozilla/5.0 (X11; Linux x86_64)", "192.0.2.7"])
        #expect(
            table.text(.plain, width: 40, shrinking: [1, 2]) == """
                ID          DEVICE             ADDRESS
                esWfL9dtS3  Mozilla/5.0 (X11…  192.0.2.7

                """)
        let narrow = table.text(.plain, width: 30, shrinking: [1, 2]).split(separator: "\n")
        expect(narrow[1], "esWfL9dtS3  Mozilla…  192.0.2…")
    }

    @Test func `an empty column gives way before the cells of others are truncated`() {
        var table = Table(["ID", "USERNAME", "E-MAIL"])
        table.add(["esWfL9dtS3", "", "a-long-name@example.org"])
        let line = "esWfL9dtS3  a-long-name@example.org\n"
        expect(table.text(.plain, width: 35, shrinking: [1, 2]), "ID          E-MAIL\n\(line)")
        #expect(table.text(.plain, width: 45, shrinking: [1, 2]).contains("USERNAME"))
    }

    @Test func `a table that cannot be truncated to the terminal width is printed as a list`() {
        var table = Table(["", "ID", "DEVICE"])
        table.add(["*", "esWfL9dtS3", "Mozilla/5.0 (X11; Linux x86_64)"])
        table.add(["", "Xk2", ""])
        #expect(
            table.text(.plain, width: 20, shrinking: [2]) == """
                * ID: esWfL9dtS3
                DEVICE: Mozilla/5.0 (X11; Linux x86_64)

                ID: Xk2

                """)
    }
}

@Suite struct TimeStyleTests {
    @Test(
        arguments: [
            (0, "just now"), (-59, "just now"), (59, "just now"), (-60, "1 minute ago"), (-7_199, "1 hour ago"),
            (-7_200, "2 hours ago"), (86_400, "in 1 day"), (-40 * 86_400, "1 month ago"),
            (364 * 86_400, "in 12 months"),
            (800 * 86_400, "in 2 years"),
        ] as [(Int64, String)])
    func `on a terminal, a time is printed relative to now`(seconds: Int64, text: String) {
        let now = Instant.sampleNow
        expect(TimeStyle(now: now).text(now.adding(.seconds(seconds))), text)
    }

    @Test func `without a terminal, a time is printed in RFC 3339 format`() {
        expect(TimeStyle(now: nil).text(Instant(seconds: 0)), "1970-01-01T00:00:00Z")
    }

    @Test func `a missing time is printed as an empty string`() {
        expect(TimeStyle(now: .sampleNow).text(nil), "")
    }
}

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
        expect(text.shown, shown)
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
        expect(text.columns, columns)
    }
}
