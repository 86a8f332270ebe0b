import AuthClient
import AuthModel
import CommandTestSupport
import Foundation
import Platform
import Testing

@Suite struct RevokeSessionsTests {
    static let current = SessionSummary(id: "Xk2LmN3oPq", isCurrent: true, expiresAt: .sampleEnd)
    static let other = SessionSummary(id: "other", isCurrent: false, expiresAt: .sampleEnd)
    static let endless = SessionSummary(id: "endless", isCurrent: false)
    static let list = FakeBackend.Step.sessions(.success([current, other, endless]))
    /// What is left of them when the others have ended.
    static let rest = FakeBackend.Step.sessions(.success([current]))
    static let token = Exchange.adaToken

    @Test func `lists what the server tells, without what has run out`() throws {
        let gone = SessionSummary(id: "gone", isCurrent: false, expiresAt: .sampleNow)
        let barely = SessionSummary(id: "barely", isCurrent: false, expiresAt: Instant.sampleNow.adding(.seconds(1)))
        let fixture = ClientFixture(.sessions(.success([Self.current, gone, barely, Self.endless])), stored: .ada)
        let list = try ListSessions(fixture.client).run()
        #expect(list.items.map(\.id) == ["Xk2LmN3oPq", "barely", "endless"])
        #expect(list.isComplete)
    }

