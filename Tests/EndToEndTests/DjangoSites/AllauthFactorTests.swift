import TestSupport
import Testing

/// Accounts with a second factor at a site with allauth's headless API.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct AllauthFactorTests {
    private let site: AllauthSite
    private let world: Sandbox

    init() throws {
        site = try AllauthSite("none")
        world = site.world
    }

    /// Makes an account whose second factor was turned on after its signup.
    ///
    /// - Returns: its recovery codes.
    private func join(_ name: String) throws -> [String] {
        try site.join(name)
        return Array(try site.server.change("totp", name).dropFirst())
    }

    @Test func `without a code a log-in ends in the option that takes it`() throws {
        _ = try join("ada")
        let before = try world.bytes(world.sessionFile("site"))
        let text = try site.logIn("ada")
        #expect(text.exitCode == 5)
        #expect(text.stderr.contains("cannot log in as 'ada': the account has a second factor\n"))
        #expect(text.stderr.contains("authctl login --otp CODE ada\n"))
        try site.logIn("ada", "--json").refusal(5, "second-factor-required")
        #expect(try world.bytes(world.sessionFile("site")) == before)
        // No mailed code would help.
        #expect(!world.isThere(site.pendingFile))
        // Said to nobody who does not know the password.
        try site.logIn("ada", "--json", password: "not that one").refusal(4, "wrong-password")
    }

    @Test func `the code of the moment logs in, once`() throws {
        _ = try join("bea")
        let code = try #require(try site.server.change("code", "bea").first)
        let (login, asked) = try site.requests { try site.logIn("bea", "--otp", code, "--json") }
        #expect(login.exitCode == 0, "\(login.stderr)")
        #expect(asked == ["POST auth/login 401", "POST auth/2fa/authenticate 200"])
        #expect(try login.document().object("user").string("username") == "bea")
        #expect(!login.everything.contains(code))
        let again = try site.logIn("bea", "--otp", code, "--json")
        try again.refusal(4, "wrong-code")
        #expect(!again.everything.contains(code))
        #expect(try world.run("whoami").exitCode == 0)
    }

    @Test func `a recovery code logs in, once, and a wrong one never`() throws {
        let codes = try join("cleo")
        #expect(try site.logIn("cleo", "--otp", codes[0]).stdout.hasPrefix("logged in as cleo "))
        for refused in [codes[0], "000000", "much too long to be any code"] {
            let result = try site.logIn("cleo", "--otp", refused, "--json")
            #expect(result.exitCode == 4, "\(result.everything)")
            #expect(try result.error().string("reason") == "wrong-code", "\(refused)")
            #expect(!result.everything.contains(refused))
        }
        let text = try site.logIn("cleo", "--otp", "000000")
        #expect(text.stderr.contains("cannot log in as 'cleo': the server does not accept the one-time code\n"))
        try site.logIn("cleo", "--otp", codes[1], "--json", password: "not that one").refusal(4, "wrong-password")
        #expect(try site.logIn("cleo", "--otp", codes[1]).exitCode == 0)
    }

    @Test func `at a terminal the code is asked for, unseen`() throws {
        let code = try join("dora")[0]
        let terminal = try PseudoTerminal()
        let login = try world.start(["login", "dora"], terminal: terminal)
        #expect(terminal.answer("Password: ", Sandbox.password))
        #expect(terminal.waitFor("One-time code: "))
        #expect(!terminal.isEchoing)
        terminal.type("\(code)\n")
        #expect(login.wait().exitCode == 0)
        #expect(terminal.isEchoing)
        #expect(terminal.shown.contains("logged in as "))
        #expect(!terminal.shown.contains(code))
    }

    @Test func `a code for an account without a second factor does no harm`() throws {
        try site.join("edda")
        #expect(try site.logIn("edda", "--otp", "000000").exitCode == 0)
    }

    @Test func `a log-in by Facebook wants the code as well`() throws {
        let codes = try join("fay")
        try #require(try world.link(facebook: "tok-bob").exitCode == 0)
        let text = try world.logIn(facebook: "tok-bob")
        #expect(text.exitCode == 5)
        #expect(text.stderr.contains("cannot log in with Facebook: the account has a second factor\n"))
        #expect(text.stderr.contains("authctl login --facebook --token-file FILE --otp CODE\n"))
        try world.logIn(facebook: "tok-bob", "--json").refusal(5, "second-factor-required")
        #expect(try world.run("whoami").exitCode == 0)
        try world.logIn(facebook: "tok-bob", "--json", "--otp", "000000").refusal(4, "wrong-code")
        #expect(try world.logIn(facebook: "tok-bob", "--otp", codes[0]).stdout.hasPrefix("logged in as fay "))
    }

    /// A code that is asked for would come too late.
    @Test func `an ID token is good once, so its code must come with it`() throws {
        let codes = try join("ina")
        let graph = try #require(site.server.graph)
        func start(_ word: String, _ more: [String] = [], _ terminal: PseudoTerminal? = nil) throws -> Finished {
            let path = "\(world.root)/id-token"
            try world.write(try graph.idToken(sub: "1010"), to: path)
            return try world.start([word] + more + ["--id-token-file", path], terminal: terminal).wait()
        }
        try #require(try start("link-facebook").exitCode == 0)
        let terminal = try PseudoTerminal()
        #expect(try start("login", ["--facebook"], terminal).exitCode == 5)
        #expect(
            terminal.shown.replacing("\r\n", with: "").contains(
                "with a new token: authctl login --facebook --id-token-file FILE --otp CODE"))
        #expect(try start("login", ["--facebook", "--otp", codes[0]]).stdout.hasPrefix("logged in as ina "))
    }

    @Test func `the password is changed without a code`() throws {
        _ = try join("gina")
        #expect(try site.changePassword(from: Sandbox.password, to: Sandbox.newPassword).exitCode == 0)
        #expect(try world.run("whoami").exitCode == 0)
        try site.logIn("gina", "--json", password: Sandbox.newPassword).refusal(5, "second-factor-required")
    }
}
