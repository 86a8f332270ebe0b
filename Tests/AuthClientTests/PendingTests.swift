import AuthClient
import AuthModel
import CommandTestSupport
import Testing

/// Sign-ups and log-ins that wait for a mailed code: what the server knows them by is kept apart from sessions.
@Suite struct PendingTests {
    static let waiting = Pending(.emailVerification, token: Secret("p1"))
    /// As it is kept.
    static let kept = StoredSession.sample(
        connection: .site, session: Session(token: Secret("p1"), createdAt: .sampleNow), user: .ada)
    static let elsewhere = StoredSession.sample(
        connection: Connection(backend: "site", server: "https://b.example"), session: kept.session)
    static let logIn = LogIn(user: .ada, session: .new)

    private func pending(_ fixture: ClientFixture) -> StoredSession? { fixture.store.unfinishedInMemory.current }

    // MARK: - Kept

    @Test(arguments: [true, false])
    func `keeps what a sign-up waits with, and no session`(keepingSession: Bool) throws {
        let fixture = ClientFixture.waiting(.signUp(.success(.pending(Self.waiting, .ada))))
        let result = try fixture.client.signUp(.ada, keepingSession: keepingSession, checking: true)
        #expect(result.pending == Self.waiting)
        #expect(pending(fixture) == Self.kept)
        #expect(fixture.store.current == nil)
    }

