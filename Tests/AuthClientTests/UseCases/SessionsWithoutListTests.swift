import AuthClient
import CommandTestSupport

/// Sessions on servers that do not list sessions.
@Suite struct SessionsWithoutListTests {
    static let nameless = StoredSession.sample(session: .sample("t"))
    static let end = Step.logOut(.success(.yes))

    @Test func `if the backend cannot list sessions, the saved session is checked with the server and listed`() throws {
        let fixture = ClientFixture(.currentUser(.success(.ada)), stored: Self.nameless, isPlain: true)
        let list = try ListSessions(fixture.client).run()
        #expect(!list.isComplete)
        expect(list.items.map(\.id), ["current"])
        expect(list.items.map(\.isCurrent), [true])
        expect(fixture.requests, ["currentUser t"])
    }

    @Test func `sessions list updates the saved user if the user changed on the server`() throws {
        var fuller = User.ada
        fuller.emailVerified = true
        let fixture = ClientFixture(.currentUser(.success(fuller)), stored: Self.nameless, isPlain: true)
        _ = try ListSessions(fixture.client).run()
        expect(fixture.store.current?.user, fuller)
    }

    @Test(arguments: [
        (StoredSession.ada, ["current"], "Xk2LmN3oPq"), (.ada, ["Xk2LmN3oPq"], "Xk2LmN3oPq"),
        (.ada, ["current", "Xk2LmN3oPq"], "Xk2LmN3oPq"), (nameless, ["current"], "current"),
    ])
    func `revoking the current session deletes the saved session`(
        stored: StoredSession, ids: [String], ended: String
    ) throws {
        let fixture = ClientFixture(Self.end, stored: stored, isPlain: true)
        let result = try RevokeSessions(fixture.client).run(.ids(ids))
        expect(result.ids, [ended])
        #expect(result.forgotten)
        expect(fixture.store.current, nil)
        let token = stored.session.token.reveal()
        expect(fixture.requests, ["logOut \(token)"])
    }

    @Test(arguments: [SessionChoice.ids(["other"]), .ids(["current", "other"]), .others, .all])
    func `other sessions cannot be revoked on a backend without a session list`(choice: SessionChoice) throws {
        let fixture = ClientFixture(stored: Self.nameless, isPlain: true)
        try failure { try RevokeSessions(fixture.client).run(choice) }.expectMessage(in: "use-cases/sessions")
        expect(fixture.store.current, Self.nameless)
        expect(fixture.requests, [])
    }

    @Test func `revoking all sessions revokes a session shared by all devices and prints a warning`() throws {
        let fixture = ClientFixture(Self.end, stored: Self.nameless, isShared: true)
        #expect(try RevokeSessions(fixture.client).run(.all).forgotten)
        #expect(fixture.requests == ["logOut t"] && fixture.store.current == nil)
        fixture.expectNotices(in: "use-cases/sessions")
    }

    @Test func `revoking the saved session deletes it even if the server does not know it`() throws {
        let fixture = ClientFixture(.logOut(.success(.already)), stored: Self.nameless, isPlain: true)
        #expect(try RevokeSessions(fixture.client).run(.ids(["current"])).forgotten)
    }

    @Test(arguments: [
        (Result<Revocation, AuthError>.failure(.fault), AuthError.Reason.serverFault),
        (.failure(AuthError(.connect, "connection refused")), .connect), (.success(.unsupported), .unsupported),
        (.success(.unknown), .outcomeUnknown),
    ])
    func `a session that the server did not revoke stays saved`(
        answer: Result<Revocation, AuthError>, reason: AuthError.Reason
    ) throws {
        // If the server cannot revoke the session, it is asked whether the session has ended.
        let isAlive: [Step] = reason == .unsupported ? [.currentUser(.success(.ada))] : []
        let fixture = ClientFixture(script: [.logOut(answer)] + isAlive, stored: Self.nameless, isPlain: true)
        try expect(failure { _ = try RevokeSessions(fixture.client).run(.ids(["current"])) }.reason, reason)
        expect(fixture.store.current, Self.nameless)
    }

    @Test func `without a session list, revoking the session in AUTHCTL_TOKEN keeps the saved session`() throws {
        let fixture = ClientFixture(Self.end, stored: .ada, environmentToken: "env", isPlain: true)
        #expect(try !RevokeSessions(fixture.client).run(.ids(["current"])).forgotten)
        expect(fixture.store.current, .ada)
        expect(fixture.requests, ["logOut env"])
    }

    @Test func `revoking an expired session uses the token that another process saved, without a refresh`() throws {
        let fixture = ClientFixture(Self.end, stored: .sample(session: .expired), isShared: true)
        fixture.store.meanwhile { [store = fixture.store] in store.put(.sample(session: .refreshed)) }
        #expect(try RevokeSessions(fixture.client).run(.all).forgotten)
        expect(fixture.requests, ["logOut new"])
        expect(fixture.store.current, nil)
    }
}
