import AuthClient
import CommandTestSupport

/// Logins to accounts with a second factor.
@Suite struct SecondFactorTests {
    static let success = Step.logIn(.success(.session(NewSession(user: .ada, session: .new))))
    static let wanted = Step.logIn(.success(.waiting(AuthError(.secondFactorRequired, "one-time code required"))))

    @Test func `a login with a given one-time code sends the code in its first request`() throws {
        let fixture = ClientFixture(Self.success)
        try expect(LogIn(fixture.client).withPassword(.ada, code: Secret("123456")).session, .new)
        expect(fixture.store.current, .sample(session: .new, method: .password))
        expect(fixture.requests, ["logIn ada with code 123456"])
    }

    @Test func `a login prompts for a one-time code if the server requires one, and prints each warning once`() throws {
        let fixture = ClientFixture(Self.wanted, Self.success, environmentToken: "env")
        let result = try LogIn(fixture.client).withPassword(.ada) { () throws(AuthError) in Secret("123456") }
        expect(result.session, .new)
        expect(fixture.requests, ["logIn ada", "logIn ada with code 123456"])
        expect(fixture.notices.split(separator: "\n").count, 1)
    }

    @Test func `a login that requires no one-time code does not prompt for a code`() throws {
        let fixture = ClientFixture(.logIn(.success(.session(NewSession(user: .ada, session: .new)))))
        _ = try LogIn(fixture.client).withPassword(.ada) { () throws(AuthError) in
            Issue.record("a code was asked for")
            return nil
        }
    }

    @Test func `a login prompts for the code that the server sent in response to the first code`() throws {
        let sent = Step.logIn(.success(.waiting(AuthError(.secondFactorRequired, "a code was sent"))))
        let fixture = ClientFixture(sent, Self.success)
        let result = try LogIn(fixture.client).withPassword(.ada, code: Secret("request")) { () throws(AuthError) in
            Secret("123456")
        }
        expect(result.session, .new)
    }

    @Test func `if a login cannot prompt for a one-time code, the error suggests the option --otp`() throws {
        let fixture = ClientFixture(Self.wanted)
        try failure { try LogIn(fixture.client).withPassword(.ada) }.expectMessage(in: "use-cases/login")
    }

    @Test func `a login with a wrong one-time code fails and keeps the saved session`() throws {
        let old = StoredSession.sample(session: .sample("old"))
        let wrong = Step.logIn(.failure(AuthError(.wrongCode, "wrong one-time code")))
        let fixture = ClientFixture(Self.wanted, wrong, stored: old)
        try failure {
            try LogIn(fixture.client).withPassword(.ada) { () throws(AuthError) in Secret("000000") }
        }.expectMessage(in: "use-cases/login")
        expect(fixture.store.current, old)
    }

    @Test func `an error at the prompt for the one-time code is reported unchanged`() throws {
        let fault = AuthError(.usage, "the one-time code is empty")
        let fixture = ClientFixture(Self.wanted)
        try expect(
            failure { _ = try LogIn(fixture.client).withPassword(.ada) { () throws(AuthError) in throw fault } }, fault)
    }
}
