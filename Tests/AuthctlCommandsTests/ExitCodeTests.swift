import AuthBackends
import AuthClient
import AuthctlCommands
import CommandTestSupport
import Platform
import Synchronization

@testable import AuthctlCommands

/// Every command runs in every situation below: with and without a session, with failing storage, and with every kind
/// of backend. In each situation, the server sends the same response to all requests. The help of a command lists
/// neither exit code 1 (internal error) nor the exit codes of the commands that `exec` and `serve` run.
@Suite struct ExitCodeTests {
    @Test(arguments: CommandRegistryTests.names)
    func `a command returns exactly the exit codes that its help lists`(name: String) throws {
        let command = try #require(CommandRegistry.command(named: name))
        let runs = try #require(Self.runs[name], "add the arguments of '\(name)' to 'runs' in this file")
        var found: [Int: String] = [:]
        for words in runs.words.map({ name.split(separator: " ").map(String.init) + $0 }) {
            for situation in Situation.all(answers: Situation.answers + runs.answers) {
                let code = Int(try situation.exitCode(of: words))
                found[code] = found[code] ?? "\(words.joined(separator: " ")): \(situation)"
            }
        }
        if name == "exec" {
            // If `exec` cannot run its command, it exits with 126 or 127. The exit codes listed in its help omit both.
            found = found.filter { $0.key < 126 }
            found[0] = "the command succeeded"
        }
        if name == "users delete" { found[4] = "the user does not confirm the deletion" }
        if command.description.arguments.contains(where: { $0.spelling == "--admin" }), name != "login" {
            found[3] = "the profile of --admin has no session"
        }
        if name == "users refresh" { found[5] = "the application key is wrong, on a server with refresh tokens" }
        let declared = Set(command.description.exitCodes)
        expect(command.description.exitCodes, declared.sorted())
        expect(found.filter { !declared.contains($0.key) }, [:], "not listed")
        expect(declared.subtracting(found.keys), [], "listed, but returned in no situation")
    }

