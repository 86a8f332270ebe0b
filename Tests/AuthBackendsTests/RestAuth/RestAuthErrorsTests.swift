import AuthModel
import CommandTestSupport
import JSON
import Platform
import Testing
import Transport

@testable import AuthBackends

@Suite struct RestAuthErrorsTests {
    private func error(_ status: Int, _ body: String, _ operation: Operation) throws -> AuthError {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        let request = HTTPRequest(.post, "https://a.example/")
        return try failure {
            _ = try RestAuthErrors.check(ServerResponse(response, to: request, operation, at: .sampleNow, Masker()))
        }
    }

    @Test(arguments: [
        Operation.signUp, .logIn, .secondFactor, .logOut, .changePassword, .requestPasswordReset, .sendVerification,
        .verifyEmail, .logInWithIdentity, .linkIdentity, .unlinkIdentity,
    ])
    func `an empty rest-auth response is accepted for an operation that needs no content`(operation: Operation) throws {
        let request = HTTPRequest(.post, "https://a.example/")
        let empty = HTTPResponse(status: 204)
        #expect(
            try RestAuthErrors.check(ServerResponse(empty, to: request, operation, at: .sampleNow, Masker())) == [:])
    }

    @Test(arguments: [Operation.currentUser, .logInWithToken, .refresh, .listIdentities])
    func `an empty rest-auth response is invalid for an operation that needs content`(operation: Operation) throws {
        #expect(try error(204, "", operation).reason == .invalidResponse)
    }

    @Test func `JSON with the content type text/html is an invalid rest-auth response`() throws {
        let request = HTTPRequest(.post, "https://a.example/")
        let response = HTTPResponse(status: 200, headers: ["Content-Type": "text/html"], body: Array("{}".utf8))
        try failure {
            try RestAuthErrors.check(ServerResponse(response, to: request, .logIn, at: .sampleNow, Masker()))
        }.expectMessage(in: "backends/rest-auth")
    }

    @Test(arguments: [
        ("E-mail is not verified.", AuthError.Reason.emailUnverified),
        ("Email is not verified.", .emailUnverified), ("User account is disabled.", .accountDisabled),
        ("Too many failed login attempts. Try again later.", .rateLimited),
        ("Unable to log in with provided credentials.", .wrongPassword),
        ("Die angegebenen Zugangsdaten stimmen nicht.", .wrongPassword), ("Two tries left.", .wrongPassword),
        (#"Must include \"email\" and \"password\"."#, .invalidFields),
        (#"Must include \"username\" and \"password\"."#, .invalidFields),
    ])
    func `the site's error message for a rejected rest-auth login determines the error reason`(
        text: String, reason: AuthError.Reason
    ) throws {
        #expect(try error(400, #"{"non_field_errors":["\#(text)"]}"#, .logIn).reason == reason)
    }

    /// Sources: dj-rest-auth 7.2.0 with keys that expire, simplejwt 5.5 and 5.2, djangorestframework-jwt.
    @Test(arguments: [
        (401, #"{"detail":"Token has expired"}"#, AuthError.Reason.sessionExpired),
        (401, #"{"detail":"The Token is expired"}"#, .sessionExpired),
        (403, #"{"detail":"Token has expired"}"#, .sessionExpired),
        (401, #"{"detail":"Signature has expired."}"#, .sessionExpired),
        (
            401,
            #"{"detail":"Given token not valid","code":"token_not_valid","messages":[{"message":"Token is expired"}]}"#,
            .sessionExpired
        ),
        (401, #"{"detail":"Not valid","messages":[{"message":"Token is invalid or expired"}]}"#, .sessionRevoked),
        (401, #"{"detail":"Invalid token."}"#, .sessionRevoked),
        (403, #"{"detail":"Your subscription has expired."}"#, .forbidden),
    ])
    func `a rest-auth error for an expired token is told from one for a deleted token`(
        status: Int, body: String, reason: AuthError.Reason
    ) throws {
        #expect(try error(status, body, .currentUser).reason == reason)
    }

    // MARK: - Messages

    @Test(arguments: [
        Operation.signUp, .secondFactor, .refresh, .logInWithIdentity, .linkIdentity, .listIdentities,
        .sendVerification, .verifyEmail, .currentUser, .logOut, .changePassword, .requestPasswordReset,
        .finishPasswordReset,
    ])
    func `a missing rest-auth view is unsupported, but a missing refresh view means an expired session`(
        operation: Operation
    ) throws {
        try error(404, "<html>", operation).expectMessage(in: "backends/rest-auth", "\(operation)")
    }

    @Test func `a long error message from a rest-auth site is cut to 300 characters`() throws {
        let text = String(repeating: "x", count: 5000)
        let message = try error(400, #"{"detail":"\#(text)"}"#, .signUp).message
        #expect(message.filter { $0 == "x" }.count == 300)
    }
}
