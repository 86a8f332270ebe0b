import TestSupport
import Testing

/// Accounts with a second factor, on sites that use token keys, JWTs or allauth's headless API.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct SecondFactorSiteTests {
    @Test(
        arguments: [(.djRestAuth, "mfa"), (.djRestAuth, "mfa-jwt"), (.allauth, "none")]
            as [(DjangoServer.Family, String)])
    func `an account with a second factor logs in once with each one-time or recovery code`(
        family: DjangoServer.Family, mode: String
    ) throws {
        let server = try SharedSites.server(mode, family)
        let world = try Sandbox(visiting: server)
        try world.join("ada")
        // authctl does not send the code if the account has no second factor.
        #expect(try world.logIn("ada", "--otp", "000000").exitCode == 0)
        let recoveryCode = try server.change("totp", "ada")[1]
        let before = try world.bytes(world.siteFile)
        let login = try world.logIn("ada")
        #expect(login.exitCode == 5)
        #expect(login.stderr.contains("authctl login --otp CODE ada\n"))
        // The server reports the second factor only to a user who knows the password.
        try world.logIn("ada", "--json", password: "not that one").refusal(4, "wrong-password")
        #expect(try world.bytes(world.siteFile) == before)
        #expect(!world.isThere(world.pendingFile))

        let oneTimeCode = try #require(try server.change("code", "ada").first)
        for code in [oneTimeCode, recoveryCode] {
            let login = try world.logIn("ada", "--otp", code, "--json")
            #expect(try login.document().object("user").string("username") == "ada", "\(login.stderr)")
            let again = try world.logIn("ada", "--otp", code, "--json")
            try again.refusal(4, "wrong-code")
            #expect(!(login.everything + again.everything).contains(code))
        }
        #expect(try world.run("whoami").exitCode == 0)
    }
}
