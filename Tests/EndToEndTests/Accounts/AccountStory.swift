import TestSupport

/// An account from signup to logout. The steps are the same for every backend.
struct AccountStory {
    /// The sandbox, whose current profile is `profile`.
    let world: Sandbox
    var profile = "site"
    let backend: String
    /// The URL of the server; `nil` for local accounts.
    let server: String?
    var newPassword = "quite another one"

    private var sessionFile: String { world.sessionFile(profile) }

    func run() throws {
        try signUp()
        try logIn()
        try changePassword()
        try logOut()
    }

    private func signUp() throws {
        let signup = try world.signUp("ada", "--email", "ada@example.org")
        expect(signup.exitCode, 0, "\(signup.stderr)")
        #expect(signup.stdout.contains("ada"))
        expect(world.mode(sessionFile), 0o600)
        try expectValidSession()
        let token = try world.token(profile)
        #expect(!signup.everything.contains(token))
        let variables = Set(try world.run("exec", "--", "/usr/bin/env").stdout.split(separator: "\n").map(String.init))
        #expect(
            variables.isSuperset(of: [
                "AUTHCTL_TOKEN=\(token)", "AUTHCTL_BACKEND=\(backend)", "AUTHCTL_USERNAME=ada",
            ]))
        if let server { #expect(variables.contains("AUTHCTL_SERVER=\(server)")) }
    }

    private func logIn() throws {
        let before = try world.bytes(sessionFile)
        let wrong = try world.run("login", "ada", "--password-stdin", "--json", input: "not that one\n")
        try wrong.refusal(4, "wrong-password")
        try expect(world.bytes(sessionFile), before)
        try world.run("profile", "add", "phone", "--from", profile)
        let login = try world.logIn("ada@example.org", "-p", "phone")
        expect(login.exitCode, 0, "\(login.stderr)")
        #expect(try world.run("whoami", "-p", "phone").stdout.hasPrefix("ada "))
        try expectValidSession()
    }

    private func changePassword() throws {
        let passwords: Input = "\(Sandbox.password)\n\(newPassword)\n"
        let change = try world.run("password", "change", "--password-stdin", input: passwords)
        expect(change.exitCode, 0, "\(change.stderr)")
        try expectValidSession()
        try world.logIn("ada", "--json").refusal(4, "wrong-password")
        try expect(world.run("login", "ada", "-q", "--password-stdin", input: "\(newPassword)\n").exitCode, 0)
    }

    private func logOut() throws {
        let token = try world.token(profile)
        let logout = try world.run("logout")
        expect(logout.exitCode, 0, "\(logout.stderr)")
        #expect(world.files(holding: token) == [] || world.files(holding: token) == [world.sessionFile("phone")])
        #expect(!world.isThere(sessionFile))
        try expect(world.run("logout", "--json").document().flag("changed"), false)
        try expect(world.run("whoami").exitCode, 3)
    }

    private func expectValidSession() throws {
        let whoami = try world.run("whoami", "--json").document()
        expect(whoami.string("state"), "valid")
        expect(whoami.string("backend"), backend)
        expect(whoami.string("server"), server)
        try expect(whoami.object("user").string("username"), "ada")
        try expect(whoami.object("user").string("email"), "ada@example.org")
    }
}
