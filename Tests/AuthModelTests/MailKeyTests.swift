import AuthModel
import Testing

@Suite struct MailKeyTests {
    @Test(arguments: [
        ("0f3a", "0f3a"), (" MPDF-FRQW\r\n", "MPDF-FRQW"), ("MQ:1xU:\n  s-_g\n", "MQ:1xU:s-_g"), ("0f 3a", "0f 3a"),
        ("a+b%zz", "a+b%zz"), ("mailto:a@b.c", "mailto:a@b.c"), ("://x", "://x"), ("https://", "https://"),
        ("https:///path", "https:///path"), ("", ""), (" \n", ""),
    ])
    func `a text that is not a link is a code without line breaks`(pasted: String, text: String) {
        let key = MailKey(pasted)
        #expect(key.text == text)
        #expect(key.link == nil)
    }

    @Test(arguments: [
        "https://app.example/verify/MQ%3A1x/",
        "  https://app.example/\r\n  verify/\r\nMQ%3A1x/ \n",
        "<https://app.example/verify/MQ:1x>",
        "https%3A%2F%2Fapp.example%2Fverify%2FMQ%3A1x%2F",
        "https://app.example/#/verify/MQ:1x", "https://app.example/?lang=de#!/verify/MQ:1x",
        "https://app.example//verify/MQ:1x?#",
    ])
    func `a link is read as pasted`(pasted: String) throws {
        let link = try #require(MailKey(pasted).link)
        #expect(link.origin == "https://app.example")
        #expect(link.path == ["verify", "MQ:1x"])
        #expect(!link.hasUserInfo)
    }

    @Test func `the parameters of a link are decoded, and the first occurrence wins`() throws {
        let link = try #require(MailKey("app://x:1?token=a%2Bb&amp;username=ada+l&token=c&flag&#top").link)
        #expect(link.origin == "app://x:1")
        #expect(link.query == ["token": "a+b", "username": "ada l", "flag": ""])
    }

    @Test(arguments: ["https://ada:secret@a.example/x", "https://ada@a.example/x", "https://@a.example"])
    func `the origin of a link contains no username and password`(text: String) throws {
        let link = try #require(MailKey(text).link)
        #expect(link.hasUserInfo)
        #expect(link.origin == "https://a.example")
    }
}
