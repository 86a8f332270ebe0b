import CommandTestSupport

@testable import AuthClient

/// The code or link of a verification e-mail, used with a pending login, with a session or with neither.
@Suite struct VerifyEmailTests {
    @Test func `a verification code completes the pending login, and the new session is saved`() throws {
        let fixture = ClientFixture.waiting(
            .verify(.success(.session(PendingLoginTests.logIn))), pending: PendingLoginTests.kept)
        try expect(VerifyEmail(fixture.client).run(key: "MPDF"), .session(PendingLoginTests.logIn))
        expect(fixture.requests, ["verify MPDF as pending p1"])
        expect(fixture.store.current?.connection, .site)
        expect(fixture.pending, nil)
    }

    @Test(arguments: [AuthMethod.password as AuthMethod?, .identity(.facebook), nil])
    func `VerifyEmail saves the new session with the authentication method of the pending login`(
        method: AuthMethod?
    ) throws {
        let pending = StoredSession.sample(
            connection: .site, session: PendingLoginTests.kept.session, user: User(), method: method)
        let fixture = ClientFixture.waiting(.verify(.success(.session(PendingLoginTests.logIn))), pending: pending)
        _ = try VerifyEmail(fixture.client).run(key: "MPDF")
        expect(fixture.store.current?.method, method)
    }

