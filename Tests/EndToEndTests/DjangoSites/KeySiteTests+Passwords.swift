import TestSupport
import Testing

/// Password changes, password resets and mails.
extension KeySiteTests {
    private static let new = "quite another one"

    @Test(arguments: Family.restAuths)
    func `a password change keeps the key of the session`(family: Family) throws {
        let site = try DjangoSite(family)
        try site.signUp("gil")
        let token = try site.token

        let wrong = try site.changePassword(from: "not that one", to: Self.new)
        #expect(wrong.exitCode == 4)
        #expect(wrong.errorLines.count == 1)
        try site.changePassword("--json", from: "not that one", to: Self.new).refusal(4, "wrong-password")

        let weak = try site.changePassword(from: Sandbox.password, to: "123")
        #expect(weak.exitCode == 7)
        // Each error is reported once.
        #expect(weak.errorLines.count == 4)
        #expect(weak.errorLines.count { $0.contains("too short") } == 1)
        let error = try site.changePassword("--json", from: Sandbox.password, to: "123").refusal(7, "weak-password")
        #expect(try error.object("fields").strings("password")?.count == 3)

        let changed = try site.changePassword("--json", from: Sandbox.password, to: Self.new)
        #expect(changed.exitCode == 0)
        #expect(try changed.document().string("kind") == "password.change")
        #expect(try site.token == token)
        #expect(try site.world.run("whoami").exitCode == 0)
        #expect(try site.logIn("gil").exitCode == 4)
        #expect(try site.logIn("gil", password: Self.new).exitCode == 0)
    }

    @Test(arguments: Family.restAuths)
    func `the link of a mail resets the password`(family: Family) throws {
        let site = try DjangoSite(family)
        try site.signUp("hal")
        let mail = try site.world.run("password", "reset", "hal@example.com")
        #expect(mail.exitCode == 0)
        #expect(mail.stdout.contains("hal@example.com"))
        let reset = try #require(try site.mail(to: "hal@example.com").reset)
        #expect(try site.choosePassword(Self.new, with: reset).status == 200)
        #expect(try site.logIn("hal").exitCode == 4)
        #expect(try site.logIn("hal", password: Self.new).exitCode == 0)

        // The response does not reveal whether an account exists.
        #expect(try site.world.run("password", "reset", "stranger@example.com", "--json").exitCode == 0)
        #expect(!site.server.mails.contains { $0.text.contains("stranger") })
        let error = try site.world.run("password", "reset", "nonsense", "--json").refusal(7, "invalid-fields")
        #expect(try error.object("fields").keys == ["email"])
    }

    @Test func `dj-rest-auth sends a verification mail whose key works once`() throws {
        let site = try DjangoSite(.djRestAuth)
        let world = site.world
        try site.signUp("ian")
        #expect(try world.run("verify-email").stdout.contains("ian@example.com"))
        let first = try site.mail(to: "ian@example.com")
        #expect(try world.run("verify-email", "--email", "ian@example.com", "--json").document().flag("sent") == true)
        #expect(site.server.mails.count { $0.text.contains("To: ian@example.com") } == 2)
        // Many mails contain the key percent-encoded.
        let key = try #require(first.verificationKey).replacing(":", with: "%3A")
        #expect(try world.run("verify-email", "--key", key).exitCode == 0)
        try world.run("verify-email", "--key", key, "--json").refusal(7, "not-found")
    }
}
