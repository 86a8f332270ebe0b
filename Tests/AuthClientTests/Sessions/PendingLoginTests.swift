import AuthClient
import AuthModel
import CommandTestSupport
import Testing

/// Sign-ups and log-ins that wait for a mailed code: what the server knows them by is kept apart from sessions.
@Suite struct PendingLoginTests {
    static let waiting = Pending(.emailVerification, token: Secret("p1"))
    /// As it is kept.
    static let kept = StoredSession.sample(
        connection: .site, session: Session(token: Secret("p1"), createdAt: .sampleNow), user: .ada, method: .password)
    static let elsewhere = StoredSession.sample(
        connection: Connection(backend: "site", server: "https://b.example"), session: kept.session)
    static let logIn = NewSession(user: .ada, session: .new)

    // MARK: - Kept

    @Test func `keeps nothing where no session is wanted`() throws {
        let fixture = ClientFixture.waiting(.signUp(.success(.pending(Self.waiting, .ada))))
        let result = try SignUp(fixture.client).run(.ada, keepingSession: false, checking: true)
        #expect(result.pending == .emailVerification)
        #expect(fixture.pending == nil)
    }

    @Test func `keeps what a sign-up waits with, and no session`() throws {
        let fixture = ClientFixture.waiting(.signUp(.success(.pending(Self.waiting, .ada))))
        let result = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true)
        #expect(result.pending == Self.waiting)
        #expect(fixture.pending == Self.kept)
        #expect(fixture.store.current == nil)
    }

    @Test func `warns where somebody may have that address already`() throws {
        let uncertain = Pending(.emailVerification, token: Secret("p1"), isCertain: false)
        let fixture = ClientFixture.waiting(.signUp(.success(.pending(uncertain, .ada))))
        _ = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true)
        #expect(
            fixture.steps.last == "warning: the server does not say whether somebody has that address already")
    }

    @Test func `keeps what the log-in after a sign-up waits with`() throws {
        let fixture = ClientFixture.waiting(.signUp(.success(.created(.ada))), .logIn(.failure(.unverified)))
        let result = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true)
        #expect(result.pending == Self.waiting)
        #expect(fixture.pending == Self.kept)
    }

    @Test func `keeps what a log-in waits with, and leaves the session alone`() throws {
        let stored = StoredSession.sample(connection: .site)
        let fixture = ClientFixture.waiting(.logIn(.failure(.unverified)), stored: stored)
        let error = try failure { _ = try LogIn(fixture.client).withPassword(.ada) }
        #expect(error.reason == .emailUnverified)
        #expect(
            error.hints == ["a mail is on its way: follow its link, or give its code: authctl verify-email --key CODE"])
        #expect(fixture.pending?.session.token == Secret("p1"))
        #expect(fixture.pending?.user == User(username: "ada"))
        #expect(fixture.pending?.method == .password)
        #expect(fixture.store.current == stored)
    }

    @Test func `keeps what a log-in with Facebook waits with`() throws {
        let fixture = ClientFixture.waiting(.logInFacebook(.failure(.unverified)))
        let error = try failure {
            let credential = FacebookCredential(.given(.accessToken(Secret("fb-token"))))
            _ = try LogInWithFacebook(fixture.client).run(credential, fills: false)
        }
        #expect(
            error.hints == ["a mail is on its way: follow its link, or give its code: authctl verify-email --key CODE"])
        #expect(fixture.pending?.session.token == Secret("p1"))
        #expect(fixture.pending?.method == .facebook)
    }

    @Test(arguments: [AuthError.fault, AuthError(.secondFactorRequired, "a code is wanted")])
    func `keeps nothing of other refusals, and what was kept before`(error: AuthError) throws {
        let fixture = ClientFixture.waiting(.logIn(.failure(error)), pending: Self.kept)
        #expect(throws: AuthError.self) { try LogIn(fixture.client).withPassword(.ada) }
        #expect(fixture.pending == Self.kept)
    }

    @Test func `says that a code will be of no use where nothing can be kept`() throws {
        let fixture = ClientFixture.waiting(.signUp(.success(.pending(Self.waiting, .ada))))
        fixture.store.unfinishedInMemory.fail(.save, with: .noSpace)
        #expect(throws: Never.self) { try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true) }
        #expect(fixture.steps.last == "warning: a mailed code cannot be used later: no room in the folder")
    }

    // MARK: - Forgotten

    @Test func `forgets it after a log-in`() throws {
        let fixture = ClientFixture.waiting(.logIn(.success(.session(Self.logIn))), pending: Self.kept)
        _ = try LogIn(fixture.client).withPassword(.ada)
        #expect(fixture.pending == nil)
    }

    @Test func `forgets it at a log-out, also where nobody is logged in`() throws {
        let fixture = ClientFixture.waiting(pending: Self.kept)
        #expect(try !LogOut(fixture.client).run().changed)
        #expect(fixture.pending == nil)
        let other = ClientFixture.waiting(pending: Self.kept)
        _ = try LogOut(other.client).offline()
        #expect(other.pending == nil)
    }

    @Test func `forgets one that cannot be read`() throws {
        let fixture = ClientFixture.waiting(pending: Self.kept)
        fixture.store.unfinishedInMemory.fail(.read, with: AuthError(.corrupt, "damaged"))
        _ = try LogOut(fixture.client).run()
        #expect(fixture.pending == nil)
    }
}

extension AuthError {
    /// The refusal of a log-in that a mailed code goes on with.
    fileprivate static let unverified = {
        var error = AuthError(.emailUnverified, "the e-mail is not verified yet")
        error.pendingToken = Secret("p1")
        return error
    }()
}

extension ClientFixture {
    /// What waits for a mailed code.
    var pending: StoredSession? { store.unfinishedInMemory.current }
}
