import TestSupport
import Testing

/// A Django site with mandatory verification and logins by e-mail.
@Suite(
    .serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedDjangoServers("mandatory"))
struct MailSiteTests {
    typealias Family = DjangoServer.Family

    @Test(arguments: Family.restAuths)
    func `an account with an e-mail only can log in once it is verified`(family: Family) throws {
        let site = try DjangoSite(family)
        let world = site.world
        let signup = try world.start(
            ["signup", "--email", "ann@example.com", "--password-stdin"], input: .password
        ).wait()
        #expect(signup.exitCode == 0)
        #expect(signup.stdout.contains("ann@example.com") && signup.stdout.contains("authctl login -p site"))
        #expect(signup.stderr.isEmpty)
        #expect(try world.run("whoami").exitCode == 3)

        let early = try site.logIn("ann@example.com")
        #expect(early.exitCode == 5)
        #expect(early.stderr.contains("authctl verify-email --email ann@example.com\n"))
        try site.logIn("ann@example.com", "--json").refusal(5, "email-unverified")
        // The server reports an unverified address only to a user who knows the password.
        try site.logIn("ann@example.com", "--json", password: "not that one").refusal(4, "wrong-password")

        let key = try #require(try site.mail(to: "ann@example.com").verificationKey)
        let verified = try world.run("verify-email", "--key", key, "--json")
        #expect(try verified.document().flag("verified") == true)
        #expect(try site.logIn("Ann@example.com").exitCode == 0)
        let user = try world.run("whoami", "--json").document().object("user")
        #expect(user.string("email") == "ann@example.com")
        #expect(user.string("username") == "ann")
    }

    @Test(arguments: Family.restAuths)
    func `an account with a username logs in by e-mail at an e-mail site`(family: Family) throws {
        let site = try DjangoSite(family)
        let signup = try site.signUp("ben", "--json")
        #expect(signup.exitCode == 0)
        let document = try signup.document()
        #expect(document.flag("created") == true)
        #expect(document.isNull("session"))
        #expect(document.string("pending") == "email-verification")
        #expect(try document.object("user").string("email") == "ben@example.com")

        // The link of a mail contains the key percent-encoded.
        let key = try #require(try site.mail(to: "ben@example.com").verificationKey)
        let encoded = key.replacing(":", with: "%3A")
        #expect(try site.world.run("verify-email", "--key", encoded).exitCode == 0)
        let again = try site.world.run("verify-email", "--key", key)
        // django-rest-auth accepts a key again.
        #expect(again.exitCode == (family == .restAuth ? 0 : 7))

        let byName = try site.logIn("ben")
        #expect(byName.exitCode == 7)
        #expect(byName.stderr.contains("'ben'"))
        try site.logIn("ben", "--json").refusal(7, "invalid-fields")
        #expect(try site.logIn("ben@example.com").stdout.contains("ben"))
        #expect(try site.changePassword(from: Sandbox.password, to: "quite another one").exitCode == 0)
        #expect(try site.world.run("whoami").exitCode == 0)
    }

    @Test(arguments: Family.restAuths)
    func `verify-email sends the mail again if the site supports it`(family: Family) throws {
        let site = try DjangoSite(family)
        try site.signUp("cat")
        let again = try site.world.run("verify-email", "--email", "cat@example.com", "--json")
        guard family == .djRestAuth else {
            try again.refusal(10, "unsupported")
            return
        }
        #expect(try again.document().flag("sent") == true)
        #expect(site.server.mails.count { $0.text.hasPrefix("To: cat@example.com\n") } == 2)
        try site.world.run("verify-email", "--json").refusal(3, "no-session")
    }
}

// MARK: - At a terminal

extension MailSiteTests {
}

extension PseudoTerminal {
    func answer(_ question: String, _ text: String) -> Bool {
        guard waitFor(question) else { return false }
        type("\(text)\n")
        return true
    }
}
