import AuthClient
import AuthModel
import CommandTestSupport
import Testing

/// Log-ins with a token, and of somebody who does not say who they are.
@Suite struct TokenAndAnonymousLogInTests {
    static let identity = String(repeating: "07", count: 16)
    static let old = StoredSession.sample(session: .sample("old"))
    static let anonymous = NewSession(
        user: User(id: "1", username: "x7", providers: ["anonymous"]), session: .new, createdAccount: true)

    @Test func `with a token keeps the session with its user and its times`() throws {
        let fixture = ClientFixture(.logInToken(.success(NewSession(user: .ada, session: .ada))))
        let result = try LogIn(fixture.client).withToken(Session.ada.token)
        #expect(result.user == .ada)
        #expect(result.session == .ada)
        #expect(result.createdAccount == false)
        #expect(result.pending == nil)
        #expect(fixture.store.current == .ada)
        let token = Session.ada.token.reveal()
        #expect(fixture.steps == ["store: prepare", "backend: logIn with \(token)", "store: save \(token)"])
    }

    @Test func `with a token that the server refuses keeps the old session`() throws {
        let refusal = AuthError(.tokenRefused, "the server does not accept this session")
        let fixture = ClientFixture(.logInToken(.failure(refusal)), stored: Self.old)
        let error = try failure { _ = try LogIn(fixture.client).withToken(Secret("bad")) }
        #expect(error.reason == .tokenRefused)
        #expect(error.outcome.exitCode == 4)
        #expect(error.message == "cannot log in with the token: the server does not accept this session")
        #expect(fixture.store.current == Self.old)
        #expect(fixture.steps == ["store: prepare", "backend: logIn with bad"])
    }

    @Test func `with a token asks no server when its session could not be kept`() throws {
        let fixture = ClientFixture()
        fixture.store.fail(.prepare, with: .noSpace)
        #expect(try failure { _ = try LogIn(fixture.client).withToken(Secret("new")) } == .noSpace)
        #expect(fixture.steps == ["store: prepare"])
    }

    @Test func `replace the session kept before with a note`() throws {
        let note = "note: the session kept before ('ada') was replaced; it was not ended at the server"
        let byToken = ClientFixture(.logInToken(.success(NewSession(user: .ada, session: .new))), stored: Self.old)
        _ = try LogIn(byToken.client).withToken(Secret("new"))
        #expect(byToken.steps.last == note)
        let withoutName = ClientFixture(.logInAnonymously(.success(Self.anonymous)), stored: Self.old)
        _ = try LogIn(withoutName.client).anonymously()
        #expect(withoutName.steps.contains(note))
    }

    @Test func `warn that a session from the environment outranks the stored one`() throws {
        let warning =
            "warning: the session (from AUTHCTL_TOKEN) outranks the stored one; this command works on the stored one"
        let byToken = ClientFixture(
            .logInToken(.success(NewSession(user: .ada, session: .new))), environmentToken: "env")
        _ = try LogIn(byToken.client).withToken(Secret("new"))
        #expect(byToken.steps.contains(warning))
        let withoutName = ClientFixture(.logInAnonymously(.success(Self.anonymous)), environmentToken: "env")
        _ = try LogIn(withoutName.client).anonymously()
        #expect(withoutName.steps.contains(warning))
    }

    @Test func `without a name makes an account, keeps its session and warns of losing it`() throws {
        let fixture = ClientFixture(.logInAnonymously(.success(Self.anonymous)))
        let result = try LogIn(fixture.client).anonymously()
        #expect(result.createdAccount == true)
        #expect(result.session == .new)
        #expect(fixture.store.current == .sample(session: .new, user: Self.anonymous.user, method: .anonymous))
        #expect(
            fixture.steps == [
                "store: prepare", "backend: logInAnonymously \(Self.identity)", "store: save new",
                "warning: whoever loses this session loses the account: it has no password",
            ])
    }

    @Test func `without a name says what failed`() throws {
        let fixture = ClientFixture(.logInAnonymously(.failure(.fault)), stored: Self.old)
        let error = try failure { _ = try LogIn(fixture.client).anonymously() }
        #expect(error.message == "cannot log in anonymously: the server failed")
        #expect(fixture.store.current == Self.old)
    }

    @Test func `without a name ends the session that could not be kept`() throws {
        let fixture = ClientFixture(.logInAnonymously(.success(Self.anonymous)), .logOut(.success(.yes)))
        fixture.store.fail(.save, with: .noSpace)
        let error = try failure { _ = try LogIn(fixture.client).anonymously() }
        #expect(error.outcome == .storage)
        #expect(
            error.message == "the log-in as 'x7' succeeded, but its session could not be kept and was ended again: "
                + "no room in the folder")
        // The account has no password to log in with.
        #expect(error.hints == ["once that is fixed, log in: authctl login --anonymous"])
    }
}
