import AuthClient
import AuthModel
import CommandTestSupport
import Testing

/// What a mailed code or link is used with: a sign-up or log-in that waits, a session, or nothing.
@Suite struct VerifyEmailTests {
    @Test func `gives a code for the log-in that waits for it, and keeps its session`() throws {
        let fixture = ClientFixture.waiting(
            .verifyEmailAs(.success(PendingLoginTests.logIn)), pending: PendingLoginTests.kept)
        #expect(try VerifyEmail(fixture.client).run(key: "MPDF") == .ada)
        #expect(fixture.steps == ["store: prepare", "backend: verifyEmail MPDF as pending p1", "store: save new"])
        #expect(fixture.store.current?.connection == .site)
        #expect(fixture.pending == nil)
    }

    @Test(arguments: [AuthMethod.password as AuthMethod?, .facebook, nil])
    func `knows of the session how the log-in began that the code ends`(method: AuthMethod?) throws {
        let pending = StoredSession.sample(
            connection: .site, session: PendingLoginTests.kept.session, user: User(), method: method)
        let fixture = ClientFixture.waiting(.verifyEmailAs(.success(PendingLoginTests.logIn)), pending: pending)
        _ = try VerifyEmail(fixture.client).run(key: "MPDF")
        #expect(fixture.store.current?.method == method)
    }

