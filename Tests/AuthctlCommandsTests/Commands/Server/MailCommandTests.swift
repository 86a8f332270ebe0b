import AuthClient
import CommandTestSupport
import Platform
import Testing

@testable import AuthctlCommands

@Suite struct MailCommandTests {
    private static let link = "http://127.0.0.1:1337/parse/apps/local/verify_email?token=0f3a&username=ada"
    private static let verification = ReceivedMail(
        recipient: "ada@example.org", subject: "Verify your e-mail address", date: .sampleNow, link: link,
        purpose: .verification)
    private static let reset = ReceivedMail(
        recipient: "bob@example.org", subject: "Choose a new\u{1B}[31m password", date: .sampleNow,
        link: "https://example.org/reset/1", purpose: .reset)
    private static let code = ReceivedMail(
        recipient: "Ada@example.org", subject: "Your code", code: "MPDF-FRQW", purpose: .verification)

    private let world = TestContext()

    init() {
        world.mails = [[Self.verification, Self.reset, Self.code]]
    }

    @Test func `mail shows all e-mails, the newest last`() {
        let result = world.run("mail")
        #expect(result.exitCode == 0)
        result.expectTranscript(in: "mail")
        #expect(world.run("mail", "--quiet").stdout == result.stdout)
    }

    @Test func `mail --json has the documented members`() {
        #expect(
            world.run("mail", "--json", "--to", "ada@example.org").stdout
                == #"{"v":1,"kind":"mail","items":[{"to":"ada@example.org","subject":"Verify your e-mail address","#
                + #""at":"\#(Instant.sampleNow.text)","link":"\#(Self.link)","code":null},"#
                + #"{"to":"Ada@example.org","subject":"Your code","at":null,"link":null,"code":"MPDF-FRQW"}]}"# + "\n")
    }

    @Test(arguments: [
        (["--link"], "https://example.org/reset/1"), (["--code"], "MPDF-FRQW"),
        (["--link", "--for", "verification"], link), (["--link", "--to", "ADA@example.org"], link),
        (["--link", "--for=reset"], "https://example.org/reset/1"),
    ])
    func `mail prints the link or the code of the newest match alone`(words: [String], expected: String) {
        #expect(world.run(words: ["mail"] + words).stdout == expected + "\n")
    }

    @Test(arguments: [
        ["--to", "eve@example.org"], ["--for", "reset", "--code"], ["--to", "bob@example.org", "--code"],
    ])
    func `mail without a match ends with exit code 7`(words: [String]) {
        let result = world.run(words: ["mail"] + words)
        #expect(result.exitCode == 7 && result.stdout == "")
        result.expectErrors(in: "mail", words.joined(separator: " "))
    }

    @Test func `mail --wait looks again until a match arrives`() {
        world.mails = [[], [Self.reset], [Self.reset, Self.verification]]
        #expect(world.run("mail", "--for", "verification", "--wait", "5", "--link").stdout == Self.link + "\n")
    }

    @Test func `mail --wait fails after the time`() {
        world.mails = [[Self.reset]]
        let result = world.run("mail", "--for", "verification", "--wait", "0.5", "--json")
        #expect(result.exitCode == 7)
        #expect(result.stderr.contains(#""reason":"not-found""#))
    }

    @Test func `mail reads the folder of the option, else of the variable, else of local accounts`() {
        _ = world.run("mail")
        world.environment = ["AUTHCTL_MAIL_DIR": "/run/mail"]
        _ = world.run("mail")
        _ = world.run("mail", "--mail-dir", "mails")
        #expect(world.mailFolders.lines == ["local", "/run/mail", "mails"])
    }

    @Test(arguments: [["--link", "--code"], ["--for", "login"], ["--wait", "soon"]])
    func `mail rejects invalid options`(words: [String]) {
        world.mails = nil
        let result = world.run(words: ["mail"] + words)
        #expect(result.exitCode == 2)
        result.expectErrors(in: "mail", words.joined(separator: " "))
    }
}
