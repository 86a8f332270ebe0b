import CommandTestSupport
import Foundation
import Platform
import Synchronization

@testable import AuthClient

/// A client whose fake backend and in-memory store record their steps in one journal.
struct ClientFixture {
    let journal = Journal()
    let masker = Masker()
    let configuration = MemoryConfigurationStore()
    let store: MemorySessionStore
    let client: Client

    init(
        _ script: Step..., stored: StoredSession? = nil, environmentToken: String? = nil,
        tokenConnection: Connection? = nil, profile: Setting<String> = Setting("default", from: .builtIn),
        backendOrigin: Origin = .option("--backend"), isPlain: Bool = false, isShared: Bool = false,
        checks: Bool = true
    ) {
        self.init(
            script: script, stored: stored, environmentToken: environmentToken, tokenConnection: tokenConnection,
            profile: profile, backendOrigin: backendOrigin, isPlain: isPlain, isShared: isShared, checks: checks)
    }

    init(
        script: [Step], stored: StoredSession? = nil, environmentToken: String? = nil,
        tokenConnection: Connection? = nil, profile: Setting<String> = Setting("default", from: .builtIn),
        backendOrigin: Origin = .option("--backend"), isPlain: Bool = false, isShared: Bool = false,
        checks: Bool = true, name: String? = nil
    ) {
        let descriptor = BackendDescriptor(
            kind: "local", checks ? [.checksNewAccounts] : [], refresh: RefreshPolicy(.refreshToken),
            codes: isPlain ? [] : .withPassword)
        var settings = Settings.sample(descriptor, from: backendOrigin, profile: profile)
        settings.sessionName = name.map { Setting($0, from: .option("--as")) }
        self.init(
            script: script, settings: settings, stored: stored, environmentToken: environmentToken,
            tokenConnection: tokenConnection
        ) { backend in
            if isPlain { PlainBackend(backend) } else if isShared { SharingBackend(backend) } else { backend }
        }
    }

    /// A client of a backend other than `FakeBackend`.
    init(
        backend: any Backend, project: String? = nil, verification: VerificationNeed = .nothing,
        accounts: AccountKeeping = AccountKeeping()
    ) {
        let descriptor = BackendDescriptor(
            kind: "local", [.checksNewAccounts, .mayNameApplication], verification: verification, accounts: accounts)
        self.init(script: [], settings: .sample(descriptor, at: Connection(backend: "local", appID: project))) { _ in
            backend
        }
    }

    /// A client of a server that accepts Facebook identities.
    ///
    /// - Parameters:
    ///   - facebook: the responses from Facebook.
    ///   - known: the server settings, by `BackendSetting.key`.
    static func withFacebook(
        _ script: Step..., facebook: [Step] = [], known: [String: String] = [:],
        usesIDs: Bool = false, takesServer: Bool = true, codes: LogInCodes = .alone, stored: StoredSession? = nil,
        environmentToken: String? = nil, profile: Setting<String> = Setting("default", from: .builtIn),
        time: VirtualTime = VirtualTime(), making: (FakeBackend) -> any Backend = { $0 }
    ) -> ClientFixture {
        let descriptor = BackendDescriptor(
            kind: "local", takesServer ? [.checksNewAccounts, .takesServer] : [.checksNewAccounts],
            settings: BackendSetting.facebook, codes: codes)
        return ClientFixture(
            script: script, settings: .sample(descriptor, profile: profile, known), stored: stored,
            environmentToken: environmentToken, usesIDs: usesIDs, facebook: facebook, time: time, making: making)
    }

    /// A client that sends arbitrary requests on the user's behalf.
    ///
    /// - Parameter apiURL: the setting `apiURL`.
    static func sendingRequests(
        _ script: Step..., stored: StoredSession? = .ada, apiURL: String? = nil,
        environmentToken: String? = nil, time: VirtualTime = VirtualTime(), isPlain: Bool = false
    ) -> ClientFixture {
        sendingRequests(
            script: script, stored: stored, apiURL: apiURL, environmentToken: environmentToken, time: time,
            isPlain: isPlain)
    }

    static func sendingRequests(
        script: [Step], stored: StoredSession? = .ada, apiURL: String? = nil, environmentToken: String? = nil,
        time: VirtualTime = VirtualTime(), isPlain: Bool = false
    ) -> ClientFixture {
        let descriptor = BackendDescriptor(
            kind: "local", .checksNewAccounts, refresh: RefreshPolicy(.refreshToken), settings: BackendSetting.shared)
        let values = apiURL.map { [BackendSetting.apiURL.key: $0] } ?? [:]
        return ClientFixture(
            script: script, settings: .sample(descriptor, values), stored: stored, environmentToken: environmentToken,
            time: time
        ) { backend in
            if isPlain { PlainBackend(backend) } else { backend }
        }
    }

