import CommandTestSupport
import Foundation
import Platform

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
        expect(mail.date, Instant("2026-01-02T03:04:05Z"))
        expect(mail.link, "http://127.0.0.1:1337/parse/apps/local/verify_email?token=0f3a&username=reset")
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
        expect(mail.subject, "[example.com] Password Reset")
        expect(mail.recipient, "ada@example.org")
        expect(mail.date, Instant("2026-02-03T08:30:00Z"))
        expect(mail.purpose, .reset)
        expect(mail.link, "https://example.org/accounts/password/reset/key/1-c9-x/")
    }

    @Test func `an e-mail link whose path names its purpose is preferred to other links`() {
        let mail = mail("Subject: x\n\nSee https://example.org/. Go to https://example.org/confirm-email/k:1/.\n")
        expect(mail.link, "https://example.org/confirm-email/k:1/")
        expect(mail.purpose, .verification)
    }

    @Test(arguments: [
        ("Your code:\n\n    MPDF-FRQW\n\nBye", "MPDF-FRQW"), ("123456\n", "123456"), ("HELLO world", nil),
        ("abcd", nil), ("-----\n", nil), ("A1-\n", nil), ("123456\n123456\n", "123456"), ("123456\n2026\n", nil),
        ("BCDFGHJK\nTHANKS\n", "BCDFGHJK"), ("123-456-789\n", "123-456-789"), ("A1B2C3\n", "A1B2C3"),
        ("Your code is 123456.\n", "123456"), ("Your one-time password is: 123456 \n", "123456"),
        ("Code: 123456\n", "123456"),
        ("MPDF-FRQW is your code (1 hour)", "MPDF-FRQW"),
        ("Your code 123456 of 2026\n", nil), ("Call 123456\n", nil), ("Code: https://a.example/123456\n", nil),
        ("YOUR CODE\n", nil),
    ])
    func `a code in an e-mail is alone on its line or in a line with the word code, and is the only one`(
        text: String, code: String?
    ) {
        expect(mail("Subject: Email Verification Code\n\n" + text).code, code)
    }

    @Test(arguments: [
        ("https://example.org/", nil), ("https://example.org", nil),
        ("https://example.org/k/1", "https://example.org/k/1"),
        ("https://example.org/?k=1", "https://example.org/?k=1"),
    ])
    func `a link to the home page is not the link of an e-mail with a code`(link: String, expected: String?) {
        let mail = mail("Subject: x\n\n123456\n\nThank you for using \(link)\n")
        #expect(mail.link == expected && mail.code == "123456")
        expect(self.mail("Subject: x\n\nThank you for using \(link)\n").link, link)
    }

    @Test func `the link in an HTML e-mail is read and its entities are decoded`() {
        let mail = mail("Content-Type: text/html\n\n<a href=\"https://a.example/verify?a=1&amp;b=2\">x</a>")
        expect(mail.link, "https://a.example/verify?a=1&b=2")
    }

    private static let verify = "https://a.example/verify_email?token=T&username=U"

    @Test(arguments: [
        "https:&#x2F;&#x2F;a.example&#x2F;verify_email?token&#x3D;T&amp;username&#x3D;U", "<URL:\(verify)>",
        "Link:\(verify)",
        "'\(verify)', then", "(\(verify)).",
    ])
    func `the link in a plain-text e-mail is read in all usual notations`(text: String) {
        expect(mail("Subject: x\n\nOpen \(text)\n").link, Self.verify)
    }

    @Test(arguments: [
        "<a class='x' href='\(verify)'>x</a>", "<A HREF=\(verify)>x</A>",
        "<p>Open \(verify.replacing("&", with: "&amp;"))</p>",
        "<a href=\"https:&#47;&#47;a.example/verify_email?token&#61;T&#38;username&#61;U\">https://b.example</a>",
        "<!DOCTYPE html SYSTEM 'https://w3.example'><style>@import 'https://c.example';</style><img src='https://d.example'>"
            + "<a href=\"\(verify)\">x</a>",
    ])
    func `the link in an HTML e-mail is that of a link element, else that in the text`(text: String) {
        expect(mail("Content-Type: text/html\n\n\(text)").link, Self.verify)
    }

    @Test func `the code in an HTML e-mail is read without its tags`() {
        let html = "<td>Your&nbsp;<b>code</b> is\n <b>123456</b>.</td><td>Thanks</td>"
        expect(mail("Content-Type: text/html\n\n\(html)").code, "123456")
    }

    @Test(arguments: [
        (["text/plain", "text/html"], ["See the HTML", "<a href='https://a.example/1'>x</a>"], "https://a.example/1"),
        (
            ["text/html", "text/plain"], ["<a href='https://a.example/2'>x</a>", "https://a.example/1"],
            "https://a.example/1"
        ),
        (
            ["text/plain\nContent-Disposition: attachment", "text/html"],
            ["https://a.example/verify", "https://a.example/1"],
            "https://a.example/1"
        ),
        (
            ["text/plain", "text/plain\nContent-Disposition: attachment"], ["See the file", "https://a.example/1"],
            "https://a.example/1"
        ),
        (
            ["image/png", "text/calendar", "text/html"],
            ["https://a.example/3", "https://a.example/2", "https://a.example/1"],
            "https://a.example/1"
        ),
    ])
    func `the link is that of the text, else of the HTML, else of an attachment`(
        types: [String], bodies: [String], link: String
    ) {
        let parts = zip(types, bodies).map { "--b\nContent-Type: \($0)\n\n\($1)\n" }.joined()
        expect(mail("Content-Type: multipart/mixed; boundary=b\n\n\(parts)--b--\n").link, link)
    }

    @Test(arguments: [
        ("Content-Transfer-Encoding: quoted-printable", "https://a.example/veri= \nfy/1 \n"),
        ("Content-Type: text/plain; format=flowed; delsp=yes", "https://a.example/veri \r\nfy/1\r\n"),
        ("Content-Transfer-Encoding: base64", "aHR0cHM6Ly9hLmV4YW1wbGUv\ndmVyaWZ5LzEg\n____\nA list of a.example\n"),
    ])
    func `a link that an encoding wraps is read in full`(header: String, body: String) {
        expect(mail("\(header)\n\n\(body)").link, "https://a.example/verify/1")
    }

    @Test(arguments: [
        ("To: =?utf-8?q?Lovelace=2C_Ada?= <ada@example.org>", ["ada@example.org"]),
        (
            "To: \"Lovelace, \\\"Ada\\\"\" <ada@example.org>, bob@example.org (Bob, B.)",
            ["ada@example.org", "bob@example.org"]
        ),
        ("To: undisclosed-recipients:;\nBcc: ada@example.org", ["ada@example.org"]),
        (
            "To: Team: ada@example.org, <bob@example.org>;\nCc: Eve\n <eve@example.org>\nCc: x@example.org",
            ["ada@example.org", "bob@example.org", "eve@example.org", "x@example.org"]
        ),
        ("Delivered-To: ada@example.org", ["ada@example.org"]), ("To: \"a b\"@example.org", ["\"a b\"@example.org"]),
        ("Subject: x", [""]),
    ])
    func `all recipients of an e-mail are read without their names`(header: String, recipients: [String]) {
        let mail = mail("\(header)\n\n")
        expect([mail.recipient] + mail.otherRecipients, recipients)
        expect(mail.addressed(to: recipients.last?.uppercased() ?? "")?.recipient, recipients.last)
        expect(mail.addressed(to: "da@example.org"), nil)
    }

    @Test(.timeLimit(.minutes(1))) func `many lines that look like codes are read in linear time`() {
        let lines = (100_000..<190_000).map { "\($0)\n" }.joined()
        expect(mail("Subject: x\n\n\(lines)").codes.count, 90_000)
    }

    @Test func `the base64 body of an e-mail is decoded`() {
        let mail = mail("Content-Transfer-Encoding: base64\n\naHR0cHM6Ly9leGFtcGxl\nLm9yZy92ZXJpZnkvMQo=\n")
        expect(mail.link, "https://example.org/verify/1")
    }

    @Test func `an inner MIME boundary that begins with the outer boundary splits only the inner part of an e-mail`() {
        let inner = "Content-Type: multipart/alternative; boundary=bc\n\n--bc\n\nhttps://example.org/verify/1\n--bc--"
        let image = "Content-Type: image/png\n\nx"
        let mail = mail("Content-Type: multipart/mixed; boundary=b\n\n--b\n\(inner)\n--b\n\(image)\n--b--")
        expect(mail.link, "https://example.org/verify/1")
    }

    @Test(arguments: ["", "\n", "x", ":", "Content-Type: multipart/mixed; boundary=b\n\n--b", "Date: Fri\n\n=\n"])
    func `a damaged e-mail yields no link and no date`(text: String) {
        let mail = mail(text)
        #expect(mail.link == nil && mail.date == nil)
    }
}

