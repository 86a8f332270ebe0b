import AuthClient
import AuthModel
import CommandTestSupport
import Testing

@Suite struct SignUpTests {
    static let success = FakeBackend.Step.signUp(
        .success(.session(NewSession(user: .ada, session: .new, createdAccount: true))))

    @Test func `makes sure of its place, asks the server, keeps the session`() throws {
        let fixture = ClientFixture(Self.success)
        let result = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true)
        #expect(result.createdAccount == true)
        #expect(result.session == .new)
        #expect(fixture.store.current == .sample(session: .new, method: .password))
        #expect(fixture.steps == ["store: prepare", "backend: signUp ada", "store: save new"])
    }

    @Test func `sends nothing that does not pass the checks, and tells all faults`() throws {
        let fixture = ClientFixture()
        let account = NewAccount(username: "ad", email: "x", password: Secret("short"))
        let error = try failure { _ = try SignUp(fixture.client).run(account, keepingSession: true, checking: true) }
        #expect(error.reason == .invalidFields)
        #expect(error.fields.map(\.field) == ["username", "email", "password"])
        #expect(!error.message.contains("short"))
        #expect(fixture.steps == [])
    }

    @Test func `calls a password weak if nothing else is wrong`() throws {
        let account = NewAccount(username: "ada", password: Secret("short"))
        let error = try failure {
            _ = try SignUp(ClientFixture().client).run(account, keepingSession: true, checking: true)
        }
        #expect(error.reason == .weakPassword)
    }

    @Test(arguments: [(true, false), (false, true), (false, false)])
    func `leaves the checks to the server if asked to, or if its kind checks itself`(
        checking: Bool, isChecked: Bool
    ) throws {
        let fixture = ClientFixture(Self.success, checks: isChecked)
        let account = NewAccount(username: "a", password: Secret("b"))
        #expect(throws: Never.self) {
            try SignUp(fixture.client).run(account, keepingSession: true, checking: checking)
        }
    }

    @Test func `says what could not be made`() throws {
        let fixture = ClientFixture(.signUp(.failure(AuthError(.usernameTaken, "the user name is taken"))))
        let error = try failure { _ = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true) }
        #expect(error.reason == .usernameTaken)
        #expect(error.message == "cannot create account 'ada': the user name is taken")
    }

    @Test func `a signup without a response says how to find out whether the account exists`() throws {
        let lost = AuthError(.outcomeUnknown, "the answer was lost", next: "the backend's words")
        let fixture = ClientFixture(.signUp(.failure(lost)))
        let error = try failure { _ = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true) }
        #expect(error.message == "cannot create account 'ada': the answer was lost")
        #expect(
            error.hints
                == ["the account may exist: find out by logging in with the same password: authctl login ada"])
    }

    @Test func `says that the account exists when its session could not be kept`() throws {
        let fixture = ClientFixture(Self.success, .logOut(.success(.yes)))
        fixture.store.fail(.save, with: .noSpace)
        let error = try failure { _ = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true) }
        #expect(error.outcome == .storage)
        #expect(
            error.message == "account 'ada' was created, but its session could not be kept and was ended again: "
                + "no room in the folder")
        #expect(error.hints == ["once that is fixed, log in: authctl login ada"])
    }

    @Test func `leaves the stored session alone if a log-in is not wanted, and ends the new one`() throws {
        let old = StoredSession.sample(session: .sample("old"))
        let fixture = ClientFixture(Self.success, .logOut(.success(.yes)), stored: old)
        let result = try SignUp(fixture.client).run(.ada, keepingSession: false, checking: true)
        #expect(result.session == nil)
        #expect(fixture.store.current == old)
        #expect(fixture.steps == ["backend: signUp ada", "backend: logOut new"])
    }

    @Test func `warns when a session that is not wanted could not be ended`() throws {
        let fixture = ClientFixture(Self.success, .logOut(.failure(.fault)))
        _ = try SignUp(fixture.client).run(.ada, keepingSession: false, checking: true)
        #expect(fixture.steps.last == "warning: the session that came with the account could not be ended")
    }

    @Test func `needs no place for a session that is not wanted`() throws {
        let fixture = ClientFixture(Self.success, .logOut(.success(.yes)))
        fixture.store.fail(.prepare, with: .noSpace)
        fixture.store.fail(.load, with: .noSpace)
        #expect(throws: Never.self) {
            try SignUp(fixture.client).run(.ada, keepingSession: false, checking: true)
        }
    }

    @Test func `ends well while the address waits to be confirmed`() throws {
        let old = StoredSession.sample(session: .sample("old"))
        let fixture = ClientFixture(.signUp(.success(.pending(.emailVerification, .ada))), stored: old)
        let result = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true)
        #expect(result.pending == .emailVerification)
        #expect(result.session == nil)
        #expect(fixture.store.current == old)
    }
}
