import TestSupport
import Testing

/// Local accounts: signup, login, token, logout and profiles.
@Suite(.keepsInvariants) struct AccountLifeTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
    }

    @Test func `a local account works from signup to logout`() throws {
        try AccountStory(world: world, profile: "default", backend: "local", server: nil).run()
    }

    @Test func `a signup with --no-login keeps the saved session`() throws {
        try world.signUp("ada")
        let before = try world.bytes(world.sessionFile())
        let signup = try world.signUp("bob", "--no-login")
        #expect(signup.exitCode == 0)
        #expect(try world.bytes(world.sessionFile()) == before)
        #expect(try world.logIn("bob").exitCode == 0)
    }

    @Test func `a signup with a taken name fails and keeps the saved session`() throws {
        try world.signUp("ada")
        let before = try world.bytes(world.sessionFile())
        let again = try world.signUp("ADA")
        #expect(again.exitCode == 6)
        #expect(try world.bytes(world.sessionFile()) == before)
    }

    @Test func `a signup with a taken e-mail fails`() throws {
        try world.signUp("ada", "--email", "ada@example.org")
        #expect(try world.signUp("bob", "--email", "ada@example.org").exitCode == 6)
    }

    @Test func `an unknown name and a wrong password get the same message`() throws {
        try world.signUp("ada")
        let wrong = try world.run("login", "ada", "--password-stdin", input: "not that one\n")
        let unknown = try world.run("login", "eve", "--password-stdin", input: "not that one\n")
        #expect(wrong.exitCode == 4)
        #expect(unknown.exitCode == 4)
        #expect(unknown.stderr.replacing("eve", with: "ada") == wrong.stderr)
    }

    @Test func `a second login replaces the saved session without revoking it`() throws {
        try world.signUp("ada")
        let first = try world.token()
        let login = try world.logIn("ada")
        #expect(login.exitCode == 0)
        #expect(login.stdout.contains("ada"))
        #expect(login.errorLines.count == 1)
        #expect(login.stderr.contains("'ada'"))
        #expect(try world.token() != first)
        #expect(try world.sessionIDs().count == 2)
        let environment = ["AUTHCTL_TOKEN": first, "AUTHCTL_BACKEND": "local"]
        #expect(try world.run("whoami", environment: environment).exitCode == 0)
    }

    @Test(arguments: ["Zoë Ångström", "日本 太郎", "a/b:c d", "-dash", "👩‍💻 coder", String(repeating: "n", count: 200)])
    func `a username may hold any printable characters`(name: String) throws {
        #expect(try world.run("signup", "--password-stdin", "--", name, input: .password).exitCode == 0)
        #expect(try world.run("login", "--password-stdin", "--", name, input: .password).exitCode == 0)
        #expect(try world.run("whoami", "--json").document().object("user").string("username") == name)
    }

    @Test func `the token command prints the token and nothing else`() throws {
        try world.signUp("ada")
        let result = try world.run("token")
        #expect(result.exitCode == 0)
        #expect(result.stdout.wholeMatch(of: /r:[0-9a-f]{32}\n/) != nil)
        #expect(result.stderr.isEmpty)
    }

    @Test func `an offline logout leaves the session valid on the server`() throws {
        try world.signUp("ada")
        let token = try world.token()
        #expect(try world.run("logout", "--offline").exitCode == 0)
        #expect(!world.isThere(world.sessionFile()))
        let environment = ["AUTHCTL_TOKEN": token, "AUTHCTL_BACKEND": "local"]
        #expect(try world.run("whoami", environment: environment).exitCode == 0)
    }

    @Test func `each profile has its own session, and logout --all-profiles deletes all of them`() throws {
        try world.run("profile", "add", "ci", "--backend", "local")
        try world.signUp("ada")
        try world.signUp("bob", "-p", "ci")
        #expect(try world.run("whoami").stdout.hasPrefix("ada "))
        #expect(try world.run("whoami", "-p", "ci").stdout.hasPrefix("bob "))
        #expect(try world.run("logout", "--all-profiles").exitCode == 0)
        #expect(world.contents(of: world.sessionFolder).allSatisfy { $0.hasSuffix("/.lock") })
    }
}