    /// A client of a site that accepts accounts without a username and strips white space around passwords.
    static func atSite(
        _ script: Step..., stored: StoredSession? = nil,
        profile: Setting<String> = Setting("default", from: .builtIn)
    ) -> ClientFixture {
        ClientFixture(script: script, settings: .sample(.site, at: .site, profile: profile), stored: stored)
    }

    /// A client whose user `ada` is logged in to a server of the given kind of backend.
    static func loggedIn(to kind: String, _ script: Step...) -> ClientFixture {
        let descriptor = BackendDescriptor(kind: kind, traits(of: kind).union(.takesServer))
        let connection = Connection(backend: kind, server: "https://a.example")
        return ClientFixture(
            script: script, settings: .sample(descriptor, at: connection), stored: .sample(connection: connection))
    }

    /// A client whose session is renewed with its own token.
    ///
    /// - Parameters:
    ///   - age: the seconds since the session began.
    ///   - rest: the seconds until it ends.
    static func renewing(_ script: Step..., age: Int64, rest: Int64 = 100) -> ClientFixture {
        let descriptor = BackendDescriptor(
            kind: "site", [.takesServer, .hidesEndedSessions], refresh: RefreshPolicy(.token))
        let now = Instant.sampleNow
        let session = Session(
            token: Secret("old"), createdAt: now.adding(.seconds(-age)), expiresAt: now.adding(.seconds(rest)))
        return ClientFixture(
            script: script, settings: .sample(descriptor, at: .site),
            stored: .sample(connection: .site, session: session))
    }

    /// A client of a site whose server identifies pending logins by a token.
    static func waiting(
        _ script: Step..., stored: StoredSession? = nil, pending: StoredSession? = nil
    ) -> ClientFixture { waiting(script: script, stored: stored, pending: pending) }

    static func waiting(
        script: [Step], stored: StoredSession? = nil, pending: StoredSession? = nil
    ) -> ClientFixture {
        let fixture = ClientFixture(
            script: script, settings: .sample(.site, at: .site), stored: stored, making: WaitingBackend.init)
        if let pending { fixture.store.unfinishedInMemory.put(pending) }
        return fixture
    }

    /// A client of a site whose front end may have a different origin than the server.
    static func withFrontEnd(_ script: Step..., linkOrigin: String? = nil) -> ClientFixture {
        let values = linkOrigin.map { [BackendSetting.linkOrigin.key: $0] } ?? [:]
        let connection = Connection(backend: "site", server: "https://a.example/api")
        return ClientFixture(script: script, settings: .sample(.site, at: connection, values))
    }

    init(
        script: [Step], settings: Settings, stored: StoredSession? = nil, environmentToken: String? = nil,
        tokenConnection: Connection? = nil, usesIDs: Bool = false, facebook: [Step] = [],
        time: VirtualTime = VirtualTime(), making: (FakeBackend) -> any Backend = { $0 }
    ) {
        store = MemorySessionStore(stored.map { [$0] } ?? [], journal: journal)
        let chosen = making(FakeBackend(script, journal: journal, usesIdentityIDs: usesIDs))
        let graph = FakeFacebook(facebook, journal: journal)
        configuration.put(profiles: settings.profile.value)
        client = Client(
            settings: settings,
            sources: StubSources(
                store: store, profiles: configuration, graph: graph, token: environmentToken ?? "",
                connectionOfToken: tokenConnection ?? settings.connection
            ) { () throws(AuthError) in chosen },
            tokenVariable: environmentToken.map { _ in "AUTHCTL_TOKEN" },
            events: RecordedEvents(journal: journal), masker: masker, clock: .fixed(.sampleNow),
            randomness: Randomness { Array(repeating: 7, count: $0) },
            waiting: time.waiting)
    }

    /// All steps in order. A warning or note appears only as the word `warning` or `note`; `notices` has its message.
    var steps: [String] {
        journal.lines.map { line in ["warning", "note"].first { line.hasPrefix("\($0): ") } ?? line }
    }

    /// The calls to the backend, in order.
    var requests: [String] {
        journal.lines.compactMap { $0.hasPrefix("backend: ") ? String($0.dropFirst("backend: ".count)) : nil }
    }

