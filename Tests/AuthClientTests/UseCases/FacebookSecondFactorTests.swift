import AuthClient
import AuthModel
import CommandTestSupport
import Testing

/// Log-ins with Facebook to accounts that want a code, too.
@Suite struct FacebookSecondFactorTests {
    static let credential = FacebookCredential(.given(.accessToken(Secret("EAAB"))))
    static let code = Secret("123456")
    static let wanted = FakeBackend.Step.logInFacebook(
        .failure(AuthError(.secondFactorRequired, "a code is wanted")))
    static let success = FakeBackend.Step.logInFacebookCode(
        .success(NewSession(user: LinkFacebookTests.linkedUser, session: .new)))
    static let withCode = "backend: logIn by Facebook somebody EAAB with code 123456"

    @Test func `send a code that is known beforehand at once`() throws {
        let fixture = ClientFixture.withFacebook(Self.success)
        let result = try LogInWithFacebook(fixture.client).run(Self.credential, fills: false, code: Self.code)
        #expect(result.session == .new)
        #expect(fixture.steps == ["store: prepare", "store: prepare", Self.withCode, "store: save new"])
        #expect(fixture.store.current?.method == .facebook)
    }

    @Test func `ask for the code when the server wants one`() throws {
        let fixture = ClientFixture.withFacebook(Self.wanted, Self.success)
        let result = try LogInWithFacebook(fixture.client).run(Self.credential, fills: false) { () throws(AuthError) in
            Self.code
        }
        #expect(result.session == .new)
        #expect(
            fixture.steps.filter { $0.hasPrefix("backend") } == [
                "backend: logIn by Facebook somebody EAAB", Self.withCode,
            ])
    }

    @Test func `name the option where nobody answers`() throws {
        let fixture = ClientFixture.withFacebook(Self.wanted)
        let error = try failure { _ = try LogInWithFacebook(fixture.client).run(Self.credential, fills: false) }
        #expect(error.outcome.exitCode == 5)
        #expect(error.message == "cannot log in with Facebook: a code is wanted")
        #expect(
            error.hints
                == ["give the one-time code, or a recovery code: authctl login --facebook --token-file FILE --otp CODE"]
        )
    }

    @Test func `ask for no code after an ID token, which servers take only once`() throws {
        let claims = FacebookClaims(appIDs: [], profile: FacebookProfile(id: "1003"))
        let fixture = ClientFixture.withFacebook(Self.wanted, facebook: [.claims(.success(claims))])
        let credential = FacebookCredential(.given(.idToken(Secret("a.b.c"))))
        let error = try failure {
            _ = try LogInWithFacebook(fixture.client).run(credential, fills: false) { () throws(AuthError) in
                Issue.record("a code was asked for")
                return nil
            }
        }
        #expect(error.reason == .secondFactorRequired)
        #expect(
            error.hints == [
                "give the one-time code, or a recovery code, with a new token: "
                    + "authctl login --facebook --id-token-file FILE --otp CODE"
            ])
    }

    @Test func `fail with a wrong code, and keep the old session`() throws {
        let wrong = FakeBackend.Step.logInFacebookCode(
            .failure(AuthError(.wrongCode, "the one-time code is wrong")))
        let fixture = ClientFixture.withFacebook(wrong, stored: .ada)
        let error = try failure {
            _ = try LogInWithFacebook(fixture.client).run(Self.credential, fills: false, code: Self.code)
        }
        #expect(error.message == "cannot log in with Facebook: the one-time code is wrong")
        #expect(fixture.store.current == .ada)
    }

    @Test func `send nothing where the backend takes no code beside an identity`() throws {
        let fixture = ClientFixture.withFacebook(making: WaitingBackend.init)
        let error = try failure {
            _ = try LogInWithFacebook(fixture.client).run(Self.credential, fills: false, code: Self.code)
        }
        #expect(error.outcome.exitCode == 10)
        #expect(error.message == "backend 'local' cannot take one-time codes with Facebook")
        #expect(fixture.steps == [])
    }
}
