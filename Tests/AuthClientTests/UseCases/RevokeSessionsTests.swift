import AuthClient
import CommandTestSupport
import Foundation
import Platform

@Suite struct RevokeSessionsTests {
    static let current = SessionSummary(id: "Xk2LmN3oPq", isCurrent: true, expiresAt: .sampleEnd)
    static let other = SessionSummary(id: "other", isCurrent: false, expiresAt: .sampleEnd)
    static let endless = SessionSummary(id: "endless", isCurrent: false)
    static let list = Step.sessions(.success([current, other, endless]))
    static let token = Exchange.adaToken

    @Test func `the list of sessions omits expired sessions`() throws {
        let gone = SessionSummary(id: "gone", isCurrent: false, expiresAt: .sampleNow)
        let barely = SessionSummary(id: "barely", isCurrent: false, expiresAt: Instant.sampleNow.adding(.seconds(1)))
        let fixture = ClientFixture(.sessions(.success([Self.current, gone, barely, Self.endless])), stored: .ada)
        let list = try ListSessions(fixture.client).run()
        expect(list.items.map(\.id), ["Xk2LmN3oPq", "barely", "endless"])
        #expect(list.isComplete)
    }

    @Test func `a list of sessions that reaches the limit is reported as incomplete`() throws {
        let items = (1..<SessionSummary.mostListed).map { SessionSummary(id: "\($0)", isCurrent: false) }
        let complete = ClientFixture(.sessions(.success(items)), stored: .ada)
        #expect(try ListSessions(complete.client).run().isComplete)
        let fixture = ClientFixture(.sessions(.success(items + [Self.current])), stored: .ada)
        #expect(try !ListSessions(fixture.client).run().isComplete)
        fixture.expectNotices(in: "use-cases/sessions")
    }

    @Test func `the list of sessions has only the saved session if the backend cannot list sessions`() throws {
        let fixture = ClientFixture(.currentUser(.success(.ada)), stored: .ada, isPlain: true)
        let list = try ListSessions(fixture.client).run()
        #expect(!list.isComplete)
        #expect(
            list.items == [
                SessionSummary(
                    id: "Xk2LmN3oPq", isCurrent: true, createdAt: .sampleStart, expiresAt: .sampleEnd)
            ])
    }

    @Test func `a new token in the response to a revocation is saved before the next request`() throws {
        let fixture = ClientFixture(
            Self.list, .endSession(.success(()), replacement: .new), .endSession(.success(())),
            stored: .ada)
        _ = try RevokeSessions(fixture.client).run(.others)
        #expect(
            fixture.steps.dropFirst() == [
                "backend: endSession other \(Self.token)", "store: update new", "backend: endSession endless new",
            ])
    }

    @Test func `a revocation whose new token cannot be saved reports how many sessions are revoked`() throws {
        let fixture = ClientFixture(
            Self.list, .endSession(.success(())), .endSession(.success(()), replacement: .new), stored: .ada)
        fixture.store.fail(.update, with: .noSpace)
        try failure { try RevokeSessions(fixture.client).run(.others) }.expectMessage(in: "use-cases/sessions")
    }

    @Test func `if one of the given session ids is unknown, no session is revoked`() throws {
        let fixture = ClientFixture(Self.list, stored: .ada)
        let error = try failure { _ = try RevokeSessions(fixture.client).run(.ids(["other", "nope"])) }
        error.expectMessage(in: "use-cases/sessions")
        expect(fixture.requests, ["sessions \(Self.token)"])
    }

    @Test func `revoking all sessions revokes the current session last and then deletes it`() throws {
        let fixture = ClientFixture(
            Self.list, .endSession(.success(())), .endSession(.success(())), .endSession(.success(())),
            stored: .ada)
        let result = try RevokeSessions(fixture.client).run(.all)
        expect(result.ids, ["other", "endless", "Xk2LmN3oPq"])
        #expect(result.forgotten)
        expect(fixture.store.current, nil)
        expect(
            fixture.steps.suffix(2), ["backend: endSession Xk2LmN3oPq \(Self.token)", "store: remove \(Self.token)"])
    }

    @Test func `revoking the other sessions keeps the current session`() throws {
        let fixture = ClientFixture(
            Self.list, .endSession(.success(())), .endSession(.success(())), stored: .ada)
        let result = try RevokeSessions(fixture.client).run(.others)
        expect(result.ids, ["other", "endless"])
        #expect(!result.forgotten)
        expect(fixture.store.current, .ada)
    }

    @Test func `the id 'current' revokes the current session`() throws {
        let fixture = ClientFixture(Self.list, .endSession(.success(())), stored: .ada)
        try expect(RevokeSessions(fixture.client).run(.ids(["current"])).ids, ["Xk2LmN3oPq"])
        expect(fixture.store.current, nil)
    }

    @Test(arguments: [nil, AuthError(.notFound, "not found")])
    func `a session given twice is revoked once, and counts as revoked if it no longer exists`(gone: AuthError?) throws
    {
        let end: Result<Void, AuthError> = gone.map { .failure($0) } ?? .success(())
        let fixture = ClientFixture(Self.list, .endSession(end), stored: .ada)
        try expect(RevokeSessions(fixture.client).run(.ids(["other", "other"])).ids, ["other"])
    }

    @Test func `a failed revocation reports how many sessions were revoked before it`() throws {
        let fixture = ClientFixture(Self.list, .endSession(.success(())), .endSession(.failure(.fault)), stored: .ada)
        try failure { try RevokeSessions(fixture.client).run(.all) }.expectMessage(in: "use-cases/sessions")
        expect(fixture.store.current, .ada)
    }

    @Test func `a revocation that cannot delete the saved session reports that the sessions are revoked`() throws {
        let fixture = ClientFixture(Self.list, .endSession(.success(())), .endSession(.success(())), stored: .ada)
        fixture.store.fail(.remove, with: .noSpace)
        let error = try failure { _ = try RevokeSessions(fixture.client).run(.ids(["other", "Xk2LmN3oPq"])) }
        error.expectMessage(in: "use-cases/sessions")
    }

    @Test func `a session that cannot be revoked stays saved`() throws {
        let fixture = ClientFixture(Self.list, .endSession(.failure(.fault)), stored: .ada)
        let error = try failure { _ = try RevokeSessions(fixture.client).run(.ids(["Xk2LmN3oPq"])) }
        error.expectMessage(in: "use-cases/sessions")
        expect(fixture.store.current, .ada)
    }

    @Test func `revoking the session in AUTHCTL_TOKEN keeps the saved session`() throws {
        let fixture = ClientFixture(
            .sessions(.success([Self.current])), .endSession(.success(())), stored: .ada, environmentToken: "env")
        let result = try RevokeSessions(fixture.client).run(.all)
        #expect(!result.forgotten)
        expect(fixture.store.current, .ada)
        expect(fixture.requests, ["sessions env", "endSession Xk2LmN3oPq env"])
    }
}
