import AuthClient
import AuthModel
import CommandTestSupport
import Testing

@testable import AuthctlCommands

@Suite struct ProfileListCommandTests {
    let world = TestContext()

    @Test func `profile list without a configuration shows the built-in profile`() {
        world.sessions.put(.ada)
        world.run("profile", "list").expectTranscript(in: "profile")
    }

    @Test func `profile list marks the current profile`() {
        world.configuration.put(profiles: "zeta", "ci", current: "ci")
        world.sessions.put(.sample(profile: "ci", user: User(username: "日本")))
        world.run("profile", "list").expectTranscript(in: "profile", "text")
        world.run("profile", "list", "--json").expectTranscript(in: "profile", "JSON")
    }

    @Test(arguments: [[], ["--json"]])
    func `profile list warns if the sessions cannot be read, and still shows the profiles`(words: [String]) {
        world.sessions.fail(.load, with: AuthError(.corrupt, "damaged"))
        let result = world.run(words: ["profile", "list"] + words)
        result.expectTranscript(in: "profile", words.formatName)
        #expect(result.stdout.contains("default"))
    }

    @Test(arguments: [["show", "odd"], ["list"], ["list", "--json"]])
    func `profile show and profile list escape control characters and redact passwords in hand-edited settings`(
        words: [String]
    ) {
        world.configuration.put([
            Profile(name: "odd", settings: ["backend": "\u{1B}[31mx\n", "server": "https://u:s3cret@a.example"])
        ])
        let result = world.run(words: ["profile"] + words)
        result.expectTranscript(in: "profile", words.commandLine)
        #expect(!result.stdout.contains("\u{1B}"))
        #expect(!result.stdout.contains("s3cret"))
    }
}