    @Test func `lists the one session known here where the backend has no list`() throws {
        let fixture = ClientFixture(.currentUser(.success(.ada)), stored: .ada, isPlain: true)
        let list = try ListSessions(fixture.client).run()
        #expect(!list.isComplete)
        #expect(
            list.items == [
                SessionSummary(
                    id: "Xk2LmN3oPq", isCurrent: true, createdAt: .sampleStart, expiresAt: .sampleEnd)
            ])
    }

    @Test func `needs a session to list any`() throws {
        #expect(try failure { _ = try ListSessions(ClientFixture().client).run() }.reason == .noSession)
        #expect(try failure { _ = try RevokeSessions(ClientFixture().client).run(.all) }.reason == .noSession)
    }

    @Test func `stores the new token that a list brings before it goes on with it`() throws {
        let fixture = ClientFixture(
            .sessions(.success([Self.current, Self.other]), replacement: .new), .endSession(.success(())), stored: .ada)
        _ = try RevokeSessions(fixture.client).run(.ids(["other"]))
        #expect(
            fixture.steps == ["backend: sessions \(Self.token)", "store: update new", "backend: endSession other new"])
    }

    @Test func `stores the new token that an ended session brings before the next one`() throws {
        let fixture = ClientFixture(
            Self.list, .endSession(.success(()), replacement: .new), .endSession(.success(())), Self.rest,
            stored: .ada)
        _ = try RevokeSessions(fixture.client).run(.others)
        #expect(
            fixture.steps.dropFirst() == [
                "backend: endSession other \(Self.token)", "store: update new", "backend: endSession endless new",
                "backend: sessions new",
            ])
    }

    @Test func `counts the ended session whose new token could not be kept`() throws {
        let fixture = ClientFixture(
            Self.list, .endSession(.success(())), .endSession(.success(()), replacement: .new), stored: .ada)
        fixture.store.fail(.update, with: .noSpace)
        let error = try failure { _ = try RevokeSessions(fixture.client).run(.others) }
        #expect(
            error.message
                == "2 of the sessions were ended, but the new session could not be kept: no room in the folder")
        #expect(error.hints == ["once that is fixed, log in again: authctl login"])
    }

    @Test func `ends none when one of the ids is unknown`() throws {
        let fixture = ClientFixture(Self.list, stored: .ada)
        let error = try failure { _ = try RevokeSessions(fixture.client).run(.ids(["other", "nope"])) }
        #expect(error.reason == .notFound)
        #expect(error.message == "there is no session 'nope'")
        #expect(fixture.steps == ["backend: sessions \(Self.token)"])
    }

    @Test func `ends the current session last, then forgets it`() throws {
        let fixture = ClientFixture(
            Self.list, .endSession(.success(())), .endSession(.success(())), Self.rest, .endSession(.success(())),
            stored: .ada)
        let result = try RevokeSessions(fixture.client).run(.all)
        #expect(result.ids == ["other", "endless", "Xk2LmN3oPq"])
        #expect(result.forgotten)
        #expect(fixture.store.current == nil)
        #expect(
            fixture.steps.suffix(2) == [
                "backend: endSession Xk2LmN3oPq \(Self.token)", "store: remove \(Self.token)",
            ])
    }

    @Test func `leaves the current session alone when the others are to end`() throws {
        let fixture = ClientFixture(
            Self.list, .endSession(.success(())), .endSession(.success(())), Self.rest, stored: .ada)
        let result = try RevokeSessions(fixture.client).run(.others)
        #expect(result.ids == ["other", "endless"])
        #expect(!result.forgotten)
        #expect(fixture.store.current == .ada)
    }

    @Test(arguments: [SessionChoice.others, .all])
    func `ends a session, too, that began while the others were ended`(choice: SessionChoice) throws {
        let new = SessionSummary(id: "new", isCurrent: false)
        let ending = FakeBackend.Step.endSession(.success(()))
        var script = [
            FakeBackend.Step.sessions(.success([Self.current, Self.other])), ending,
            .sessions(.success([new, Self.current])), ending, Self.rest,
        ]
        if choice == .all { script.append(ending) }
        let fixture = ClientFixture(script: script, stored: .ada)
        let result = try RevokeSessions(fixture.client).run(choice)
        #expect(result.ids == ["other", "new"] + (choice == .all ? ["Xk2LmN3oPq"] : []))
        #expect(
            fixture.steps.prefix(5) == [
                "backend: sessions \(Self.token)", "backend: endSession other \(Self.token)",
                "backend: sessions \(Self.token)", "backend: endSession new \(Self.token)",
                "backend: sessions \(Self.token)",
            ])
    }

    @Test func `does not end a session again that is still listed`() throws {
        let fixture = ClientFixture(
            .sessions(.success([Self.current, Self.other])), .endSession(.success(())),
            .sessions(.success([Self.current, Self.other])), stored: .ada)
        #expect(try RevokeSessions(fixture.client).run(.others).ids == ["other"])
    }

    @Test func `gives up with a warning when sessions begin as fast as they end`() throws {
        let script = (1...6).flatMap { round in
            [
                FakeBackend.Step.sessions(
                    .success([Self.current, SessionSummary(id: "\(round)", isCurrent: false)])),
                .endSession(.success(())),
            ]
        }
        let fixture = ClientFixture(script: script.dropLast(), stored: .ada)
        #expect(try RevokeSessions(fixture.client).run(.others).ids == ["1", "2", "3", "4", "5"])
        #expect(fixture.steps.last == "warning: new sessions begin as fast as they can be ended; some are left")
    }

    @Test func `reads no second list where its own session is not marked`() throws {
        let fixture = ClientFixture(.sessions(.success([Self.other])), .endSession(.success(())), stored: .ada)
        #expect(try RevokeSessions(fixture.client).run(.all).ids == ["other"])
        #expect(fixture.store.current == nil)
    }

    @Test func `ends a session once, however often it is named`() throws {
        let fixture = ClientFixture(Self.list, .endSession(.success(())), stored: .ada)
        #expect(try RevokeSessions(fixture.client).run(.ids(["other", "other"])).ids == ["other"])
    }

    @Test func `takes a session for ended that went away meanwhile`() throws {
        let gone = AuthError(.notFound, "the server knows no such thing")
        let fixture = ClientFixture(Self.list, .endSession(.failure(gone)), stored: .ada)
        #expect(try RevokeSessions(fixture.client).run(.ids(["other"])).ids == ["other"])
    }

    @Test func `says how many ended before one could not be`() throws {
        let fixture = ClientFixture(Self.list, .endSession(.success(())), .endSession(.failure(.fault)), stored: .ada)
        let error = try failure { _ = try RevokeSessions(fixture.client).run(.all) }
        #expect(
            error.message
                == "1 of the sessions ended, but not all: cannot end session 'endless': the server failed")
        #expect(fixture.store.current == .ada)
    }

    @Test func `says that the sessions ended when the own one cannot be forgotten`() throws {
        let fixture = ClientFixture(Self.list, .endSession(.success(())), .endSession(.success(())), stored: .ada)
        fixture.store.fail(.remove, with: .noSpace)
        let error = try failure { _ = try RevokeSessions(fixture.client).run(.ids(["other", "Xk2LmN3oPq"])) }
        #expect(error.message.hasPrefix("the sessions were ended, but forgetting the one of this profile here failed"))
        #expect(error.hints == ["once that is fixed, forget it: authctl logout"])
    }

    @Test func `keeps the session here when it could not be ended`() throws {
        let fixture = ClientFixture(Self.list, .endSession(.failure(.fault)), stored: .ada)
        let error = try failure { _ = try RevokeSessions(fixture.client).run(.ids(["Xk2LmN3oPq"])) }
        #expect(error.message == "cannot end session 'Xk2LmN3oPq': the server failed")
        #expect(fixture.store.current == .ada)
    }

    @Test func `forgets no stored session when the environment's was ended`() throws {
        let fixture = ClientFixture(
            .sessions(.success([Self.current])), .endSession(.success(())), stored: .ada, environmentToken: "env")
        let result = try RevokeSessions(fixture.client).run(.all)
        #expect(!result.forgotten)
        #expect(fixture.store.current == .ada)
        #expect(fixture.steps == ["backend: sessions env", "backend: endSession Xk2LmN3oPq env"])
    }

    @Test func `says that the session is dead if the server says so`() throws {
        let fixture = ClientFixture(.sessions(.failure(.dead)), stored: .ada)
        let error = try failure { _ = try ListSessions(fixture.client).run() }
        #expect(error.reason == .sessionRevoked)
        #expect(error.message == "cannot list sessions: the session is dead")
        #expect(error.hints == ["log in again: authctl login"])
    }
}