    /// The warnings and notes, one per line.
    var notices: String {
        journal.lines.filter { $0.hasPrefix("warning: ") || $0.hasPrefix("note: ") }.joined(separator: "\n")
    }

    /// Compares the warnings and notes with the running test's section of `Tests/Messages/FILE.txt`.
    func expectNotices(
        in file: String, _ situation: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(!notices.isEmpty, "there is no notice to compare", sourceLocation: sourceLocation)
        MessageFile(file).expect(notices, situation, sourceLocation: sourceLocation)
    }
}

/// A clock that advances only when the code under test pauses.
final class VirtualTime: Sendable {
    private let pauses = Mutex<[Duration]>([])

    var waits: [Duration] { pauses.withLock { $0 } }

    var waiting: Waiting {
        Waiting(
            now: { self.waits.reduce(.seconds(1000), +) }, pause: { time in self.pauses.withLock { $0.append(time) } })
    }
}

extension Settings {
    static func sample(
        _ backend: BackendDescriptor, at connection: Connection = .local, from origin: Origin = .option("--backend"),
        profile: Setting<String> = Setting("default", from: .builtIn), _ values: [String: String] = [:]
    ) -> Settings {
        Settings(
            profile: profile, backend: Setting(backend, from: origin), connection: connection,
            serverOrigin: connection.server == nil ? .builtIn : .option("--server"), serverSettings: values)
    }
}

extension BackendDescriptor {
    static let site = BackendDescriptor(
        kind: "site", [.takesServer, .trimsPasswords], refresh: RefreshPolicy(.refreshToken),
        usualMount: "/accounts/api", naming: .usernameOrEmail,
        codes: [.withPassword, .alone], verification: .requester)
}

extension Connection {
    static let site = Connection(backend: "site", server: "https://a.example")
}

extension Session {
    static let new = Session.sample("new", id: "newID")

    /// A session that can be refreshed.
    static func refreshable(_ token: String, refresh: String, expiresAt: Instant? = .sampleEnd) -> Session {
        var session = Session.sample(token, expiresAt: expiresAt)
        session.refreshToken = Secret(refresh)
        return session
    }

    static let expired = Session.refreshable("old", refresh: "r1", expiresAt: .sampleNow)
    /// The session after a refresh of `expired`.
    static let refreshed = Session.refreshable("new", refresh: "r2")
}

extension Credentials {
    static let ada = Credentials(login: "ada", password: Secret("correct horse"))
}

extension NewAccount {
    static let ada = NewAccount(username: "ada", password: Secret("correct horse"))
}

extension AuthError {
    static let fault = AuthError(.serverFault, "the server failed")
    static let expired = AuthError(.sessionExpired, "the session has expired")
    static let noSpace = AuthError(.noSpace, "no space left on device")
    static let revoked = AuthError(.sessionRevoked, "the session was revoked")
}

/// The error that `work` throws.
func failure<Value>(_ work: () throws -> Value) throws -> AuthError {
    try #require(throws: AuthError.self, performing: work)
}

/// The error that `work` throws; `nil` if there is none. For use in closures with typed throws, which cannot contain
/// test macros.
func authError(_ work: () throws(AuthError) -> Void) -> AuthError? {
    do throws(AuthError) {
        try work()
        return nil
    } catch {
        return error
    }
}

/// The traits that `BackendRegistry` gives this kind of backend.
func traits(of kind: String) -> BackendDescriptor.Traits {
    switch kind {
    case "parse": [.hasKeyPerClient]
    case "rest-auth": [.asksProvider]
    default: []
    }
}

/// The sources of a client in tests.
struct StubSources: ClientSources {
    var store: any SessionStore = MemorySessionStore()
    var profiles = MemoryConfigurationStore()
    var graph: any FacebookService = FakeFacebook()
    var token = ""
    var connectionOfToken = Connection.local
    let makeBackend: @Sendable () throws(AuthError) -> any Backend

    func backend(_ settings: Settings) throws(AuthError) -> any Backend { try makeBackend() }
    func facebook(_ settings: Settings) throws(AuthError) -> any FacebookService { graph }
    func sessions() throws(AuthError) -> any SessionStore { store }
    func configuration() throws(AuthError) -> any ConfigurationStore { profiles }
    func requestLimit() throws(AuthError) -> Duration { .seconds(30) }
    func token(from variable: String) throws(AuthError) -> Secret { Secret(token) }
    func connectionOfEnvironment() throws(AuthError) -> Connection { connectionOfToken }
}
