import CommandTestSupport

@testable import AuthClient

@Suite struct LogOutTests {
    /// The responses to a logout. If the server cannot revoke the session, it is asked whether the session has ended.
    private static func responses(_ revoked: Revocation) -> [Step] {
        [.logOut(.success(revoked))] + (revoked == .unsupported ? [.currentUser(.success(.ada))] : [])
    }

    @Test(arguments: [Revocation.yes, .already, .unsupported])
    func `a logout deletes the saved session even if the server did not revoke it`(revoked: Revocation) throws {
        let fixture = ClientFixture(script: Self.responses(revoked), stored: .ada)
        let result = try LogOut(fixture.client).run()
        expect(
            result,
            LogOutResult(
                profile: "default", changed: true, revoked: revoked, forgotten: true, hasServer: false, error: nil))
        expect(fixture.store.current, nil)
        expect(fixture.requests.first, "logOut \(Exchange.adaToken)")
    }

    @Test(arguments: [
        (AuthError.Reason.sessionRevoked, Revocation.already), (.accountDisabled, .already), (.timeout, .unsupported),
        (.forbidden, .unsupported),
    ])
    func `a session that the server cannot revoke is over only if the server says so`(
        reason: AuthError.Reason, expected: Revocation
    ) throws {
        let fixture = ClientFixture(
            .logOut(.success(.unsupported)), .currentUser(.failure(AuthError(reason, "no"))), stored: .ada)
        try expect(LogOut(fixture.client).run().revoked, expected)
    }

    @Test(arguments: [
        AuthError.Reason.dns, .connect, .tls, .timeout, .invalidResponse, .serverFault, .rateLimited, .corrupt,
    ])
    func `a logout whose request fails deletes the saved session and reports the error`(reason: AuthError.Reason) throws
    {
        let fixture = ClientFixture(.logOut(.failure(AuthError(reason, "no response"))), stored: .ada)
        let result = try LogOut(fixture.client).run()
        expect(result.revoked, .unknown)
        #expect(result.forgotten)
        expect(result.error?.reason, reason)
        expect(fixture.store.current, nil)
        // No hint to try again: another logout would find no session.
        expect(result.error?.nextSteps.contains { $0.sentence.hasPrefix("try again") }, false)
    }

    @Test func `a logout without a saved session does nothing`() throws {
        let fixture = ClientFixture()
        try expect(
            LogOut(fixture.client).run(),
            LogOutResult(
                profile: "default", changed: false, revoked: .already, forgotten: false, hasServer: false,
                error: nil))
        expect(fixture.requests, [])
    }

    @Test(arguments: [(Revocation.yes, true), (.already, false), (.unsupported, false)])
    func `a logout without a saved session revokes the session in AUTHCTL_TOKEN`(
        revoked: Revocation, changed: Bool
    ) throws {
        let fixture = ClientFixture(script: Self.responses(revoked), environmentToken: "env")
        let result = try LogOut(fixture.client).run()
        expect(result.variable, "AUTHCTL_TOKEN")
        expect(result.revoked, revoked)
        expect(result.changed, changed)
        #expect(!result.forgotten)
        expect(fixture.requests.first, "logOut env")
    }

    @Test func `a logout that cannot revoke the session in AUTHCTL_TOKEN fails`() throws {
        let fixture = ClientFixture(.logOut(.failure(AuthError(.connect, "no response"))), environmentToken: "env")
        let result = try LogOut(fixture.client).run()
        expect(result.revoked, .unknown)
        expect(result.error?.reason, .connect)
    }

    @Test func `a logout revokes the saved session and warns that other commands use AUTHCTL_TOKEN`() throws {
        let fixture = ClientFixture(.logOut(.success(.yes)), stored: .ada, environmentToken: "env")
        _ = try LogOut(fixture.client).run()
        fixture.expectNotices(in: "use-cases/logout")
        #expect(fixture.requests == ["logOut \(Exchange.adaToken)"] && fixture.store.current == nil)
    }

    @Test func `an offline logout sends no request`() throws {
        let fixture = ClientFixture(stored: .ada)
        let result = try LogOut(fixture.client).offline()
        expect(
            result,
            LogOutResult(
                profile: "default", changed: true, revoked: .unknown, forgotten: true, hasServer: false, error: nil))
        expect(fixture.requests, [])
        expect(fixture.store.current, nil)
    }

    @Test func `a logout that cannot delete the session file reports this and the successful revocation`() throws {
        let fixture = ClientFixture(.logOut(.success(.yes)), stored: .ada)
        fixture.store.fail(.remove, with: AuthError(.notWritten, "read-only file system"))
        let result = try LogOut(fixture.client).run()
        #expect(result.changed)
        expect(result.revoked, .yes)
        #expect(!result.forgotten)
        try #require(result.error).expectMessage(in: "use-cases/logout")
    }

    @Test(arguments: [AuthError.Reason.corrupt, .newerVersion])
    func `a logout deletes a session file that is damaged or has a newer version`(reason: AuthError.Reason) throws {
        for isOffline in [false, true] {
            let fixture = ClientFixture(stored: .ada)
            fixture.store.fail(.read, with: AuthError(reason, "the file is damaged"))
            let result = try isOffline ? LogOut(fixture.client).offline() : LogOut(fixture.client).run()
            #expect(result.changed && result.forgotten && result.revoked == .unknown)
            expect((result.error == nil), isOffline)
            result.error?.expectMessage(in: "use-cases/logout")
            expect(fixture.store.current, nil)
        }
    }

