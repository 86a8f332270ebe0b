import TestSupport
import Testing

/// Parse Server returns no expiry with a new session. authctl requests it once, when a command needs it.
@Suite(.keepsSecrets) struct SessionTimesTests {
    private static let expired = #"{"code":209,"error":"Session token is expired."}"#

    private func world(_ times: [ScriptedServer.Answer]) throws -> (Sandbox, ScriptedServer) {
        let server = try ScriptedServer([
            "/parse/login": [Self.response(#"{"objectId":"u1","username":"ada","sessionToken":"r:canary-1"}"#)],
            "/parse/users/me": [Self.response(#"{"objectId":"u1","username":"ada"}"#)], "/parse/sessions/me": times,
        ])
        let world = try Sandbox()
        let login = try world.start(["login", "ada", "--password-stdin"] + server.options, input: .password).wait()
        try #require(login.exitCode == 0, "\(login.stderr)")
        #expect(server.requests.map(\.target) == ["/parse/login"])
        return (world, server)
    }

    private static func response(_ body: String, _ status: String = "200 OK") -> ScriptedServer.Answer {
        .answer(status, ["Content-Type: application/json"], body)
    }

    private static func session(until end: String) -> ScriptedServer.Answer {
        response(
            #"{"objectId":"s1","createdAt":"2026-01-02T03:04:05.678Z","#
                + #""expiresAt":{"__type":"Date","iso":"\#(end)"}}"#)
    }

    @Test(arguments: [["token", "--json"], ["whoami", "--json"]])
    func `the expiry of a Parse session is requested once and saved`(words: [String]) throws {
        let (world, server) = try world([Self.session(until: "2099-01-02T03:04:05.000Z")])
        let first = try world.start(words + server.options).wait()
        #expect(first.stdout.contains(#""expiresAt":"2099-01-02T03:04:05Z""#), "\(first.everything)")
        let requests = server.requests.count { $0.target == "/parse/sessions/me" }
        let second = try world.start(["token", "--json"] + server.options).wait()
        #expect(try second.document().string("expiresAt") == "2099-01-02T03:04:05Z")
        #expect(requests == 1)
        #expect(server.requests.count { $0.target == "/parse/sessions/me" } == 1)
    }

    @Test func `token reports a Parse session that has expired`() throws {
        let (world, server) = try world([Self.session(until: "2026-02-03T04:05:06.000Z")])
        for _ in 1...2 {
            let token = try world.start(["token", "--json"] + server.options).wait()
            #expect(token.exitCode == 4)
            #expect(token.stdout.isEmpty)
            #expect(try token.error().string("reason") == "session-expired")
        }
    }

    @Test func `token reports a Parse session that the server rejects`() throws {
        let (world, server) = try world([
            Self.response(#"{"code":209,"error":"Invalid session token"}"#, "400 Bad Request")
        ])
        let token = try world.start(["token", "--json"] + server.options).wait()
        #expect(token.exitCode == 4)
        #expect(try token.error().string("reason") == "session-revoked")
    }

    @Test func `token prints the session although the server is down`() throws {
        let (world, server) = try world([[.reset]])
        let token = try world.start(["token"] + server.options).wait()
        #expect(token.exitCode == 0)
        #expect(token.stdout == "r:canary-1\n")
        #expect(token.stderr.isEmpty)
    }
}
