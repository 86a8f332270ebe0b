import AuthClient
import AuthModel
import CommandTestSupport
import Testing

@Suite struct SignUpTests {
    static let success = FakeBackend.Step.signUp(
        .success(.session(NewSession(user: .ada, session: .new, createdAccount: true))))

    @Test func `a signup checks the session file, asks the server and saves the session`() throws {
        let fixture = ClientFixture(Self.success)
        let result = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true)
        #expect(result.createdAccount == true)
        #expect(result.session == .new)
        #expect(fixture.store.current == .sample(session: .new, method: .password))
        #expect(fixture.steps == ["store: prepare", "backend: signUp ada", "store: save new"])
    }

    @Test func `a pending login of a profile that was removed meanwhile is not saved`() throws {
        let pending = FakeBackend.Step.signUp(.success(.pending(PendingLoginTests.waiting, .ada)))
        let fixture = ClientFixture.atSite(pending, profile: Setting("ci", from: .option("--profile")))
        fixture.removedProfiles.names.withLock { _ = $0.insert("ci") }
        let result = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true)
        #expect(result.pending == .emailVerification)
        #expect(fixture.store.unfinishedInMemory["ci"] == nil)
        fixture.expectNotices(in: "use-cases/signup")
    }

    @Test func `an account that fails the checks is not sent, and each invalid field is named`() throws {
        let fixture = ClientFixture()
        let account = NewAccount(username: "ad", email: "x", password: Secret("short"))
        let error = try failure { _ = try SignUp(fixture.client).run(account, keepingSession: true, checking: true) }
        #expect(!error.message.contains("short"))
        error.expectMessage(in: "use-cases/signup")
        #expect(fixture.steps == [])
    }

    @Test func `a short password alone is reported as weak`() throws {
        let account = NewAccount(username: "ada", password: Secret("short"))
        let error = try failure {
            _ = try SignUp(ClientFixture().client).run(account, keepingSession: true, checking: true)
        }
        #expect(error.reason == .weakPassword)
    }

    @Test(arguments: [(true, false), (false, true), (false, false)])
    func `client-side checks are skipped if the caller or the backend leaves them to the server`(
        checking: Bool, isChecked: Bool
    ) throws {
        let fixture = ClientFixture(Self.success, checks: isChecked)
        let account = NewAccount(username: "a", password: Secret("b"))
        #expect(throws: Never.self) {
            try SignUp(fixture.client).run(account, keepingSession: true, checking: checking)
        }
    }

    @Test func `a signup without a response says how to find out whether the account exists`() throws {
        let lost = AuthError(.outcomeUnknown, "no response", next: "the backend's hint")
        let fixture = ClientFixture(.signUp(.failure(lost)))
        let error = try failure { _ = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true) }
        error.expectMessage(in: "use-cases/signup")
    }

    @Test func `a signup whose session cannot be saved says that the account exists`() throws {
        let fixture = ClientFixture(Self.success, .logOut(.success(.yes)))
        fixture.store.fail(.save, with: .noSpace)
        let error = try failure { _ = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true) }
        error.expectMessage(in: "use-cases/signup")
    }

    @Test func `a signup without login keeps the saved session and revokes the new one`() throws {
        let old = StoredSession.sample(session: .sample("old"))
        let fixture = ClientFixture(Self.success, .logOut(.success(.yes)), stored: old)
        let result = try SignUp(fixture.client).run(.ada, keepingSession: false, checking: true)
        #expect(result.session == nil)
        #expect(fixture.store.current == old)
        #expect(fixture.steps == ["backend: signUp ada", "backend: logOut new"])
    }

    @Test func `a signup without login warns if the new session cannot be revoked`() throws {
        let fixture = ClientFixture(Self.success, .logOut(.failure(.fault)))
        _ = try SignUp(fixture.client).run(.ada, keepingSession: false, checking: true)
        #expect(fixture.steps.last == "warning")
        fixture.expectNotices(in: "use-cases/signup")
    }

    @Test func `a signup succeeds while the e-mail address is unverified`() throws {
        let old = StoredSession.sample(session: .sample("old"))
        let fixture = ClientFixture(.signUp(.success(.pending(.emailVerification, .ada))), stored: old)
        let result = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true)
        #expect(result.pending == .emailVerification)
        #expect(result.session == nil)
        #expect(fixture.store.current == old)
    }
}
