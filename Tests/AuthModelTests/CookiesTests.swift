import Expectations
import Transport

@testable import AuthModel

@Suite struct CookiesTests {
    @Test(arguments: [
        ("sessionid=0123456789; csrftoken=abcdefgh", "sessionid=0123456789; csrftoken=abcdefgh"),
        ("csrftoken=abcdefgh;sessionid=0123456789", "sessionid=0123456789; csrftoken=abcdefgh"),
        ("sid=.eJx=:1:a-b_c", "sid=.eJx=:1:a-b_c"),
        ("dGVzdGVzdA==", nil), ("0123456789abcdef", nil), ("Token 0123456789", nil), ("a=1; b=2", nil),
        ("lang=en; sessionid=0123456789", "lang=en; sessionid=0123456789"),
        ("sessionid=01234 56789", nil), ("sessionid=0123456789\r\nX: y", nil), ("se ssion=0123456789", nil), ("", nil),
    ])
    func `the text of cookies is a token, and no other token is one`(text: String, read: String?) {
        expect(Cookies(Secret(text))?.token.reveal(), read)
    }

    @Test func `a response renews the cookies that it names, and deletes none`() throws {
        let cookies = try #require(Cookies(Secret("sessionid=0123456789")))
        let response = HTTPResponse(
            status: 200,
            headers: HTTPHeaders(
                [
                    "sessionid=9876543210; Path=/; HttpOnly", "sessionid=\"\"; Max-Age=0", "csrftoken=; Max-Age=0",
                    "CSRF-Token=abcdefgh; Path=/", "other=0123456789", "sessionid2",
                ].map { HTTPHeaders.Field(name: "set-cookie", value: $0) }))
        expect(cookies.renewed(by: response).token.reveal(), "sessionid=9876543210; CSRF-Token=abcdefgh")
    }
}
