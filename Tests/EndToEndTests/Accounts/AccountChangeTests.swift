import TestSupport
import Testing

/// Password changes, anonymous logins and token logins of a local account.
@Suite(.keepsInvariants) struct AccountChangeTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
        try #require(try world.signUp("ada").exitCode == 0)
    }

    @Test func `a changed password ends the other sessions and starts a new one`() throws {
        try world.run("profile", "add", "other", "--backend", "local")
        #expect(try world.run("-p", "other", "login", "ada", "--password-stdin", input: .password).exitCode == 0)
        let before = try world.token()
        let change = try world.run(
            "password", "change", "--password-stdin", "--json",
            input: "\(Sandbox.password)\nquite another one\n")
        #expect(change.exitCode == 0)
        #expect(try change.document().keys == ["v", "kind", "profile", "session"])
        #expect(try world.token() != before)
        #expect(try world.run("whoami").exitCode == 0)
        #expect(try world.run("-p", "other", "whoami").exitCode == 4)
        #expect(try world.run("login", "ada", "--password-stdin", input: .password).exitCode == 4)
        #expect(try world.run("login", "ada", "--password-stdin", input: "quite another one").exitCode == 0)
    }

    @Test(
        arguments: [("not the password\nquite another one\n", 4), ("\(Sandbox.password)\nshort\n", 7)]
            as [(String, Int32)])
    func `a password change with a wrong or weak password changes nothing`(input: String, exitCode: Int32) throws {
        let result = try world.run("password", "change", "--password-stdin", input: "\(input)")
        #expect(result.exitCode == exitCode)
        #expect(try world.run("whoami").exitCode == 0)
        #expect(try world.run("login", "ada", "--password-stdin", input: .password).exitCode == 0)
        #expect(try world.run("sessions", "list", "--json").stdout.components(separatedBy: "createdWith").count == 3)
    }

    @Test func `an anonymous login makes an account and warns that it has no password`() throws {
        let logIn = try world.run("login", "--anonymous", "--json")
        #expect(logIn.exitCode == 0)
        let document = try logIn.document()
        #expect(document.flag("created") == true)
        #expect(document.strings("warnings")?.count == 1)
        #expect(try world.run("whoami", "--json").document().object("user").keys.contains("providers"))
        #expect(try world.run("logout").exitCode == 0)
    }

    @Test func `a login with a token checks the session before it saves it`() throws {
        let token = try world.token()
        try world.run("profile", "add", "other", "--backend", "local")
        #expect(try world.run("-p", "other", "login", "--token-stdin", input: "\(token)\r\n").exitCode == 0)
        #expect(try world.run("-p", "other", "whoami").stdout.hasPrefix("ada "))
        let refused = try world.run("-p", "other", "login", "--token-stdin", "--json", input: "r:nobody")
        #expect(refused.exitCode == 4)
        #expect(try refused.error().string("reason") == "token-refused")
        #expect(try world.run("-p", "other", "whoami").exitCode == 0)
    }
}
