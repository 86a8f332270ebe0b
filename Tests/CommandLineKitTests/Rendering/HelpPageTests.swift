import CommandLineKit
import Expectations
import MessageSnapshots

@Suite struct HelpPageTests {
    static let codes = [(code: 4, words: "wrong credentials"), (code: 6, words: "username taken")]

    private let login = HelpPage.command(
        Sample.login.description, program: Sample.program.description, specialExitCodes: codes)

    @Test func `a command's help page has usage, arguments, options, examples and exit codes in this order`() {
        MessageFile("help-sample").expect(login.text(width: 80))
    }

    @Test func `a narrow help page has the same words as a wide help page`() {
        let words = [40, 80].map { login.text(width: $0).split { $0 == " " || $0 == "\n" } }
        expect(words[0], words[1])
    }

    @Test(arguments: [20, 27, 40, 53, 80, 100])
    func `each line of a help page fits the width unless the line is a single word`(width: Int) {
        let overview = HelpPage.overview(
            Sample.program.description,
            groups: [("ACCOUNT", [HelpRow("login", "Log in and save the session")])],
            topics: [HelpRow("environment", "Environment variables, and the options that override them")])
        for line in (login.text(width: width) + overview.text(width: width)).split(separator: "\n") {
            #expect(line.count <= width || line.split(separator: " ").count == 1, "\(line)")
        }
    }

    @Test func `a help page shows only the special exit codes that the command declares`() {
        #expect(login.text().contains("4 wrong credentials"))
        #expect(!login.text().contains("username taken"))
        let exec = HelpPage.command(
            Sample.exec.description, program: Sample.program.description, specialExitCodes: Self.codes)
        #expect(!exec.text().contains("wrong credentials"))
    }

    @Test(arguments: [
        (Sample.login.description, "authctl login [OPTIONS] [USERNAME]"),
        (Sample.set.description, "authctl profile set [OPTIONS] NAME VALUE..."),
        (Sample.exec.description, "authctl exec [OPTIONS] -- COMMAND [ARG...]"),
    ])
    func `the usage line of a command shows its operands`(command: CommandDescription, usage: String) {
        expect(command.usage(of: Sample.program.description), usage)
    }

    @Test func `a styled help page has the same layout as a plain help page`() {
        let marked = login.text(width: 60) { "<\($0)>" }
        #expect(marked.contains("\n<Options:>\n"))
        #expect(marked.contains("\n  <authctl login ada>\n"))
        #expect(marked.contains("\n  <--otp CODE>"))
        expect(marked.filter { !"<>".contains($0) }, login.text(width: 60))
    }
}
