import AuthClient
import CommandTestSupport

@testable import AuthctlCommands

/// The named sessions of a profile.
@Suite struct ProfileUsersTests {
    private let world = TestContext()

    init() {
        world.configuration.put(profiles: "ci")
        world.sessions.put(.sample(profile: "ci"))
    }

    private func save(_ names: [String]) {
        for name in names { world.sessions.put(.sample(profile: "ci", as: name)) }
    }

    @Test(arguments: [["list"], ["show", "ci"], ["show", "ci", "--json"]])
    func `profile list and profile show list the session names`(words: [String]) {
        save(["carl", "bob@example.org"])
        world.run(words: ["profile"] + words).expectTranscript(in: "profile", words.commandLine)
    }

    @Test func `profile use --as selects a session until the next profile use, and --as and AUTHCTL_AS override it`() {
        save(["ada", "bob"])
        func user(_ words: String...) -> String { world.run(words: ["whoami", "--offline", "--json"] + words).stdout }
        expect(world.run("profile", "use", "ci", "--as", "eve").exitCode, 3)
        world.run("profile", "use", "ci", "--as", "bob").expectTranscript(in: "profile")
        #expect(user().contains(#""as":"bob""#) && user("--as", "ada").contains(#""as":"ada""#))
        #expect(user("--as", "").contains(#""as":null"#) && user("-p", "default").contains(#""as":null"#))
        #expect(world.run("profile", "list", "--json").stdout.contains(#""current":"ci","as":"bob""#))
        world.environment = ["AUTHCTL_AS": "ada"]
        #expect(user().contains(#""as":"ada""#))
        world.environment = ["AUTHCTL_TOKEN": "t"]
        #expect(user().contains(#""as":null"#))
        world.environment = [:]
        expect(world.run("profile", "use", "ci").exitCode, 0)
        #expect(user().contains(#""as":null"#))
    }

    @Test func `profile show lists more session names and more sessions of other connections than profile list`() {
        save((10...50).map { "user-\($0)" })
        for number in 10...21 {
            let connection = Connection(backend: "parse", server: "https://\(number).example", appID: "x")
            world.sessions.put(.sample(profile: "ci", as: "bob", connection: connection))
        }
        world.run("profile", "list").expectTranscript(in: "profile")
        let shown = world.run("profile", "show", "ci").stdout
        #expect(shown.contains("user-29 and 21 more\n"))
        expect(shown.split(separator: "\n").filter { $0.hasPrefix("other session: ") }.count, 12)
    }

    @Test func `profile remove keeps a profile with a named session unless --force is given`() throws {
        world.sessions.drop("ci")
        save(["bob"])
        world.environment = ["AUTHCTL_AS": "carl"]
        world.run("profile", "remove", "ci").expectTranscript(in: "profile", "one session")
        world.sessions.put(.sample(profile: "ci"))
        save((1...9).map { "user-\($0)" })
        world.run("profile", "remove", "ci").expectTranscript(in: "profile", "many sessions")
        world.run("profile", "remove", "ci", "--force").expectTranscript(in: "profile", "--force")
        try expect(world.sessions.profiles(), [])
        expect(world.configuration.current["ci"], nil)
    }
}
