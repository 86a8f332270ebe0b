import Foundation
import TestSupport
import Testing

/// `profile remove --force` while another process logs in to the profile.
@Suite(.keepsSecrets) struct RemovedProfileTests {
    private let world: Sandbox
    private let server: ScriptedServer
    /// The server responds to signups and logins when this file exists.
    private let gate: String

    private static let session =
        #"{"objectId":"g7y9tkhB7O","username":"ada","createdAt":"2026-01-02T03:04:05.000Z","sessionToken":"r:0123"}"#

    init() throws {
        world = try Sandbox()
        gate = "\(world.root)/gate"
        let answer = ScriptedServer.Answer.json(Self.session).after(.wait(for: gate))
        server = try ScriptedServer([
            "/parse/login": [answer], "/parse/users": [answer], "/parse/logout": [.json("{}")],
            "/parse/users/me": [.json(Self.session)],
        ])
        #expect(try addProfile().exitCode == 0)
    }

    @Test(arguments: ["login", "signup"])
    func `a login to a profile that is removed meanwhile leaves no session and revokes the new one`(
        command: String
    ) throws {
        let login = try world.start([command, "ada", "--password-stdin", "-p", "ci"], input: .password)
        waitForRequest()
        #expect(try world.run("profile", "remove", "ci", "--force").exitCode == 0)
        try world.write("", to: gate)
        let result = login.wait()
        #expect(result.exitCode == 2, "\(result.everything)")
        result.expectTranscript(in: "files", command, of: world)
        #expect(server.requests.last?.target.hasSuffix("/logout") == true)
        #expect(server.requests.last?.head.contains("r:0123") == true)
        #expect(!world.contents(of: world.sessionFolder).contains { $0.hasSuffix(".json") })
        #expect(try addProfile().exitCode == 0)
        #expect(try world.run("whoami", "-p", "ci").exitCode == 3)
    }

    @Test func `a login to the built-in profile is saved although its settings are removed meanwhile`() throws {
        let url = server.url("/parse")
        try world.run("profile", "set", "default", "backend", "parse")
        let login = try world.start(
            ["login", "ada", "--password-stdin", "--backend", "parse", "--server", url, "--app-id", "shop"],
            input: .password)
        waitForRequest()
        #expect(try world.run("profile", "remove", "default", "--force").exitCode == 0)
        try world.write("", to: gate)
        #expect(login.wait().exitCode == 0)
        let whoami = try world.run("whoami", "--backend", "parse", "--server", url, "--app-id", "shop")
        #expect(whoami.exitCode == 0)
    }

    @Test func `many logins during removals leave no session without a profile`() throws {
        try world.write("", to: gate)
        let script = """
            for i in {1..10}; do
                for j in 1 2 3; do
                    "$A" login ada --password-stdin -p ci <<<'\(Sandbox.password)' >/dev/null 2>&1 &
                done
                "$A" profile remove ci --force >/dev/null 2>&1
                wait
                "$A" profile list | grep -q '^  *ci ' || ls ~/.config/authctl/sessions | grep '^ci'
                "$A" logout -p ci >/dev/null 2>&1
                "$A" profile add ci --backend parse --server '\(server.url("/parse"))' --app-id shop >/dev/null 2>&1
            done
            """
        #expect(try world.runScript(script).stdout == "")
    }

    private func addProfile() throws -> Finished {
        try world.run(
            "profile", "add", "ci", "--backend", "parse", "--server", server.url("/parse"), "--app-id", "shop")
    }

    private func waitForRequest() {
        let end = Date(timeIntervalSinceNow: 20)
        while server.requests.isEmpty, Date() < end { usleep(5000) }
    }
}
