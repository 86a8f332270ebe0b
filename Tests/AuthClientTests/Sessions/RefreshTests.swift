import CommandTestSupport
import Platform
import Synchronization

@testable import AuthClient

/// Sessions that expire after minutes and are refreshed with a refresh token.
@Suite struct RefreshTests {
    static let expired = StoredSession.sample(session: .expired)
    static let rejected = StoredSession(
        profile: "default", connection: .local, session: .expired, user: .ada, isRefreshRejected: true)
    static let refreshed = StoredSession.sample(session: .refreshed)
    /// A session that has not expired by the local clock.
    static let good = StoredSession.sample(session: .refreshable("old", refresh: "r1"))
    static let refresh = Step.refresh(.success(.refreshed))
    static let steps = ["store: prepare", "store: lock default", "backend: refresh r1 of old", "store: update new"]

    struct Use: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The request and its response if the server accepts the session.
        let step: Step?
        /// The request and its response if the server rejects the session.
        let rejection: Step?
        let request: String
        let run: @Sendable (Client) throws -> Void
    }

    static let uses = [
        Use(
            testDescription: "whoami", step: .currentUser(.success(.ada)), rejection: .currentUser(.failure(.revoked)),
            request: "currentUser",
            run: {
                let state = try CurrentUser($0).check()
                if let error = state.error { throw error }
            }),
        Use(
            testDescription: "sessions", step: .sessions(.success([])), rejection: .sessions(.failure(.revoked)),
            request: "sessions", run: { _ = try ListSessions($0).run() }),
        Use(
            testDescription: "sessions revoke", step: .sessions(.success([])), rejection: .sessions(.failure(.revoked)),
            request: "sessions", run: { _ = try RevokeSessions($0).run(.others) }),
        Use(
            testDescription: "password change", step: .changePassword(.success(nil)),
            rejection: .changePassword(.failure(.revoked)), request: "changePassword 'a' 'long enough'",
            run: { _ = try ChangePassword($0).run(from: Secret("a"), to: Secret("long enough")) }),
        Use(
            testDescription: "link-facebook", step: .identities(.success(IdentityStatus(user: .ada, link: .none))),
            rejection: .identities(.failure(.revoked)), request: "identities",
            run: { _ = try Link($0).status() }),
    ]

    @Test(arguments: uses)
    func `an expired session is refreshed and saved before it is used`(use: Use) throws {
        let fixture = ClientFixture(script: [Self.refresh] + [use.step].compactMap(\.self), stored: Self.expired)
        try use.run(fixture.client)
        let steps = fixture.steps.drop { !$0.hasPrefix("store: lock") }
        expect(Array(steps), Self.steps.dropFirst() + ["backend: \(use.request) new"])
        expect(fixture.store.current, Self.refreshed)
    }

    @Test(arguments: uses)
    func `a rejected session is refreshed once and the request is repeated`(use: Use) throws {
        let script = [use.rejection, Self.refresh, use.step].compactMap(\.self)
        let fixture = ClientFixture(script: script, stored: Self.good)
        try use.run(fixture.client)
        let steps = fixture.steps.drop { !$0.hasPrefix("backend") }
        expect(Array(steps), ["backend: \(use.request) old"] + Self.steps + ["backend: \(use.request) new"])
        expect(fixture.store.current, Self.refreshed)
    }

    @Test(arguments: uses)
    func `a command whose refreshed session is rejected does not refresh again and suggests a login`(use: Use) throws {
        let fixture = ClientFixture(script: [Self.refresh, use.rejection].compactMap(\.self), stored: Self.expired)
        try failure { try use.run(fixture.client) }.expectMessage(in: "use-cases/refresh", use.testDescription)
        expect(fixture.store.current, Self.refreshed)
    }

    @Test func `a command with several requests refreshes a session at most once`() throws {
        let item = SessionSummary(id: "x", isCurrent: false)
        let fixture = ClientFixture(
            .sessions(.failure(.revoked)), Self.refresh, .sessions(.success([item])), .endSession(.failure(.revoked)),
            stored: Self.good)
        try expect(failure { _ = try RevokeSessions(fixture.client).run(.ids(["x"])) }.reason, .sessionRevoked)
    }

    @Test func `a valid session is not refreshed`() throws {
        let fixture = ClientFixture(.currentUser(.success(.ada)), stored: Self.good)
        _ = try CurrentUser(fixture.client).check()
        try expect(fixture.client.sessions.liveSession().session.token, Secret("old"))
        expect(fixture.steps, ["backend: currentUser old"])
    }

    @Test func `a refreshed token is returned with its expiry time`() throws {
        let fixture = ClientFixture(Self.refresh, stored: Self.expired)
        let session = try fixture.client.sessions.liveSession().session
        expect(session.token, Secret("new"))
        expect(session.expiresAt, .sampleEnd)
        expect(fixture.steps, Self.steps)
    }

    @Test func `a session that expires sooner than required is refreshed`() throws {
        let fixture = ClientFixture(
            Self.refresh,
            stored: .sample(
                session: .refreshable("old", refresh: "r1", expiresAt: Instant.sampleNow.adding(.seconds(60)))))
        try expect(fixture.client.sessions.liveSession(lasting: .seconds(59)).session.token, Secret("old"))
        try expect(fixture.client.sessions.liveSession(lasting: .seconds(61)).session.token, Secret("new"))
    }

    /// A request takes time, and the clocks differ.
    @Test(arguments: [(1000, 10, false), (1000, 9, true), (50, 5, false), (50, 4, true)] as [(Int64, Int64, Bool)])
    func `a session is refreshed 10 s or a tenth of its life before its end`(
        life: Int64, rest: Int64, isRefreshed: Bool
    ) throws {
        let end = Instant.sampleNow.adding(.seconds(rest)).adding(.milliseconds(1))
        var session = Session.refreshable("old", refresh: "r1", expiresAt: end)
        session.createdAt = end.adding(.seconds(-life))
        let script = isRefreshed ? [Self.refresh] : []
        let fixture = ClientFixture(script: script + [.currentUser(.success(.ada))], stored: .sample(session: session))
        try expect(CurrentUser(fixture.client).check().state, .valid)
        expect(fixture.requests.last, "currentUser \(isRefreshed ? "new" : "old")")
        session.refreshToken = nil
        let plain = ClientFixture(stored: .sample(session: session)).client.sessions
        try expect(plain.liveSession().session.token, Secret("old"), "used to its end")
    }

    /// A site may fail if the account of the token is gone, because it does not expect that.
    @Test func `a site that fails at every refresh of an expired session suggests a login, too`() throws {
        var fault = AuthError(.serverFault, "the server failed", next: "try again later")
        fault.server = ServerDetail(status: 500)
        let fixture = ClientFixture(.refresh(.failure(fault)), stored: Self.expired)
        try failure { try fixture.client.sessions.liveSession() }.expectMessage(in: "use-cases/refresh")
    }

    @Test func `a server whose word is final renews only what it calls expired`() {
        let policies = [RefreshPolicy(.refreshToken), RefreshPolicy(.refreshToken, renewsRevoked: false)]
        expect(policies.map { $0.renews(after: .sessionRevoked) }, [true, false])
        #expect(policies.allSatisfy { $0.renews(after: .sessionExpired) && $0.renews(after: .tokenRefused) })
        #expect(!RefreshPolicy(.token).renews(after: .sessionExpired))
    }

    @Test func `a session whose access token has expired and cannot be refreshed is still valid itself`() throws {
        var session = Session.expired
        session.accessToken = Secret("access")
        let fixture = ClientFixture(
            .refresh(.failure(.expired)), .currentUser(.success(.ada)), .currentUser(.success(.ada)),
            stored: .sample(session: session))
        for _ in 0..<2 { try expect(CurrentUser(fixture.client).check().state, .valid) }
        try expect(CurrentUser(fixture.client).offline().state, .stored)
        try expect(failure { try fixture.client.sessions.liveSession() }.reason, .sessionExpired)
    }

    @Test func `a refreshed session is used even if it has expired by the local clock`() throws {
        let early = Session.refreshable("new", refresh: "r2", expiresAt: .sampleStart)
        let fixture = ClientFixture(
            .refresh(.success(early)), .currentUser(.success(.ada)), .refresh(.success(early)), stored: Self.expired)
        try expect(CurrentUser(fixture.client).check().state, .valid)
        try expect(
            fixture.client.sessions.liveSession().session.token, Secret("new"),
            "another command refreshes it again")
    }

    @Test func `if a refresh revokes the refresh token, the new session is saved and then marked as not refreshable`()
        throws
    {
        let store = MemorySessionStore([Self.expired])
        let refreshed = try client(HidingBackend(store: store), store).sessions.liveSession()
        expect(refreshed.session.token, Secret("new"))
        expect(store.current?.session.token, Secret("new"))
        expect(store.current?.isRefreshRejected, true)
    }

    @Test func `a session that expires soon stays usable after its refresh token is rejected`() throws {
        let soon = Session.refreshable("old", refresh: "r1", expiresAt: Instant.sampleNow.adding(.seconds(60)))
        let fixture = ClientFixture(.refresh(.failure(.expired)), stored: .sample(session: soon))
        for _ in 0..<2 {
            let error = try failure { _ = try fixture.client.sessions.liveSession(lasting: .seconds(61)) }
            expect(error.message, "the session expires in 60 s, which is less than 61 s")
        }
        try expect(fixture.client.sessions.liveSession().session.token, Secret("old"))
    }

    @Test func `a session whose refresh token is rejected is reported as expired and stays saved`() throws {
        let fixture = ClientFixture(.refresh(.failure(.expired)), stored: Self.expired)
        let state = try CurrentUser(fixture.client).check()
        expect(state.state, .expired)
        #expect(state.isChecked)
        try #require(state.error).expectMessage(in: "use-cases/refresh")
        expect(fixture.store.current, Self.rejected)
    }

    @Test func `a refresh token that another process marked as rejected is not sent again`() throws {
        let fixture = ClientFixture(stored: Self.expired)
        fixture.store.meanwhile { [store = fixture.store] in store.put(Self.rejected) }
        for _ in 1...2 {
            let error = try failure { _ = try fixture.client.sessions.liveSession() }
            expect(error.reason, .sessionExpired)
        }
        expect(fixture.steps, ["store: prepare", "store: lock default"])
    }

    @Test func `a login replaces a session whose refresh token was rejected`() throws {
        let new = NewSession(user: .ada, session: .refreshable("new", refresh: "r9"))
        let fixture = ClientFixture(.logIn(.success(.session(new))), stored: Self.rejected)
        _ = try LogIn(fixture.client).withPassword(Credentials(login: "ada", password: Secret("p")))
        expect(fixture.store.current?.isRefreshRejected, false)
    }

    @Test(arguments: [AuthError.Reason.connect, .timeout, .outcomeUnknown, .serverFault, .rateLimited])
    func `a refresh that fails without a rejection keeps the session and is not repeated`(
        reason: AuthError.Reason
    ) throws {
        let fixture = ClientFixture(.refresh(.failure(AuthError(reason, "no response"))), stored: Self.expired)
        let error = try failure { _ = try fixture.client.sessions.liveSession() }
        expect(error.reason, reason)
        if [.connect, .serverFault].contains(reason) { error.expectMessage(in: "use-cases/refresh", "\(reason)") }
        expect(fixture.store.current, Self.expired)
    }

    @Test(arguments: [MemorySessionStore.Operation.prepare, .lock])
    func `a session is not refreshed if its store is not writable`(operation: MemorySessionStore.Operation) throws {
        let fixture = ClientFixture(stored: Self.expired)
        fixture.store.fail(operation, with: .noSpace)
        try failure { try fixture.client.sessions.liveSession() }.expectMessage(in: "use-cases/refresh")
    }

    @Test func `a refreshed session that cannot be saved is reported as lost`() throws {
        let fixture = ClientFixture(Self.refresh, stored: Self.expired)
        fixture.store.fail(.update, with: .noSpace)
        try failure { try ListSessions(fixture.client).run() }.expectMessage(in: "use-cases/refresh")
    }

    @Test func `a password change that cannot save the refreshed session does not report a changed password`() throws {
        let fixture = ClientFixture(Self.refresh, stored: Self.expired)
        fixture.store.fail(.update, with: .noSpace)
        try failure {
            try ChangePassword(fixture.client).run(from: Secret("a"), to: Secret("long enough"))
        }.expectMessage(in: "use-cases/refresh")
    }

    @Test func `a command uses the session that another process has refreshed`() throws {
        let fixture = ClientFixture(.currentUser(.success(.ada)), stored: Self.expired)
        fixture.store.meanwhile { [store = fixture.store] in store.put(Self.refreshed) }
        let state = try CurrentUser(fixture.client).check()
        expect(state.active?.session.token, Session.refreshed.token)
        // The old and the new token must be masked, because a server may repeat them in its errors.
        expect(fixture.masker.mask("\(Session.expired.token.reveal()) new"), "<redacted> <redacted>")
        expect(fixture.steps, ["store: prepare", "store: lock default", "backend: currentUser new"])
    }

    @Test func `a command uses a session refreshed by another process even if it has expired by the local clock`()
        throws
    {
        let early = Session.refreshable("new", refresh: "r2", expiresAt: .sampleStart)
        let fixture = ClientFixture(stored: Self.expired)
        fixture.store.meanwhile { [store = fixture.store] in store.put(.sample(session: early)) }
        try expect(fixture.client.sessions.liveSession().session.token, Secret("new"))
    }

    @Test func `a command uses the session of another user who logs in during the session refresh`() throws {
        let eve = StoredSession.sample(session: .sample("eve"), user: User(username: "eve"))
        let fixture = ClientFixture(.currentUser(.success(eve.user)), stored: Self.expired)
        fixture.store.meanwhile { [store = fixture.store] in store.put(eve) }
        try expect(CurrentUser(fixture.client).check().active?.user, eve.user)
        expect(fixture.store.current?.user, eve.user)
        expect(fixture.store.current?.session.token, eve.session.token)
    }

    @Test(arguments: [nil, StoredSession.sample(connection: Connection(backend: "parse"), session: .expired)])
    func `a session is reported as missing if another process deletes it or logs in with another backend`(
        now: StoredSession?
    ) throws {
        let fixture = ClientFixture(stored: Self.expired)
        for attempt in [
            { if let error = try CurrentUser(fixture.client).check().error { throw error } },
            { _ = try fixture.client.sessions.liveSession() },
            { _ = try ListSessions(fixture.client).run() },
        ] as [() throws -> Void] {
            fixture.store.put(Self.expired)
            fixture.store.meanwhile { [store = fixture.store] in
                store.drop("default")
                if let now { store.put(now) }
            }
            try expect(failure(attempt).reason, .noSession)
        }
    }

    @Test func `a refresh does not overwrite a session that another process saved during the refresh`() throws {
        let eve = StoredSession.sample(session: .sample("eve"), user: User(username: "eve"))
        let store = MemorySessionStore([Self.expired])
        let backend = CountingBackend { store.put(eve) }
        try expect(client(backend, store).sessions.liveSession().session.token, Secret("new-1"))
        expect(store.current, eve)
    }

    @Test func `a token from the environment is never refreshed`() throws {
        let fixture = ClientFixture(.currentUser(.failure(.revoked)), stored: Self.expired, environmentToken: "env")
        try expect(CurrentUser(fixture.client).check().state, .rejected)
    }

    @Test func `an expired session of a backend without refresh tokens is reported as expired`() throws {
        let fixture = ClientFixture(.currentUser(.failure(.revoked)), stored: Self.expired, isPlain: true)
        try expect(CurrentUser(fixture.client).check().state, .expired)
        try expect(failure { _ = try fixture.client.sessions.liveSession() }.reason, .sessionExpired)
        expect(fixture.steps, ["backend: currentUser old"])
    }

    @Test func `an offline check reports an expired session as saved, not expired, if it has a refresh token`() throws {
        let state = try CurrentUser(ClientFixture(stored: Self.expired).client).offline()
        expect(state.state, .stored)
        expect(state.error, nil)
    }

    @Test func `ten concurrent commands refresh a session only once in total`() throws {
        let folder = TestFolder()
        let store = SessionFolder(folder: PrivateFolder(path: folder.path("sessions")))
        _ = try store.save(Self.expired)
        // The pause is long enough for all threads to load the expired session.
        let backend = CountingBackend { pause(.milliseconds(100)) }
        let tokens = Tokens()
        let threads = (1...10).map { index in
            NativeThread {
                // Each thread opens the lock file itself, like a separate process.
                let client = client(backend, store)
                // `try?` hides an error, but a failure shows up as a missing token.
                guard let token = try? client.sessions.liveSession().session.token.reveal() else { return }
                if index.isMultiple(of: 2) || (try? CurrentUser(client).check().state) == .valid { tokens.add(token) }
            }
        }
        for thread in threads { try #require(thread).join() }
        expect(backend.refreshes, 1)
        expect(tokens.all, Array(repeating: "new-1", count: 10))
        try expect(store.load(.local("default"))?.session.refreshToken, Secret("r-1"))
        try expect(store.profiles(), ["default"])
        let file = String.sessionPath("default", in: "")
        try expect(folder.names(in: "sessions"), [".lock", ".lock-\(file.dropLast(5))", file])
        try expect(folder.mode("sessions/.lock-\(file.dropLast(5))"), "600")
    }
}

