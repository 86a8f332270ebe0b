import AuthClient
import AuthModel
import CommandTestSupport
import Testing

/// Log-ins to accounts that want a code beside the password.
@Suite struct SecondFactorTests {
    static let success = FakeBackend.Step.logInCode(.success(.session(NewSession(user: .ada, session: .new))))
    static let wanted = FakeBackend.Step.logIn(.failure(AuthError(.secondFactorRequired, "a code is wanted")))

    @Test func `send a code that is known beforehand at once`() throws {
        let fixture = ClientFixture(Self.success)
        #expect(try LogIn(fixture.client).withPassword(.ada, code: Secret("123456")).session == .new)
        #expect(fixture.store.current == .sample(session: .new, method: .password))
        #expect(fixture.steps == ["store: prepare", "backend: logIn ada with code 123456", "store: save new"])
    }

    @Test func `ask for the code when the server wants one, and warn only once`() throws {
        let fixture = ClientFixture(Self.wanted, Self.success, environmentToken: "env")
        let result = try LogIn(fixture.client).withPassword(.ada) { () throws(AuthError) in Secret("123456") }
        #expect(result.session == .new)
        #expect(
            fixture.steps.filter { !$0.hasPrefix("warning: the session (from AUTHCTL_TOKEN)") } == [
                "store: prepare", "backend: logIn ada", "backend: logIn ada with code 123456", "store: save new",
            ])
        #expect(fixture.steps.count == 5)
    }

    @Test func `ask nobody as long as the password does`() throws {
        let fixture = ClientFixture(.logIn(.success(.session(NewSession(user: .ada, session: .new)))))
        _ = try LogIn(fixture.client).withPassword(.ada) { () throws(AuthError) in
            Issue.record("a code was asked for")
            return nil
        }
    }

    @Test func `name the option where nobody answers`() throws {
        let fixture = ClientFixture(Self.wanted)
        let error = try failure { _ = try LogIn(fixture.client).withPassword(.ada) }
        #expect(error.reason == .secondFactorRequired)
        #expect(error.outcome.exitCode == 5)
        #expect(error.message == "cannot log in as 'ada': a code is wanted")
        #expect(error.hints == ["give the one-time code, or a recovery code: authctl login --otp CODE ada"])
    }

    @Test func `fail with a wrong code, and keep the old session`() throws {
        let old = StoredSession.sample(session: .sample("old"))
        let wrong = FakeBackend.Step.logInCode(.failure(AuthError(.wrongCode, "the one-time code is wrong")))
        let fixture = ClientFixture(Self.wanted, wrong, stored: old)
        let error = try failure {
            _ = try LogIn(fixture.client).withPassword(.ada) { () throws(AuthError) in Secret("000000") }
        }
        #expect(error.reason == .wrongCode)
        #expect(error.message == "cannot log in as 'ada': the one-time code is wrong")
        #expect(fixture.store.current == old)
    }

    @Test func `say plainly what is wrong with an answer at the terminal`() throws {
        let fault = AuthError(.usage, "the one-time code is empty")
        let fixture = ClientFixture(Self.wanted)
        #expect(
            try failure { _ = try LogIn(fixture.client).withPassword(.ada) { () throws(AuthError) in throw fault } }
                == fault)
    }

    @Test func `send nothing where the backend has no second factor`() throws {
        let fixture = ClientFixture(isPlain: true)
        let error = try failure { _ = try LogIn(fixture.client).withPassword(.ada, code: Secret("123456")) }
        #expect(error.reason == .unsupported)
        #expect(error.message == "backend 'local' cannot take one-time codes")
        #expect(fixture.steps == [])
    }
}
