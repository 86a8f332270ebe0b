import TestSupport
import Testing

/// Sign-ups and log-ins that wait for a mailed code, at sites with allauth's headless API.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct AllauthCodeTests {
    private let site: AllauthSite
    private let world: Sandbox

    init() throws {
        site = try AllauthSite("mandatory-code")
        world = site.world
    }

    @Test func `a signup waits for its code with a token that is no session`() throws {
        let signup = try site.signUp(email: "ada@example.com")
        #expect(signup.exitCode == 0)
        #expect(signup.stdout.contains("if this address is new, a mail is on its way to ada@example.com\n"))
        #expect(signup.stdout.contains("authctl verify-email -p site --key CODE\n"))
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

    @Test func `a code that would reset a password is not asked for, since nobody could give it`() throws {
        let before = site.server.mails.count
        try world.run("password", "reset", "ada@example.com", "--json").refusal(10, "unsupported")
        #expect(site.server.mails.count == before)
    }

    @Test func `a wrong code is refused three times, and then nothing waits any more`() throws {
        try site.signUp(email: "bea@example.com")
        let code = try site.code(to: "bea@example.com")
        let text = try world.run("verify-email", "--key", "XXXX-XXXX")
        #expect(text.exitCode == 4)
        #expect(text.stderr.contains("cannot confirm the address: the server does not accept the code\n"))
        for _ in 0..<2 {
            let json = try world.run("verify-email", "--key", "XXXX-XXXX", "--json")
            try json.refusal(4, "wrong-code")
            #expect(!json.everything.contains("XXXX"))
        }
        let late = try world.run("verify-email", "--key", code)
        #expect(late.exitCode == 7)
        #expect(late.stderr.contains("cannot confirm the address: nothing waits for a code\n"))
        #expect(late.stderr.contains("if the address still waits to be verified, a new log-in has a new mail sent\n"))
        try world.run("verify-email", "--key", code, "--json").refusal(7, "not-found")
        try world.run("verify-email", "--json").refusal(7, "not-found")
        // As it says.
        #expect(try site.logIn("bea@example.com").exitCode == 5)
        #expect(try world.run("verify-email", "--key", try site.code(to: "bea@example.com")).exitCode == 0)
        #expect(try world.run("whoami").exitCode == 0)
    }

    @Test func `another code takes the place of the first`() throws {
        try site.signUp(email: "cleo@example.com")
        let first = try site.code(to: "cleo@example.com")
        let again = try world.run("verify-email")
        #expect(again.exitCode == 0)
        #expect(again.stdout == "a mail was sent to cleo@example.com: give its code with --key CODE\n")
        let code = try site.code(to: "cleo@example.com")
        #expect(code != first)
        #expect(!again.everything.contains(code))
        try world.run("verify-email", "--key", first, "--json").refusal(4, "wrong-code")
        let verified = try world.run("verify-email", "--key", code)
        #expect(verified.stdout == "the address is verified; logged in as cleo (profile 'site')\n")
    }

    @Test func `a log-in waits for its code as well`() throws {
        try site.signUp(email: "dora@example.com", "-q")
        let phone = try site.another()
        let count = site.mails(to: "dora@example.com").count
        let login = try phone.logIn("dora@example.com")
        #expect(login.exitCode == 5)
        #expect(login.stderr.contains("give its code: authctl verify-email --key CODE\n"))
        #expect(site.mails(to: "dora@example.com").count == count + 1)
        #expect(phone.world.mode(phone.pendingFile) == 0o600)
        #expect(try phone.world.run("whoami").exitCode == 3)
        #expect(try phone.world.run("verify-email", "--key", try site.code(to: "dora@example.com")).exitCode == 0)
        #expect(try phone.world.run("whoami").stdout.hasPrefix("dora "))
    }

    @Test func `what waits is forgotten with a log-in, a log-out, or its profile`() throws {
        try site.signUp(email: "edda@example.com")
        try site.server.change("verify", "edda")
        try site.signUp(email: "ella@example.com")
        #expect(world.isThere(site.pendingFile))
        #expect(try site.logIn("edda@example.com").exitCode == 0)
        #expect(!world.isThere(site.pendingFile))

        try site.signUp(email: "elsa@example.com")
        #expect(world.isThere(site.pendingFile))
        // The session of another account goes on meanwhile.
        #expect(try world.run("whoami").stdout.hasPrefix("edda "))
        #expect(try world.run("logout").exitCode == 0)
        #expect(!world.isThere(site.pendingFile))

        try site.signUp(email: "emil@example.com")
        #expect(try world.run("logout", "--json").exitCode == 0)
        #expect(!world.isThere(site.pendingFile))

        try world.run("profile", "add", "other", "--from", "site")
        try world.run("profile", "use", "other")
        try site.signUp(email: "erik@example.com")
        let file = "\(world.sessionFolder)/pending/other.json"
        #expect(world.isThere(file))
        try world.run("profile", "use", "site")
        let removed = try world.run("profile", "remove", "other")
        #expect(removed.exitCode == 0, "\(removed.stderr)")
        #expect(!world.isThere(file))
    }

    @Test func `what waits at one server is not sent to another`() throws {
        try site.signUp(email: "fay@example.com")
        let other = try SharedSites.server("none", .allauth)
        try world.run("profile", "set", "site", "server", other.url)
        let count = other.requests.count
        #expect(try world.run("verify-email", "--json").exitCode == 3)
        #expect(other.requests.count == count)
    }

    @Test func `a site that mails its code once says how to get another`() throws {
        let once = try AllauthSite("mandatory-code-noresend")
        try once.signUp(email: "ada@example.com")
        let again = try once.world.run("verify-email")
        #expect(again.exitCode == 7)
        #expect(again.stderr.contains("nothing waits for a mail, or the site does not send it again\n"))
        #expect(again.stderr.contains("if the address still waits to be verified, a new log-in has a new mail sent\n"))
        // The first one is still good.
        #expect(try once.world.run("verify-email", "--key", try once.code(to: "ada@example.com")).exitCode == 0)
    }

    @Test func `a taken address gets no code, and nothing tells that`() throws {
        try site.signUp(email: "gina@example.com", "-q")
        try site.server.change("verify", "gina")
        let phone = try site.another()
        let signup = try phone.signUp(email: "gina@example.com")
        #expect(signup.exitCode == 0)
        #expect(signup.stdout.contains("if this address is new, a mail is on its way to gina@example.com\n"))
        #expect(try site.mail(to: "gina@example.com").code == nil)
        try phone.world.run("verify-email", "--key", "XXXX-XXXX", "--json").refusal(4, "wrong-code")
    }

    @Test func `somebody who comes by Facebook waits for a code, too`() throws {
        let login = try world.logIn(facebook: "tok-ann")
        #expect(login.exitCode == 5)
        #expect(login.stderr.contains("give its code: authctl verify-email --key CODE\n"))
        #expect(try world.run("whoami").exitCode == 3)
        let code = try site.code(to: "ann.face@example.com")
        #expect(try world.run("verify-email", "--key", code).exitCode == 0)
        #expect(try world.run("whoami").exitCode == 0)
    }

    @Test func `with web tokens a code begins a session of them`() throws {
        let jwt = try AllauthSite("jwt-mandatory-code")
        #expect(try jwt.signUp(email: "ada@example.com").exitCode == 0)
        #expect(try jwt.world.run("token").exitCode == 3)
        let verified = try jwt.world.run("verify-email", "--key", try jwt.code(to: "ada@example.com"))
        #expect(verified.exitCode == 0)
        #expect(try jwt.world.storedPair().refresh != nil)
        #expect(try jwt.world.run("whoami").stdout.contains(", renewed by itself\n"))
        #expect(try jwt.world.run("logout").exitCode == 0)
    }
}
