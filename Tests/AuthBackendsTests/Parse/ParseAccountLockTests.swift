import CommandTestSupport

@testable import AuthBackends

/// Only the text of an error distinguishes a locked account from wrong credentials.
@Suite struct ParseAccountLockTests {
    static let text = "Your account is locked due to multiple failed login attempts."

    @Test(arguments: [
        ("Please try again after 1 minute(s)", 60), ("Please try again after 15 minute(s)", 900),
        ("Please try again after 99999999999 minute(s)", 999_999_960),
        ("Please try again after 99999999999999999999999 minute(s)", nil),
        ("Please try again after -5 minute(s)", nil), ("Please try again", nil), ("minute(s)", nil), ("", nil),
    ])
    func `the error about a locked Parse account reports when the lock ends`(end: String, seconds: Int?) throws {
        for operation in [Operation.logIn, .secondFactor] {
            let error = try error(404, #"{"code":101,"error":"\#(Self.text) \#(end)"}"#, operation)
            expect(error.retryAfter, seconds)
            error.expectMessage(in: "backends/parse", seconds.map { "after \($0) s" } ?? "without a time")
        }
    }

    @Test(arguments: [
        Operation.signUp, .currentUser, .logInWithToken, .requestPasswordReset, .logInWithIdentity, .updateUser,
    ])
    func `an operation that checks no password ignores Parse's account-lockout text`(operation: Operation) throws {
        let body = #"{"code":101,"error":"\#(Self.text) Please try again after 1 minute(s)"}"#
        #expect(try error(404, body, operation).reason != .accountLocked)
    }

    @Test(arguments: [
        (404, #"{"code":101,"error":"He said: \#(text)"}"#, AuthError.Reason.wrongPassword),
        (404, #"{"code":101,"error":"He said: Your password has expired."}"#, .wrongPassword),
        (400, #"{"code":141,"error":"\#(text)"}"#, .invalidFields),
    ])
    func `a Parse login error without code 101 or without the lockout text at its start is not an account lock`(
        status: Int, body: String, reason: AuthError.Reason
    ) throws {
        try expect(error(status, body, .logIn).reason, reason)
    }

    private func error(_ status: Int, _ body: String, _ operation: Operation) throws -> AuthError {
        try failure { _ = try ParseErrors.check(HTTPResponse(status: status, body: Array(body.utf8)), operation) }
    }
}