    @Test(arguments: [AuthError.Reason.unreadable, .unsafe])
    func `a logout fails on a session file that is unreadable or unsafe`(reason: AuthError.Reason) throws {
        let fixture = ClientFixture(stored: .ada)
        fixture.store.fail(.load, with: AuthError(reason, "not allowed"))
        try expect(failure { _ = try LogOut(fixture.client).run() }.reason, reason)
        try expect(failure { _ = try LogOut(fixture.client).offline() }.reason, reason)
    }

    @Test func `a logout also revokes the new session if another process refreshes the session meanwhile`() throws {
        let fixture = ClientFixture(
            .logOut(.success(.yes)), .logOut(.success(.yes)), stored: .sample(session: .sample("old")))
        fixture.store.beforeNextRemoval { [store = fixture.store] in store.put(.sample(session: .sample("new"))) }
        #expect(try LogOut(fixture.client).run().forgotten)
        expect(fixture.store.current, nil)
        expect(fixture.requests, ["logOut old", "logOut new"])
    }

    @Test func `an offline logout deletes the new session if another process refreshes the session meanwhile`() throws {
        let fixture = ClientFixture(stored: .sample(session: .sample("old")))
        fixture.store.beforeNextRemoval { [store = fixture.store] in store.put(.sample(session: .sample("new"))) }
        #expect(try LogOut(fixture.client).offline().forgotten)
        expect(fixture.store.current, nil)
    }

    @Test func `a logout revokes a session that another process has just refreshed, without another refresh`() throws {
        let fixture = ClientFixture(.logOut(.success(.yes)), stored: .sample(session: .expired))
        fixture.store.meanwhile { [store = fixture.store] in store.put(.sample(session: .refreshed)) }
        try expect(LogOut(fixture.client).run().revoked, .yes)
        expect(fixture.store.current, nil)
        expect(fixture.requests, ["logOut new"])
    }

    @Test func `a logout does nothing if another process logged out meanwhile`() throws {
        let fixture = ClientFixture(stored: .sample(session: .expired))
        fixture.store.meanwhile { [store = fixture.store] in store.drop("default") }
        #expect(try !LogOut(fixture.client).run().changed)
    }

    @Test func `a logout deletes a session locked by another process and reports an unknown outcome`() throws {
        let fixture = ClientFixture(stored: .sample(session: .expired))
        fixture.store.fail(.lock, with: AuthError(.locked, "locked by process 1", next: "end that process"))
        let result = try LogOut(fixture.client).run()
        expect(result.revoked, .unknown)
        #expect(result.forgotten)
        let error = try #require(result.error)
        error.expectMessage(in: "use-cases/logout")
        expect(fixture.store.current, nil)
    }

    @Test func `a logout revokes the session even if the lock file cannot be written`() throws {
        let fixture = ClientFixture(.logOut(.success(.yes)), stored: .sample(session: .expired))
        fixture.store.fail(.lock, with: .noSpace)
        try expect(LogOut(fixture.client).run().revoked, .yes)
    }

    /// JWTs that expire at 2100-01-01 and 2101-01-01.
    @Test(arguments: [(Revocation.yes, "until 2100-"), (.already, ""), (.unsupported, "until 2101-")])
    func `a logout names the time until which a JWT or its refresh token is accepted`(
        revoked: Revocation, text: String
    ) throws {
        let token = Secret("eyJhbGciOiJub25lIn0.eyJleHAiOjQxMDI0NDQ4MDB9.x")
        let refreshToken = Secret("eyJhbGciOiJub25lIn0.eyJleHAiOjQxMzM5ODA4MDB9.x")
        let fixture = ClientFixture(
            script: Self.responses(revoked),
            stored: .sample(session: Session(token: token, refreshToken: refreshToken)))
        _ = try LogOut(fixture.client).run()
        expect(fixture.notices.contains("until"), !text.isEmpty)
        if !text.isEmpty { #expect(fixture.notices.contains(text)) }
    }

    @Test func `a logout that ends nothing says that a refresh token has no known end`() throws {
        let token = Secret("eyJhbGciOiJub25lIn0.eyJleHAiOjQxMDI0NDQ4MDB9.x")
        let fixture = ClientFixture(
            script: Self.responses(.unsupported),
            stored: .sample(session: Session(token: token, refreshToken: Secret("opaque"))))
        _ = try LogOut(fixture.client).run()
        fixture.expectNotices(in: "use-cases/logout")
    }

    @Test(arguments: [(Revocation.yes, true), (.already, false), (.unsupported, false)])
    func `a logout warns if it logged out all devices`(revoked: Revocation, warns: Bool) throws {
        let fixture = ClientFixture(script: Self.responses(revoked), stored: .ada, isShared: true)
        _ = try LogOut(fixture.client).run()
        expect(fixture.notices.contains("all devices"), warns)
        if warns { fixture.expectNotices(in: "use-cases/logout") }
    }
}
