import CommandTestSupport

@testable import AuthBackends

/// Password resets with the link from an e-mail. The responses are recorded in `Exchanges` as `strict.reset-*`. They
/// are the same from Parse Server 3.10 to 9.5.
@Suite struct ParseResetTests {
    private static let place = "https://a.example/parse/apps"
    private static let done = #""Password successfully reset""#
    private static let invalidToken = "Failed to reset password: username / email / token is invalid"

    private static func form(_ fields: String, _ status: Int, _ answer: String) -> Exchange {
        Exchange(
            """
            POST \(place)/app/request_password_reset
            Content-Type: application/x-www-form-urlencoded
            X-Requested-With: XMLHttpRequest
            Accept: application/json

            \(fields)
            """, status, answer)
    }

    private static func refusal(_ text: String, code: Int = -1) -> String { #"{"code":\#(code),"error":"\#(text)"}"# }

    private func error(of answer: String, _ status: Int = 400, key: MailKey) throws -> AuthError {
        let form = Self.form("token=0f3a&new_password=n%22ew", status, answer)
        let backend = ParseBackend.replaying(form)
        return try failure { _ = try backend.resetPassword(key: key, to: Secret("n\"ew"), of: nil, pending: nil) }
    }

    @Test(arguments: [
        ("\(place)/app/request_password_reset?token=0f3a", ""),
        ("\(place)/app/request_password_reset?token=0f3a&username=ada+l", "&username=ada%2Bl"),
        ("https://www.example/parse/apps/choose_password?token=0f3a&id=app&app=Shop&username=ada", "&username=ada"),
        ("https://www.example/mail?link=%2Fapps%2Fapp%2Frequest_password_reset&token=0f3a", ""),
        ("https://www.example/choose?token=0f3a", ""), ("0f3a", ""),
    ])
    func `a password reset sends the same fields as the HTML form behind the link`(
        pasted: String, username: String
    ) throws {
        let backend = ParseBackend.replaying(
            Self.form("token=0f3a&new_password=n%22ew\(username)", 200, Self.done))
        try expect(backend.resetPassword(key: MailKey(pasted), to: Secret("n\"ew"), of: nil, pending: nil), nil)
        expect(backend.sessionsAfterReset, .usuallyRevoked)
    }

    @Test func `the error about a rejected new password contains the password policy of the server`() throws {
        let text = "Password must have 8 characters, a letter and a digit."
        let error = try error(of: Self.refusal(text), key: "0f3a")
        expect(error.fields, [FieldFault("password", text, isServerText: true)])
        error.expectMessage(in: "backends/parse")
    }

    @Test(arguments: [invalidToken, "The password reset link has expired"])
    func `an invalid reset token is reported as unknown, used or expired`(text: String) throws {
        let error = try error(of: Self.refusal(text), key: "0f3a")
        error.expectMessage(in: "backends/parse", text)
    }

    /// Source: `PublicAPIRouter.resetPassword` in Parse Server 3 to 7.
    @Test func `a reset token without the username is a usage error if the server requires the username`() throws {
        let error = try error(of: Self.refusal("Missing username", code: 200), key: "0f3a")
        error.expectMessage(in: "backends/parse")
    }

    @Test(arguments: ["<html><h1>Welcome</h1></html>", "{}"])
    func `an HTML page or an empty object does not confirm a password reset`(page: String) throws {
        try expect(error(of: page, 200, key: "0f3a").reason, .invalidResponse)
    }

    @Test(arguments: [
        "\(place)/other/request_password_reset?token=0f", "https://a.example/choose_password?token=0f&id=other",
        "\(place)/app/verify_email?token=0f", "\(place)/app/request_password_reset?token=",
    ])
    func `a password reset with a link for a different application or purpose sends no request`(pasted: String) throws {
        let backend = ParseBackend.replaying()
        try failure {
            try backend.resetPassword(key: MailKey(pasted), to: Secret("new"), of: nil, pending: nil)
        }.expectMessage(in: "backends/parse", pasted)
    }
}
