import AuthClient
import AuthModel
import Foundation
import Platform
import TestSupport
import Testing

/// What a hostile server pretends to be.
enum ServerKind: String, CaseIterable {
    case parse
    case restAuth = "rest-auth"
    case allauth, kii

    /// Kii knows no end of a session: nothing is asked there.
    static let knowingLogOut = allCases.filter { $0.deeds.contains(.logout) }

    /// What it is asked for.
    var deeds: [Deed] { self == .kii ? [.whoami, .login, .signup] : Deed.common }

    /// Whether `Authorization` is where its own keys or sessions stand.
    func usesAuthorization(for deed: Deed) -> Bool {
        self == .kii || self == .restAuth && [.whoami, .logout].contains(deed)
    }

    fileprivate var appID: String? { [.parse, .kii].contains(self) ? Attempt.appID : nil }

    /// What a command needs to know besides the server.
    var options: [String] { appID.map { ["--app-id", $0] } ?? [] }
}

/// What is done at a hostile server.
enum Deed: String {
    case whoami, login, signup, logout
    /// Has a mail sent.
    case reset
    /// Links an identity, after a look at the user.
    case link

    static let common: [Deed] = [.whoami, .login, .signup, .logout]

    /// Below the base URL of a Parse server.
    var path: String { path(at: .parse) }

    func path(at kind: ServerKind) -> String {
        let paths: (parse: String, restAuth: String, allauth: String, kii: String) =
            switch self {
            case .whoami: ("users/me", "user/", "auth/session", "users/me")
            case .login: ("login", "login/", "auth/login", "oauth2/token")
            case .signup: ("users", "registration/", "auth/signup", "users")
            case .logout: ("logout", "logout/", "auth/session", "")
            case .reset:
                (
                    "requestPasswordReset", "password/reset/", "auth/password/request",
                    "users/EMAIL:ada%40example.org/password/request-reset"
                )
            case .link: ("users/u1", "facebook/connect/", "auth/provider/token", "users/me/facebook/link")
            }
        return switch kind {
        case .parse: "/\(paths.parse)"
        case .restAuth: "/\(paths.restAuth)"
        case .allauth: "/\(paths.allauth)"
        case .kii: "/apps/\(Attempt.appID)/\(paths.kii)"
        }
    }

    /// Whether it is tried again although it was sent.
    var isRepeatable: Bool { self == .whoami || self == .logout }

    fileprivate var words: [String] {
        switch self {
        case .whoami, .logout: [rawValue]
        case .login, .signup: [rawValue, "ada", "--password-stdin"]
        case .reset: ["password", "reset", "ada@example.org"]
        case .link: ["link-facebook", "--token-stdin", "--facebook-id", "1"]
        }
    }

    fileprivate var input: Input { self == .link ? "canary-facebook\n" : .password }

    /// What a server says that does it.
    var goodAnswer: ScriptedServer.Answer { goodAnswer(of: .parse) }

    func goodAnswer(of kind: ServerKind) -> ScriptedServer.Answer {
        .answer(goodStatus(of: kind), ["Content-Type: application/json"], goodBody(of: kind))
    }

    /// The same at its path below a base URL, with what else is asked for on the way: who has just logged in, and what
    /// a site has.
    ///
    /// - Parameter own: the answer to itself; `nil`: the good one.
    func routes(at kind: ServerKind, below base: String, _ own: ScriptedServer.Answer? = nil)
        -> [String: [ScriptedServer.Answer]]
    {
        let site = #"{"status":200,"data":{"account":{"login_methods":["username"]}}}"#
        return [
            "\(base)/config": [.answer("200 OK", ["Content-Type: application/json"], site)],
            base + Deed.whoami.path(at: kind): [Deed.whoami.goodAnswer(of: kind)],
        ].merging([base + path(at: kind): [own ?? goodAnswer(of: kind)]]) { $1 }
    }

    func goodStatus(of kind: ServerKind) -> String {
        switch (kind, self) {
        case (.allauth, .logout): "401 Unauthorized"
        case (.parse, .signup), (.restAuth, .signup), (.kii, .signup): "201 Created"
        default: "200 OK"
        }
    }

