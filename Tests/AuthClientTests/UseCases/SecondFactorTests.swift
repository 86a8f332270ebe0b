import AuthClient
import AuthModel
import CommandTestSupport
import Testing

/// Logins to accounts with a second factor.
@Suite struct SecondFactorTests {
    static let success = FakeBackend.Step.logInCode(.success(.session(NewSession(user: .ada, session: .new))))
    static let wanted = FakeBackend.Step.logIn(.failure(AuthError(.secondFactorRequired, "one-time code required")))

    @Test func `a login sends a code that is known beforehand in its first request`() throws {
        let fixture = ClientFixture(Self.success)
        #expect(try LogIn(fixture.client).withPassword(.ada, code: Secret("123456")).session == .new)
        #expect(fixture.store.current == .sample(session: .new, method: .password))
        #expect(fixture.steps == ["store: prepare", "backend: logIn ada with code 123456", "store: save new"])
    }

    @Test func `a login asks for the code when the server requires one and warns once`() throws {
        let fixture = ClientFixture(Self.wanted, Self.success, environmentToken: "env")
        let result = try LogIn(fixture.client).withPassword(.ada) { () throws(AuthError) in Secret("123456") }
        #expect(result.session == .new)
        #expect(
            fixture.steps == [
                "store: prepare", "warning", "backend: logIn ada", "backend: logIn ada with code 123456",
                "store: save new",
            ])
    }

    @Test func `a login that needs no code asks for none`() throws {
        let fixture = ClientFixture(.logIn(.success(.session(NewSession(user: .ada, session: .new)))))
        _ = try LogIn(fixture.client).withPassword(.ada) { () throws(AuthError) in
            Issue.record("a code was asked for")
            return nil
        }
    }

    @Test func `a login without a terminal names the option for the code`() throws {
        let fixture = ClientFixture(Self.wanted)
        try failure { try LogIn(fixture.client).withPassword(.ada) }.expectMessage(in: "use-cases/login")
    }

    @Test func `a wrong code fails a login and keeps the saved session`() throws {
        let old = StoredSession.sample(session: .sample("old"))
        let wrong = FakeBackend.Step.logInCode(.failure(AuthError(.wrongCode, "wrong one-time code")))
        let fixture = ClientFixture(Self.wanted, wrong, stored: old)
        try failure {
            try LogIn(fixture.client).withPassword(.ada) { () throws(AuthError) in Secret("000000") }
        }.expectMessage(in: "use-cases/login")
        #expect(fixture.store.current == old)
    }

    @Test func `an error at the code prompt is thrown unchanged`() throws {
        let fault = AuthError(.usage, "the one-time code is empty")
        let fixture = ClientFixture(Self.wanted)
        #expect(
            try failure { _ = try LogIn(fixture.client).withPassword(.ada) { () throws(AuthError) in throw fault } }
                == fault)
    }
}
