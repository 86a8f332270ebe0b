import CommandTestSupport

@testable import AuthctlCommands

@Suite struct LoginImpersonateTests {
    private static let server = "https://a.example/parse"
    private static let host = ["--backend", "parse", "--app-id", "shop", "--server", server]
    private static let keyFile = ["--admin-key-file", "/key"]

    private static let localFind = Exchange.embedded(
        "GET", "users?named=ada", 200, #"{"results":[\#(Exchange.adaUser)]}"#)
    private static let local = Exchange.embedded(
        "POST", "loginAs", body: #"{"username":"ada"}"#, 200,
        #"{"sessionToken":"\#(Exchange.adaToken)",\#(Exchange.adaUser.dropFirst())"#)

    private static func get(_ path: String, _ status: Int, _ answer: String) -> Exchange {
        Exchange(
            """
            GET \(server)/\(path)
            X-Parse-Application-Id: shop
            X-Parse-Master-Key: m4ster-k3y
            """, status, answer)
    }

    private static let find = get(
        "users?where=" + #"{"$or":[{"username":"ada"},{"email":"ada"}]}"#.percentEncoded, 200,
        #"{"results":[{"objectId":"g7y9tkhB7O","username":"ada"}]}"#)
    private static let roles = get(
        "roles?where=" + #"{"users":{"__type":"Pointer","className":"_User","objectId":"g7y9tkhB7O"}}"#.percentEncoded
            + "&order=objectId&count=1&skip=0", 200, #"{"results":[]}"#)

    /// The check of the master key.
    private static func schemas(_ status: Int = 200, _ answer: String = #"{"results":[]}"#) -> Exchange {
        get("schemas", status, answer)
    }

    private static let logIn = Exchange(
        """
        POST \(server)/loginAs
        X-Parse-Application-Id: shop
        X-Parse-Master-Key: m4ster-k3y
        Content-Type: application/json

        {"userId":"g7y9tkhB7O"}
        """, 200, #"{"sessionToken":"\#(Exchange.adaToken)",\#(Exchange.adaUser.dropFirst())"#)

    private static func world(_ exchanges: Exchange...) -> TestContext {
        let world = TestContext()
        world.files = ["/key": "m4ster-k3y\n"]
        for exchange in exchanges { world.network.expect(exchange) }
        return world
    }

    @Test func `login --impersonate requires no master key for local accounts`() {
        let world = TestContext()
        world.environment = ["AUTHCTL_ADMIN_KEY_FILE": "/nowhere"]
        world.server.expect(Self.localFind, Self.local, .currentSession())
        world.run("login", "--impersonate", "ada").expectTranscript(in: "login")
        expect(world.sessions.current?.method, .impersonation)
    }

    @Test func `a master key from a file is sent to the server and not printed`() {
        let world = Self.world(Self.schemas(), Self.find, Self.roles, Self.logIn)
        let result = world.run(words: ["login", "--impersonate", "ada"] + Self.host + Self.keyFile)
        result.expectTranscript(in: "login")
        #expect(!(result.stdout + result.stderr).contains("m4ster-k3y"))
    }

    @Test func `the hint about a rejected master key names the server option masterKeyIps`() {
        let world = Self.world(Self.schemas(403, #"{"error":"unauthorized m4ster-k3y"}"#))
        world.run(words: ["login", "--impersonate", "ada"] + Self.host + Self.keyFile).expectTranscript(in: "login")
        expect(world.sessions.current, nil)
    }

    @Test func `a master key file that other users can read causes a warning`() {
        let world = Self.world(Self.schemas(), Self.find, Self.roles, Self.logIn)
        world.fileModes = ["/key": 0o644]
        world.run(words: ["login", "--impersonate", "ada"] + Self.host + Self.keyFile).expectTranscript(in: "login")
    }

    @Test func `AUTHCTL_ADMIN_KEY_FILE applies to the server in AUTHCTL_SERVER`() {
        let world = Self.world(Self.schemas(), Self.find, Self.roles, Self.logIn)
        world.environment = ["AUTHCTL_ADMIN_KEY_FILE": "/key", "AUTHCTL_SERVER": "HTTPS://a.example:443/parse/"]
        let words = ["login", "--impersonate", "ada", "--backend", "parse", "--app-id", "shop"]
        expect(world.run(words: words).exitCode, 0)
    }

    @Test(arguments: [nil, "https://b.example/parse", "x"])
    func `AUTHCTL_ADMIN_KEY_FILE does not apply if AUTHCTL_SERVER is unset or names another server`(server: String?) {
        let world = Self.world()
        world.environment = ["AUTHCTL_ADMIN_KEY_FILE": "/key"]
        world.environment["AUTHCTL_SERVER"] = server
        let result = world.run(words: ["login", "--impersonate", "ada"] + Self.host)
        if server == nil { result.expectErrors(in: "login", "error") }
        expect(result.exitCode, 2)
    }

    @Test func `login --impersonate rejects an empty username, and --admin-key-file for local accounts`() {
        let lines = [["--impersonate", ""], ["--impersonate", "ada", "--admin-key-file", "/key"]]
        Self.world().expectErrors(in: "login", of: lines.map { ["login"] + $0 })
    }

    @Test func `login --impersonate is unsupported for Kii Cloud`() {
        let words = ["login", "--impersonate", "ada", "--backend", "kii", "--server", "us", "--app-id", "x"]
        expect(Self.world().run(words: words).exitCode, 10)
    }

    // MARK: - Impersonated sessions

    @Test(arguments: [[], ["--json"]])
    func `whoami marks an impersonated session`(words: [String]) {
        let world = TestContext()
        world.sessions.put(.sample(method: .impersonation))
        world.run(words: ["whoami", "--offline"] + words).expectTranscript(in: "whoami", words.formatName)
    }

    @Test func `the sessions command marks impersonated sessions`() {
        let world = TestContext()
        world.sessions.put(.ada)
        let row = Exchange.sessionRow("Xk2LmN3oPq").replacing(#""password""#, with: #""masterkey""#)
        world.server.expect(.currentSession(), .sessions(row), .sessions(after: 1))
        world.run("sessions").expectTranscript(in: "sessions")
    }
}
