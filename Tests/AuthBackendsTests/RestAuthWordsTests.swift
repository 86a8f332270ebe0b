import AuthModel
import Testing
import Transport

@testable import AuthBackends

/// What people read.
@Suite struct RestAuthWordsTests {
    typealias Call = RestAuthErrors.Call

    private func refusal(_ status: Int, _ body: String, _ call: Call) throws -> AuthError {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        let request = HTTPRequest(.post, "https://a.example/")
        return try failure { _ = try RestAuthErrors.check(response, to: request, call, now: .sampleNow) }
    }

    @Test(arguments: [
        (
            400, #"{"email":["Enter a valid email address."]}"#, Call.signUp,
            #"the server refused the e-mail: "Enter a valid email address.""#
        ),
        (400, #"{"username":["a","b"],"email":["c"]}"#, .signUp, "the server refused 2 fields"),
        (400, #"{"zip":["a","b"]}"#, .signUp, "the server refused field 'zip'"),
        (400, #"{"zip":["a"]}"#, .signUp, #"the server refused field 'zip': "a""#),
        (400, #"{"detail":"JSON parse error"}"#, .signUp, #"the server refused it: "JSON parse error""#),
        (400, "{}", .signUp, "the server refused it"),
        (400, #"{"password1":["Too short.","Too common."]}"#, .signUp, "the server finds the password too weak"),
        (
            400, #"{"non_field_errors":["Unable to log in with provided credentials."]}"#, .logIn,
            "wrong user name or password"
        ),
        (
            400, #"{"non_field_errors":["Two tries left."]}"#, .logIn,
            #"wrong user name or password: "Two tries left.""#
        ),
        (
            400, #"{"non_field_errors":["Incorrect value"]}"#, .facebookLogIn,
            "the server does not accept the Facebook token"
        ),
        (400, #"{"old_password":["Invalid password"]}"#, .passwordChange, "the current password is wrong"),
        (401, "<html>", .session, "the server, or a gateway before it, asks for another authentication"),
        (403, "<html>", .logIn, "the server, or a gateway before it, forbids it"),
        (404, "<html>", .session, "there is no rest-auth at this address"),
        (404, "<html>", .socialAccounts, "the site has no view that lists linked identities"),
        (404, #"{"detail":"Not found."}"#, .verification, "the key is unknown, used, or has run out"),
        (404, #"{"detail":"Not found."}"#, .disconnect, "there is no such identity"),
        (406, #"{"detail":"x"}"#, .session, "the server does not answer in JSON"),
        (415, #"{"detail":"x"}"#, .logIn, "the server does not read JSON"),
        (500, "<html>", .signUp, "the answer was lost: a page with status 500 came"),
        (504, "", .signUp, "the answer was lost: a gateway with status 504 came"),
    ])
    func `say why something failed`(status: Int, body: String, call: Call, message: String) throws {
        #expect(try refusal(status, body, call).message == message)
    }

    static let steps: [(Int, String, Call, String?)] = [
        (
            404, "<html>", Call.signUp,
            "if it stands elsewhere, name its path: authctl profile set NAME registrationPath PATH"
        ),
        (
            404, "<html>", .facebookLink,
            "if it stands elsewhere, name its path: authctl profile set NAME facebookConnectPath PATH"
        ),
        (404, "<html>", .resend, nil), (404, "<html>", .session, nil),
        (401, "<html>", .session, "is that the server that is meant? check its URL"),
        (400, #"{"non_field_errors":["Unable to log in with provided credentials."]}"#, .logIn, nil),
    ]

    @Test(arguments: steps)
    func `name a next step where there is one`(status: Int, body: String, call: Call, hint: String?) throws {
        #expect(try refusal(status, body, call).hint == hint)
    }

    @Test func `quote no more of a server than a person reads`() throws {
        let text = String(repeating: "x", count: 5000)
        #expect(try refusal(400, #"{"detail":"\#(text)"}"#, .signUp).message.count < 400)
    }
}