    @Test func `a log-in with Facebook that a code ends has that way`() throws {
        var unverified = AuthError(.emailUnverified, "the e-mail is not verified yet")
        unverified.pendingToken = Secret("p1")
        let fixture = ClientFixture.waiting(
            .logInFacebook(.failure(unverified)), .verifyEmailAs(.success(PendingLoginTests.logIn)))
        #expect(throws: AuthError.self) {
            try LogInWithFacebook(fixture.client).run(LinkFacebookTests.identity, fills: false)
        }
        _ = try VerifyEmail(fixture.client).run(key: "MPDF")
        #expect(fixture.store.current?.session == .new)
        #expect(fixture.store.current?.method == .facebook)
    }

    @Test func `waits for nothing any more once the address is confirmed`() throws {
        let fixture = ClientFixture.waiting(.verifyEmailAs(.success(nil)), pending: PendingLoginTests.kept)
        #expect(try VerifyEmail(fixture.client).run(key: "MQ") == nil)
        #expect(fixture.store.current == nil)
        #expect(fixture.pending == nil)
    }

    @Test func `waits on where a code is wrong`() throws {
        let wrong = AuthError(.wrongCode, "the server does not accept the code")
        let fixture = ClientFixture.waiting(.verifyEmailAs(.failure(wrong)), pending: PendingLoginTests.kept)
        let error = try failure { _ = try VerifyEmail(fixture.client).run(key: "MPDF") }
        #expect(error.message == "cannot confirm the address: the server does not accept the code")
        #expect(fixture.pending == PendingLoginTests.kept)
    }

    @Test func `confirms as nobody where nothing waits, or for another server`() throws {
        let free = ClientFixture.waiting(.verifyEmailAs(.success(nil)))
        #expect(throws: Never.self) { try VerifyEmail(free.client).run(key: "MQ") }
        #expect(free.steps == ["backend: verifyEmail MQ as nobody"])
        let fixture = ClientFixture.waiting(.verifyEmailAs(.success(nil)), pending: PendingLoginTests.elsewhere)
        #expect(throws: Never.self) { try VerifyEmail(fixture.client).run(key: "MQ") }
        #expect(fixture.steps == ["backend: verifyEmail MQ as nobody"])
        #expect(fixture.pending == PendingLoginTests.elsewhere)
    }

    @Test func `gives a code as who is logged in where nothing waits, and keeps what takes the session's place`() throws
    {
        let stored = StoredSession.sample(connection: .site)
        let fixture = ClientFixture.waiting(.verifyEmailAs(.success(nil), replacement: .new), stored: stored)
        #expect(try VerifyEmail(fixture.client).run(key: "MPDF") == nil)
        #expect(
            fixture.steps == ["backend: verifyEmail MPDF as session \(Exchange.adaToken)", "store: update new"])
        #expect(fixture.store.current?.user == .ada)
    }

    @Test func `says that the address is confirmed where the session that this brings cannot be kept`() throws {
        let fixture = ClientFixture.waiting(
            .verifyEmailAs(.success(nil), replacement: .new), stored: .sample(connection: .site))
        fixture.store.fail(.update, with: .noSpace)
        let error = try failure { _ = try VerifyEmail(fixture.client).run(key: "MPDF") }
        #expect(
            error.message
                == "the address was confirmed, but the new session could not be kept: no room in the folder")
        #expect(error.hints == ["once that is fixed, log in again: authctl login"])
    }

    @Test func `has another mail sent to whom waits, and waits with what comes`() throws {
        let fixture = ClientFixture.waiting(
            .sendVerificationAs(.success(true), replacement: Session(token: Secret("p2"))),
            pending: PendingLoginTests.kept)
        #expect(
            try SendVerification(fixture.client).run(email: nil)
                == VerificationMail(email: "ada@example.org", wasSent: true, holdsCode: true))
        #expect(fixture.steps == ["backend: sendVerification ada@example.org as pending p1"])
        #expect(fixture.pending?.session.token == Secret("p2"))
        #expect(fixture.pending?.user == .ada)
    }

    @Test func `needs no address of whom waits: the server knows it`() throws {
        let nameless = StoredSession.sample(
            connection: .site, session: PendingLoginTests.kept.session, user: User(username: "ada"))
        let fixture = ClientFixture.waiting(.sendVerificationAs(.success(true)), pending: nameless)
        let mail = try SendVerification(fixture.client).run(email: nil)
        #expect(mail.email == "the address of the account")
        #expect(mail.holdsCode)
    }

    @Test func `does not take what waits with another address for the one that is named`() throws {
        let fixture = ClientFixture.waiting(
            .sendVerificationAs(.success(true)), stored: .sample(connection: .site), pending: PendingLoginTests.kept)
        let mail = try SendVerification(fixture.client).run(email: "eve@example.org")
        #expect(mail == VerificationMail(email: "eve@example.org", wasSent: true))
        #expect(fixture.steps == ["backend: sendVerification eve@example.org as session \(Exchange.adaToken)"])
        #expect(fixture.pending == PendingLoginTests.kept)
    }

    @Test func `goes on as who is logged in where the server knows nothing of it any more`() throws {
        let fixture = ClientFixture.waiting(
            .sendVerificationAs(.failure(.dead)), .sendVerificationAs(.success(true), replacement: .new),
            stored: .sample(connection: .site), pending: PendingLoginTests.kept)
        #expect(try SendVerification(fixture.client).run(email: "ADA@example.org").wasSent)
        #expect(
            fixture.steps == [
                "backend: sendVerification ADA@example.org as pending p1",
                "backend: sendVerification ADA@example.org as session \(Exchange.adaToken)", "store: update new",
            ])
        #expect(fixture.pending == nil)
    }

    @Test func `goes on as nobody where nobody is logged in either`() throws {
        let refusal = AuthError(.unsupported, "only to somebody who is logging in")
        let fixture = ClientFixture.waiting(
            .sendVerificationAs(.failure(.dead)), .sendVerificationAs(.failure(refusal)),
            pending: PendingLoginTests.kept)
        #expect(try failure { _ = try SendVerification(fixture.client).run(email: nil) }.reason == .unsupported)
        #expect(fixture.steps.last == "backend: sendVerification ada@example.org as nobody")
    }

    @Test(arguments: [AuthError.fault, AuthError(.rateLimited, "too many requests")])
    func `waits on where no mail could be sent`(error: AuthError) throws {
        let fixture = ClientFixture.waiting(.sendVerificationAs(.failure(error)), pending: PendingLoginTests.kept)
        #expect(try failure { _ = try SendVerification(fixture.client).run(email: nil) }.reason == error.reason)
        #expect(fixture.pending == PendingLoginTests.kept)
    }
}
