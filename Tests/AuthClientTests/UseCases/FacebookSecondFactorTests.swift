import AuthClient
import AuthModel
import CommandTestSupport
import Testing

/// Facebook logins to accounts with a second factor.
@Suite struct FacebookSecondFactorTests {
    static let credential = FacebookSource(.given(.accessToken(Secret("EAAB"))))
    static let code = Secret("123456")
    static let wanted = Step.logInIdentity(.failure(error))
    private static var error: AuthError {
        var error = AuthError(.secondFactorRequired, "one-time code required")
        error.pendingToken = Secret("p3nding")
        return error
    }
    static let success = Step.logInIdentityCode(
        .success(NewSession(user: LinkFacebookTests.linkedUser, session: .new)))
    static let withCode = "backend: finish p3nding with code 123456"

    @Test(arguments: [code, nil])
    func `a Facebook login that requires a one-time code sends the given code, or prompts if none is given`(
        known: Secret?
    ) throws {
        let fixture = ClientFixture.withFacebook(Self.wanted, Self.success)
        let result = try LogInWithIdentity(fixture.client).run(Self.credential, fills: false, code: known) {
            () throws(AuthError) in Self.code
        }
        #expect(result.session == .new)
        #expect(
            fixture.steps == [
                "store: prepare", "store: prepare", "backend: logIn by facebook EAAB", Self.withCode, "store: save new",
            ])
        #expect(fixture.store.current?.method == .identity(.facebook))
    }

    @Test func `if a Facebook login cannot prompt for a one-time code, the error suggests the option --otp`() throws {
        let fixture = ClientFixture.withFacebook(Self.wanted)
        let error = try failure { _ = try LogInWithIdentity(fixture.client).run(Self.credential, fills: false) }
        error.expectMessage(in: "use-cases/facebook-login")
    }

    @Test func `a Facebook login with a one-time code sends nothing to a backend without one-time codes`() throws {
        let fixture = ClientFixture.withFacebook(making: WaitingBackend.init)
        try failure {
            try LogInWithIdentity(fixture.client).run(Self.credential, fills: false, code: Self.code)
        }.expectMessage(in: "use-cases/facebook-login")
        #expect(fixture.steps == [])
    }
}