    @Test func `a verification code completes a pending Facebook login`() throws {
        let fixture = ClientFixture.waiting(
            .logInIdentity(
                .success(
                    .waiting(AuthError(.emailUnverified, "the e-mail address is not verified"), token: "p1"))),
            .verify(.success(.session(PendingLoginTests.logIn))))
        #expect(throws: AuthError.self) {
            try LogInWithIdentity(fixture.client).run(IdentityContract.facebook)
        }
        _ = try VerifyEmail(fixture.client).run(key: "MPDF")
        expect(fixture.store.current?.session, .new)
        expect(fixture.store.current?.method, .identity(.facebook))
    }

    @Test func `a verification response without a session deletes the pending login`() throws {
        let fixture = ClientFixture.waiting(.verify(.success(.done)), pending: PendingLoginTests.kept)
        try expect(VerifyEmail(fixture.client).run(key: "MQ"), .done)
        expect(fixture.store.current, nil)
        expect(fixture.pending, nil)
    }

    @Test func `a wrong verification code keeps the pending login`() throws {
        let wrong = AuthError(.wrongCode, "the code is wrong")
        let fixture = ClientFixture.waiting(.verify(.failure(wrong)), pending: PendingLoginTests.kept)
        try failure { try VerifyEmail(fixture.client).run(key: "MPDF") }.expectMessage(in: "use-cases/verify-email")
        expect(fixture.pending, PendingLoginTests.kept)
    }

    @Test func `VerifyEmail sends the code anonymously if no session or pending login for the server exists`() throws {
        let free = ClientFixture.waiting(.verify(.success(.done)))
        #expect(throws: Never.self) { try VerifyEmail(free.client).run(key: "MQ") }
        expect(free.requests, ["verify MQ"])
        let fixture = ClientFixture.waiting(.verify(.success(.done)), pending: PendingLoginTests.elsewhere)
        #expect(throws: Never.self) { try VerifyEmail(fixture.client).run(key: "MQ") }
        expect(fixture.requests, ["verify MQ"])
        expect(fixture.pending, PendingLoginTests.elsewhere)
    }

    @Test func `VerifyEmail without a pending login uses the saved session and saves the session's new token`() throws {
        let stored = StoredSession.sample(connection: .site)
        let fixture = ClientFixture.waiting(.verify(.success(.done), replacement: .new), stored: stored)
        try expect(VerifyEmail(fixture.client).run(key: "MPDF"), .done)
        expect(fixture.requests, ["verify MPDF as session \(Exchange.adaToken)"])
        expect(fixture.store.current?.user, .ada)
    }

    @Test func `if the new session cannot be saved, the error reports that the e-mail address is verified`() throws {
        let fixture = ClientFixture.waiting(
            .verify(.success(.done), replacement: .new), stored: .sample(connection: .site))
        fixture.store.fail(.update, with: .noSpace)
        try failure { try VerifyEmail(fixture.client).run(key: "MPDF") }.expectMessage(in: "use-cases/verify-email")
    }

    @Test func `a new token in the response to a verification request replaces the pending login's token`() throws {
        let fixture = ClientFixture.waiting(
            .sendVerification(.success(true), replacement: Session(token: Secret("p2"))),
            pending: PendingLoginTests.kept)
        try expect(
            SendVerification(fixture.client).run(email: nil),
            VerificationMail(email: "ada@example.org", wasSent: true, holdsCode: true))
        expect(fixture.requests, ["sendVerification ada@example.org as pending p1"])
        expect(fixture.pending?.session.token, Secret("p2"))
        expect(fixture.pending?.user, .ada)
    }

    @Test func `a verification e-mail for a pending login can be requested without an address`() throws {
        let nameless = StoredSession.sample(
            connection: .site, session: PendingLoginTests.kept.session, user: User(username: "ada"))
        let fixture = ClientFixture.waiting(.sendVerification(.success(true)), pending: nameless)
        let mail = try SendVerification(fixture.client).run(email: nil)
        MessageFile("use-cases/verify-email").expect(mail.email)
        #expect(mail.holdsCode)
    }

    @Test func `a request for a verification e-mail to another address does not use the pending login`() throws {
        let fixture = ClientFixture.waiting(
            .sendVerification(.success(true)), stored: .sample(connection: .site), pending: PendingLoginTests.kept)
        let mail = try SendVerification(fixture.client).run(email: "eve@example.org")
        expect(mail, VerificationMail(email: "eve@example.org", wasSent: true))
        expect(fixture.requests, ["sendVerification eve@example.org as session \(Exchange.adaToken)"])
        expect(fixture.pending, PendingLoginTests.kept)
    }

    @Test func `a verification e-mail is requested with the session if the server rejects the pending login`() throws {
        let fixture = ClientFixture.waiting(
            .sendVerification(.failure(.revoked)), .sendVerification(.success(true), replacement: .new),
            stored: .sample(connection: .site), pending: PendingLoginTests.kept)
        #expect(try SendVerification(fixture.client).run(email: "ADA@example.org").wasSent)
        #expect(
            fixture.requests == [
                "sendVerification ADA@example.org as pending p1",
                "sendVerification ADA@example.org as session \(Exchange.adaToken)",
            ])
        expect(fixture.store.current?.session.token, Secret("new"))
        expect(fixture.pending, nil)
    }

    @Test func `SendVerification acts anonymously if the pending login is rejected and no session exists`() throws {
        let rejection = AuthError(.unsupported, "requires a pending login")
        let fixture = ClientFixture.waiting(
            .sendVerification(.failure(.revoked)), .sendVerification(.failure(rejection)),
            pending: PendingLoginTests.kept)
        try expect(failure { _ = try SendVerification(fixture.client).run(email: nil) }.reason, .unsupported)
        expect(fixture.requests.last, "sendVerification ada@example.org")
    }

    @Test func `no verification e-mail is requested if a rejected pending login has no address`() throws {
        let nameless = StoredSession.sample(
            connection: .site, session: PendingLoginTests.kept.session, user: User(username: "ada"))
        let fixture = ClientFixture.waiting(.sendVerification(.failure(.revoked)), pending: nameless)
        try expect(failure { _ = try SendVerification(fixture.client).run(email: nil) }.reason, .usage)
        #expect(fixture.requests.count == 1 && fixture.pending == nil)
    }

    @Test(arguments: [AuthError.fault, AuthError(.rateLimited, "too many requests")])
    func `a failed request for a verification e-mail keeps the pending login`(error: AuthError) throws {
        let fixture = ClientFixture.waiting(.sendVerification(.failure(error)), pending: PendingLoginTests.kept)
        try expect(failure { _ = try SendVerification(fixture.client).run(email: nil) }.reason, error.reason)
        expect(fixture.pending, PendingLoginTests.kept)
    }
}
