import AuthModel
import CommandTestSupport
import Platform
import Synchronization
import Testing

@testable import AuthClient

/// Sessions that run out after minutes and are renewed with a refresh token.
@Suite struct RefreshTests {
    static let spent = StoredSession.sample(session: .spent)
    static let renewed = StoredSession.sample(session: .renewed)
    /// It looks good here.
    static let good = StoredSession.sample(session: .renewable("old", refresh: "r1"))
    static let refresh = FakeBackend.Step.refresh(.success(.renewed))
    static let steps = ["store: prepare", "store: lock default", "backend: refresh r1 of old", "store: update new"]

    struct Use: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What the server is asked, when the session is good.
        let step: FakeBackend.Step?
        /// The same, when the server calls the session dead.
        let refusal: FakeBackend.Step?
        let request: String
        let run: @Sendable (Client) throws -> Void
    }

    static let uses = [
        Use(
            testDescription: "whoami", step: .currentUser(.success(.ada)), refusal: .currentUser(.failure(.dead)),
            request: "currentUser",
            run: {
                let state = try CurrentUser($0).check()
                if let error = state.error { throw error }
            }),
        Use(
            testDescription: "sessions", step: .sessions(.success([])), refusal: .sessions(.failure(.dead)),
            request: "sessions", run: { _ = try ListSessions($0).run() }),
        Use(
            testDescription: "sessions revoke", step: .sessions(.success([])), refusal: .sessions(.failure(.dead)),
            request: "sessions", run: { _ = try RevokeSessions($0).run(.others) }),
        Use(
            testDescription: "password change", step: .changePassword(.success(())),
            refusal: .changePassword(.failure(.dead)), request: "changePassword 'a' 'long enough'",
            run: { _ = try ChangePassword($0).run(from: Secret("a"), to: Secret("long enough")) }),
        Use(
            testDescription: "link-facebook", step: .facebookStatus(.success(FacebookStatus(user: .ada, link: .none))),
            refusal: .facebookStatus(.failure(.dead)), request: "facebookStatus",
            run: { _ = try LinkFacebook($0).status() }),
    ]

    @Test(arguments: uses)
    func `are renewed, and the new one kept, before one that has run out is used`(use: Use) throws {
        let fixture = ClientFixture(script: [Self.refresh] + [use.step].compactMap(\.self), stored: Self.spent)
        try use.run(fixture.client)
        let steps = fixture.steps.drop { !$0.hasPrefix("store: lock") }
        #expect(Array(steps) == Self.steps.dropFirst() + ["backend: \(use.request) new"])
        #expect(fixture.store.current == Self.renewed)
    }

    @Test(arguments: uses)
    func `are renewed once where the server calls one dead that seemed good, and the request is made again`(
        use: Use
    ) throws {
        let script = [use.refusal, Self.refresh, use.step].compactMap(\.self)
        let fixture = ClientFixture(script: script, stored: Self.good)
        try use.run(fixture.client)
        let steps = fixture.steps.drop { !$0.hasPrefix("backend") }
        #expect(
            Array(steps) == ["backend: \(use.request) old"] + Self.steps + ["backend: \(use.request) new"])
        #expect(fixture.store.current == Self.renewed)
    }

    @Test(arguments: uses)
    func `are not renewed twice by one command`(use: Use) throws {
        let fixture = ClientFixture(script: [Self.refresh, use.refusal].compactMap(\.self), stored: Self.spent)
        let error = try failure { try use.run(fixture.client) }
        #expect(error.reason == .sessionRevoked)
        #expect(error.hints == ["log in again: authctl login"])
        #expect(fixture.store.current == Self.renewed)
    }

    @Test func `are not renewed twice by a command that asks several times`() throws {
        let item = SessionSummary(id: "x", isCurrent: false)
        let fixture = ClientFixture(
            .sessions(.failure(.dead)), Self.refresh, .sessions(.success([item])), .endSession(.failure(.dead)),
            stored: Self.good)
        #expect(try failure { _ = try RevokeSessions(fixture.client).run(.ids(["x"])) }.reason == .sessionRevoked)
    }

    @Test func `are left as they are while they are good`() throws {
        let fixture = ClientFixture(.currentUser(.success(.ada)), stored: Self.good)
        _ = try CurrentUser(fixture.client).check()
        #expect(try fixture.client.sessions.liveToken().token == Secret("old"))
        #expect(fixture.steps == ["backend: currentUser old"])
    }

    @Test func `give the new token and its end`() throws {
        let fixture = ClientFixture(Self.refresh, stored: Self.spent)
        #expect(try fixture.client.sessions.liveToken() == LiveToken(token: Secret("new"), expiresAt: .sampleEnd))
        #expect(fixture.steps == Self.steps)
    }

    @Test func `are used when they are new, also where the clock here says that they have run out`() throws {
        let early = Session.renewable("new", refresh: "r2", expiresAt: .sampleStart)
        let fixture = ClientFixture(
            .refresh(.success(early)), .currentUser(.success(.ada)), .refresh(.success(early)), stored: Self.spent)
        #expect(try CurrentUser(fixture.client).check().state == .valid)
        #expect(try fixture.client.sessions.liveToken().token == Secret("new"), "another command renews again")
    }

    @Test func `have expired where the server refuses, and stay as they are`() throws {
        let fixture = ClientFixture(.refresh(.failure(.expired)), stored: Self.spent)
        let state = try CurrentUser(fixture.client).check()
        #expect(state.state == .expired)
        #expect(state.isChecked)
        #expect(state.error?.message == "the session has expired")
        #expect(state.error?.hints == ["log in again: authctl login"])
        #expect(fixture.store.current == Self.spent)
    }

    @Test(arguments: [AuthError.Reason.connect, .timeout, .outcomeUnknown, .serverFault, .rateLimited])
    func `stay as they are where the server gave no answer, and are not asked for again`(
        reason: AuthError.Reason
    ) throws {
        let fixture = ClientFixture(.refresh(.failure(AuthError(reason, "no answer"))), stored: Self.spent)
        let error = try failure { _ = try fixture.client.sessions.liveToken() }
        #expect(error.reason == reason)
        #expect(error.message == "cannot renew the session: no answer")
        #expect(fixture.store.current == Self.spent)
    }

    @Test(arguments: [MemorySessionStore.Operation.prepare, .lock])
    func `are not renewed where the new one could not be kept`(operation: MemorySessionStore.Operation) throws {
        let fixture = ClientFixture(stored: Self.spent)
        fixture.store.fail(operation, with: .noSpace)
        let error = try failure { _ = try fixture.client.sessions.liveToken() }
        #expect(error.message == "cannot renew the session: no room in the folder")
        #expect(error.outcome == .storage)
    }

    @Test func `are lost where the new one cannot be kept after all, and that is said`() throws {
        let fixture = ClientFixture(Self.refresh, stored: Self.spent)
        fixture.store.fail(.update, with: .noSpace)
        let error = try failure { _ = try ListSessions(fixture.client).run() }
        #expect(error.reason == .noSpace)
        #expect(
            error.message == "cannot list sessions: cannot renew the session: "
                + "the server gave a new one, which could not be kept and is lost: no room in the folder")
        #expect(error.hints == ["once that is fixed, log in again: authctl login"])
    }

    @Test func `are said to be lost, and not the password to be changed, where the new one cannot be kept`() throws {
        let fixture = ClientFixture(Self.refresh, stored: Self.spent)
        fixture.store.fail(.update, with: .noSpace)
        let error = try failure {
            _ = try ChangePassword(fixture.client).run(from: Secret("a"), to: Secret("long enough"))
        }
        #expect(error.message.hasPrefix("cannot change the password: cannot renew the session: "))
    }

    @Test func `are taken over from another process that renewed them meanwhile`() throws {
        let fixture = ClientFixture(.currentUser(.success(.ada)), stored: Self.spent)
        fixture.store.meanwhile { [store = fixture.store] in store.put(Self.renewed) }
        let state = try CurrentUser(fixture.client).check()
        #expect(state.active?.session.token == Session.renewed.token)
        // A server may repeat them, too.
        #expect(state.active?.session.earlierTokens == [Session.spent.token, Session.spent.refreshToken])
        #expect(fixture.steps == ["store: prepare", "store: lock default", "backend: currentUser new"])
    }

    @Test func `are taken over also where the clock here says that the new one has run out`() throws {
        let early = Session.renewable("new", refresh: "r2", expiresAt: .sampleStart)
        let fixture = ClientFixture(stored: Self.spent)
        fixture.store.meanwhile { [store = fixture.store] in store.put(.sample(session: early)) }
        #expect(try fixture.client.sessions.liveToken().token == Secret("new"))
    }

    @Test func `are those of whoever logged in meanwhile`() throws {
        let eve = StoredSession.sample(session: .sample("eve"), user: User(username: "eve"))
        let fixture = ClientFixture(.currentUser(.success(eve.user)), stored: Self.spent)
        fixture.store.meanwhile { [store = fixture.store] in store.put(eve) }
        #expect(try CurrentUser(fixture.client).check().active?.user == eve.user)
        #expect(fixture.store.current?.user == eve.user)
        #expect(fixture.store.current?.session.token == eve.session.token)
    }

    @Test(arguments: [nil, StoredSession.sample(connection: Connection(backend: "parse"), session: .spent)])
    func `are gone where another process logged out meanwhile, or in elsewhere`(now: StoredSession?) throws {
        let fixture = ClientFixture(stored: Self.spent)
        for attempt in [
            { if let error = try CurrentUser(fixture.client).check().error { throw error } },
            { _ = try fixture.client.sessions.liveToken() },
            { _ = try ListSessions(fixture.client).run() },
        ] as [() throws -> Void] {
            fixture.store.put(Self.spent)
            fixture.store.meanwhile { [store = fixture.store] in
                store.drop("default")
                if let now { store.put(now) }
            }
            #expect(try failure(attempt).reason == .noSession)
        }
    }

    @Test func `never take the place of a session that began while the server was asked`() throws {
        let eve = StoredSession.sample(session: .sample("eve"), user: User(username: "eve"))
        let store = MemorySessionStore([Self.spent])
        let backend = CountingBackend { store.put(eve) }
        #expect(try client(backend, store).sessions.liveToken().token == Secret("new-1"))
        #expect(store.current == eve)
    }

    @Test func `of the environment are never renewed`() throws {
        let fixture = ClientFixture(.currentUser(.failure(.dead)), stored: Self.spent, environmentToken: "env")
        #expect(try CurrentUser(fixture.client).check().state == .rejected)
    }

    @Test func `are not renewed by a backend that cannot`() throws {
        let fixture = ClientFixture(.currentUser(.failure(.dead)), stored: Self.spent, isPlain: true)
        #expect(try CurrentUser(fixture.client).check().state == .expired)
        #expect(try failure { _ = try fixture.client.sessions.liveToken() }.reason == .sessionExpired)
        #expect(fixture.steps == ["backend: currentUser old"])
    }

    @Test func `are stored, not expired, while nobody is asked`() throws {
        let state = try CurrentUser(ClientFixture(stored: Self.spent).client).offline()
        #expect(state.state == .stored)
        #expect(state.error == nil)
    }

    @Test func `are renewed once by ten who begin at the same time`() throws {
        let folder = try TestFolder()
        let store = SessionFolder(folder: PrivateFolder(path: folder.path("sessions"), home: nil))
        _ = try store.save(Self.spent)
        // Long enough for all to find it run out.
        let backend = CountingBackend { pause(.milliseconds(100)) }
        let tokens = Tokens()
        let threads = (1...10).map { index in
            NativeThread {
                // Each opens the lock's file for itself, as ten processes do.
                let client = client(backend, store)
                // `try?`: a failure shows in the number of tokens.
                guard let token = try? client.sessions.liveToken().token.reveal() else { return }
                if index.isMultiple(of: 2) || (try? CurrentUser(client).check().state) == .valid { tokens.add(token) }
            }
        }
        for thread in threads { try #require(thread).join() }
        #expect(backend.refreshes == 1)
        #expect(tokens.all == Array(repeating: "new-1", count: 10))
        #expect(try store.load("default")?.session.refreshToken == Secret("r-1"))
        #expect(try store.profiles() == ["default"])
        #expect(try folder.names(in: "sessions") == [".lock", ".lock-default", "default.json"])
        #expect(try folder.mode("sessions/.lock-default") == "600")
    }
}

