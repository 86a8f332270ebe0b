import AuthModel
import CommandTestSupport
import Platform
import Testing

@testable import AuthClient

@Suite struct ReceivedMailTests {
    private func mail(_ text: String) -> ReceivedMail { ReceivedMail(MIMEMessage(Array(text.utf8))) }

    private static let own = """
        From: authctl <no-reply@localhost>\r
        To: <ada@example.org>\r
        Subject: Verify your e-mail address\r
        Date: Fri, 02 Jan 2026 03:04:05 +0000\r
        Content-Type: text/plain; charset=utf-8\r
        \r
        You signed up with this e-mail address. Open this link to verify it:\r
        \r
        http://127.0.0.1:1337/parse/apps/local/verify_email?token=0f3a&username=reset\r
        \r
        The link can be used once.\r

        """

    @Test func `the recipient, subject, date and link of an e-mail from the embedded server are read`() {
        let mail = mail(Self.own)
        #expect(mail.recipient == "ada@example.org" && mail.subject == "Verify your e-mail address")
        #expect(mail.date == Instant("2026-01-02T03:04:05Z"))
        #expect(mail.link == "http://127.0.0.1:1337/parse/apps/local/verify_email?token=0f3a&username=reset")
        #expect(mail.code == nil && mail.purpose == .verification)
    }

    @Test func `a Django e-mail with several parts, encoded words and a folded header is read`() {
        let mail = mail(
            """
            Content-Type: multipart/alternative;
             boundary="=====1=="
            MIME-Version: 1.0
            Subject: =?utf-8?q?=5Bexample=2Ecom=5D_Password?=
             =?utf-8?b?IFJlc2V0?=
            From: webmaster@localhost
            To: Ada <ada@example.org>, Bob <bob@example.org>
            Date: 3 Feb 2026 10:00 +0130

            --=====1==
            Content-Type: text/plain; charset="utf-8"
            Content-Transfer-Encoding: quoted-printable

            Visit https://example.org/, or click (https://example.org/accounts/password/rese=
            t/key/1-c9=2Dx/).
            --=====1==
            Content-Type: text/html; charset="utf-8"

            <a href="https://other.example/">x</a>
            --=====1==--
            """)
        #expect(mail.subject == "[example.com] Password Reset")
        #expect(mail.recipient == "ada@example.org")
        #expect(mail.date == Instant("2026-02-03T08:30:00Z"))
        #expect(mail.purpose == .reset)
        #expect(mail.link == "https://example.org/accounts/password/reset/key/1-c9-x/")
    }

    @Test func `an e-mail link whose path names its purpose is preferred to other links`() {
        let mail = mail("Subject: x\n\nSee https://example.org/. Go to https://example.org/confirm-email/k:1/.\n")
        #expect(mail.link == "https://example.org/confirm-email/k:1/")
        #expect(mail.purpose == .verification)
    }

    @Test(arguments: [
        ("Your code:\n\n    MPDF-FRQW\n\nBye", "MPDF-FRQW"), ("123456\n", "123456"), ("HELLO world", nil),
        ("abcd", nil), ("-----\n", nil), ("A1-\n", nil), ("123456\n123456\n", "123456"), ("123456\n2026\n", nil),
        ("BCDFGHJK\nTHANKS\n", "BCDFGHJK"), ("123-456-789\n", "123-456-789"), ("A1B2C3\n", "A1B2C3"),
    ])
    func `a code in an e-mail is recognized only if it is alone on its line and no line contains another code`(
        text: String, code: String?
    ) {
        #expect(mail("Subject: Email Verification Code\n\n" + text).code == code)
    }

    @Test func `the link in an HTML e-mail is read and its entities are decoded`() {
        let mail = mail("Content-Type: text/html\n\n<a href=\"https://a.example/verify?a=1&amp;b=2\">x</a>")
        #expect(mail.link == "https://a.example/verify?a=1&b=2")
    }

    @Test func `the base64 body of an e-mail is decoded`() {
        let mail = mail("Content-Transfer-Encoding: base64\n\naHR0cHM6Ly9leGFtcGxl\nLm9yZy92ZXJpZnkvMQo=\n")
        #expect(mail.link == "https://example.org/verify/1")
    }

    @Test func `an inner MIME boundary that begins with the outer boundary splits only the inner part of an e-mail`() {
        let inner = "Content-Type: multipart/alternative; boundary=bc\n\n--bc\n\nhttps://example.org/verify/1\n--bc--"
        let image = "Content-Type: image/png\n\nx"
        let mail = mail("Content-Type: multipart/mixed; boundary=b\n\n--b\n\(inner)\n--b\n\(image)\n--b--")
        #expect(mail.link == "https://example.org/verify/1")
    }

    @Test(arguments: ["", "\n", "x", ":", "Content-Type: multipart/mixed; boundary=b\n\n--b", "Date: Fri\n\n=\n"])
    func `a damaged e-mail yields no link and no date`(text: String) {
        let mail = mail(text)
        #expect(mail.link == nil && mail.date == nil)
    }
}

@Suite struct MailFolderReaderTests {
    private let folder: TestFolder
    private let reader: MailFolderReader

    init() throws {
        folder = try TestFolder()
        reader = MailFolderReader(PrivateFolder(path: folder.path))
    }

    private static let dashes = String(repeating: "-", count: 79)

    @Test func `the e-mails of .eml and .log files are sorted by date`() throws {
        try folder.write("2.eml", "Subject: third\nDate: Fri, 02 Jan 2026 03:04:07 +0000\n\n")
        try folder.write("1.eml", "Subject: first\nDate: Fri, 02 Jan 2026 03:04:05 +0000\n\n")
        let second = "Subject: second\nDate: Fri, 02 Jan 2026 03:04:06 -0000\n\nx\n\(Self.dashes)\n"
        let fourth = "Subject: fourth\nDate: Fri, 02 Jan 2026 03:04:08 -0000\n\nx\n\(Self.dashes)\n"
        try folder.write(
            "a.log", second + fourth + "Subject: unfinished\nDate: Fri, 02 Jan 2026 03:04:09 -0000\n\nhttp")
        try folder.write("notes.txt", "Subject: other\n\n")
        #expect(try reader.mails().map(\.subject) == ["first", "second", "third", "fourth"])
    }

    @Test func `e-mails of the same second are sorted by file name`() throws {
        for name in ["20260102T030405900Z-0", "20260102T030405100Z-f"] {
            try folder.write("\(name).eml", "Subject: \(name)\nDate: Fri, 02 Jan 2026 03:04:05 +0000\n\n")
        }
        #expect(try reader.mails().map(\.subject) == ["20260102T030405100Z-f", "20260102T030405900Z-0"])
    }

    @Test func `a missing default mail folder is not an error, but a missing folder that the user named is`() throws {
        let missing = PrivateFolder(path: folder.path("nowhere"))
        #expect(try MailFolderReader(missing).mails().isEmpty)
        let error = #expect(throws: AuthError.self) {
            try MailFolderReader(existing: missing, named: Setting("nowhere", from: .environment("AUTHCTL_MAIL_DIR")))
        }
        #expect(error?.reason == .usage)
        #expect(error?.message == "no folder 'nowhere' (from AUTHCTL_MAIL_DIR)")
    }

    @Test func `an e-mail file that other users can write is rejected`() throws {
        try folder.write("1.eml", "Subject: x\n\n", mode: 0o666)
        let error = #expect(throws: AuthError.self) { try reader.mails() }
        #expect(error?.reason == .unsafe)
    }
}