    /// The arguments of each command, and responses to its requests in addition to `answers`.
    private static let runs: [String: (words: [[String]], answers: [Situation.Server])] = [
        "signup": (
            [
                ["ada", "--password-stdin"], ["ad", "--password-stdin"],
                ["ada", "--phone", "+819012345678", "--password-stdin"],
            ], [.taken, .tokenRefused]
        ),
        "login": (
            [
                ["ada", "--password-stdin"], ["ada", "--password-stdin", "--otp", "123456"], ["--anonymous"],
                ["--token-file", "/token"], ["--impersonate", "ada"],
            ], [.wrongPassword, .taken]
        ),
        "logout": ([[], ["--all-profiles"]], []),
        "whoami": ([[], ["--offline"]], []),
        "link": (
            [
                ["--status"], ["google", "--status"], ["google", "--unlink"], ["google", "--unlink", "--force"],
                ["facebook", "--id-token-file", "/token"],
            ], [.taken]
        ),
        "link-facebook": (
            [["--status"], ["--unlink"], ["--unlink", "--force"], ["--id-token-file", "/token"]], [.taken]
        ),
        "sessions list": ([[]], []),
        "sessions revoke": ([["--all"], ["--others"], ["other"]], [.notFound]),
        "password change": ([["--password-stdin"]], [.wrongPassword]),
        "password reset": (
            [["ada@example.org"], ["--key", "https://a.example/1/2", "--password-stdin"]], []
        ),
        "verify-email": ([[], ["--email", "ada@example.org"], ["--key", "k"]], []),
        "account update": (
            [["--email", "eve@example.org"], ["--username", "eve"], ["--username", "e"], ["--username", ""]], [.taken]
        ),
        "account delete": ([["--yes"], []], []),
        "api": ([["/users/me"], ["/users/me", "--paginate"], ["/../x"]], [.taken, .notFound]),
        "check": ([["/access"], ["/denied"], ["/none"], ["--draft"]], []),
        "token": ([[], ["--header"]], []),
        "exec": ([["--", "true"]], []),
        "storage-state": ([["https://shop.example"], ["https://shop.example/x"]], []),
        "profile list": ([[]], []),
        "profile show": ([[], ["none"]], []), "profile export": ([[], ["none"]], []),
        "profile add": ([["new"], ["mine"], ["site", "--server", "https://a.example"]], []),
        "profile set": ([["mine", "backend", "local"], ["none", "backend", "local"]], []),
        "profile use": ([["mine"], ["none"], ["mine", "--as", "none"]], []),
        "profile remove": ([["mine"], ["none"]], []),
        "doctor": ([[], ["--network"], ["-p", "none"]], []),
        "completion": ([["bash"], ["none"]], []),
        "help": ([[], ["none"]], []),
        "version": ([[]], []),
        "users create": (
            [
                ["--count", "1", "--name", "ada", "--journal", "journal", "--credentials", "new", "--jobs", "1"],
                ["/bad", "--dry-run"], ["/none"], ["/headless", "--dry-run"],
            ], [.taken]
        ),
        "users verify": (
            [
                ["--journal", "waiting"], ["--journal", "waiting", "--mail-dir", "/mails"],
                ["--journal", "waiting", "--mailpit", "http://127.0.0.1:8025"],
            ], [.notFound]
        ),
        "users refresh": ([["--tokens", "sessions"]], [.answers(200, #"{"access":"e30.e30.z"}"#)]),
        "users login": (
            [
                ["--credentials", "/taken", "--tokens", "new", "--jobs", "1"], ["--credentials", "/none"],
                ["--credentials", "/headless", "--tokens", "new"],
            ], [.wrongPassword]
        ),
        "users delete": (
            [
                ["--journal", "created", "/taken", "--yes", "--jobs", "1"],
                ["--journal", "created", "--yes", "--jobs", "1"], ["--journal", "none", "--yes"],
                ["--journal", "created", "/headless", "--yes"],
            ], [.wrongPassword]
        ),
        "users list": ([["--admin-key-file", "/token"], []], []),
        "users show": ([["ada", "--admin-key-file", "/token"], ["ada"]], [.oneUser]),
        "users set": (
            [
                ["ada", "--field", "plan=x", "--admin-key-file", "/token"], ["ada", "--field", "plan=x"],
                ["ada", "eve", "--field", "plan=x"], ["ada", "--claim", "role=x"],
            ], [.taken, .oneUser]
        ),
        "users export": ([["--admin-key-file", "/token"], []], []),
        "serve": ([[], ["--seed", "/bad"], ["--seed", "/taken"]], []),
        "mail": ([[], ["--to", "eve@example.org"], ["--mailpit", "http://127.0.0.1:8025"]], []),
    ]
}

private struct Situation: CustomStringConvertible {
    enum Server {
        case answers(Int, String)
        case fails(TransportError.Kind, wasSent: Bool)
    }

    let description: String
    var options: [String] = []
    var connection = Connection.local
    var session: Session?
    var server = Server.answers(200, "{}")
    var storageFailure: AuthError?
    var now = Instant.sampleNow

    /// The members that name the connection in a tokens file.
    private var scope: String {
        let scope: JSONValue = [
            "backend": .string(connection.backend), "server": JSONValue(connection.server),
            "appId": JSONValue(connection.appID), "collection": nil,
        ]
        return String(scope.text.dropFirst().dropLast())
    }

    /// A journal written by `users create` for this connection, with `ada` as a created user.
    private var journal: String {
        let head: JSONValue = [
            "v": 1, "kind": "users.journal", "backend": .string(connection.backend),
            "server": JSONValue(connection.server), "appId": JSONValue(connection.appID),
        ]
        return head.text + "\n" + #"{"row":1,"state":"created","id":"g7y9tkhB7O","username":"ada"}"# + "\n"
    }

    func exitCode(of words: [String]) throws -> Int32 {
        let world = TestContext()
        if words.first == "users", words.contains("--journal") || words.contains("--tokens") {
            let folder = TestFolder()
            try folder.write("created", journal)
            try folder.write(
                "waiting", journal.replacing("}\n", with: #","email":"ada@example.org","pending":true}"# + "\n"))
            try folder.write(
                "sessions",
                #"{"id":"1","username":"ada","token":"a","expiresAt":null,"refreshToken":"b",\#(scope)}"# + "\n")
            world.linesFolder = folder
        }
        world.configuration.put(profiles: "mine")
        world.files = [
            "/token": "r:given", "/bad": "username\nab\n", "/taken": "username,password\nada,correct horse\n",
            "/headless": "a,b\n", "/access": "request me\nGET /a yes\n", "/denied": "request me\nGET /a no\n",
        ]
        world.mails = [[ReceivedMail(recipient: "ada@example.org", subject: "Verify", codes: ["k"])]]
        world.mailFailure = storageFailure
        world.now = now
        world.storageFailure = storageFailure
        if let session { world.sessions.put(.sample(connection: connection, session: session)) }
        world.serve = { [storageFailure] request, _ throws(AuthError) in
            if let storageFailure { throw storageFailure }
            if let seed = request.seed { throw seed.error(.usernameTaken, 0, "the username is already taken") }
        }
        world.execute = { _, _ in .noSuchFile }
        let answering = AnsweringTransport(server)
        world.hostileNetwork = answering
        world.backends = BackendRegistry(
            BackendRegistry.standard.descriptors.map { descriptor in
                BackendRegistration(descriptor: descriptor, type: FakeBackend.self) { site, stack throws(AuthError) in
                    try BackendRegistry.standard.makeBackend(
                        for: Site(
                            site.connection, clientKey: site.clientKey, settings: site.settings, embedded: answering),
                        HTTPStack(answering, masker: stack.masker, clock: stack.clock, pause: { _ in }))
                }
            })
        // authctl's options precede the command's name, because words after `--` belong to another program.
        let input = "correct horse\n" + (words.contains("change") ? "battery staple\n" : "")
        return world.run(words: options + words, stdin: input).exitCode
    }
}

/// Sends the same response to every request.
private final class AnsweringTransport: HTTPTransport {
    private let server: Situation.Server

    init(_ server: Situation.Server) {
        self.server = server
    }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        switch server {
        case .answers(let status, let body):
            return HTTPResponse(
                status: status, headers: ["Content-Type": "application/json"], body: Array(body.utf8))
        case .fails(let kind, let wasSent):
            throw TransportError(kind, "the network failed", wasSent: wasSent)
        }
    }
}

extension Situation {
    static func all(answers: [Server]) -> [Situation] {
        let own = [
            Situation(description: "no session"),
            Situation(description: "an unknown option", options: ["--none"]),
            Situation(
                description: "no storage", storageFailure: AuthError(.unreadable, "no storage")),
            Situation(description: "an expired session", session: .ada, now: .sampleEnd),
        ]
        return own
            + connections.flatMap { connection in
                sessions(of: connection).flatMap { session, now in
                    (answers + ownAnswers[connection.backend, default: []]).map { answer in
                        Situation(
                            description: "backend \(connection.backend), server \(answer)",
                            options: options(of: connection), connection: connection, session: session,
                            server: answer, now: now)
                    }
                }
            }
    }

    /// A valid session. For `rest-auth`, also a JWT session with a refresh token, before and after it expires.
    private static func sessions(of connection: Connection) -> [(Session, now: Instant)] {
        guard connection.backend == "rest-auth" else { return [(.ada, .sampleNow)] }
        var jwt = Session.sample("e30.e30.x")
        jwt.refreshToken = Secret("e30.e30.y")
        return [(.ada, .sampleNow), (jwt, .sampleNow), (jwt, .sampleEnd)]
    }

    private static let connections = [
        Connection.local, Connection(backend: "parse", server: "https://a.example/parse", appID: "a"),
        Connection(backend: "rest-auth", server: "https://a.example/auth"),
        Connection(backend: "allauth", server: "https://a.example/_allauth/app/v1"),
        Connection(backend: "kii", server: "https://a.example/api", appID: "a"),
    ]

    private static func options(of connection: Connection) -> [String] {
        ["--backend", connection.backend] + (connection.server.map { ["--server", $0] } ?? [])
            + (connection.appID.map { ["--app-id", $0] } ?? [])
    }

    /// Responses and network failures that are possible with every kind of backend.
    static let answers: [Server] = [
        .fails(.dns, wasSent: false), .fails(.timeout, wasSent: true), .answers(200, "{}"), .answers(200, "<html>"),
        .answers(500, ""), .answers(429, ""), .answers(403, "<html>"), .answers(403, #"{"error":"unauthorized"}"#),
        .answers(404, "<html>"),
        // A rejection without a specific reason, such as from a site's own hook.
        .answers(400, #"{"code":142,"error":"Validation failed."}"#), .answers(400, #"{"detail":"rejected"}"#),
        // A response that can be read as a Parse user, as a session and as an empty list of sessions.
        .answers(
            200,
            #"{"objectId":"g7y9tkhB7O","username":"ada","createdAt":"2026-01-02T03:04:05.678Z","#
                + #""sessionToken":"r:new","results":[]}"#),
    ]

    /// Responses of one kind of backend, for an invalid session or for a view that the site lacks.
    private static let ownAnswers: [String: [Server]] = [
        "local": [.answers(400, #"{"code":209,"error":"Invalid session token"}"#)],
        "parse": [.answers(400, #"{"code":209,"error":"Invalid session token"}"#)],
        "rest-auth": [
            .answers(401, #"{"detail":"Invalid token.","code":"token_not_valid"}"#),
            .answers(405, #"{"detail":"Method not allowed."}"#),
        ],
        "allauth": [
            .answers(401, #"{"status":401,"data":{"flows":[{"id":"login"}]},"meta":{"is_authenticated":false}}"#)
        ],
        "kii": [.answers(401, #"{"errorCode":"WRONG_TOKEN"}"#)],
    ]
}

extension Situation.Server {
    fileprivate static let taken = answers(400, #"{"code":202,"error":"Account already exists for this username."}"#)
    fileprivate static let wrongPassword = answers(404, #"{"code":101,"error":"Invalid username/password."}"#)
    /// A list with the user `ada`, whose plan is `x`.
    fileprivate static let oneUser = answers(200, #"{"results":[{"objectId":"u1","username":"ada","plan":"x"}]}"#)
    fileprivate static let notFound = answers(404, #"{"code":101,"error":"Object not found."}"#)
    fileprivate static let tokenRefused = answers(
        400, #"{"code":252,"error":"This authentication method is unsupported."}"#)
}
