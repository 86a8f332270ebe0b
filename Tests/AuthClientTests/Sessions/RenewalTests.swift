import CommandTestSupport

@testable import AuthClient

/// Sessions that are renewed with their own tokens before they expire, and logins that wait for their second factor.
@Suite struct RenewalTests {
    private static let renewed = Session.sample("new")

    @Test func `a session in the first half of its life is used as it is`() throws {
        let fixture = ClientFixture.renewing(.currentUser(.success(.ada)), age: 99)
        try expect(CurrentUser(fixture.client).check().state, .valid)
        expect(fixture.requests.count, 1)
    }

    @Test func `a session in the second half of its life is renewed and saved before it is used`() throws {
        let fixture = ClientFixture.renewing(
            .refresh(.success(Self.renewed)), .currentUser(.success(.ada)), age: 101)
        try expect(CurrentUser(fixture.client).check().state, .valid)
        expect(fixture.store.current?.session, Self.renewed)
        expect(fixture.requests.last, "currentUser new")
    }

    @Test(arguments: [AuthError.fault, AuthError(.forbidden, "no"), AuthError(.connect, "no")])
    func `a session that cannot be renewed is used until it expires`(error: AuthError) throws {
        let fixture = ClientFixture.renewing(
            .refresh(.failure(error)), .currentUser(.success(.ada)), age: 101)
        try expect(CurrentUser(fixture.client).check().state, .valid)
        expect(fixture.requests.last, "currentUser old")
    }

    /// The same holds for each use of the token outside of authctl.
    @Test func `a token is renewed in the second half of its life before it is passed on`() throws {
        let fixture = ClientFixture.renewing(.refresh(.success(Self.renewed)), age: 101)
        try expect(fixture.client.sessions.liveSession().session, Self.renewed)
        let young = ClientFixture.renewing(age: 99).client.sessions
        try expect(young.liveSession(lasting: .seconds(99)).session.token, Secret("old"))
    }

    @Test(arguments: [AuthError.Reason.serverFault, .rateLimited, .timeout, .connect])
    func `a failed renewal is the reason if the token is needed for longer than it lasts`(
        reason: AuthError.Reason
    ) throws {
        let script = [Step](repeating: .refresh(.failure(AuthError(reason, "no"))), count: 2)
        let fixture = ClientFixture.renewing(script[0], script[1], age: 101)
        try expect(fixture.client.sessions.liveSession(lasting: .seconds(99)).session.token, Secret("old"))
        try expect(failure { try fixture.client.sessions.liveSession(lasting: .seconds(100)) }.reason, reason)
    }

    @Test func `a session that the server rejects is not renewed`() throws {
        let fixture = ClientFixture.renewing(.currentUser(.failure(.revoked)), age: 1)
        try expect(CurrentUser(fixture.client).check().state, .rejected)
        expect(fixture.requests.count, 1)
    }

    /// The server would treat the request like one without a session.
    @Test func `an expired session is not sent`() throws {
        let fixture = ClientFixture.renewing(age: 100, rest: 0)
        try expect(CurrentUser(fixture.client).check().state, .expired)
        expect(fixture.requests, [])
    }

    // MARK: - Second factor

    @Test func `a login that waits for its second factor is finished by the code alone`() throws {
        let required = AuthError(.secondFactorRequired, "a second factor is required")
        let fixture = ClientFixture(
            .logIn(.success(.waiting(required, token: "m1"))),
            .resume(.success(.session(NewSession(user: .ada, session: .new)))))
        try expect(failure { try LogIn(fixture.client).withPassword(.ada) }.reason, .secondFactorRequired)
        try expect(LogIn(fixture.client).finish(code: Secret("1"), of: "bob"), nil)
        try expect(LogIn(fixture.client).finish(code: Secret("1"), of: nil)?.user, .ada)
        expect(fixture.requests.last, "resume m1 with code 1")
        try expect(LogIn(fixture.client).finish(code: Secret("1"), of: nil), nil)
    }
}
