import CommandLineKit
import Testing

@Suite struct HelpPageTests {
    static let codes = [
        (code: 0, meaning: "done, or already so"), (code: 2, meaning: "wrong option or missing input"),
        (code: 4, meaning: "the server refused the credentials or the session"),
    ]

    private let login = HelpPage(Sample.login.description, program: Sample.program.description, exitCodes: codes)

    @Test func `explains a command`() {
        #expect(
            login.text() == """
                Usage: authctl login [OPTIONS] [USERNAME]

                Start a session and keep it

                The name is a user name or an e-mail address, as the server takes it. See
                `--otp` for a second factor.

                A session kept before is replaced.

                EXAMPLES
                  authctl login ada
                      Ask for the password.
                  pass show ada | authctl login ada --password-stdin
                      Read it from a program.

                EXIT CODES
                  0  done, or already so
                  4  the server refused the credentials or the session

                ARGUMENTS
                  USERNAME  Who logs in.

                OPTIONS
                  --password-stdin       Read the password from standard input.
                  --otp CODE             The second factor.
                  --backend local|parse  The kind of server.
                  -f, --field NAME=TEXT  Send a field. May be repeated.
                  --offline              Do not ask the server.

                GLOBAL OPTIONS
                  --profile, --output, --json, --style, --timeout, --quiet, --verbose, --help:
                  see 'authctl help'

                """)
    }

    @Test func `fits forty columns`() {
        #expect(
            login.text(width: 40) == """
                Usage: authctl login [OPTIONS]
                       [USERNAME]

                Start a session and keep it

                The name is a user name or an e-mail
                address, as the server takes it. See
                `--otp` for a second factor.

                A session kept before is replaced.

                EXAMPLES
                  authctl login ada
                      Ask for the password.
                  pass show ada | authctl login ada
                      --password-stdin
                      Read it from a program.

                EXIT CODES
                  0  done, or already so
                  4  the server refused the credentials
                     or the session

                ARGUMENTS
                  USERNAME  Who logs in.

                OPTIONS
                  --password-stdin
                              Read the password from
                              standard input.
                  --otp CODE  The second factor.
                  --backend local|parse
                              The kind of server.
                  -f, --field NAME=TEXT
                              Send a field. May be
                              repeated.
                  --offline   Do not ask the server.

                GLOBAL OPTIONS
                  --profile, --output, --json, --style,
                  --timeout, --quiet, --verbose, --help:
                  see 'authctl help'

                """)
    }

    @Test(arguments: [20, 27, 40, 53, 80, 100])
    func `keeps every line within the width unless it is one word`(width: Int) {
        let overview = OverviewPage(
            Sample.program.description,
            groups: [OverviewPage.Group("ACCOUNT", [HelpRow("login", "Start a session and keep it")])],
            topics: [HelpRow("environment", "The variables that are read, and what they outrank")])
        for line in (login.text(width: width) + overview.text(width: width)).split(separator: "\n") {
            #expect(line.count <= width || line.split(separator: " ").count == 1, "\(line)")
        }
    }

    @Test func `shows all exit codes when the command names none`() {
        let page = HelpPage(Sample.exec.description, program: Sample.program.description, exitCodes: Self.codes)
        #expect(page.text().contains("EXIT CODES\n  0  done, or already so\n  2  wrong"))
    }

    @Test(arguments: [
        (Sample.login.description, "authctl login [OPTIONS] [USERNAME]"),
        (Sample.set.description, "authctl profile set [OPTIONS] NAME VALUE..."),
        (Sample.exec.description, "authctl exec [OPTIONS] -- COMMAND [ARG...]"),
    ])
    func `sums a command up in its usage line`(command: CommandDescription, usage: String) {
        #expect(HelpPage(command, program: Sample.program.description, exitCodes: []).usage == usage)
    }

    @Test func `marks headings and what is typed without moving anything`() {
        let style = HelpStyle(heading: { "<\($0)>" }, strong: { "<\($0)>" })
        let marked = login.text(width: 60, style: style)
        #expect(marked.contains("<EXAMPLES>\n  <authctl login ada>\n"))
        #expect(marked.contains("\n  <--otp CODE>"))
        #expect(marked.filter { $0 != "<" && $0 != ">" } == login.text(width: 60))
    }
}