@Suite struct MailFolderReaderTests {
    private let folder = TestFolder()
    private let reader: MailFolderReader
    private let warnings = Journal()

    init() throws {
        reader = MailFolderReader(PrivateFolder(path: folder.path)) { [warnings] in warnings.add($0) }
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
        try expect(reader.mails().map(\.subject), ["first", "second", "third", "fourth"])
    }

    @Test func `e-mails of the same second are sorted by the times of their files, then by name`() throws {
        for (name, seconds) in [("a", 0.4), ("d", 0.2), ("c", 0.2), ("b", 0.3)] {
            try folder.write("\(name).eml", "Subject: \(name)\nDate: Fri, 02 Jan 2026 03:04:05 +0000\n\n")
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_767_323_045 + seconds)],
                ofItemAtPath: folder.path("\(name).eml"))
        }
        try expect(reader.mails().map(\.subject), ["c", "d", "b", "a"])
    }

    @Test func `a missing default mail folder is not an error, but a missing folder that the user named is`() throws {
        let missing = PrivateFolder(path: folder.path("nowhere"))
        #expect(try MailFolderReader(missing, warn: { _ in }).mails().isEmpty)
        let error = #expect(throws: AuthError.self) {
            try MailFolderReader(
                existing: missing, named: Setting("nowhere", from: .environment("AUTHCTL_MAIL_DIR"))
            ) { _ in }
        }
        expect(error?.reason, .usage)
        expect(error?.message, "no folder 'nowhere' (from AUTHCTL_MAIL_DIR)")
    }

    @Test func `a mail file that is a link or a folder, or that other users can write, does not hide the others`()
        throws
    {
        try folder.write("1.eml", "Subject: x\n\n", mode: 0o666)
        try folder.write("2.eml", "Subject: shown\n\n")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("3.eml"), withDestinationPath: folder.path("2.eml"))
        try FileManager.default.createDirectory(atPath: folder.path("4.eml"), withIntermediateDirectories: false)
        try expect(reader.mails().map(\.subject), ["shown"])
        #expect(warnings.lines.count == 3 && warnings.lines.allSatisfy { $0.hasPrefix("cannot read an e-mail: ") })
    }

    @Test func `an e-mail of more than 1 MiB is left out with a warning`() throws {
        let large = "Subject: large\n\n" + String(repeating: "\n", count: 1 << 20)
        try folder.write("1.eml", large)
        try folder.write("2.log", "\(large)\(Self.dashes)\nSubject: shown\n\nx\n\(Self.dashes)\n")
        try expect(reader.mails().map(\.subject), ["shown"])
        expect(warnings.lines.count, 2)
    }

    @Test func `an e-mail without a line ending at its end may be unfinished`() throws {
        try folder.write("1.eml", "Subject: x\n\nhttps://a.example/1\n")
        try folder.write("2.eml", "Subject: x\n\nhttps://a.example/1")
        try expect(reader.mails().map(\.isUnfinished), [false, true])
    }
}
