import AuthModel
import Testing
import Transport

@testable import AuthBackends

/// What people read.
@Suite struct RestAuthWordsTests {
    private func refusal(_ status: Int, _ body: String, _ call: Operation) throws -> AuthError {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        let request = HTTPRequest(.post, "https://a.example/")
        return try failure {
            _ = try RestAuthErrors.check(response.redacted(for: request), to: request, call, now: .sampleNow)
        }
    }

    @Test(arguments: [
        (
            400, #"{"email":["Enter a valid email address."]}"#, Operation.signUp,
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
            400, #"{"non_field_errors":["Incorrect value"]}"#, .logInWithFacebook,
            "the server does not accept the Facebook token"
        ),
        (400, #"{"old_password":["Invalid password"]}"#, .changePassword, "the current password is wrong"),
        (401, "<html>", .currentUser, "the server, or a gateway before it, asks for another authentication"),
        (403, "<html>", .logIn, "the server, or a gateway before it, forbids it"),
        (404, "<html>", .currentUser, "there is no rest-auth at this address"),
        (404, "<html>", .listIdentities, "the site has no view that lists linked identities"),
        (404, #"{"detail":"Not found."}"#, .verifyEmail, "the key is unknown, used, or has run out"),
        (404, #"{"detail":"Not found."}"#, .unlinkFacebook, "there is no such identity"),
        (406, #"{"detail":"x"}"#, .currentUser, "the server does not answer in JSON"),
        (415, #"{"detail":"x"}"#, .logIn, "the server does not read JSON"),
        (500, "<html>", .signUp, "the answer was lost: a page with status 500 came"),
        (504, "", .signUp, "the answer was lost: a gateway with status 504 came"),
    ])
    func `say why something failed`(status: Int, body: String, call: Operation, message: String) throws {
        #expect(try refusal(status, body, call).message == message)
    }

    static let steps: [(Int, String, Operation, [NextStep])] = [
        (
            404, "<html>", Operation.signUp,
            [
                NextStep(
                    "if it stands elsewhere, name its path",
                    run: ["profile", "set", "NAME", "registrationPath", "PATH"])
            ]
        ),
        (
            404, "<html>", .linkFacebook,
            [
                NextStep(
                    "if it stands elsewhere, name its path",
                    run: ["profile", "set", "NAME", "facebookConnectPath", "PATH"])
            ]
        ),
        (404, "<html>", .sendVerification, []), (404, "<html>", .currentUser, []),
        (401, "<html>", .currentUser, ["is that the server that is meant? check its URL"]),
        (400, #"{"non_field_errors":["Unable to log in with provided credentials."]}"#, .logIn, []),
        (
            400, #"{"non_field_errors":["Incorrect value"]}"#, .linkFacebook,
            ["is it of the Facebook app that the server knows, and still good?", "can the site reach Facebook?"]
        ),
        (
            401, #"{"detail":"User not found","code":"user_not_found"}"#, .currentUser,
            [NextStep("make another", run: ["signup"])]
        ),
    ]

    @Test(arguments: steps)
    func `name the next steps`(status: Int, body: String, operation: Operation, steps: [NextStep]) throws {
        #expect(try refusal(status, body, operation).nextSteps == steps)
    }

    @Test func `quote no more of a server than a person reads`() throws {
        let text = String(repeating: "x", count: 5000)
        #expect(try refusal(400, #"{"detail":"\#(text)"}"#, .signUp).message.count < 400)
    }
}
