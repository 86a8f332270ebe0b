import TestSupport
import Testing

/// Signups and logins that require a mailed code, at sites with allauth's headless API.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct AllauthCodeTests {
    private let site: AllauthSite
    private let world: Sandbox

    init() throws {
        site = try AllauthSite("mandatory-code")
        world = site.world
    }

    @Test func `a pending signup at allauth saves no session until its code is given`() throws {
        let signup = try site.signUp(email: "ada@example.com")
        #expect(signup.exitCode == 0)
        #expect(signup.stdout.contains("ada@example.com"))
        #expect(signup.stdout.contains("authctl verify-email -p site --key CODE"))
        #expect(!world.isThere(world.sessionFile("site")))
        #expect(world.mode(site.pendingFile) == 0o600)
        #expect(world.mode("\(world.sessionFolder)/pending") == 0o700)
        let pending = try site.pendingToken()
        #expect(!signup.everything.contains(pending))
        for words in [["whoami"], ["token"], ["sessions"], ["exec", "--", "true"], ["link-facebook", "--status"]] {
            let result = try world.start(words, input: .nothing).wait()
            #expect(result.exitCode == 3, "\(words)")
            #expect(!result.everything.contains(pending))
        }
        #expect(try world.run("whoami", "--json").document().string("state") == "absent")

        let code = try site.code(to: "ada@example.com")
        let verified = try world.run("verify-email", "--key", code, "--json")
        #expect(verified.exitCode == 0)
        #expect(try verified.document().flag("verified") == true)
        #expect(try verified.document().object("user").string("username") == "ada")
        #expect(!world.isThere(site.pendingFile))
        #expect(try site.token != pending)
        for secret in [code, pending, try site.token] { #expect(!verified.everything.contains(secret)) }
        #expect(try world.run("whoami").stdout.hasPrefix("ada "))
        try world.run("verify-email", "--key", code, "--json").refusal(7, "not-found")
        #expect(try world.run("whoami").exitCode == 0)
    }

    @Test func `a pending signup at allauth ends after three wrong codes`() throws {
        try site.signUp(email: "bea@example.com")
        let code = try site.code(to: "bea@example.com")
        let text = try world.run("verify-email", "--key", "XXXX-XXXX")
        #expect(text.exitCode == 4)
        for _ in 0..<2 {
            let json = try world.run("verify-email", "--key", "XXXX-XXXX", "--json")
            try json.refusal(4, "wrong-code")
            #expect(!json.everything.contains("XXXX"))
        }
        let late = try world.run("verify-email", "--key", code)
        #expect(late.exitCode == 7)
        try world.run("verify-email", "--key", code, "--json").refusal(7, "not-found")
        try world.run("verify-email", "--json").refusal(7, "not-found")
        // Follows the hint: a login sends a new code.
        #expect(try site.logIn("bea@example.com").exitCode == 5)
        #expect(try world.run("verify-email", "--key", try site.code(to: "bea@example.com")).exitCode == 0)
        #expect(try world.run("whoami").exitCode == 0)
    }

    @Test func `a login to an unverified account at allauth waits for a code`() throws {
        try site.signUp(email: "dora@example.com", "-q")
        let phone = try site.another()
        let count = site.mails(to: "dora@example.com").count
        let login = try phone.logIn("dora@example.com")
        #expect(login.exitCode == 5)
        #expect(login.stderr.contains("authctl verify-email --key CODE\n"))
        #expect(site.mails(to: "dora@example.com").count == count + 1)
        #expect(phone.world.mode(phone.pendingFile) == 0o600)
        #expect(try phone.world.run("whoami").exitCode == 3)
        #expect(try phone.world.run("verify-email", "--key", try site.code(to: "dora@example.com")).exitCode == 0)
        #expect(try phone.world.run("whoami").stdout.hasPrefix("dora "))
    }

    @Test func `a site that mails its code once rejects a second mail`() throws {
        let once = try AllauthSite("mandatory-code-noresend")
        try once.signUp(email: "ada@example.com")
        let again = try once.world.run("verify-email")
        #expect(again.exitCode == 7)
        // The first code is still valid.
        #expect(try once.world.run("verify-email", "--key", try once.code(to: "ada@example.com")).exitCode == 0)
    }

    @Test func `a code starts a JWT session at a site with JWTs`() throws {
        let jwt = try AllauthSite("jwt-mandatory-code")
        #expect(try jwt.signUp(email: "ada@example.com").exitCode == 0)
        #expect(try jwt.world.run("token").exitCode == 3)
        let verified = try jwt.world.run("verify-email", "--key", try jwt.code(to: "ada@example.com"))
        #expect(verified.exitCode == 0)
        #expect(try jwt.world.storedPair().refresh != nil)
        #expect(try jwt.world.run("whoami").exitCode == 0)
        #expect(try jwt.world.run("logout").exitCode == 0)
    }
}
