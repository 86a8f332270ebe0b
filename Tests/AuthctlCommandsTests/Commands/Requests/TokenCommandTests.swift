import CommandTestSupport
import Platform

@testable import AuthctlCommands

@Suite struct TokenCommandTests {
    private let world = TestContext()

    init() {
        world.sessions.put(.ada)
    }

    @Test func `token prints only the session token`() {
        expect(world.run("token"), .init(stdout: "\(Exchange.adaToken)\n", stderr: "", ending: .exit(0)))
    }

    @Test func `token prints JSON only with --json, regardless of AUTHCTL_OUTPUT`() {
        world.environment = ["AUTHCTL_OUTPUT": "json"]
        expect(world.run("token").stdout, "\(Exchange.adaToken)\n")
        world.run("token", "--json").expectTranscript(in: "token")
    }

    @Test func `token --header prints the header fields that a request requires, one per line`() {
        let lines = "X-Parse-Application-Id: local\nX-Parse-Session-Token: \(Exchange.adaToken)\n"
        expect(world.run("token", "--header"), .init(stdout: lines, stderr: "", ending: .exit(0)))
    }

    @Test func `token --header prints the header field of the client key`() {
        world.environment = [
            "AUTHCTL_TOKEN": "r:env", "AUTHCTL_BACKEND": "parse", "AUTHCTL_SERVER": "https://a.example/parse",
            "AUTHCTL_APP_ID": "shop", "AUTHCTL_CLIENT_KEY": "k3y",
        ]
        let lines = ["X-Parse-Application-Id: shop", "X-Parse-REST-API-Key: k3y", "X-Parse-Session-Token: r:env"]
        expect(world.run("token", "--header").stdout, lines.map { $0 + "\n" }.joined())
    }

    @Test(arguments: [("rest-auth", "0a1b", "Authorization: JWT 0a1b"), ("allauth", "0a1b", "X-Session-Token: 0a1b")])
    func `token --header and token --json use the backend's header field for the session`(
        backend: String, token: String, line: String
    ) throws {
        world.environment = [
            "AUTHCTL_TOKEN": token, "AUTHCTL_BACKEND": backend, "AUTHCTL_SERVER": "https://a.example",
            "AUTHCTL_SETTINGS": #"{"backend":"\#(backend)","server":"https://a.example","tokenScheme":"JWT"}"#,
        ]
        expect(world.run("token", "--header").stdout, "\(line)\n")
        let parts = line.split(separator: ": ").map(String.init)
        let value = try #require(parts.last)
        let scheme = parts[0] == "Authorization" ? "\"\(value.prefix { $0 != " " })\"" : "null"
        expect(
            world.run("token", "--json").stdout,
            #"{"v":1,"kind":"token","profile":"default","token":"\#(token)","scheme":\#(scheme),"#
                + #""headers":{"\#(parts[0])":"\#(value)"},"expiresAt":null}"# + "\n")
    }

    @Test func `token --json prints the same document with and without --header`() {
        expect(world.run("token", "--json", "--header").stdout, world.run("token", "--json").stdout)
    }

    @Test(arguments: ["token", "exec"])
    func `token and exec reject a session whose remaining lifetime is shorter than --min-ttl`(command: String) {
        world.now = Instant.sampleEnd.adding(.seconds(-3600))
        let rest = command == "exec" ? ["--", "true"] : []
        world.run(words: [command, "--min-ttl", "3601"] + rest).expectErrors(in: "token", "either command", exitCode: 4)
        expect(world.run("token", "--min-ttl", "3599").stdout, "\(Exchange.adaToken)\n")
        expect(world.run("token", "--min-ttl=0").exitCode, 0)
    }

    @Test(arguments: ["", "-1", "1.5", "1h", "99999999999999999999", "1000000001"])
    func `--min-ttl accepts only whole numbers from 0 to 1000000000`(text: String) {
        for words in [["token"], ["exec"]] {
            let result = world.run(words: words + ["--min-ttl=\(text)"] + (words == ["exec"] ? ["--", "true"] : []))
            expect(result.exitCode, 2)
            if words == ["token"], text == "1.5" { result.expectErrors(in: "token", text) }
        }
    }

    @Test func `token does not print the token of an expired session`() {
        world.now = .sampleEnd
        let result = world.run("token")
        result.expectTranscript(in: "token")
        #expect(!result.stderr.contains(Exchange.adaToken))
    }

    @Test func `the token command prints a token from the environment without reading a saved session`() {
        world.environment = ["AUTHCTL_TOKEN_FILE": "/run/token", "AUTHCTL_BACKEND": "local"]
        world.files = ["/run/token": "env\r\n"]
        world.storageFailure = AuthError(.unreadable, "no storage")
        let result = world.run("token")
        expect(result.stdout, "env\n")
        expect(result.exitCode, 0)
    }

    @Test func `token fails if standard output cannot be written`() {
        world.outputFailure = Errno(28)
        world.run("token").expectTranscript(in: "token")
    }

    @Test func `token ends silently on a broken pipe`() {
        world.outputFailure = .brokenPipe
        expect(world.run("token"), .init(stdout: "", stderr: "", ending: .brokenPipe))
    }
}
