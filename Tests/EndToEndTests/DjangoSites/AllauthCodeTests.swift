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

    @Test func `allauth with reset codes does not support password reset`() throws {
        let before = site.server.mails.count
        try world.run("password", "reset", "ada@example.com", "--json").refusal(10, "unsupported")
        #expect(site.server.mails.count == before)
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

    @Test func `a new code replaces the first at allauth`() throws {
        try site.signUp(email: "cleo@example.com")
        let first = try site.code(to: "cleo@example.com")
        let again = try world.run("verify-email")
        #expect(again.exitCode == 0)
        #expect(again.stdout.contains("cleo@example.com") && again.stdout.contains("--key CODE"))
        let code = try site.code(to: "cleo@example.com")
        #expect(code != first)
        #expect(!again.everything.contains(code))
        try world.run("verify-email", "--key", first, "--json").refusal(4, "wrong-code")
        let verified = try world.run("verify-email", "--key", code)
        #expect(verified.stdout.contains("cleo"))
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

    @Test func `a login, a logout and the removal of the profile delete a pending signup`() throws {
        try site.signUp(email: "edda@example.com")
        try site.server.change("verify", "edda")
        try site.signUp(email: "ella@example.com")
        #expect(world.isThere(site.pendingFile))
        #expect(try site.logIn("edda@example.com").exitCode == 0)
        #expect(!world.isThere(site.pendingFile))

        try site.signUp(email: "elsa@example.com")
        #expect(world.isThere(site.pendingFile))
        // The session of the other account stays valid.
        #expect(try world.run("whoami").stdout.hasPrefix("edda "))
        #expect(try world.run("logout").exitCode == 0)
        #expect(!world.isThere(site.pendingFile))

        try site.signUp(email: "emil@example.com")
        #expect(try world.run("logout", "--json").exitCode == 0)
        #expect(!world.isThere(site.pendingFile))

        try world.run("profile", "add", "other", "--from", "site")
        try world.run("profile", "use", "other")
        try site.signUp(email: "erik@example.com")
        let file = world.sessionFile("other", in: "\(world.sessionFolder)/pending")
        #expect(world.isThere(file))
        try world.run("profile", "use", "site")
        let removed = try world.run("profile", "remove", "other")
        #expect(removed.exitCode == 0, "\(removed.stderr)")
        #expect(!world.isThere(file))
    }

    @Test func `a pending signup is not sent to another server`() throws {
        try site.signUp(email: "fay@example.com")
        let other = try SharedSites.server("none", .allauth)
        try world.run("profile", "set", "site", "server", other.url)
        let count = other.requests.count
        #expect(try world.run("verify-email", "--json").exitCode == 3)
        #expect(other.requests.count == count)
    }

    @Test func `a site that mails its code once rejects a second mail`() throws {
        let once = try AllauthSite("mandatory-code-noresend")
        try once.signUp(email: "ada@example.com")
        let again = try once.world.run("verify-email")
        #expect(again.exitCode == 7)
        // The first code is still valid.
        #expect(try once.world.run("verify-email", "--key", try once.code(to: "ada@example.com")).exitCode == 0)
    }

    @Test func `a signup with a taken address looks like any other`() throws {
        try site.signUp(email: "gina@example.com", "-q")
        try site.server.change("verify", "gina")
        let phone = try site.another()
        let signup = try phone.signUp(email: "gina@example.com")
        #expect(signup.exitCode == 0)
        #expect(signup.stdout.contains("gina@example.com"))
        #expect(try site.mail(to: "gina@example.com").code == nil)
        try phone.world.run("verify-email", "--key", "XXXX-XXXX", "--json").refusal(4, "wrong-code")
    }

    @Test func `a Facebook login to an unverified account waits for a code`() throws {
        let login = try world.logIn(facebook: "tok-ann")
        #expect(login.exitCode == 5)
        #expect(login.stderr.contains("authctl verify-email --key CODE\n"))
        #expect(try world.run("whoami").exitCode == 3)
        let code = try site.code(to: "ann.face@example.com")
        #expect(try world.run("verify-email", "--key", code).exitCode == 0)
        #expect(try world.run("whoami").exitCode == 0)
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
