import AuthClient
import CommandTestSupport
import Platform

@testable import AuthctlCommands

@Suite struct StorageStateCommandTests {
    private let world = TestContext()

    private func use(_ backend: String, _ server: String, token: String = "0a1b") {
        world.environment = ["AUTHCTL_TOKEN": token, "AUTHCTL_BACKEND": backend, "AUTHCTL_SERVER": server]
    }

    @Test func `storage-state prints the user in the format of Parse's JavaScript SDK, regardless of AUTHCTL_OUTPUT`() {
        world.sessions.put(.ada)
        world.environment = ["AUTHCTL_OUTPUT": "json"]
        // All members as the server returns them, also those that other commands do not show.
        let user = #"{"apiToken":"t","authData":{"anonymous":{"id":"x"}},\#(Exchange.adaUser.dropFirst())"#
        world.server.expect(.currentUser(200, user))
        world.run("storage-state", "http://localhost:3000/").expectTranscript(in: "storage-state")
    }

    @Test func `storage-state prints the saved user if the server fails, and fails if the session is rejected`() {
        world.sessions.put(.ada)
        world.server.expect(.currentUser(500, #"{"code":1}"#), .currentUser(400, Exchange.sessionRevoked))
        let saved = world.run("storage-state", "http://localhost:3000")
        #expect(saved.stdout.contains("g7y9tkhB7O") && saved.exitCode == 0)
        expect(world.run("storage-state", "http://localhost:3000").exitCode, 4)
    }

    @Test func `storage-state for allauth prints a session cookie only if ORIGIN has the host of the server`() {
        use("allauth", "http://127.0.0.1:8000/_allauth/app/v1")
        world.run("storage-state", "http://127.0.0.1:3000").expectTranscript(in: "storage-state", "allauth")
        let renamed = world.run("storage-state", "http://127.0.0.1:3000", "--session-cookie", "shop_session")
        #expect(renamed.stdout.contains(#""name":"shop_session""#))
        let other = world.run("storage-state", "http://localhost:8000")
        other.expectErrors(in: "storage-state", "a page of another host")
        expect(other.exitCode, 2)
    }

    @Test func `storage-state is unsupported for an allauth JWT session, which has no cookie`() {
        let jwt = "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.x"
        use("allauth", "https://shop.example", token: jwt)
        let result = world.run("storage-state", "https://shop.example")
        result.expectErrors(in: "storage-state", "allauth with JWTs", exitCode: 10)
    }

    @Test func `storage-state for rest-auth requires --local-storage and warns if ORIGIN is not the server's origin`() {
        use("rest-auth", "https://api.example/rest-auth")
        let result = world.run("storage-state", "https://shop.example")
        result.expectErrors(in: "storage-state", "rest-auth without --local-storage")
        world.run("storage-state", "https://shop.example", "--local-storage", "key", "--local-storage", "token")
            .expectTranscript(in: "storage-state", "rest-auth")
    }

    @Test func `storage-state for rest-auth names the login, which shows the cookies that a signup does not`() {
        var stored = StoredSession.sample(
            connection: Connection(backend: "rest-auth", server: "https://api.example", appID: nil))
        stored.session.refreshToken = Secret("r1")
        world.sessions.put(stored)
        world.environment = ["AUTHCTL_BACKEND": "rest-auth", "AUTHCTL_SERVER": "https://api.example"]
        world.run("storage-state", "https://api.example").expectErrors(in: "storage-state", "after a signup")
    }

    @Test(arguments: [["--indexed-db"], ["--app-name", "shop"], ["--session-cookie", "s"]])
    func `storage-state rejects an option that has no effect on the backend's pages`(words: [String]) {
        world.sessions.put(.ada)
        world.server.expect(.currentUser(200, Exchange.adaUser))
        let result = world.run(words: ["storage-state", "http://localhost:3000"] + words)
        #expect(result.exitCode == 2 && result.stdout == "" && result.stderr.contains("option '\(words[0])'"))
    }

    @Test func `users login needs an origin for browser states, and a folder for an origin`() {
        let folder = world.run("users", "login", "--credentials", "c", "--storage-states", "d")
        #expect(folder.exitCode == 2 && folder.stderr.contains("--storage-states requires --origin"))
        let origin = world.run("users", "login", "--credentials", "c", "--tokens", "t", "--origin", "o")
        #expect(origin.exitCode == 2 && origin.stderr.contains("--origin requires --storage-states"))
    }

    @Test func `storage-state rejects a malformed or unencrypted origin`() {
        world.sessions.put(.ada)
        let origins = ["shop.example", "https://shop.example/app", "http://shop.example"]
        world.expectErrors(in: "storage-state", of: origins.map { ["storage-state", $0] })
    }

    @Test func `storage-state without a valid session fails and prints nothing on standard output`() {
        let missing = world.run("storage-state", "https://shop.example")
        #expect(missing.exitCode == 3 && missing.stdout == "")
        world.sessions.put(.ada)
        world.now = Instant.sampleEnd
        let expired = world.run("storage-state", "https://shop.example")
        expect(expired.exitCode, 4)
        expect(expired.stdout, "")
    }
}
