import AuthClient
import AuthModel
import CommandTestSupport
import Testing

@Suite struct LogOutTests {
    @Test(arguments: [Revocation.yes, .already, .unsupported])
    func `forgets the session whatever the server answers`(revoked: Revocation) throws {
        let fixture = ClientFixture(.logOut(.success(revoked)), stored: .ada)
        let result = try LogOut(fixture.client).run()
        #expect(
            result
                == LogOutResult(profile: "default", changed: true, revoked: revoked, forgotten: true, error: nil))
        #expect(fixture.store.current == nil)
        #expect(
            fixture.steps == [
                "backend: logOut \(Exchange.adaToken)", "store: remove \(Exchange.adaToken)",
            ])
    }

    @Test(arguments: [
        AuthError.Reason.dns, .connect, .tls, .timeout, .brokenAnswer, .serverFault, .rateLimited, .corrupt,
    ])
    func `forgets the session when the server could not be asked, and fails`(reason: AuthError.Reason) throws {
        let fixture = ClientFixture(.logOut(.failure(AuthError(reason, "no answer"))), stored: .ada)
        let result = try LogOut(fixture.client).run()
        #expect(result.revoked == .unknown)
        #expect(result.forgotten)
        #expect(result.error?.reason == reason)
        #expect(result.error?.message == "the session may still be alive at the server: no answer")
        #expect(fixture.store.current == nil)
    }

    @Test func `has nothing to do where nobody is logged in`() throws {
        let fixture = ClientFixture()
        #expect(
            try LogOut(fixture.client).run()
                == LogOutResult(profile: "default", changed: false, revoked: .already, forgotten: false, error: nil))
        #expect(fixture.steps == [])
    }

    @Test func `never sends a session to another server than its own, but forgets it`() throws {
        let foreign = StoredSession.sample(connection: Connection(backend: "parse", server: "https://a.example"))
        let fixture = ClientFixture(stored: foreign)
        let result = try LogOut(fixture.client).run()
        #expect(result.revoked == .unknown)
        #expect(result.error?.outcome == .unreachable)
        #expect(fixture.store.current == nil)
        #expect(fixture.steps == ["store: remove \(Exchange.adaToken)"])
    }

    @Test func `works on the stored session, not on the environment's, and warns`() throws {
        let fixture = ClientFixture(.logOut(.success(.yes)), stored: .ada, environmentToken: "env")
        _ = try LogOut(fixture.client).run()
        #expect(
            fixture.steps == [
                "warning: the session (from AUTHCTL_TOKEN) outranks the stored one; this command works on the stored one",
                "backend: logOut \(Exchange.adaToken)", "store: remove \(Exchange.adaToken)",
            ])
    }

    @Test func `asks no server when it is only to forget`() throws {
        let fixture = ClientFixture(stored: .ada)
        let result = try LogOut(fixture.client).offline()
        #expect(
            result
                == LogOutResult(profile: "default", changed: true, revoked: .unknown, forgotten: true, error: nil))
        #expect(fixture.steps == ["store: remove \(Exchange.adaToken)"])
    }

    @Test func `tells what the server did also when the session cannot be forgotten`() throws {
        let fixture = ClientFixture(.logOut(.success(.yes)), stored: .ada)
        let failure = AuthError(.notWritten, "read-only")
        fixture.store.fail(.remove, with: failure)
        let told = failure.suggesting(afterwards: NextStep("forget it", run: ["logout"]))
        #expect(
            try LogOut(fixture.client).run()
                == LogOutResult(profile: "default", changed: true, revoked: .yes, forgotten: false, error: told))
    }

    @Test func `takes a file that cannot be read for no absence`() throws {
        let fixture = ClientFixture()
        fixture.store.fail(.load, with: AuthError(.corrupt, "damaged"))
        #expect(try failure { _ = try LogOut(fixture.client).run() }.reason == .corrupt)
        #expect(try failure { _ = try LogOut(fixture.client).offline() }.reason == .corrupt)
    }

    @Test func `ends the newest pair, and renews none before`() throws {
        let fixture = ClientFixture(.logOut(.success(.yes)), stored: .sample(session: .spent))
        fixture.store.meanwhile { [store = fixture.store] in store.put(.sample(session: .renewed)) }
        #expect(try LogOut(fixture.client).run().revoked == .yes)
        #expect(fixture.store.current == nil)
        #expect(fixture.steps == ["store: lock default", "backend: logOut new", "store: remove new"])
    }

    @Test func `has nothing to do where another process logged out meanwhile`() throws {
        let fixture = ClientFixture(stored: .sample(session: .spent))
        fixture.store.meanwhile { [store = fixture.store] in store.drop("default") }
        #expect(try !LogOut(fixture.client).run().changed)
    }

    @Test func `forgets one that is renewed all the time, and says that it may be alive`() throws {
        let fixture = ClientFixture(stored: .sample(session: .spent))
        fixture.store.fail(.lock, with: AuthError(.locked, "locked by process 1", next: "end that process"))
        let result = try LogOut(fixture.client).run()
        #expect(result.revoked == .unknown)
        #expect(result.forgotten)
        #expect(result.error?.reason == .outcomeUnknown)
        #expect(result.error?.hints == ["end that process"])
        #expect(fixture.store.current == nil)
    }

    @Test func `ends a session also where nothing can be written`() throws {
        let fixture = ClientFixture(.logOut(.success(.yes)), stored: .sample(session: .spent))
        fixture.store.fail(.lock, with: .noSpace)
        #expect(try LogOut(fixture.client).run().revoked == .yes)
    }

    @Test(arguments: [(Revocation.yes, true), (.already, false), (.unsupported, false)])
    func `warns where it logged out all devices`(revoked: Revocation, warns: Bool) throws {
        let fixture = ClientFixture(.logOut(.success(revoked)), stored: .ada, isShared: true)
        _ = try LogOut(fixture.client).run()
        let warning =
            "warning: the server had one session for all devices of the account: all of them are logged out now"
        #expect(fixture.steps.contains(warning) == warns)
    }
}
