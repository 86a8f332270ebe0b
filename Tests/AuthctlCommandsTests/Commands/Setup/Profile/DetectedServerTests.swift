import AuthClient
import CommandTestSupport

@testable import AuthctlCommands

/// `profile add` without `--backend`.
@Suite struct DetectedServerTests {
    private let world = TestContext()
    private let login = #"{"detail":"Method \"GET\" not allowed."}"#
    private let config = #"{"status":200,"data":{"account":{}}}"#

    private func expect(_ path: String, _ status: Int = 404, _ body: String = "<html>") {
        let type = body.hasPrefix("<") ? "text/html" : "application/json"
        world.network.expect(
            Exchange(
                "GET https://a.example\(path)\nAccept: application/json", status, body, headers: ["Content-Type": type])
        )
    }

    private func add(_ path: String) -> TestContext.Result {
        world.run("profile", "add", "site", "--server", "https://a.example\(path)")
    }

    private func expectSiteAtAuth() {
        for path in ["/health", "/config", "/login/", "/api/health"] { expect("/auth/login\(path)") }
        expect("/auth/login/", 405, login)
        for path in ["/health", "/config", "/api/health", "/"] { expect("/auth\(path)") }
    }

    @Test func `profile add detects the backend of the server, prints it and saves it`() {
        for path in ["/health", "/config"] { expect("/auth\(path)") }
        expect("/auth/login/", 405, login)
        for path in ["/api/health", "/"] { expect("/auth\(path)") }
        add("/auth").expectTranscript(in: "profile")
        #expect(
            world.configuration.current["site"]?.settings == [
                "backend": "rest-auth", "server": "https://a.example/auth",
            ])
    }

    @Test(arguments: ["y", "n"])
    func `profile add at a terminal asks before it saves a detected URL that differs from the given URL`(answer: String)
    {
        world.isInputTerminal = true
        world.terminal.answer(.shown(answer))
        expectSiteAtAuth()
        add("/auth/login").expectTranscript(in: "profile", answer)
        #expect((world.configuration.current["site"] != nil) == (answer == "y"))
    }

    @Test func `profile add without a terminal suggests commands for a detected URL that differs from the given URL`() {
        expectSiteAtAuth()
        add("/auth/login").expectErrors(in: "profile", "another URL")
        #expect(world.configuration.current["site"] == nil)
    }

    @Test(arguments: [nil, "allauth"])
    func `profile add offers two possible backends in a prompt or, without a terminal, as two commands`(answer: String?)
    {
        if let answer {
            world.isInputTerminal = true
            world.terminal.answer(.shown(answer))
        }
        expect("/auth/health")
        expect("/auth/config", 200, config)
        expect("/auth/login/", 405, login)
        for path in ["/api/health", "/"] { expect("/auth\(path)") }
        add("/auth").expectTranscript(in: "profile", answer ?? "no terminal")
        #expect(world.configuration.current["site"]?.text(.backend) == answer)
    }

    @Test func `profile add saves no profile if it cannot detect the backend of the server`() {
        let mounts = [
            "", "/parse", "/_allauth/app/v1", "/dj-rest-auth", "/auth/v1", "/_allauth/browser/v1", "/api/auth",
            "/rest-auth", "/accounts", "/admin",
        ]
        for mount in mounts {
            switch mount {
            case "": for path in ["/health", "/config", "/login/", "/api/health", "/"] { expect(path) }
            case "/parse", "/auth/v1": expect("\(mount)/health")
            case "/_allauth/app/v1", "/_allauth/browser/v1": expect("\(mount)/config")
            default: expect("\(mount)/login/")
            }
        }
        add("").expectErrors(in: "profile", "an unknown server", exitCode: 8)
        #expect(world.configuration.current["site"] == nil)
    }

    @Test(arguments: ["https://api.kii.com/api", "https://parseapi.back4app.com"])
    func `profile add sends no request to a server whose URL implies the backend`(url: String) {
        let result = world.run("profile", "add", "site", "--server", url, "--app-id", "shop")
        #expect(result.exitCode == 0)
        #expect(world.configuration.current["site"]?.text(.backend) == (url.contains("kii") ? "kii" : "parse"))
    }

    @Test func `profile add sends no request over plain HTTP without --allow-http`() {
        world.run("profile", "add", "site", "--server", "http://a.example").expectErrors(in: "profile", "plain http")
    }
}
