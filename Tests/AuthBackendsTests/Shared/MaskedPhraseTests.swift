import AuthModel
import CommandTestSupport
import Platform
import Testing
import Transport

@testable import AuthBackends

/// Errors that the client recognizes only by their message, in which the password may be masked.
@Suite struct MaskedPhraseTests {
    @Test(arguments: [
        (
            AuthModel.Operation.logIn, "verified", #"{"non_field_errors":["E-mail is not verified."]}"#,
            AuthError.Reason.emailUnverified
        ),
        (.logIn, "attempts", #"{"non_field_errors":["Too many failed login attempts, retry later."]}"#, .rateLimited),
        (.signUp, "already", #"{"username":["A user with that username already exists."]}"#, .usernameTaken),
        (.signUp, "password1", #"{"password1":["This password is too short."]}"#, .weakPassword),
    ])
    func `a rest-auth error keeps its reason even if the error text contains the password`(
        operation: AuthModel.Operation, password: String, answer: String, reason: AuthError.Reason
    ) {
        let masker = Masker()
        masker.register(password)
        let response = HTTPResponse(status: 400, body: Array(answer.utf8))
        let request = HTTPRequest(.post, "https://a.example/")
        #expect(
            RestAuthErrors.error(for: ServerResponse(response, to: request, operation, at: .sampleNow, masker)).reason
                == reason)
    }

    @Test(arguments: ["locked", "attempts", "account"])
    func `a Parse account lock is recognized even if the lockout text contains the password`(password: String) throws {
        let masker = Masker()
        masker.register(password)
        let text = "Your account is locked due to multiple failed login attempts. Please try again after 5 minute(s)"
        let response = HTTPResponse(status: 404, body: Array(#"{"code":101,"error":"\#(text)"}"#.utf8))
        let request = HTTPRequest(.post, "https://a.example/")
        let error = ParseErrors.error(for: ServerResponse(response, to: request, .logIn, at: .sampleNow, masker))
        #expect(error.reason == .accountLocked)
        #expect(error.retryAfter == 300)
        #expect(error.server?.message?.contains(password) == false)
    }
}