    @Test func `warns where somebody may have that address already`() throws {
        let uncertain = Pending(.emailVerification, token: Secret("p1"), isCertain: false)
        let fixture = ClientFixture.waiting(.signUp(.success(.pending(uncertain, .ada))))
        _ = try fixture.client.signUp(.ada, keepingSession: true, checking: true)
        #expect(
            fixture.steps.last == "warning: the server does not say whether somebody has that address already")
    }

    @Test func `keeps what the log-in after a sign-up waits with`() throws {
        let fixture = ClientFixture.waiting(.signUp(.success(.created(.ada))), .logIn(.failure(.unverified)))
        let result = try fixture.client.signUp(.ada, keepingSession: true, checking: true)
        #expect(result.pending == Self.waiting)
        #expect(pending(fixture) == Self.kept)
    }

    @Test func `keeps what a log-in waits with, and leaves the session alone`() throws {
        let stored = StoredSession.sample(connection: .site)
        let fixture = ClientFixture.waiting(.logIn(.failure(.unverified)), stored: stored)
        let error = try failure { _ = try fixture.client.logIn(.ada) }
        #expect(error.reason == .emailUnverified)
        #expect(
            error.hint == "a mail is on its way: follow its link, or give its code: authctl verify-email --key CODE")
        #expect(pending(fixture)?.session.token == Secret("p1"))
        #expect(pending(fixture)?.user == User(username: "ada"))
        #expect(fixture.store.current == stored)
    }

    @Test func `keeps what a log-in with Facebook waits with`() throws {
        let fixture = ClientFixture.waiting(.logInFacebook(.failure(.unverified)))
        let error = try failure {
            _ = try fixture.client.logIn(facebook: FacebookIdentity(token: Secret("fb-token")))
        }
        #expect(
            error.hint == "a mail is on its way: follow its link, or give its code: authctl verify-email --key CODE")
        #expect(pending(fixture)?.session.token == Secret("p1"))
    }

    @Test(arguments: [AuthError.fault, AuthError(.secondFactorRequired, "a code is wanted")])
    func `keeps nothing of other refusals, and what was kept before`(error: AuthError) throws {
        let fixture = ClientFixture.waiting(.logIn(.failure(error)), pending: Self.kept)
        #expect(throws: AuthError.self) { try fixture.client.logIn(.ada) }
        #expect(pending(fixture) == Self.kept)
    }

    @Test func `says that a code will be of no use where nothing can be kept`() throws {
        let fixture = ClientFixture.waiting(.signUp(.success(.pending(Self.waiting, .ada))))
        fixture.store.unfinishedInMemory.fail(.save, with: .noSpace)
        #expect(throws: Never.self) { try fixture.client.signUp(.ada, keepingSession: true, checking: true) }
        #expect(fixture.steps.last == "warning: a mailed code cannot be used later: no room in the folder")
    }

    // MARK: - Used

    @Test func `gives a code for the log-in that waits for it, and keeps its session`() throws {
        let fixture = ClientFixture.waiting(.verifyEmailAs(.success(Self.logIn)), pending: Self.kept)
        #expect(try fixture.client.verifyEmail(key: "MPDF").user == .ada)
        #expect(fixture.steps == ["store: prepare", "backend: verifyEmail MPDF as pending p1", "store: save new"])
        #expect(fixture.store.current?.connection == .site)
        #expect(pending(fixture) == nil)
    }

    @Test func `waits for nothing any more once the address is confirmed`() throws {
        let fixture = ClientFixture.waiting(.verifyEmailAs(.success(nil)), pending: Self.kept)
        #expect(try fixture.client.verifyEmail(key: "MQ").user == nil)
        #expect(fixture.store.current == nil)
        #expect(pending(fixture) == nil)
    }

    @Test func `waits on where a code is wrong`() throws {
        let wrong = AuthError(.wrongCode, "the server does not accept the code")
        let fixture = ClientFixture.waiting(.verifyEmailAs(.failure(wrong)), pending: Self.kept)
        let error = try failure { _ = try fixture.client.verifyEmail(key: "MPDF") }
        #expect(error.message == "cannot confirm the address: the server does not accept the code")
        #expect(pending(fixture) == Self.kept)
    }

    @Test func `confirms as nobody where nothing waits, or for another server`() throws {
        let free = ClientFixture.waiting(.verifyEmailAs(.success(nil)))
        #expect(throws: Never.self) { try free.client.verifyEmail(key: "MQ") }
        #expect(free.steps == ["backend: verifyEmail MQ as nobody"])
        let fixture = ClientFixture.waiting(.verifyEmailAs(.success(nil)), pending: Self.elsewhere)
        #expect(throws: Never.self) { try fixture.client.verifyEmail(key: "MQ") }
        #expect(fixture.steps == ["backend: verifyEmail MQ as nobody"])
        #expect(pending(fixture) == Self.elsewhere)
    }

    @Test func `has another mail sent to whom waits, and waits with what comes`() throws {
        let fixture = ClientFixture.waiting(
            .sendVerificationAs(.success(true), replacement: Session(token: Secret("p2"))), pending: Self.kept)
        #expect(try fixture.client.sendVerification(email: nil) == ("ada@example.org", true))
        #expect(fixture.steps == ["backend: sendVerification ada@example.org as pending p1"])
        #expect(pending(fixture)?.session.token == Secret("p2"))
        #expect(pending(fixture)?.user == .ada)
    }

    @Test func `asks for the address of whom waits where it is not known`() throws {
        let nameless = StoredSession.sample(
            connection: .site, session: Self.kept.session, user: User(username: "ada"))
        let fixture = ClientFixture.waiting(pending: nameless)
        let error = try failure { _ = try fixture.client.sendVerification(email: nil) }
        #expect(error.reason == .usage)
        #expect(error.hint == "name it with --email")
    }

    @Test func `goes on as who is logged in where the server knows nothing of it any more`() throws {
        let fixture = ClientFixture.waiting(
            .sendVerificationAs(.failure(.dead)), .sendVerificationAs(.success(true), replacement: .new),
            stored: .sample(connection: .site), pending: Self.kept)
        #expect(try fixture.client.sendVerification(email: "a@b.c").wasSent)
        #expect(
            fixture.steps == [
                "backend: sendVerification a@b.c as pending p1",
                "backend: sendVerification a@b.c as session \(Exchange.adaToken)", "store: update new",
            ])
        #expect(pending(fixture) == nil)
    }

    @Test func `goes on as nobody where nobody is logged in either`() throws {
        let refusal = AuthError(.unsupported, "only to somebody who is logging in")
        let fixture = ClientFixture.waiting(
            .sendVerificationAs(.failure(.dead)), .sendVerificationAs(.failure(refusal)), pending: Self.kept)
        #expect(try failure { _ = try fixture.client.sendVerification(email: nil) }.reason == .unsupported)
        #expect(fixture.steps.last == "backend: sendVerification ada@example.org as nobody")
    }

    @Test(arguments: [AuthError.fault, AuthError(.rateLimited, "too many requests")])
    func `waits on where no mail could be sent`(error: AuthError) throws {
        let fixture = ClientFixture.waiting(.sendVerificationAs(.failure(error)), pending: Self.kept)
        #expect(try failure { _ = try fixture.client.sendVerification(email: nil) }.reason == error.reason)
        #expect(pending(fixture) == Self.kept)
    }

    // MARK: - Forgotten

    @Test func `forgets it after a log-in`() throws {
        let fixture = ClientFixture.waiting(.logIn(.success(.session(Self.logIn))), pending: Self.kept)
        _ = try fixture.client.logIn(.ada)
        #expect(pending(fixture) == nil)
    }

    @Test func `forgets it at a log-out, also where nobody is logged in`() throws {
        let fixture = ClientFixture.waiting(pending: Self.kept)
        #expect(try !fixture.client.logOut().changed)
        #expect(pending(fixture) == nil)
        let other = ClientFixture.waiting(pending: Self.kept)
        _ = try other.client.forget()
        #expect(pending(other) == nil)
    }

    @Test func `forgets one that cannot be read`() throws {
        let fixture = ClientFixture.waiting(pending: Self.kept)
        fixture.store.unfinishedInMemory.fail(.read, with: AuthError(.corrupt, "damaged"))
        _ = try fixture.client.logOut()
        #expect(pending(fixture) == nil)
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
