import AuthClient
import CommandTestSupport
import Platform

@Suite struct SignUpTests {
    static let success = Step.signUp(
        .success(.session(NewSession(user: .ada, session: .new, createdAccount: true))))

    @Test func `a signup first checks the session store, then sends the request, then saves the session`() throws {
        let fixture = ClientFixture(Self.success)
        let result = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true)
        expect(result.createdAccount, true)
        expect(result.session, .new)
        expect(fixture.store.current, .sample(session: .new, method: .password))
        expect(fixture.requests, ["signUp ada"])
    }

    @Test(
        arguments: [
            (["age": "x7", "on": true, "plan": "gold"], ["age": 0, "on": true], ["age", "plan"]),
            (["age": "7", "apiToken": "t"], ["age": 7], []), (["plan": "gold"], [:], []),
            (["tags": ["__op": "Add", "objects": ["a"]]], ["tags": ["a"]], []),
        ] as [(JSONObject, JSONObject, [String])])
    func `a signup names the fields that the server does not show as they were sent`(
        sent: JSONObject, shown: JSONObject, names: [String]
    ) throws {
        var (account, user) = (NewAccount.ada, User.ada)
        (account.fields, user.fields) = (sent, shown)
        let new = NewSession(user: user, session: .new, createdAccount: true)
        let fixture = ClientFixture(.signUp(.success(.session(new))))
        _ = try SignUp(fixture.client).run(account, keepingSession: true, checking: true)
        let text = "warning: the server does not show these values as they were sent: "
        expect(fixture.notices, (names.isEmpty ? "" : text + names.quotedList(atMost: 9)))
    }

    @Test func `a signup saves no pending login if its profile was removed meanwhile`() throws {
        let pending = Step.signUp(.success(.waits(PendingLoginTests.waiting, .ada)))
        let fixture = ClientFixture.atSite(pending, profile: Setting("ci", from: .option("--profile")))
        fixture.configuration.put(profiles: "default")
        let result = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true)
        expect(result.pending, .emailVerification)
        expect(fixture.store.unfinishedInMemory["ci"], nil)
        fixture.expectNotices(in: "use-cases/signup")
    }

    @Test func `a signup with invalid fields sends no request and names each invalid field`() throws {
        let fixture = ClientFixture()
        let account = NewAccount(username: "ad", email: "x", password: Secret("short"))
        let error = try failure { _ = try SignUp(fixture.client).run(account, keepingSession: true, checking: true) }
        #expect(!error.message.contains("short"))
        error.expectMessage(in: "use-cases/signup")
        expect(fixture.requests, [])
    }

    @Test func `a signup that logs in to an existing account fails and ends that session`() throws {
        let fixture = ClientFixture(
            .signUp(.success(.session(NewSession(user: .ada, session: .new, createdAccount: false)))),
            .logOut(.success(.yes)))
        let error = try failure {
            _ = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: false)
        }
        expect(error.reason, .identityTaken)
        expect(fixture.requests, ["signUp ada", "logOut new"])
    }

    @Test func `a signup whose only invalid field is a short password reports a weak password`() throws {
        let account = NewAccount(username: "ada", password: Secret("short"))
        let error = try failure {
            _ = try SignUp(ClientFixture().client).run(account, keepingSession: true, checking: true)
        }
        expect(error.reason, .weakPassword)
    }

    @Test(arguments: [(true, false), (false, true), (false, false)])
    func `client-side checks are skipped on request and for a backend that checks accounts itself`(
        checking: Bool, isChecked: Bool
    ) throws {
        let fixture = ClientFixture(Self.success, checks: isChecked)
        let account = NewAccount(username: "a", password: Secret("b"))
        #expect(throws: Never.self) {
            try SignUp(fixture.client).run(account, keepingSession: true, checking: checking)
        }
    }

    @Test func `a signup without a response suggests how to check whether the account exists`() throws {
        let lost = AuthError(.outcomeUnknown, "no response", next: "the backend's hint")
        let fixture = ClientFixture(.signUp(.failure(lost)))
        let error = try failure { _ = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true) }
        error.expectMessage(in: "use-cases/signup")
    }

    @Test func `a signup whose session cannot be saved reports that the account exists`() throws {
        let fixture = ClientFixture(Self.success, .logOut(.success(.yes)))
        fixture.store.fail(.save, with: .noSpace)
        let error = try failure { _ = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true) }
        error.expectMessage(in: "use-cases/signup")
    }

    @Test func `a signup with --no-login keeps the saved session and revokes the new session`() throws {
        let old = StoredSession.sample(session: .sample("old"))
        let fixture = ClientFixture(Self.success, .logOut(.success(.yes)), stored: old)
        let result = try SignUp(fixture.client).run(.ada, keepingSession: false, checking: true)
        expect(result.session, nil)
        expect(fixture.store.current, old)
        expect(fixture.requests, ["signUp ada", "logOut new"])
    }

    @Test func `a signup with --no-login warns if the new session cannot be revoked`() throws {
        let fixture = ClientFixture(Self.success, .logOut(.failure(.fault)))
        _ = try SignUp(fixture.client).run(.ada, keepingSession: false, checking: true)
        fixture.expectNotices(in: "use-cases/signup")
    }

    @Test func `a signup that awaits e-mail verification succeeds and keeps the saved session`() throws {
        let old = StoredSession.sample(session: .sample("old"))
        let fixture = ClientFixture(.signUp(.success(.waits(.emailVerification, .ada))), stored: old)
        let result = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true)
        expect(result.pending, .emailVerification)
        expect(result.session, nil)
        expect(fixture.store.current, old)
    }

    @Test(arguments: [nil, "ada@example.org"])
    func `a signup over an anonymous session warns that its account is lost, unless it has an e-mail`(
        email: String?
    ) throws {
        let old = StoredSession.sample(
            session: .sample("old"), user: User(id: "1", email: email, identities: []), method: .anonymous)
        let fixture = ClientFixture(Self.success, stored: old)
        _ = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true)
        expect(fixture.notices.contains("warning: the anonymous account"), (email == nil))
    }
}