private func client(_ backend: CountingBackend, _ store: some SessionStore) -> Client {
    let descriptor = BackendDescriptor(kind: "local", summary: "here", takesServer: false, checksNewAccounts: true)
    let settings = Settings(
        profile: Setting("default", from: .builtIn), backend: Setting(descriptor, from: .builtIn), connection: .local)
    return Client(
        settings: settings, backend: { () throws(AuthError) in backend }, store: { () throws(AuthError) in store },
        environmentToken: nil, events: RecordedEvents(), clock: .fixed(.sampleNow),
        randomness: Randomness { Array(repeating: 7, count: $0) },
        facebook: { () throws(AuthError) in FakeFacebook() },
        requestLimit: { () throws(AuthError) in .seconds(30) })
}

/// A server that takes each refresh token once, and only the newest access token.
private final class CountingBackend: SessionRefreshing {
    private let count = Mutex(0)
    private let whileAsked: @Sendable () -> Void

    init(whileAsked: @escaping @Sendable () -> Void) {
        self.whileAsked = whileAsked
    }

    var refreshes: Int { count.withLock { $0 } }

    func refresh(_ session: Session) throws(AuthError) -> Session {
        let number = count.withLock { count in
            count += 1
            return count
        }
        whileAsked()
        guard session.refreshToken == Secret(number == 1 ? "r1" : "r-\(number - 1)") else { throw .expired }
        return .renewable("new-\(number)", refresh: "r-\(number)")
    }

    func currentUser(_ session: Session) throws(AuthError) -> Reply<User> {
        guard session.token == Secret("new-\(refreshes)") else { throw .dead }
        return Reply(.ada)
    }

    func signUp(_ account: NewAccount) throws(AuthError) -> Reply<SignUpOutcome> { throw .fault }
    func logIn(_ credentials: Credentials) throws(AuthError) -> Reply<LogInOutcome> { throw .fault }
    func logOut(_ session: Session) throws(AuthError) -> Reply<Revocation> { throw .fault }
}

private final class Tokens: Sendable {
    private let content = Mutex<[String]>([])

    var all: [String] { content.withLock { $0 } }

    func add(_ token: String) {
        content.withLock { $0.append(token) }
    }
}
