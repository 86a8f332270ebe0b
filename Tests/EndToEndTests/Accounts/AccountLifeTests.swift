import TestSupport
import Testing

/// The life of an account, as a person at a shell goes through it.
@Suite(.keepsInvariants) struct AccountLifeTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
    }

    @Test func `signup makes an account and logs in with it`() throws {
        let signup = try world.signUp("ada", "--email", "ada@example.org")
        #expect(signup.exitCode == 0)
        #expect(signup.stdout == "created account ada and logged in (profile 'default', accounts on this machine)\n")
        #expect(signup.stderr.isEmpty)
        let whoami = try world.run("whoami")
        #expect(whoami.exitCode == 0)
        #expect(whoami.stdout.hasPrefix("ada (profile 'default', accounts on this machine)\n"))
        #expect(whoami.stdout.contains("ada@example.org"))
    }

    @Test func `signup without login leaves the session that is kept`() throws {
        try world.signUp("ada")
        let before = try world.bytes(world.sessionFile())
        let signup = try world.signUp("bob", "--no-login")
        #expect(signup.exitCode == 0)
        #expect(try world.bytes(world.sessionFile()) == before)
        #expect(try world.logIn("bob").exitCode == 0)
    }

    @Test func `a name that is taken is refused`() throws {
        try world.signUp("ada")
        let before = try world.bytes(world.sessionFile())
        let again = try world.signUp("ADA")
        #expect(again.exitCode == 6)
        #expect(again.stderr.hasPrefix("authctl: error: cannot create account 'ADA': "))
        #expect(try world.bytes(world.sessionFile()) == before)
    }

    @Test func `an e-mail that is taken is refused`() throws {
        try world.signUp("ada", "--email", "ada@example.org")
        #expect(try world.signUp("bob", "--email", "ada@example.org").exitCode == 6)
    }

    @Test func `all faults of a new account are told at once`() throws {
        let signup = try world.run("signup", "ab", "--email", "nowhere", "--password-stdin", "--json", input: "short\n")
        #expect(signup.exitCode == 7)
        #expect(signup.stdout.isEmpty)
        #expect(try signup.error().object("fields").keys == ["username", "email", "password"])
    }

    @Test func `a wrong password is refused with the next step`() throws {
        try world.signUp("ada")
        let before = try world.bytes(world.sessionFile())
        let login = try world.run("login", "ada", "--password-stdin", input: "not that one\n")
        #expect(login.exitCode == 4)
        #expect(login.stdout.isEmpty)
        #expect(login.errorLines.contains { $0.hasPrefix("authctl: hint: ") && $0.contains("authctl signup ada") })
        #expect(try world.bytes(world.sessionFile()) == before)
    }

    @Test func `an unknown name and a wrong password are told in the same words`() throws {
        try world.signUp("ada")
        let wrong = try world.run("login", "ada", "--password-stdin", input: "not that one\n")
        let unknown = try world.run("login", "eve", "--password-stdin", input: "not that one\n")
        #expect(wrong.exitCode == 4)
        #expect(unknown.exitCode == 4)
        #expect(unknown.stderr.replacing("eve", with: "ada") == wrong.stderr)
    }

    @Test func `a second login replaces the first here with a note and ends it nowhere`() throws {
        try world.signUp("ada")
        let first = try world.token()
        let login = try world.logIn("ada")
        #expect(login.exitCode == 0)
        #expect(login.stdout == "logged in as ada (profile 'default', accounts on this machine)\n")
        #expect(login.errorLines.count == 1)
        #expect(login.stderr.hasPrefix("authctl: note: the session kept before ('ada') was replaced"))
        #expect(try world.token() != first)
        #expect(try world.sessionIDs().count == 2)
        let environment = ["AUTHCTL_TOKEN": first, "AUTHCTL_BACKEND": "local"]
        #expect(try world.run("whoami", environment: environment).exitCode == 0)
    }

    @Test func `quiet leaves the note out`() throws {
        try world.signUp("ada")
        #expect(try world.logIn("ada", "-q").stderr.isEmpty)
    }

    @Test func `one can log in with the e-mail`() throws {
        try world.signUp("ada", "--email", "ada@example.org")
        #expect(try world.logIn("ada@example.org").stdout.hasPrefix("logged in as ada "))
    }

    @Test(arguments: ["Zoë Ångström", "日本 太郎", "a/b:c d", "-dash", "👩‍💻 coder", String(repeating: "n", count: 200)])
    func `names of every kind work`(name: String) throws {
        #expect(try world.run("signup", "--password-stdin", "--", name, input: .password).exitCode == 0)
        #expect(try world.run("login", "--password-stdin", "--", name, input: .password).exitCode == 0)
        #expect(try world.run("whoami", "--json").document().object("user").string("username") == name)
    }

    @Test func `token prints the token and nothing else`() throws {
        try world.signUp("ada")
        let result = try world.run("token")
        #expect(result.exitCode == 0)
        #expect(result.stdout.wholeMatch(of: /r:[0-9a-f]{32}\n/) != nil)
        #expect(result.stderr.isEmpty)
    }

    @Test func `token without a session says how to get one`() throws {
        let result = try world.run("token")
        #expect(result.exitCode == 3)
        #expect(result.stdout.isEmpty)
        #expect(result.stderr.contains("authctl login"))
    }

    @Test func `logout ends the session at the server and forgets it`() throws {
        try world.signUp("ada")
        let token = try world.token()
        let logout = try world.run("logout")
        #expect(logout.exitCode == 0)
        #expect(logout.stdout == "logged out (profile 'default')\n")
        #expect(!world.isThere(world.sessionFile()))
        let environment = ["AUTHCTL_TOKEN": token, "AUTHCTL_BACKEND": "local"]
        #expect(try world.run("whoami", environment: environment).exitCode == 4)
    }

    @Test func `logging out twice does no harm`() throws {
        try world.signUp("ada")
        try world.run("logout")
        let again = try world.run("logout")
        #expect(again.exitCode == 0)
        #expect(again.stdout == "nobody was logged in (profile 'default')\n")
    }

    @Test func `an offline logout leaves the session alive at the server`() throws {
        try world.signUp("ada")
        let token = try world.token()
        #expect(try world.run("logout", "--offline").exitCode == 0)
        #expect(!world.isThere(world.sessionFile()))
        let environment = ["AUTHCTL_TOKEN": token, "AUTHCTL_BACKEND": "local"]
        #expect(try world.run("whoami", environment: environment).exitCode == 0)
    }

    @Test func `profiles keep a session each and logout of all ends them`() throws {
        try world.run("profile", "add", "ci", "--backend", "local")
        try world.signUp("ada")
        try world.signUp("bob", "-p", "ci")
        #expect(try world.run("whoami").stdout.hasPrefix("ada "))
        #expect(try world.run("whoami", "-p", "ci").stdout.hasPrefix("bob "))
        #expect(try world.run("logout", "--all-profiles").exitCode == 0)
        #expect(world.contents(of: world.sessionFolder).allSatisfy { $0.hasSuffix("/.lock") })
    }
}
