import AuthClient
import CommandTestSupport

/// Signups and logins that wait for the link or code from an e-mail, and are stored separately from sessions.
@Suite struct PendingLoginTests {
    static let waiting = Pending(.emailVerification, token: Secret("p1"))
    /// The pending login `waiting` as the session store saves it.
    static let kept = StoredSession.sample(
        connection: .site, session: Session(token: Secret("p1"), createdAt: .sampleNow), user: .ada, method: .password)
    static let elsewhere = StoredSession.sample(
        connection: Connection(backend: "site", server: "https://b.example"), session: kept.session)
    static let logIn = NewSession(user: .ada, session: .new)

    @Test func `the error about a missing session names the pending signup and suggests no new account`() throws {
        let fixture = ClientFixture.waiting(pending: Self.kept)
        try failure { try fixture.client.sessions.current() }.expectMessage(in: "use-cases/pending-logins")
    }

    @Test(arguments: ["ada", "bob"])
    func `a rejected login mentions a pending signup only if the username is the same`(login: String) throws {
        let fixture = ClientFixture.waiting(
            .logIn(.failure(AuthError(.wrongPassword, "wrong username or password"))), pending: Self.kept)
        let error = try failure {
            _ = try LogIn(fixture.client).withPassword(Credentials(login: login, password: Secret("x")))
        }
        expect(
            error.nextSteps.contains { $0.sentence == "a signup of 'ada' waits for its link or code" }, (login == "ada")
        )
    }

    // MARK: - Saving

    @Test func `a signup with --no-login saves no pending login`() throws {
        let fixture = ClientFixture.waiting(.signUp(.success(.waits(Self.waiting, .ada))))
        let result = try SignUp(fixture.client).run(.ada, keepingSession: false, checking: true)
        expect(result.pending, .emailVerification)
        expect(fixture.pending, nil)
    }

    @Test func `a pending signup is saved as a pending login and not as a session`() throws {
        let fixture = ClientFixture.waiting(.signUp(.success(.waits(Self.waiting, .ada))))
        let result = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true)
        expect(result.pending, Self.waiting)
        expect(fixture.pending, Self.kept)
        expect(fixture.store.current, nil)
    }

    @Test func `a signup that waits for a link stays pending until the link verifies the e-mail address`() throws {
        let fixture = ClientFixture.waiting(
            .signUp(.success(.waits(.emailVerification, .ada))), .verify(.success(.done)))
        _ = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true)
        #expect(fixture.client.sessions.pending.stepToComplete(of: "ada") != nil)
        _ = try VerifyEmail(fixture.client).run(key: "MQ")
        expect(fixture.requests.last, "verify MQ")
        expect(fixture.pending, nil)
    }

    @Test func `a signup warns if the server does not report whether the e-mail address is taken`() throws {
        let uncertain = Pending(.emailVerification, token: Secret("p1"), isCertain: false)
        let fixture = ClientFixture.waiting(.signUp(.success(.waits(uncertain, .ada))))
        _ = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true)
        fixture.expectNotices(in: "use-cases/pending-logins")
    }

    @Test func `a signup saves the pending login if the login after the signup requires verification`() throws {
        let fixture = ClientFixture.waiting(
            .signUp(.success(.created(.ada))), .logIn(.success(.waiting(.unverified, token: "p1"))))
        let result = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true)
        expect(result.pending?.token, Self.waiting.token)
        expect(fixture.pending, Self.kept)
    }

    @Test func `a pending login is saved and leaves the saved session unchanged`() throws {
        let stored = StoredSession.sample(connection: .site)
        let fixture = ClientFixture.waiting(
            .logIn(.success(.waiting(.unverified, token: "p1"))), stored: stored)
        try failure { try LogIn(fixture.client).withPassword(.ada) }.expectMessage(in: "use-cases/pending-logins")
        expect(fixture.pending?.session.token, Secret("p1"))
        expect(fixture.pending?.user, User(username: "ada", email: "ada@example.org"))
        expect(fixture.pending?.method, .password)
        expect(fixture.store.current, stored)
    }

    @Test func `a pending Facebook login is saved`() throws {
        let fixture = ClientFixture.waiting(
            .logInIdentity(.success(.waiting(.unverified, token: "p1"))))
        try failure {
            let credential = FacebookSource(.given(.accessToken(Secret("fb-token"))))
            _ = try LogInWithIdentity(fixture.client).run(credential)
        }.expectMessage(in: "use-cases/pending-logins")
        expect(fixture.pending?.session.token, Secret("p1"))
        expect(fixture.pending?.method, .identity(.facebook))
    }

    @Test(arguments: [AuthError.fault, AuthError(.secondFactorRequired, "one-time code required")])
    func `a login error other than a pending verification keeps the earlier pending login`(error: AuthError) throws {
        let fixture = ClientFixture.waiting(.logIn(.failure(error)), pending: Self.kept)
        #expect(throws: AuthError.self) { try LogIn(fixture.client).withPassword(.ada) }
        expect(fixture.pending, Self.kept)
    }

    @Test func `a signup warns if its pending login cannot be saved`() throws {
        let fixture = ClientFixture.waiting(.signUp(.success(.waits(Self.waiting, .ada))))
        fixture.store.unfinishedInMemory.fail(.save, with: .noSpace)
        #expect(throws: Never.self) { try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true) }
        fixture.expectNotices(in: "use-cases/pending-logins")
    }

    // MARK: - Deleting

    @Test func `a successful login deletes the pending login`() throws {
        let fixture = ClientFixture.waiting(.logIn(.success(.session(Self.logIn))), pending: Self.kept)
        _ = try LogIn(fixture.client).withPassword(.ada)
        expect(fixture.pending, nil)
    }

    @Test func `a logout deletes the pending login, even without a session`() throws {
        let fixture = ClientFixture.waiting(pending: Self.kept)
        #expect(try !LogOut(fixture.client).run().changed)
        expect(fixture.pending, nil)
        let other = ClientFixture.waiting(pending: Self.kept)
        _ = try LogOut(other.client).offline()
        expect(other.pending, nil)
    }

    @Test func `a logout deletes a damaged pending login`() throws {
        let fixture = ClientFixture.waiting(pending: Self.kept)
        fixture.store.unfinishedInMemory.fail(.read, with: AuthError(.corrupt, "damaged"))
        _ = try LogOut(fixture.client).run()
        expect(fixture.pending, nil)
    }
}

extension AuthError {
    fileprivate static let unverified = AuthError(
        .emailUnverified, "the e-mail address is not verified",
        next: NextStep("follow the link in the e-mail, or enter its code", run: ["verify-email", "--key-stdin"]))
}

extension ClientFixture {
    /// The pending login of the default profile.
    var pending: StoredSession? { store.unfinishedInMemory.current }
}
