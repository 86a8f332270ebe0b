import TestSupport
import Testing

/// Accounts with a second factor, at sites with keys, with JWTs and with allauth's headless API.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct SecondFactorSiteTests {
    enum Site: CaseIterable {
        case key, jwt, allauth
    }

    /// An account whose second factor is enabled after its signup.
    private struct Account {
        let server: DjangoServer
        let world: Sandbox
        let name: String
        let recoveryCodes: [String]

        init(_ name: String, at site: Site) throws {
            switch site {
            case .key: server = try SharedSites.server("mfa")
            case .jwt: server = try SharedSites.server("mfa-jwt")
            case .allauth: server = try SharedSites.server("none", .allauth)
            }
            world = try site == .allauth ? AllauthSite(at: server).world : Sandbox(visiting: server)
            self.name = name
            try world.join(name)
            recoveryCodes = Array(try server.change("totp", name).dropFirst())
        }

        func logIn(_ more: String..., password: String = Sandbox.password) throws -> Finished {
            try world.start(["login", name, "--password-stdin"] + more, input: "\(password)\n").wait()
        }
    }

    @Test(arguments: Site.allCases)
    func `a login without a code fails with a hint to --otp and keeps the saved session`(site: Site) throws {
        let ada = try Account("ada", at: site)
        let before = try ada.world.bytes(ada.world.siteFile)
        let text = try ada.logIn()
        #expect(text.exitCode == 5)
        #expect(text.stderr.contains("authctl login --otp CODE ada\n"))
        try ada.logIn("--json").refusal(5, "second-factor-required")
        // The second factor is reported only to a user who knows the password.
        try ada.logIn("--json", password: "not that one").refusal(4, "wrong-password")
        #expect(try ada.world.bytes(ada.world.siteFile) == before)
        #expect(!ada.world.isThere(ada.world.sessionFile("site", in: "\(ada.world.sessionFolder)/pending")))
    }

    @Test(arguments: Site.allCases)
    func `a one-time code logs in once`(site: Site) throws {
        let bea = try Account("bea", at: site)
        let code = try #require(try bea.server.change("code", "bea").first)
        let login = try bea.logIn("--otp", code, "--json")
        #expect(login.exitCode == 0, "\(login.stderr)")
        #expect(try login.document().object("user").string("username") == "bea")
        let again = try bea.logIn("--otp", code, "--json")
        try again.refusal(4, "wrong-code")
        #expect(!(login.everything + again.everything).contains(code))
        #expect(try bea.world.run("whoami").exitCode == 0)
    }

    @Test(arguments: Site.allCases)
    func `a recovery code logs in once, and a wrong code never`(site: Site) throws {
        let cleo = try Account("cleo", at: site)
        let codes = cleo.recoveryCodes
        #expect(try cleo.logIn("--otp", codes[0]).exitCode == 0)
        for rejected in [codes[0], "000000", "much too long to be any code"] {
            let result = try cleo.logIn("--otp", rejected, "--json")
            try result.refusal(4, "wrong-code")
            #expect(!result.everything.contains(rejected))
        }
        try cleo.logIn("--otp", codes[1], "--json", password: "not that one").refusal(4, "wrong-password")
        #expect(try cleo.logIn("--otp", codes[1]).exitCode == 0)
    }

    @Test(arguments: [Site.key, .allauth])
    func `a code for an account without a second factor is ignored`(site: Site) throws {
        let server = try site == .key ? SharedSites.server("mfa") : SharedSites.server("none", .allauth)
        let world = try site == .key ? Sandbox(visiting: server) : AllauthSite(at: server).world
        try world.join("fay")
        #expect(try world.logIn("fay", "--otp", "000000").exitCode == 0)
    }
}
