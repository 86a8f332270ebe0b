import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

/// Errors that only their text distinguishes, while a word of the text is also the password.
@Suite struct MaskedPhraseTests {
    @Test(arguments: [
        ("verified", #"{"non_field_errors":["E-mail is not verified."]}"#, AuthError.Reason.emailUnverified),
        ("disabled", #"{"non_field_errors":["User account is disabled."]}"#, .accountDisabled),
        ("attempts", #"{"non_field_errors":["Too many failed login attempts, retry later."]}"#, .rateLimited),
        ("credentials", #"{"non_field_errors":["Unable to log in with provided credentials."]}"#, .wrongPassword),
    ])
    func `a rest-auth login fails for its own reason, whatever word the password is`(
        password: String, answer: String, reason: AuthError.Reason
    ) throws {
        let backend = RestAuthBackend.replaying(
            .post("login/", #"{"username":"ada","password":"\#(password)"}"#, 400, answer))
        let error = try failure { _ = try backend.logIn(.typed("ada", password)) }
        #expect(error.reason == reason)
    }

    @Test(arguments: [
        ("already", #"{"username":["A user with that username already exists."]}"#, AuthError.Reason.usernameTaken),
        ("unique", #"{"email":["This field must be unique."]}"#, .emailTaken),
        ("password1", #"{"password1":["This password is too short."]}"#, .weakPassword),
        ("field", #"{"password1":["This field may not be blank."]}"#, .invalidFields),
    ])
    func `a rest-auth signup fails for its own reason, whatever word the password is`(
        password: String, answer: String, reason: AuthError.Reason
    ) throws {
        let account = NewAccount(username: "ada", password: Secret(password))
        let request = RestAuthEndpoints(base: "https://a.example").signUp(account)
        let response = HTTPResponse(status: 400, body: Array(answer.utf8)).redacted(for: request)
        let error = RestAuthErrors.error(for: response, to: request, .signUp, now: .sampleNow)
        #expect(error.reason == reason)
    }

    @Test func `a text about two passwords names its field, also if the password is the word password`() throws {
        let account = NewAccount(username: "ada", password: Secret("password"))
        let request = RestAuthEndpoints(base: "https://a.example").signUp(account)
        let body = #"{"non_field_errors":["The two password fields didn't match."]}"#
        let response = HTTPResponse(status: 400, body: Array(body.utf8)).redacted(for: request)
        let error = RestAuthErrors.error(for: response, to: request, .signUp, now: .sampleNow)
        #expect(error.fields.map(\.field) == ["passwordConfirmation"])
    }

    @Test(arguments: ["locked", "attempts", "account"])
    func `Parse locks an account, whatever word the password is`(password: String) throws {
        let request = ParseEndpoints(base: "https://a.example", appID: "app").logIn(.typed("ada", password))
        let text = "Your account is locked due to multiple failed login attempts. Please try again after 5 minute(s)"
        let response = HTTPResponse(status: 404, body: Array(#"{"code":101,"error":"\#(text)"}"#.utf8))
        let error = ParseErrors.error(for: response.redacted(for: request), to: request, .logIn, now: .sampleNow)
        #expect(error.reason == .accountLocked)
        #expect(error.retryAfter == 300)
    }
}