private func client(_ backend: any SessionRefreshing, _ store: some SessionStore) -> Client {
    let descriptor = BackendDescriptor(kind: "local", [], refresh: RefreshPolicy(.refreshToken))
    return Client(
        settings: .sample(descriptor, from: .builtIn),
        sources: StubSources(store: store) { () throws(AuthError) in backend },
        tokenVariable: nil, events: RecordedEvents(), masker: Masker(), clock: .fixed(.sampleNow),
        randomness: Randomness { Array(repeating: 7, count: $0) })
}

/// A server that accepts a refresh token once, and an access token until the next refresh.
private final class CountingBackend: ScriptedBackend, SessionRefreshing {
    /// No other call is expected.
    let script = Script()
    private let count = Mutex(0)
    private let whileAsked: @Sendable () -> Void

    init(whileAsked: @escaping @Sendable () -> Void) {
        self.whileAsked = whileAsked
    }

    var refreshes: Int { count.withLock { $0 } }

    func refresh(_ session: Session) throws(BackendError) -> Session {
        let number = count.withLock { count in
            count += 1
            return count
        }
        whileAsked()
        guard session.refreshToken == Secret(number == 1 ? "r1" : "r-\(number - 1)") else {
            throw BackendError(.expired)
        }
        return .refreshable("new-\(number)", refresh: "r-\(number)")
    }

    func currentUser(_ session: Session) throws(BackendError) -> Reply<User> {
        guard session.token == Secret("new-\(refreshes)") else { throw BackendError(.revoked) }
        return Reply(.ada)
    }
}

/// A server that revokes the refresh token at each refresh, but does not send a new refresh token.
private struct HidingBackend: ScriptedBackend, SessionRefreshing {
    let script = Script()
    let store: MemorySessionStore

    func refresh(_ session: Session) throws(BackendError) -> Session { .refreshable("new", refresh: "r1") }

    func isRevoked(_ refreshToken: Secret, within limit: Duration) -> Bool {
        refreshToken == Secret("r1") && store.current?.session.token == Secret("new") && limit <= .seconds(5)
    }
}

private final class Tokens: Sendable {
    private let content = Mutex<[String]>([])

    var all: [String] { content.withLock { $0 } }

    func add(_ token: String) {
        content.withLock { $0.append(token) }
    }
}
