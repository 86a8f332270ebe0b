import TestSupport
import Testing

/// E-mail verification by a link, at sites with allauth's headless API.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct AllauthMailTests {
    // MARK: Optional verification

    @Test func `an optional e-mail verification follows the login`() throws {
        let site = try AllauthSite("optional")
        let world = site.world
        let signup = try site.signUp(email: "ada@example.com", "--json")
        #expect(signup.exitCode == 0)
        #expect(try signup.document().isNull("pending"))
        #expect(try signup.document().object("user").string("username") == "ada")
        #expect(site.mails(to: "ada@example.com").count == 1)

        let again = try world.run("verify-email")
        #expect(again.exitCode == 0)
        #expect(again.stdout.contains("ada@example.com"))
        #expect(site.mails(to: "ada@example.com").count == 2)
        let json = try world.run("verify-email", "--email", "ada@example.com", "--json").document()
        #expect(json.flag("sent") == true)
        #expect(json.flag("verified") == false)

        let key = try #require(try site.mail(to: "ada@example.com").verificationKey)
        let verified = try world.run("verify-email", "--key", key.replacing(":", with: "%3A"), "--json")
        #expect(try verified.document().flag("verified") == true)
        #expect(try verified.document().isNull("user"))
        let used = try world.run("verify-email", "--key", key)
        #expect(used.exitCode == 7)
        try world.run("verify-email", "--key", "nonesuch", "--json").refusal(7, "not-found")
        let count = site.server.mails.count
        #expect(try world.run("verify-email", "--json").document().flag("sent") == false)
        #expect(try world.run("verify-email", "--json").document().flag("verified") == true)
        #expect(site.server.mails.count == count)
        try world.run("verify-email", "--email", "eve@example.com", "--json").refusal(7, "not-found")
        #expect(try world.run("whoami").exitCode == 0)
    }

    // MARK: Mandatory verification

    @Test func `a login works after the link of a mandatory verification`() throws {
        let site = try AllauthSite("mandatory-link")
        let world = site.world
        let signup = try site.signUp(email: "ann@example.com")
        #expect(signup.exitCode == 0)
        #expect(signup.stdout.contains("ann@example.com"))
        #expect(signup.stdout.contains("authctl login -p site\n"))
        #expect(try world.run("whoami").exitCode == 3)

        let early = try site.logIn("ann@example.com")
        #expect(early.exitCode == 5)
        try site.logIn("ann@example.com", "--json").refusal(5, "email-unverified")
        // The server reports an unverified address only to a user who knows the password.
        try site.logIn("ann@example.com", "--json", password: "not that one").refusal(4, "wrong-password")
        try world.run("verify-email", "--key", "nonesuch", "--json").refusal(7, "not-found")

        let key = try #require(try site.mail(to: "ann@example.com").verificationKey)
        #expect(try world.run("verify-email", "--key", key).exitCode == 0)
        #expect(!world.isThere(site.pendingFile))
        #expect(try world.run("whoami").exitCode == 3)
        #expect(try site.logIn("Ann@example.com").stdout.contains("ann"))
        #expect(try world.run("whoami").exitCode == 0)
    }
}

// MARK: - At a terminal

extension AllauthMailTests {
}
