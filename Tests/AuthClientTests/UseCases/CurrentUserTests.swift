import AuthClient
import CommandTestSupport
import Foundation
import Platform

@Suite struct CurrentUserTests {
    static let expired = StoredSession.sample(session: .sample("old", expiresAt: .sampleNow))
    static let withoutEmail: User = {
        var user = User(id: "g7y9tkhB7O", username: "ada")
        user.lacksEmail = true
        return user
    }()

    @Test func `a session that the server accepts is reported as valid`() throws {
        let fixture = ClientFixture(.currentUser(.success(.ada)), stored: .ada)
        let state = try CurrentUser(fixture.client).check()
        expect(state.state, .valid)
        #expect(state.isChecked)
        expect(state.error, nil)
        expect(state.active?.source, .file)
    }

    @Test func `a session check saves the user from the server's response`() throws {
        var fuller = User.ada
        fuller.emailVerified = true
        let fixture = ClientFixture(.currentUser(.success(fuller)), stored: .ada)
        try expect(CurrentUser(fixture.client).check().active?.user, fuller)
        expect(fixture.store.current, .sample(user: fuller))
    }

    @Test func `a session check does not save an unchanged user again`() throws {
        var same = User.ada
        same.createdAt = Instant.sampleStart.adding(.milliseconds(678))  // The session file stores whole seconds.
        let fixture = ClientFixture(.currentUser(.success(same)), stored: .ada)
        _ = try CurrentUser(fixture.client).check()
        expect(fixture.requests, ["currentUser \(Exchange.adaToken)"])
    }

    @Test func `a session is reported as valid even if the user cannot be saved`() throws {
        let fixture = ClientFixture(.currentUser(.success(User(username: "ada"))), stored: .ada)
        fixture.store.fail(.update, with: .noSpace)
        try expect(CurrentUser(fixture.client).check().state, .valid)
    }

    @Test(arguments: [
        (AuthError.Reason.sessionRevoked, SessionState.State.rejected, true),
        (.sessionExpired, .expired, true),
        (.connect, .unknown, false),
        (.timeout, .unknown, false),
        (.tls, .unknown, false),
        (.serverFault, .unknown, false),
        (.rateLimited, .unknown, false),
        // The 401 or 403 of a gateway, and a rejected application key.
        (.forbidden, .unknown, false),
        (.badAppKey, .unknown, false),
    ])
    func `a session is reported as rejected or expired only if the server's response says so`(
        reason: AuthError.Reason, expected: SessionState.State, isChecked: Bool
    ) throws {
        let fixture = ClientFixture(.currentUser(.failure(AuthError(reason, "no"))), stored: .ada)
        let state = try CurrentUser(fixture.client).check()
        expect(state.state, expected)
        expect(state.isChecked, isChecked)
        expect(state.error?.reason, reason)
        expect(fixture.store.current, .ada, "no error changes the saved session")
    }

    @Test func `a rejected session past its expiry time is reported as expired`() throws {
        let fixture = ClientFixture(.currentUser(.failure(.revoked)), stored: Self.expired)
        let state = try CurrentUser(fixture.client).check()
        expect(state.state, .expired)
        try #require(state.error).expectMessage(in: "use-cases/whoami")
    }

    /// simplejwt 5.2 rejects invalid and expired JWTs with the same message.
    @Test func `a rejected JWT from the environment past its exp claim is reported as expired`() throws {
        let fixture = ClientFixture(
            .currentUser(.failure(.revoked)), environmentToken: "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjF9.c2ln")
        try expect(CurrentUser(fixture.client).check().state, .expired)
    }

    @Test func `if there is no session, a session check reports the state 'absent' and sends no request`() throws {
        let fixture = ClientFixture()
        for state in [try CurrentUser(fixture.client).check(), try CurrentUser(fixture.client).offline()] {
            expect(state.state, .absent)
            #expect(!state.isChecked)
            expect(state.error?.reason, .noSession)
        }
        expect(fixture.requests, [])
    }

    @Test func `an offline check reports the saved session without a request`() throws {
        let state = try CurrentUser(ClientFixture(stored: .ada).client).offline()
        expect(state.state, .stored)
        #expect(!state.isChecked)
        expect(state.error, nil)
    }

    @Test func `an offline check reports a session past its expiry time as expired`() throws {
        let state = try CurrentUser(ClientFixture(stored: Self.expired).client).offline()
        expect(state.state, .expired)
        expect(state.error?.reason, .sessionExpired)
    }

    @Test func `a session check saves the replacement token from the response`() throws {
        let fixture = ClientFixture(.currentUser(.success(.ada), replacement: .new), stored: .ada)
        let state = try CurrentUser(fixture.client).check()
        expect(state.active?.session, .new)
        expect(fixture.store.current?.session, .new)
        expect(fixture.requests, ["currentUser \(Exchange.adaToken)"])
    }

    @Test func `a token from the environment takes precedence over the saved session and is never saved`() throws {
        let fixture = ClientFixture(
            .currentUser(.success(User(username: "eve")), replacement: .new), stored: .ada, environmentToken: "env")
        let state = try CurrentUser(fixture.client).check()
        expect(state.active?.source, .environment)
        expect(state.active?.user.username, "eve")
        expect(fixture.requests, ["currentUser env"])
        expect(fixture.store.current, .ada)
    }

    @Test(arguments: [
        (User(id: "g7y9tkhB7O", username: "ada"), "ada@example.org"),
        (User(id: "g7y9tkhB7O", username: "ada", email: "new@example.org"), "new@example.org"),
        (User(username: "ada"), "ada@example.org"), (User(id: "another", username: "ada"), nil), (withoutEmail, nil),
    ])
    func `a session check keeps the saved e-mail only if the response has the same user and omits the e-mail`(
        told: User, email: String?
    ) throws {
        let fixture = ClientFixture(.currentUser(.success(told)), stored: .ada)
        try expect(CurrentUser(fixture.client).check().active?.user.email, email)
        expect(fixture.store.current?.user.email, email)
    }
}
