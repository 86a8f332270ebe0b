import AuthClient
import CommandTestSupport

/// Token logins, anonymous logins, and logins with the master key.
@Suite struct TokenAndAnonymousLogInTests {
    static let identity = String(repeating: "07", count: 16)
    static let old = StoredSession.sample(session: .sample("old"))
    static let anonymous = NewSession(
        user: User(id: "1", username: "x7", identities: [Identity(provider: "anonymous", id: nil)]), session: .new,
        createdAccount: true)

    @Test func `a login with a token saves the session with its user, id, creation time and expiry time`() throws {
        let fixture = ClientFixture(.logInToken(.success(NewSession(user: .ada, session: .ada))))
        let result = try LogIn(fixture.client).withToken(Session.ada.token)
        expect(result.user, .ada)
        expect(result.session, .ada)
        expect(result.createdAccount, false)
        expect(result.pending, nil)
        expect(fixture.store.current, .ada)
        let token = Session.ada.token.reveal()
        expect(fixture.requests, ["logIn with \(token)"])
    }

    @Test func `a login with a rejected token keeps the saved session`() throws {
        let rejection = AuthError(.tokenRefused, "the token is not valid")
        let fixture = ClientFixture(.logInToken(.failure(rejection)), stored: Self.old)
        try failure { try LogIn(fixture.client).withToken(Secret("bad")) }.expectMessage(in: "use-cases/login")
        expect(fixture.store.current, Self.old)
        expect(fixture.requests, ["logIn with bad"])
    }

    @Test func `token and anonymous logins note the session that they replace`() throws {
        let byToken = ClientFixture(
            .logInToken(.success(NewSession(user: .ada, session: .new))), stored: LogInTests.ofBob)
        _ = try LogIn(byToken.client).withToken(Secret("new"))
        let anonymous = ClientFixture(.logInAnonymously(.success(Self.anonymous)), stored: Self.old)
        _ = try LogIn(anonymous.client).anonymously()
        for fixture in [byToken, anonymous] { #expect(fixture.notices.contains("note: ")) }
    }

    @Test func `token and anonymous logins warn of a session in the environment`() throws {
        let byToken = ClientFixture(
            .logInToken(.success(NewSession(user: .ada, session: .new))), environmentToken: "env")
        _ = try LogIn(byToken.client).withToken(Secret("new"))
        let anonymous = ClientFixture(.logInAnonymously(.success(Self.anonymous)), environmentToken: "env")
        _ = try LogIn(anonymous.client).anonymously()
        expect([byToken, anonymous].map { $0.notices.split(separator: "\n").count }, [1, 2])
    }

    @Test func `an anonymous login creates an account and warns that the account has no password`() throws {
        let fixture = ClientFixture(.logInAnonymously(.success(Self.anonymous)))
        let result = try LogIn(fixture.client).anonymously()
        expect(result.createdAccount, true)
        expect(result.session, .new)
        expect(fixture.store.current, .sample(session: .new, user: Self.anonymous.user, method: .anonymous))
        expect(fixture.requests, ["logInAnonymously \(Self.identity)"])
        fixture.expectNotices(in: "use-cases/login")
    }

    // MARK: - Without the password

    @Test func `a login with the master key saves impersonation as the authentication method`() throws {
        let fixture = ClientFixture(.logInAs(.success(NewSession(user: .ada, session: .new))), stored: Self.old)
        _ = try LogIn(fixture.client).impersonating("ada") { Secret("m4ster") }
        expect(fixture.store.current, .sample(session: .new, method: .impersonation))
        expect(fixture.requests, ["logIn as ada with m4ster"])
    }

    @Test(arguments: [nil, "https://a.example"])
    func `the error about a revoked impersonated session suggests login --impersonate`(server: String?) throws {
        let fixture =
            server == nil
            ? ClientFixture(.currentUser(.failure(.revoked)), stored: .sample(method: .impersonation))
            : ClientFixture.loggedIn(to: "parse", .currentUser(.failure(.revoked)))
        if server != nil {
            let connection = Connection(backend: "parse", server: server)
            fixture.store.put(.sample(connection: connection, method: .impersonation))
        }
        let error = try #require(try CurrentUser(fixture.client).check().error)
        error.expectMessage(in: "use-cases/login", server == nil ? "local" : "parse")
    }

    @Test func `the list of sessions marks an impersonated session even if the server does not`() throws {
        let rows = [SessionSummary(id: "1", isCurrent: true), SessionSummary(id: "2", isCurrent: false)]
        let fixture = ClientFixture(.sessions(.success(rows)), stored: .sample(method: .impersonation))
        try expect(ListSessions(fixture.client).run().items.map(\.createdWith), ["masterkey", nil])
    }

    @Test func `a failed anonymous login keeps the saved session`() throws {
        let fixture = ClientFixture(.logInAnonymously(.failure(.fault)), stored: Self.old)
        try failure { try LogIn(fixture.client).anonymously() }.expectMessage(in: "use-cases/login")
        expect(fixture.store.current, Self.old)
    }

    @Test func `an anonymous login revokes a session that it cannot save`() throws {
        let fixture = ClientFixture(.logInAnonymously(.success(Self.anonymous)), .logOut(.success(.yes)))
        fixture.store.fail(.save, with: .noSpace)
        try failure { try LogIn(fixture.client).anonymously() }.expectMessage(in: "use-cases/login")
    }
}
