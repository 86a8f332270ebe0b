import TestSupport
import Testing

/// Django sites with unusual settings.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed)) struct OddSiteTests {
    typealias Family = DjangoServer.Family

    private func site(_ family: Family, _ mode: String) throws -> DjangoSite {
        try DjangoSite(at: try DjangoServer(family, mode))
    }

    /// One package gives a key that it does not accept, the other only a cookie.
    @Test(arguments: Family.restAuths)
    func `a site with cookie sessions creates the account without a session`(family: Family) throws {
        let site = try site(family, "session")
        let signup = try site.signUp("ann")
        #expect(signup.exitCode == 0)
        #expect(signup.stdout.contains("ann"))
        // No hint to log in, because a login would fail, too.
        #expect(signup.warnings.count == 1 && signup.errorLines.count == 1)
        let document = try site.signUp("ben", "--json").document()
        #expect(document.flag("created") == true)
        #expect(document.isNull("session") && document.isNull("pending"))
        #expect(document.strings("warnings")?.count == 1)

        // If authctl sent the cookie again, the next login would get a 403.
        for name in ["ann", "ben", "ann@example.com"] {
            let error = try site.logIn(name, "--json").refusal(10, "unsupported")
            #expect(error.string("message")?.contains("'\(name)'") == true)
            #expect(error.string("hint")?.contains("REST_") == true)
        }
        #expect(!site.server.requests.contains { $0.hasPrefix("POST") && $0.hasSuffix(" 403") })
        try site.logIn("ann", "--json", password: "not that one").refusal(4, "wrong-password")
        #expect(try site.world.run("whoami").exitCode == 3)
    }

    @Test(arguments: Family.restAuths)
    func `a throttled request is reported with the time to wait`(family: Family) throws {
        let site = try site(family, "throttle")
        for _ in 0..<3 { #expect(try site.logIn("ann").exitCode == 4) }
        let text = try site.logIn("ann")
        #expect(text.exitCode == 9)
        #expect(text.stderr.contains(/too many requests\nauthctl: hint: try again after \d+ seconds?\n/))
        let login = try site.logIn("ann", "--json").refusal(9, "rate-limited")
        let signup = try site.signUp("ann", "--json").refusal(9, "rate-limited")
        for error in [login, signup] {
            #expect(error.number("retryAfter").map { (1...60).contains($0) } == true)
            #expect(error.flag("retryable") == true)
        }
        // No request was retried.
        #expect(site.server.requests.count == 6)
    }

    /// Some rejections differ only in their text, so authctl requests English texts.
    @Test(arguments: Family.restAuths)
    func `a German site's rejections have the same reasons`(family: Family) throws {
        let site = try DjangoSite(at: try DjangoServer(family, "mandatory", environment: ["SITE_LANGUAGE": "de"]))
        #expect(try site.signUp("ann", "--json").document().string("pending") == "email-verification")
        let spoken = try site.server.logIn("ann@example.com").complaint
        #expect(spoken != nil && spoken != "E-mail is not verified.")
        try site.logIn("ann@example.com", "--json").refusal(5, "email-unverified")
        try site.logIn("ann@example.com", "--json", password: "not that one").refusal(4, "wrong-password")
        try site.logIn("ann", "--json").refusal(7, "invalid-fields")
        try site.signUp("ann", "--json").refusal(6, "username-taken")
        try site.signUp("ben", "--json", password: "123").refusal(7, "weak-password")
        try site.world.run("verify-email", "--key", "x", "--json").refusal(7, "not-found")
        let key = try #require(try site.mail(to: "ann@example.com").verificationKey)
        try site.world.run("verify-email", "--key", key)
        #expect(try site.logIn("ann@example.com").exitCode == 0)
        try site.server.change("deactivate", "ann")
        try site.world.run("whoami", "--json").refusal(5, "account-disabled")
    }
}
