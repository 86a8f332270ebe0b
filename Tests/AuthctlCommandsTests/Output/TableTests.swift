import Testing

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
        #expect(Set(lines.map { String($0.dropLast()).columns }).count == 1)
    }

    @Test func `no line of a table ends in spaces`() {
        var table = Table(["A", "B"])
        table.add(["x", ""])
        table.add(["", ""])
        #expect(table.text(.plain) == "A  B\nx\n\n")
    }

    @Test func `a table without rows prints only its header`() {
        #expect(Table(["A", "B"]).text(.plain) == "A  B\n")
    }

    @Test func `line breaks and control characters in a table cell are escaped`() {
        var table = Table(["A", "B"])
        table.add(["a\nb\u{1B}[31m", "c"])
        #expect(table.text(.plain) == "A                  B\na\\u{a}b\\u{1b}[31m  c\n")
    }

    @Test func `a colored table header is aligned with the rows`() {
        var table = Table(["A", "B"])
        table.add(["xx", "y"])
        #expect(table.text(TextStyle(isColored: true)) == "\u{1B}[2mA   B\u{1B}[0m\nxx  y\n")
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
        #expect(narrow[1] == "esWfL9dtS3  Mozilla…  192.0.2…")
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