    var goodBody: String {
        switch self {
        case .whoami: #"{"objectId":"u1","username":"ada"}"#
        case .login: #"{"objectId":"u1","username":"ada","sessionToken":"r:canary-new"}"#
        case .signup: #"{"objectId":"u1","createdAt":"2026-01-01T00:00:00.000Z","sessionToken":"r:canary-new"}"#
        case .logout, .reset, .link: "{}"
        }
    }

    func goodBody(of kind: ServerKind) -> String {
        let user = #""data":{"user":{"id":1,"username":"ada"}}"#
        let bodies: (restAuth: String, allauth: String, kii: String) =
            switch self {
            case .whoami:
                (
                    #"{"pk":1,"username":"ada","email":"ada@example.org"}"#,
                    #"{"status":200,\#(user),"meta":{"is_authenticated":true}}"#, #"{"userID":"u1","loginName":"ada"}"#
                )
            case .login, .signup:
                (
                    #"{"key":"canary-new"}"#,
                    #"{"status":200,\#(user),"meta":{"is_authenticated":true,"session_token":"canary-new"}}"#,
                    self == .login
                        ? #"{"id":"u1","access_token":"canary-new","expires_in":3600}"#
                        : #"{"userID":"u1","_accessToken":"canary-new"}"#
                )
            case .logout:
                (#"{"detail":"Done."}"#, #"{"status":401,"data":{"flows":[]},"meta":{"is_authenticated":false}}"#, "")
            case .reset, .link: (#"{"detail":"Done."}"#, #"{"status":200}"#, "")
            }
        return switch kind {
        case .parse: goodBody
        case .restAuth: bodies.restAuth
        case .allauth: bodies.allauth
        case .kii: bodies.kii
        }
    }
}

/// One run of the program with `--json`, in a home folder of its own that holds a session for the server it asks.
///
/// Whatever is secret has the word "canary" in it, but for the password.
final class Attempt {
    static let token = "r:canary-kept"
    static let clientKey = "canary-client-key"
    static let appID = "shop"

    let deed: Deed
    private let kind: ServerKind
    let world: Sandbox
    private let name: String
    private let program: RunningProgram
    /// All files, before it began.
    let before: [String: [UInt8]]
    private let start = ContinuousClock.now

    /// - Parameters:
    ///   - url: the base URL, in normal form: the session is bound to it.
    ///   - name: of the case, for messages.
    init(
        _ deed: Deed, at url: String, _ words: [String] = [], environment: [String: String?] = [:], name: String = "",
        world: Sandbox? = nil, kind: ServerKind = .parse, under: [String] = []
    ) throws {
        self.deed = deed
        self.kind = kind
        self.name = "\(deed.rawValue): \(name)"
        let world = try world ?? Sandbox()
        self.world = world
        try world.keepSession(for: url, kind)
        before = world.snapshot()
        let connection = ["--backend", kind.rawValue, "--server", url, "--json"] + kind.options
        program = try world.start(
            deed.words + connection + words, input: deed.input,
            environment: ["AUTHCTL_CLIENT_KEY": Self.clientKey].merging(environment) { $1 }, under: under)
    }

    /// Waits for its end, and holds it to what is promised of a failure.
    ///
    /// - Returns: the error.
    @discardableResult
    func failure(
        _ exit: Int32, _ reasons: String..., anyOf more: [String] = [], within limit: Duration = .seconds(15),
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> JSONDocument {
        let result = finished(within: limit, sourceLocation)
        let comment: Comment = "\(name): \(result.exitCode ?? -1) \(result.everything)"
        #expect(result.exitCode == exit, comment, sourceLocation: sourceLocation)
        let error = try #require(stateOrError(of: result), comment, sourceLocation: sourceLocation)
        #expect(error.number("exit") == Int(exit), comment, sourceLocation: sourceLocation)
        #expect((reasons + more).contains(error.string("reason") ?? ""), comment, sourceLocation: sourceLocation)
        let kept = deed == .logout ? before.filter { $0.key != world.sessionFile() } : before
        #expect(world.snapshot() == kept, comment, sourceLocation: sourceLocation)
        return error
    }

    /// Waits for its end, which has to be a good one.
    @discardableResult
    func success(
        within limit: Duration = .seconds(15), sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> JSONDocument {
        let result = finished(within: limit, sourceLocation)
        let comment: Comment = "\(name): \(result.exitCode ?? -1) \(result.everything)"
        #expect(result.exitCode == 0, comment, sourceLocation: sourceLocation)
        // With a token of Django's go all devices of the account.
        let warns = kind == .restAuth && deed == .logout
        #expect(result.errorLines.count == (warns ? 1 : 0), comment, sourceLocation: sourceLocation)
        return try result.document()
    }

    /// Waits for the end of a command that tells what became of a session, whatever that is.
    func state(_ exit: Int32, sourceLocation: SourceLocation = #_sourceLocation) throws -> JSONDocument {
        let result = finished(within: .seconds(15), sourceLocation)
        #expect(result.exitCode == exit, "\(name): \(result.everything)", sourceLocation: sourceLocation)
        return try result.document()
    }

    func send(_ signal: Int32) { program.send(signal) }

    /// Waits for its end, whatever that is.
    func end() -> Finished { program.wait() }

    /// What holds for every run: it ends in time, of itself, shows no secret, and leaves a session that can be read.
    private func finished(within limit: Duration, _ sourceLocation: SourceLocation) -> Finished {
        let result = program.wait(atMost: .seconds(60))
        #expect(ContinuousClock.now - start < limit, "\(name) took too long", sourceLocation: sourceLocation)
        let comment: Comment = "\(name): \(result.everything)"
        #expect(result.signal == nil, comment, sourceLocation: sourceLocation)
        for secret in ["canary", Sandbox.password] {
            #expect(!result.everything.contains(secret), comment, sourceLocation: sourceLocation)
        }
        #expect(world.hasSoundSessions, comment, sourceLocation: sourceLocation)
        return result
    }

    /// The one error object: on standard error with nothing on standard output, but for a state that was found.
    private func stateOrError(of result: Finished) -> JSONDocument? {
        guard !result.output.isEmpty else { return try? result.error() }
        guard deed.isRepeatable, result.stderr.isEmpty else { return nil }
        return try? result.document().object("error")
    }
}

/// Makes attempts and looks at their ends, some at a time: those that wait leave the processor to others.
///
/// Each case comes with its number, counted from 0.
func attempt<Case>(
    _ cases: [Case], atOnce: Int = 6, _ start: (Int, Case) throws -> Attempt,
    then end: (Int, Case, Attempt) throws -> Void
) rethrows {
    var running: [(Int, Case, Attempt)] = []
    for (number, element) in cases.enumerated() {
        if running.count == atOnce {
            let (earliest, its, attempt) = running.removeFirst()
            try end(earliest, its, attempt)
        }
        running.append((number, element, try start(number, element)))
    }
    for (number, element, attempt) in running { try end(number, element, attempt) }
}

extension Sandbox {
    /// Stores a session of `ada`.
    func keepSession(
        for url: String, _ kind: ServerKind = .parse, _ session: Session = Session(token: Secret(Attempt.token))
    ) throws {
        _ = try sessions.save(
            StoredSession(
                profile: "default",
                connection: AuthModel.Connection(backend: kind.rawValue, server: url, appID: kind.appID),
                session: session, user: User(id: "u1", username: "ada")))
    }

    /// Whether the session file, if there is one, can be read, by its owner alone, and nothing lies beside it.
    var hasSoundSessions: Bool {
        let names = Set(contents(of: sessionFolder).map { $0.dropFirst(sessionFolder.count + 1) })
        guard names.isSubset(of: [".lock", "default.json"]), mode(sessionFolder) == 0o700 else { return false }
        guard isThere(sessionFile()) else { return true }
        return mode(sessionFile()) == 0o600 && (try? sessions.load("default")) != nil
    }

    private var sessions: SessionFolder {
        SessionFolder(folder: PrivateFolder(path: sessionFolder, home: home))
    }
}

extension [ScriptedServer.Request] {
    /// Those whose path begins so.
    func below(_ path: String) -> [ScriptedServer.Request] { filter { $0.target.hasPrefix("\(path)/") } }

    func to(_ listener: Int) -> [ScriptedServer.Request] { filter { $0.listener == listener } }
}

extension ScriptedServer.Request {
    /// Whether it has a field of that name.
    func has(_ field: String) -> Bool { fields.contains { $0.lowercased().hasPrefix("\(field.lowercased()):") } }
}
