import Foundation
import TestSupport
import Testing

/// After a logout no file holds the token, whatever the server responds.
@Suite(.keepsSecrets) struct RevokedSessionTests {
    /// The server's response, the number of requests, and the result of the logout.
    private static let answers: [(status: String, body: String?, requests: Int, exit: Int32, revoked: String)] = [
        ("200 OK", nil, 1, 0, "yes"),
        (
            "401 Unauthorized", #"{"code":209,"error":"Invalid session token","detail":"Invalid token."}"#, 1, 0,
            "already"
        ),
        ("500 Internal Server Error", "{}", 3, 9, "unknown"),
    ]

    @Test(arguments: ServerKind.knowingLogOut, answers.indices)
    func `after a logout the token is in no file`(kind: ServerKind, index: Int) throws {
        let answer = Self.answers[index]
        let isDead = kind == .allauth && answer.revoked == "already"
        let dead = #"{"status":410,"meta":{"is_authenticated":false}}"#
        let body = isDead ? dead : answer.body ?? Operation.logout.goodBody(of: kind)
        let path = "/api\(Operation.logout.path(at: kind))"
        let server = try ScriptedServer([
            path: [.answer(isDead ? "410 Gone" : answer.status, ["Content-Type: application/json"], body)]
        ])
        let run = try OperationRun(.logout, at: server.url("/api"), name: answer.status, kind: kind)
        let state = try run.state(answer.exit)
        #expect(state.string("revoked") == answer.revoked)
        #expect(state.flag("forgotten") == true)
        #expect(server.requests.count == answer.requests)
        #expect(server.requests.allSatisfy { $0.target == path && $0.head.contains(OperationRun.token) })
        expectNoToken(in: run.world)
    }

    @Test(arguments: ServerKind.knowingLogOut)
    func `after a logout from an unresponsive server the token is in no file`(kind: ServerKind) throws {
        let run = try OperationRun(.logout, at: "http://127.0.0.1:1/api", name: "down", kind: kind)
        let state = try run.state(8)
        #expect(state.string("revoked") == "unknown")
        #expect(state.flag("forgotten") == true)
        #expect(try !state.object("error").isNull("message"))
        expectNoToken(in: run.world)
    }

    @Test func `a logout removes the token from temporary files of killed processes`() throws {
        let world = try Sandbox()
        try world.signUp("ada")
        let token = try world.token()
        try world.write(
            try world.bytes(world.sessionFile()), to: "\(world.sessionFolder)/.authctl-new-0123456789abcdef")
        #expect(try world.run("logout").exitCode == 0)
        expectNoToken(in: world, token)
    }

    @Test(.enabled(if: Host.hasUtilLinux, "needs prlimit, setpriv and setsid"))
    func `a login whose session does not fit on the disk revokes it`() throws {
        let fields = #""about":"\#(String(repeating: "x", count: 10_000))""#
        let server = try ScriptedServer([
            "/parse/login": [
                .answer(
                    "200 OK", ["Content-Type: application/json"],
                    #"{"objectId":"u1","username":"ada","sessionToken":"r:canary-new",\#(fields)}"#)
            ],
            "/parse/logout": [Operation.logout.goodAnswer],
        ])
        let world = try Sandbox()
        let login = try world.start(
            ["login", "ada", "--password-stdin", "--json"] + server.options, input: .password,
            under: ["/usr/bin/prlimit", "--fsize=9000"]
        ).wait()
        #expect(login.exitCode == 12)
        #expect(try login.error().string("reason") == "no-space")
        #expect(server.requests.map(\.target) == ["/parse/login", "/parse/logout"])
        #expect(server.requests.last?.head.contains("r:canary-new") == true)
        expectNoToken(in: world, "r:canary-new")
    }

    @Test(arguments: ["sessions/default~~*.json", "sessions", "."])
    func `no request is sent while other users can change the session file`(path: String) throws {
        let server = try ScriptedServer([:])
        let world = try Sandbox()
        try world.keepSession(for: server.url("/parse"))
        try world.runScript("chmod o+w ~/.config/authctl/\(path)")
        for words in [
            ["whoami"], ["login", "ada", "--password-stdin"], ["logout"], ["signup", "bob", "--password-stdin"],
        ] {
            #expect(try world.start(words + server.options, input: .password).wait().exitCode == 12, "\(words)")
        }
        #expect(server.connections() == 0)
    }

    private func expectNoToken(in world: Sandbox, _ token: String = OperationRun.token) {
        for (path, bytes) in world.snapshot() {
            #expect(Data(bytes).range(of: Data(token.dropFirst(2).utf8)) == nil, "\(path)")
        }
        #expect(!world.isThere(world.sessionFile()))
    }
}
