import TestSupport
import Testing

/// Accounts with a second factor, at sites with keys and with web tokens.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct SecondFactorSiteTests {
    static let modes = ["mfa", "mfa-jwt"]

    /// An account whose second factor was turned on after its signup, and nobody is logged in to.
    private struct Account {
        let server: DjangoServer
        let world: Sandbox
        let name: String
        let recoveryCodes: [String]

        init(_ name: String, _ mode: String) throws {
            server = try SharedSites.server(mode)
            world = try Sandbox(visiting: server)
            self.name = name
            try world.join(name)
            recoveryCodes = Array(try server.change("totp", name).dropFirst())
        }

        func logIn(_ more: String...) throws -> Finished {
            try world.start(["login", name, "--password-stdin"] + more, input: .password).wait()
        }
    }

    @Test(arguments: modes)
    func `without a code a log-in ends in the option that takes it`(mode: String) throws {
        let ada = try Account("ada", mode)
        let before = try ada.world.bytes(ada.world.siteFile)
        let text = try ada.logIn()
        #expect(text.exitCode == 5)
        #expect(text.stderr.contains("authctl: error: cannot log in as 'ada': the account has a second factor\n"))
        #expect(text.stderr.contains("authctl login --otp CODE ada\n"))
        let json = try ada.logIn("--json")
        #expect(json.exitCode == 5)
        #expect(json.stdout.isEmpty)
        #expect(try json.error().string("reason") == "second-factor-required")
        #expect(try ada.world.bytes(ada.world.siteFile) == before)
    }

    @Test(arguments: modes)
    func `the code of the moment logs in, once`(mode: String) throws {
        let bea = try Account("bea", mode)
        let code = try #require(try bea.server.change("code", "bea").first)
        let login = try bea.logIn("--otp", code, "--json")
        #expect(login.exitCode == 0, "\(login.stderr)")
        #expect(try login.document().object("user").string("username") == "bea")
        #expect(try bea.world.run("whoami").exitCode == 0)
        let again = try bea.logIn("--otp", code, "--json")
        #expect(again.exitCode == 4)
        #expect(try again.error().string("reason") == "wrong-code")
        #expect(try bea.world.run("whoami").exitCode == 0)
    }

    @Test(arguments: modes)
    func `a recovery code logs in, once, and a wrong one never`(mode: String) throws {
        let cleo = try Account("cleo", mode)
        let code = try #require(cleo.recoveryCodes.first)
        #expect(try cleo.logIn("--otp", code).stdout.hasPrefix("logged in as cleo "))
        for refused in [code, "000000", "x", "much too long to be any code"] {
            let result = try cleo.logIn("--otp", refused, "--json")
            #expect(result.exitCode == 4)
            #expect(try result.error().string("reason") == "wrong-code", "\(refused)")
            #expect(!result.everything.contains(refused == "x" ? "\"x\"" : refused))
        }
        let wrongPassword = try cleo.world.run(
            "login", "cleo", "--password-stdin", "--otp", cleo.recoveryCodes[1], "--json", input: "not that one\n")
        #expect(try wrongPassword.error().string("reason") == "wrong-password")
        #expect(try cleo.logIn("--otp", cleo.recoveryCodes[1]).exitCode == 0)
    }

    @Test(arguments: modes)
    func `at a terminal the code is asked for, unseen`(mode: String) throws {
        let dora = try Account("dora", mode)
        let code = try #require(dora.recoveryCodes.first)
        let terminal = try PseudoTerminal()
        let login = try dora.world.start(["login", "dora"], terminal: terminal)
        #expect(terminal.waitFor("Password: "))
        terminal.type("\(Sandbox.password)\n")
        #expect(terminal.waitFor("One-time code: "))
        #expect(!terminal.isEchoing)
        terminal.type("\(code)\n")
        #expect(login.wait().exitCode == 0)
        #expect(terminal.isEchoing)
        #expect(terminal.shown.contains("logged in as "))
        #expect(!terminal.shown.contains(code))
        #expect(try dora.world.run("whoami").stdout.hasPrefix("dora "))
    }

    @Test(arguments: modes)
    func `the password is changed without a code, after the current one was tried`(mode: String) throws {
        let edda = try Account("edda", mode)
        let wrong = try edda.world.run(
            "password", "change", "--password-stdin", "--json", input: "not that one\n\(Sandbox.newPassword)\n")
        #expect(wrong.exitCode == 4)
        #expect(try wrong.error().string("reason") == "wrong-password")
        #expect(try edda.world.changePassword().exitCode == 0)
        #expect(try edda.logIn().exitCode == 4)
        let new = try edda.world.run("login", "edda", "--password-stdin", input: "\(Sandbox.newPassword)\n")
        #expect(new.exitCode == 5)
        #expect(try edda.world.run("whoami").exitCode == 0)
    }

    @Test func `a code for an account without a second factor does no harm`() throws {
        let world = try Sandbox(visiting: try SharedSites.server("mfa"))
        try world.join("fay")
        #expect(try world.logIn("fay", "--otp", "000000").exitCode == 0)
    }
}
