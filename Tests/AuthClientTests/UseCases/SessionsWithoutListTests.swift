import AuthClient
import AuthModel
import CommandTestSupport
import Testing

/// Sessions at servers that have no list of them.
@Suite struct SessionsWithoutListTests {
    static let nameless = StoredSession.sample(session: .sample("t"))
    static let end = FakeBackend.Step.logOut(.success(.yes))

    @Test func `are listed by the one known here, after the server was asked whose it is`() throws {
        let fixture = ClientFixture(.currentUser(.success(.ada)), stored: Self.nameless, isPlain: true)
        let list = try ListSessions(fixture.client).run()
        #expect(!list.isComplete)
        #expect(list.items.map(\.id) == ["current"])
        #expect(list.items.map(\.isCurrent) == [true])
        #expect(fixture.steps == ["backend: currentUser t"])
    }

    @Test func `bring a fresh user to be kept`() throws {
        var fuller = User.ada
        fuller.emailVerified = true
        let fixture = ClientFixture(.currentUser(.success(fuller)), stored: Self.nameless, isPlain: true)
        _ = try ListSessions(fixture.client).run()
        #expect(fixture.store.current?.user == fuller)
    }

    @Test func `are not listed with a dead one`() throws {
        let fixture = ClientFixture(.currentUser(.failure(.dead)), stored: Self.nameless, isPlain: true)
        let error = try failure { _ = try ListSessions(fixture.client).run() }
        #expect(error.outcome == .rejected)
        #expect(error.message == "cannot list sessions: the session is dead")
        #expect(fixture.store.current == Self.nameless)
    }

    @Test(arguments: [
        (StoredSession.ada, ["current"], "Xk2LmN3oPq"), (.ada, ["Xk2LmN3oPq"], "Xk2LmN3oPq"),
        (.ada, ["current", "Xk2LmN3oPq"], "Xk2LmN3oPq"), (nameless, ["current"], "current"),
    ])
    func `end where the current one is named, and it is forgotten`(
        stored: StoredSession, ids: [String], ended: String
    ) throws {
        let fixture = ClientFixture(Self.end, stored: stored, isPlain: true)
        let result = try RevokeSessions(fixture.client).run(.ids(ids))
        #expect(result.ids == [ended])
        #expect(result.forgotten)
        #expect(fixture.store.current == nil)
        let token = stored.session.token.reveal()
        #expect(fixture.steps == ["backend: logOut \(token)", "store: remove \(token)"])
    }

    @Test(arguments: [SessionChoice.ids(["other"]), .ids(["current", "other"]), .others, .all])
    func `cannot be ended where others are meant`(choice: SessionChoice) throws {
        let fixture = ClientFixture(stored: Self.nameless, isPlain: true)
        let error = try failure { _ = try RevokeSessions(fixture.client).run(choice) }
        #expect(error.reason == .unsupported)
        #expect(
            error.message
                == "backend 'local' has no list of sessions: only the one of this profile can be ended")
        #expect(error.hints == ["end that one: authctl sessions revoke current"])
        #expect(fixture.store.current == Self.nameless)
        #expect(fixture.steps == [])
    }

    @Test func `all end with one that all devices share, as was asked for`() throws {
        let fixture = ClientFixture(Self.end, stored: Self.nameless, isShared: true)
        #expect(try RevokeSessions(fixture.client).run(.all).forgotten)
        #expect(fixture.steps == ["backend: logOut t", "store: remove t"])
    }

    @Test func `end with a warning where the current one alone was meant and all devices share it`() throws {
        let fixture = ClientFixture(Self.end, stored: Self.nameless, isShared: true)
        #expect(try RevokeSessions(fixture.client).run(.ids(["current"])).forgotten)
        #expect(
            fixture.steps.contains(
                "warning: the server had one session for all devices of the account: all of them are logged out now"))
    }

    @Test func `are ended, too, where the server knows none any more`() throws {
        let fixture = ClientFixture(.logOut(.success(.already)), stored: Self.nameless, isPlain: true)
        #expect(try RevokeSessions(fixture.client).run(.ids(["current"])).forgotten)
    }

    @Test(arguments: [
        (Result<Revocation, AuthError>.failure(.fault), AuthError.Reason.serverFault),
        (.failure(AuthError(.connect, "nobody there")), .connect), (.success(.unsupported), .unsupported),
        (.success(.unknown), .outcomeUnknown),
    ])
    func `stay here where the server did not end them`(
        answer: Result<Revocation, AuthError>, reason: AuthError.Reason
    ) throws {
        let fixture = ClientFixture(.logOut(answer), stored: Self.nameless, isPlain: true)
        #expect(try failure { _ = try RevokeSessions(fixture.client).run(.ids(["current"])) }.reason == reason)
        #expect(fixture.store.current == Self.nameless)
    }

    @Test func `are not forgotten where the environment's was ended`() throws {
        let fixture = ClientFixture(Self.end, stored: .ada, environmentToken: "env", isPlain: true)
        #expect(try !RevokeSessions(fixture.client).run(.ids(["current"])).forgotten)
        #expect(fixture.store.current == .ada)
        #expect(fixture.steps == ["backend: logOut env"])
    }

    @Test func `end by the newest one, which is not renewed before`() throws {
        let fixture = ClientFixture(Self.end, stored: .sample(session: .spent), isShared: true)
        fixture.store.meanwhile { [store = fixture.store] in store.put(.sample(session: .renewed)) }
        #expect(try RevokeSessions(fixture.client).run(.all).forgotten)
        #expect(fixture.steps == ["store: lock default", "backend: logOut new", "store: remove new"])
        #expect(fixture.store.current == nil)
    }

    @Test func `are none where nobody is logged in`() throws {
        let fixture = ClientFixture(isPlain: true)
        #expect(try failure { _ = try ListSessions(fixture.client).run() }.reason == .noSession)
        #expect(try failure { _ = try RevokeSessions(fixture.client).run(.all) }.reason == .noSession)
    }
}
