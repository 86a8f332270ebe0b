import AuthModel
import Expectations

@Suite struct MailKeyTests {
    @Test(arguments: [
        ("0f3a", "0f3a"), (" MPDF-FRQW\r\n", "MPDF-FRQW"), ("MQ:1xU:\n  s-_g\n", "MQ:1xU:s-_g"), ("0f 3a", "0f 3a"),
        ("a+b%zz", "a+b%zz"), ("mailto:a@b.c", "mailto:a@b.c"), ("://x", "://x"), ("https://", "https://"),
        ("https:///path", "https:///path"), ("", ""), (" \n", ""),
    ])
    func `pasted text that is not a link is read as a code, and its line breaks are removed`(
        pasted: String, text: String
    ) {
        let key = MailKey(pasted)
        expect(key.text, text)
        expect(key.link, nil)
    }

    @Test(arguments: [
        "https://app.example/verify/MQ%3A1x/",
        "  https://app.example/\r\n  verify/\r\nMQ%3A1x/ \n",
        "<https://app.example/verify/MQ:1x>",
        "https%3A%2F%2Fapp.example%2Fverify%2FMQ%3A1x%2F",
        "https://app.example/#/verify/MQ:1x", "https://app.example/?lang=de#!/verify/MQ:1x",
        "https://app.example//verify/MQ:1x?#", "Click here: https://app.example/verify/MQ:1x  \n",
        "Click (https://app.example/verify/MQ:1x).", #"<a href="https://app.example/verify/MQ:1x">Verify</a>"#,
        "Hello\n\n> https://app.example/verify/MQ:1x\n\nThanks", "https://app.example/verify/MQ:1x\nThank you",
        "[Verify](https://app.example/verify/MQ:1x) or https://app.example/no",
        "https://app.example/verify/MQ:1x\n  Thanks\n", "https://app.example/verify/MQ:1=\nx",
        "https://app.example/ver=\r\nify/MQ=\n:1x", "https:&#x2F;&#x2F;app.example&#47;verify/MQ&#58;1x",
    ])
    func `a verification link is extracted from the pasted text of an e-mail`(pasted: String) throws {
        let link = try #require(MailKey(pasted).link)
        expect(link.origin, "https://app.example")
        expect(link.path, ["verify", "MQ:1x"])
        #expect(!link.hasUserInfo)
    }

    @Test(arguments: [
        ("https://a.example/1\nhttps://a.example/2\n", true), ("https://a.example/1\nhttps://a.example/1\n", false),
        ("https://a.example/?next=\nhttps://b.example/2\n", false),
        ("https://a.example/1\n\nhttps://b.example\n", false),
        ("MQ\nc9-0f3a\n", false),
    ])
    func `pasted text is ambiguous if the line after the link is another link`(pasted: String, isAmbiguous: Bool) {
        expect(MailKey(pasted).isAmbiguous, isAmbiguous)
    }

    @Test func `the current user replaces the username undefined in a link, and no other one`() {
        var keys = ["undefined", "bob"].map { MailKey("https://a.example/verify_email?token=T&username=\($0)") }
        #expect(keys.map(\.lacksUsername) == [true, false] && keys.map(\.username) == [nil, "bob"])
        for index in keys.indices { keys[index].owner = "ada" }
        expect(keys.map(\.username), ["ada", "bob"])
    }

    @Test func `the query parameters of a pasted link are decoded, and a repeated one keeps its first value`() throws {
        let link = try #require(MailKey("app://x:1?token=a%2Bb&amp;username=ada+l%20m&token=c&flag&#top").link)
        expect(link.origin, "app://x:1")
        expect(link.query, ["token": "a+b", "username": "ada+l m", "flag": ""])
    }

    @Test func `parameters in the fragment of a link count as query parameters, and any other fragment is kept`() throws
    {
        let link = try #require(MailLink("https://a.example/reset?uid=1#uid=2&token=a%2Bb"))
        #expect(link.query == ["uid": "1", "token": "a+b"] && link.fragment.isEmpty)
        try expect(#require(MailLink("https://a.example/verify#MQ%3A1x")).fragment, "MQ:1x")
        #expect(try #require(MailLink("https://a.example/#/verify?key=k")).fragment.isEmpty)
    }

    @Test func `the lines of a pasted code are kept`() {
        expect(MailKey(" MQ\r\n\n c9-0f3a \n").codeLines, ["MQ", "c9-0f3a"])
        #expect(MailKey("Hello\nhttps://a.example/1").codeLines.isEmpty)
    }

    @Test(arguments: [
        ("https://a.example/?token=3D0f3a&lang=3Dde", "0f3a"), ("https://a.example/?token=3D=\n0f3a", "0f3a"),
        ("https://a.example/?to=\nken=3D0f=\n3a", "0f3a"), ("https://a.example/?token=3D0f3a&lang=de", "3D0f3a"),
        ("https://a.example/?token=\n0f3a", "0f3a"), ("https://a.example/?token=0f3a==", "0f3a=="),
    ])
    func `a quoted-printable link is decoded only if all its equals signs are encoded`(
        pasted: String, token: String
    ) throws {
        try expect(#require(MailKey(pasted).link).query["token"], token)
    }

    @Test(arguments: [(72, "abc"), (90, "")])
    func `a link continues on the next line at 60 to 80 bytes, but not at 90 bytes`(length: Int, rest: String) throws {
        let link = "https://a.example/" + String(repeating: "1", count: length - 18)
        expect(MailKey("\(link)\nabc\n").text, link + rest)
    }

    @Test func `the words around a pasted link are removed`() {
        expect(MailKey("Click: https://a.example/=\n0f3a. Thanks").text, "https://a.example/0f3a")
    }

    @Test(arguments: ["https://ada:secret@a.example/x", "https://ada@a.example/x", "https://@a.example"])
    func `the origin of a pasted link contains no username and no password`(text: String) throws {
        let link = try #require(MailKey(text).link)
        #expect(link.hasUserInfo)
        expect(link.origin, "https://a.example")
    }

    /// The claims of the tokens are `{"id":"id1","email":"ada@example.org"}` and `{"email":"Eve@example.org"}`.
    @Test(arguments: [
        ("https://a.example/verify_email?token=1&username=Ada", true),
        ("https://a.example/verify_email?token=1&username=ada%40example.org", true),
        ("https://a.example/verify_email?token=1&username=eve", false),
        ("https://a.example/verify_email?token=1&username=undefined", nil), ("https://a.example/verify/MQ:1x", nil),
        ("https://a.example/#/confirm/e30.eyJpZCI6ImlkMSIsImVtYWlsIjoiYWRhQGV4YW1wbGUub3JnIn0.x", nil),
        ("https://a.example/#/confirm/eyJhbGciOiIifQ.eyJpZCI6ImlkMSIsImVtYWlsIjoiYWRhQGV4YW1wbGUub3JnIn0.x", true),
        ("eyJhbGciOiIifQ.eyJlbWFpbCI6IkV2ZUBleGFtcGxlLm9yZyJ9.x", false), ("123456", nil),
    ])
    func `a link says whose it is by a username or by the claims of a JWT`(text: String, isOwn: Bool?) {
        expect(MailKey(text).isOf(User(id: "id1", username: "ada", email: "ada@example.org")), isOwn)
        expect(MailKey(text).isOf(User()), nil)
    }
}
