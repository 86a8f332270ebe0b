import AuthClient
import AuthModel
import CommandTestSupport
import Foundation
import Platform
import Testing

@Suite struct CurrentUserTests {
    static let expired = StoredSession.sample(session: .sample("old", expiresAt: .sampleNow))

    @Test func `is valid when the server knows the session`() throws {
        let fixture = ClientFixture(.currentUser(.success(.ada)), stored: .ada)
        let state = try CurrentUser(fixture.client).check()
        #expect(state.state == .valid)
        #expect(state.isChecked)
        #expect(state.error == nil)
        #expect(state.active?.source == .file)
    }

    @Test func `keeps what the server tells of the user`() throws {
        var fuller = User.ada
        fuller.emailVerified = true
        let fixture = ClientFixture(.currentUser(.success(fuller)), stored: .ada)
        #expect(try CurrentUser(fixture.client).check().active?.user == fuller)
        #expect(fixture.store.current == .sample(user: fuller))
    }

    @Test func `writes nothing when nothing is new`() throws {
        var same = User.ada
        same.createdAt = Instant.sampleStart.adding(.milliseconds(678))  // stored in whole seconds
        let fixture = ClientFixture(.currentUser(.success(same)), stored: .ada)
        _ = try CurrentUser(fixture.client).check()
        #expect(fixture.steps == ["backend: currentUser \(Exchange.adaToken)"])
    }

    @Test func `is as good when the fuller user cannot be kept`() throws {
        let fixture = ClientFixture(.currentUser(.success(User(username: "ada"))), stored: .ada)
        fixture.store.fail(.update, with: .noSpace)
        #expect(try CurrentUser(fixture.client).check().state == .valid)
    }

    @Test(arguments: [
        (AuthError.Reason.sessionRevoked, SessionState.State.rejected, true),
        (.sessionExpired, .expired, true),
        (.connect, .unknown, false),
        (.timeout, .unknown, false),
        (.tls, .unknown, false),
        (.serverFault, .unknown, false),
        (.rateLimited, .unknown, false),
    ])
    func `takes a session for dead only if the server says so`(
        reason: AuthError.Reason, expected: SessionState.State, isChecked: Bool
    ) throws {
        let fixture = ClientFixture(.currentUser(.failure(AuthError(reason, "no"))), stored: .ada)
        let state = try CurrentUser(fixture.client).check()
        #expect(state.state == expected)
        #expect(state.isChecked == isChecked)
        #expect(state.error?.reason == reason)
        #expect(fixture.store.current == .ada, "the session stays in every case")
    }

    @Test func `is expired when a refused session has run out`() throws {
        let fixture = ClientFixture(.currentUser(.failure(.dead)), stored: Self.expired)
        let state = try CurrentUser(fixture.client).check()
        #expect(state.state == .expired)
        #expect(state.error?.reason == .sessionExpired)
        #expect(state.error?.hints == ["log in again: authctl login"])
    }

    @Test func `fails where the answer says nothing about the session`() throws {
        let fixture = ClientFixture(.currentUser(.failure(AuthError(.badAppKey, "no"))), stored: .ada)
        #expect(try failure { _ = try CurrentUser(fixture.client).check() }.reason == .badAppKey)
    }

    @Test func `is absent without a session, and asks nobody`() throws {
        let fixture = ClientFixture()
        for state in [try CurrentUser(fixture.client).check(), try CurrentUser(fixture.client).offline()] {
            #expect(state.state == .absent)
            #expect(!state.isChecked)
            #expect(state.error?.reason == .noSession)
        }
        #expect(fixture.steps == [])
    }

    @Test func `is absent when the session belongs elsewhere, and sends it nowhere`() throws {
        let foreign = StoredSession.sample(connection: Connection(backend: "local", server: "https://a.example"))
        let fixture = ClientFixture(stored: foreign)
        #expect(try CurrentUser(fixture.client).check().state == .absent)
        #expect(fixture.steps == [])
        #expect(fixture.store.current == foreign)
    }

    @Test func `is stored while nobody is asked`() throws {
        let state = try CurrentUser(ClientFixture(stored: .ada).client).offline()
        #expect(state.state == .stored)
        #expect(!state.isChecked)
        #expect(state.error == nil)
    }

    @Test func `is expired by the clock while nobody is asked`() throws {
        let state = try CurrentUser(ClientFixture(stored: Self.expired).client).offline()
        #expect(state.state == .expired)
        #expect(state.error?.reason == .sessionExpired)
    }

    @Test func `stores a new token before anything else`() throws {
        let fixture = ClientFixture(.currentUser(.success(.ada), replacement: .new), stored: .ada)
        let state = try CurrentUser(fixture.client).check()
        #expect(state.active?.session == .new)
        #expect(fixture.store.current?.session == .new)
        #expect(fixture.steps == ["backend: currentUser \(Exchange.adaToken)", "store: update new"])
    }

    @Test func `uses the environment's token before the stored one, and never stores it`() throws {
        let fixture = ClientFixture(
            .currentUser(.success(User(username: "eve")), replacement: .new), stored: .ada, environmentToken: "env")
        let state = try CurrentUser(fixture.client).check()
        #expect(state.active?.source == .environment)
        #expect(state.active?.user.username == "eve")
        #expect(fixture.steps == ["backend: currentUser env"])
        #expect(fixture.store.current == .ada)
    }
}
