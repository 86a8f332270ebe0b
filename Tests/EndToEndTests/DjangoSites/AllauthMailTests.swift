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

    @Test func `verify-email sends no mail when not logged in at allauth`() throws {
        let site = try AllauthSite("optional")
        try site.world.run("verify-email", "--json").refusal(3, "no-session")
        let text = try site.world.run("verify-email", "--email", "ada@example.com")
        #expect(text.exitCode == 10)
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

    @Test func `a signup with a taken address gets the answer of a new one`() throws {
        let site = try AllauthSite("mandatory-link")
        let address = "ben@example.com"
        let first = try site.signUp(email: address, "--json").document()
        try site.server.change("verify", "ben")
        let again = try site.signUp(email: address, "--json", password: "quite another one")
        #expect(again.exitCode == 0)
        let document = try again.document()
        #expect(document.string("pending") == "email-verification")
        #expect(document.isNull("session"))
        #expect(document.strings("warnings") == first.strings("warnings"))
        #expect(document.keys == first.keys)
        #expect(try site.mail(to: address).text.contains("an account using that email address already exists"))
        #expect(try site.logIn(address).exitCode == 0)
    }

    @Test func `a login sends the verification mail again`() throws {
        let site = try AllauthSite("mandatory-link")
        try site.signUp(email: "cat@example.com")
        let count = site.mails(to: "cat@example.com").count
        let text = try site.world.run("verify-email")
        #expect(text.exitCode == 7)
        try site.world.run("verify-email", "--email", "cat@example.com", "--json").refusal(7, "not-found")
        #expect(site.mails(to: "cat@example.com").count == count)
        #expect(try site.logIn("cat@example.com").exitCode == 5)
        #expect(site.mails(to: "cat@example.com").count == count + 1)
    }

    @Test func `a site with e-mail logins rejects the username`() throws {
        let site = try AllauthSite("mandatory-link")
        #expect(try site.signUp("dan").exitCode == 0)
        try site.server.change("verify", "dan")
        let byName = try site.logIn("dan")
        #expect(byName.exitCode == 7)
        try site.logIn("dan", "--json").refusal(7, "invalid-fields")
        #expect(try site.logIn("dan@example.com").stdout.contains("dan"))
    }
}

// MARK: - At a terminal

extension AllauthMailTests {
    @Test func `a signup asks for the e-mail only at a site with e-mail logins`() throws {
        let site = try AllauthSite("mandatory-link")
        let terminal = try PseudoTerminal()
        let signup = try site.world.start(["signup"], terminal: terminal)
        #expect(terminal.answer(Prompt.email, "eda@example.com"))
        #expect(terminal.answer(Prompt.password, Sandbox.password))
        #expect(terminal.answer(Prompt.confirmation, Sandbox.password))
        #expect(signup.wait().exitCode == 0)
        #expect(!terminal.shown.contains(Prompt.username))
        #expect(!terminal.shown.contains(Sandbox.password))
        #expect(terminal.shown.contains("eda@example.com"))

        try site.server.change("verify", "eda")
        let second = try PseudoTerminal()
        let login = try site.world.start(["login"], terminal: second)
        #expect(second.answer(Prompt.email, "eda@example.com"))
        #expect(second.answer(Prompt.password, Sandbox.password))
        #expect(login.wait().exitCode == 0)
    }

    @Test func `signup and login ask for the names that the site accepts`() throws {
        let site = try AllauthSite("none")
        let terminal = try PseudoTerminal()
        let signup = try site.world.start(["signup"], terminal: terminal)
        #expect(terminal.answer(Prompt.optionalUsername, "flo"))
        #expect(terminal.answer(Prompt.optionalEmail, "flo@example.com"))
        #expect(terminal.answer(Prompt.password, Sandbox.password))
        #expect(terminal.answer(Prompt.confirmation, Sandbox.password))
        #expect(signup.wait().exitCode == 0)
        let second = try PseudoTerminal()
        let login = try site.world.start(["login"], terminal: second)
        #expect(second.answer(Prompt.usernameOrEmail, "flo"))
        #expect(second.answer(Prompt.password, Sandbox.password))
        #expect(login.wait().exitCode == 0)
    }

    @Test func `a signup at a closed site fails before any prompt`() throws {
        let site = try AllauthSite("closed")
        for words in [[], ["ada"], ["ada", "--email", "ada@example.com"]] {
            let terminal = try PseudoTerminal()
            let signup = try site.world.start(["signup"] + words, terminal: terminal)
            #expect(signup.wait().exitCode == 5)
            for prompt in [Prompt.username, Prompt.email, Prompt.password] { #expect(!terminal.shown.contains(prompt)) }
        }
    }
}
