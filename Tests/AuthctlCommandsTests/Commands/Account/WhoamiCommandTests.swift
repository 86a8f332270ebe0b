import AuthClient
import CommandTestSupport
import Platform

@testable import AuthctlCommands

@Suite struct WhoamiCommandTests {
    private let world = TestContext()

    @Test(arguments: [["whoami", "--json"], ["whoami"], []])
    func `whoami and bare authctl mention a pending signup if no session is saved`(words: [String]) {
        world.sessions.unfinishedInMemory.put(.ada)
        world.run(words: words).expectTranscript(in: "whoami", words.commandLine)
    }

    @Test(arguments: [[], ["--json"]])
    func `whoami shows the user that the server reports`(words: [String]) {
        world.sessions.put(.ada)
        world.server.expect(.currentUser())
        world.run(words: ["whoami"] + words).expectTranscript(in: "whoami", words.formatName)
    }

    @Test(arguments: [[], ["--json"]])
    func `whoami --offline shows the saved user without a request`(words: [String]) {
        world.sessions.put(.ada)
        world.run(words: ["whoami", "--offline"] + words).expectTranscript(in: "whoami", words.formatName)
    }

    @Test(arguments: [[], ["--json"]])
    func `whoami without a session fails, and with --json prints the session state on standard output`(words: [String])
    {
        let result = TestContext().run(words: ["whoami"] + words)
        result.expectTranscript(in: "whoami", words.formatName)
        expect(result.stdout.isEmpty, words.isEmpty)
    }

    @Test(arguments: [
        (400, Exchange.sessionRevoked, "rejected", 4 as Int32), (500, #"{"code":1,"error":"x"}"#, "unknown", 9),
    ])
    func `whoami derives the session state from an error response and keeps the session`(
        status: Int, answer: String, state: String, exitCode: Int32
    ) {
        world.sessions.put(.ada)
        world.server.expect(.currentUser(status, answer), .currentUser(status, answer))
        world.run("whoami").expectTranscript(in: "whoami", "status \(status)")
        let result = world.run("whoami", "--json")
        #expect(result.stdout.contains(#""state":"\#(state)""#))
        expect(result.exitCode, exitCode)
        expect(world.sessions.current, .ada)
    }

    @Test(arguments: [
        (["AUTHCTL_TOKEN": "t", "AUTHCTL_TOKEN_FILE": "/t"], "a token and a token file"),
        (["AUTHCTL_TOKEN": "t", "AUTHCTL_SERVER": "https://a.example"], "a token for a server without a backend"),
        (["AUTHCTL_TOKEN": "", "AUTHCTL_BACKEND": "local"], "an empty token"),
        (["AUTHCTL_TOKEN": "a b", "AUTHCTL_BACKEND": "local"], "a token with a space"),
        (["AUTHCTL_TOKEN_FILE": "/nowhere", "AUTHCTL_BACKEND": "local"], "a token file that does not exist"),
    ])
    func `whoami rejects invalid token variables in the environment before any request`(
        environment: [String: String], situation: String
    ) {
        world.environment = environment
        world.run("whoami").expectErrors(in: "whoami", situation)
    }

    @Test func `whoami does not send a token from the environment if options set another connection`() {
        world.environment = [
            "AUTHCTL_TOKEN": "env", "AUTHCTL_BACKEND": "parse", "AUTHCTL_SERVER": "https://a.example",
            "AUTHCTL_APP_ID": "x",
        ]
        for words in [["--server", "https://b.example"], ["--app-id", "y"]] {
            expect(world.run(words: ["whoami"] + words).exitCode, 2)
        }
    }

    @Test func `whoami accepts options that match the connection of the token in the environment`() {
        world.environment = ["AUTHCTL_TOKEN": "env", "AUTHCTL_BACKEND": "local"]
        world.server.expect(.currentUser(token: "env"))
        expect(world.run("whoami", "--backend", "local").exitCode, 0)
    }

    @Test func `whoami without a session mentions the saved sessions of other connections`() {
        let shop = Connection(backend: "parse", server: "https://shop.example/parse", appID: "shop")
        world.sessions.put(.sample(connection: shop))
        world.run("whoami").expectTranscript(in: "whoami")
    }

    @Test func `whoami lists linked identities and custom fields, but no system fields`() {
        var saved = StoredSession.ada
        saved.user.identities = [Identity(provider: "facebook", id: "1003"), Identity(provider: "google", id: nil)]
        saved.user.fields = ["nickname": "Addie", "age": 36, "updatedAt": "2026-01-02T03:04:05.678Z", "ACL": [:]]
        world.sessions.put(saved)
        world.run("whoami", "--offline").expectTranscript(in: "whoami")
    }

    @Test func `whoami neither prints nor saves user fields whose names look like secrets`() throws {
        world.sessions.put(.ada)
        let more = #""nickname":"Addie","apiKey":"canary","reset_token":"canary","prefs":{"clientSecret":"canary"},"#
        let user = #"{\#(more)\#(Exchange.adaUser.dropFirst())"#
        world.server.expect(.currentUser(200, user), .currentUser(200, user))
        let text = world.run("whoami", "-v")
        let json = world.run("whoami", "--json")
        #expect(text.stdout.contains("nickname: Addie"))
        #expect(json.stdout.contains(#""nickname":"Addie""#) && json.stdout.contains(#""prefs":{}"#))
        for result in [text, json] { #expect(!(result.stdout + result.stderr).contains("canary")) }
        try expect(#require(world.sessions.current).user.fields["apiKey"], nil)
    }

    @Test func `whoami shows relative times on a terminal`() {
        world.sessions.put(.ada)
        world.isOutputTerminal = true
        world.environment["NO_COLOR"] = "1"
        world.run("whoami", "--offline").expectTranscript(in: "whoami")
    }

    @Test func `whoami --offline says that a session is over, even if the next request refreshes it`() {
        var saved = StoredSession.sample(connection: Connection(backend: "rest-auth", server: "https://a.example"))
        (saved.session.expiresAt, saved.session.refreshToken) = (.sampleStart, Secret("r1"))
        world.sessions.put(saved)
        world.environment = ["AUTHCTL_BACKEND": "rest-auth", "AUTHCTL_SERVER": "https://a.example"]
        #expect(
            world.run("whoami", "--offline").stdout.contains(
                "session: expired \(Instant.sampleStart.text); the next request refreshes it\n"))
    }

    @Test func `whoami --quiet prints the same output as whoami`() {
        world.sessions.put(.ada)
        expect(world.run("whoami", "--offline", "--quiet").stdout, world.run("whoami", "--offline").stdout)
        #expect(!world.run("whoami", "--offline", "--quiet").stdout.isEmpty)
    }
}
