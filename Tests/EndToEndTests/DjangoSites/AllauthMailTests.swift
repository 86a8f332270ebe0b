import TestSupport
import Testing

/// Addresses that are confirmed by the link of a mail, at sites with allauth's headless API.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct AllauthMailTests {
    // MARK: Not needed to log in

    @Test func `optional: an account made of an e-mail alone is good, and confirmed later`() throws {
        let site = try AllauthSite("optional")
        let world = site.world
        let signup = try site.signUp(email: "ada@example.com", "--json")
        #expect(signup.exitCode == 0)
        #expect(try signup.document().isNull("pending"))
        #expect(try signup.document().object("user").string("username") == "ada")
        #expect(site.mails(to: "ada@example.com").count == 1)

        let again = try world.run("verify-email")
        #expect(again.exitCode == 0)
        #expect(again.stdout == "a mail was sent to ada@example.com: follow its link\n")
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
        #expect(used.stderr.contains("the key is unknown, used, or has run out\n"))
        try world.run("verify-email", "--key", "nonesuch", "--json").refusal(7, "not-found")
        let count = site.server.mails.count
        #expect(try world.run("verify-email").stdout == "the address ada@example.com is verified already\n")
        #expect(try world.run("verify-email", "--json").document().flag("verified") == true)
        #expect(site.server.mails.count == count)
        try world.run("verify-email", "--email", "eve@example.com", "--json").refusal(7, "not-found")
        #expect(try world.run("whoami").exitCode == 0)
    }

    @Test func `optional: nobody is sent a mail who is not logged in`() throws {
        let site = try AllauthSite("optional")
        try site.world.run("verify-email", "--json").refusal(3, "no-session")
        let text = try site.world.run("verify-email", "--email", "ada@example.com")
        #expect(text.exitCode == 10)
        #expect(text.stderr.contains("log in again: with the right password a new mail is sent"))
    }

    // MARK: Needed to log in

    @Test func `mandatory-link: a signup waits for the link, and then one logs in`() throws {
        let site = try AllauthSite("mandatory-link")
        let world = site.world
        let signup = try site.signUp(email: "ann@example.com")
        #expect(signup.exitCode == 0)
        #expect(
            signup.stdout.hasPrefix("if this address is new, a mail is on its way to ann@example.com\nFollow its link"))
        #expect(signup.stdout.contains("authctl login -p site\n"))
        #expect(signup.stdout.contains("look in the spam folder.\n"))
        #expect(try world.run("whoami").exitCode == 3)

        let early = try site.logIn("ann@example.com")
        #expect(early.exitCode == 5)
        #expect(
            early.stderr.contains("cannot log in as 'ann@example.com': the e-mail is not verified yet\n"))
        #expect(early.stderr.contains("a mail is on its way: follow its link"))
        try site.logIn("ann@example.com", "--json").refusal(5, "email-unverified")
        // Said to nobody who does not know the password.
        try site.logIn("ann@example.com", "--json", password: "not that one").refusal(4, "wrong-password")
        try world.run("verify-email", "--key", "nonesuch", "--json").refusal(7, "not-found")

        let key = try #require(try site.mail(to: "ann@example.com").verificationKey)
        let verified = try world.run("verify-email", "--key", key)
        #expect(verified.stdout == "the address is verified\n")
        #expect(!world.isThere(site.pendingFile))
        #expect(try world.run("whoami").exitCode == 3)
        #expect(try site.logIn("Ann@example.com").stdout.hasPrefix("logged in as ann "))
        #expect(try world.run("whoami").exitCode == 0)
    }

    @Test func `mandatory-link: a taken address is answered like a new one, and its owner is told`() throws {
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

    @Test func `mandatory-link: the mail comes again with a log-in alone`() throws {
        let site = try AllauthSite("mandatory-link")
        try site.signUp(email: "cat@example.com")
        let count = site.mails(to: "cat@example.com").count
        let text = try site.world.run("verify-email")
        #expect(text.exitCode == 7)
        #expect(text.stderr.contains("if the address still waits to be verified, a new log-in has a new mail sent\n"))
        try site.world.run("verify-email", "--email", "cat@example.com", "--json").refusal(7, "not-found")
        #expect(site.mails(to: "cat@example.com").count == count)
        #expect(try site.logIn("cat@example.com").exitCode == 5)
        #expect(site.mails(to: "cat@example.com").count == count + 1)
    }

    @Test func `mandatory-link: a user name may be given, but one logs in by e-mail`() throws {
        let site = try AllauthSite("mandatory-link")
        #expect(try site.signUp("dan").exitCode == 0)
        try site.server.change("verify", "dan")
        let byName = try site.logIn("dan")
        #expect(byName.exitCode == 7)
        #expect(byName.stderr.contains("cannot log in as 'dan': the site knows people by their e-mail\n"))
        #expect(byName.stderr.contains("authctl: hint: give the address in the place of the user name\n"))
        try site.logIn("dan", "--json").refusal(7, "invalid-fields")
        #expect(try site.logIn("dan@example.com").stdout.hasPrefix("logged in as dan "))
    }
}

// MARK: - At a terminal

extension AllauthMailTests {
    @Test func `signup asks for the e-mail alone where people are known by it`() throws {
        let site = try AllauthSite("mandatory-link")
        let terminal = try PseudoTerminal()
        let signup = try site.world.start(["signup"], terminal: terminal)
        #expect(terminal.answer("E-mail: ", "eda@example.com"))
        #expect(terminal.answer("Password: ", Sandbox.password))
        #expect(terminal.answer("The same again: ", Sandbox.password))
        #expect(signup.wait().exitCode == 0)
        #expect(!terminal.shown.contains("User name"))
        #expect(!terminal.shown.contains(Sandbox.password))
        #expect(terminal.shown.contains("a mail is on its way to eda@example.com"))

        try site.server.change("verify", "eda")
        let second = try PseudoTerminal()
        let login = try site.world.start(["login"], terminal: second)
        #expect(second.answer("E-mail: ", "eda@example.com"))
        #expect(second.answer("Password: ", Sandbox.password))
        #expect(login.wait().exitCode == 0)
        #expect(second.shown.contains("logged in as "))
    }

    @Test func `signup and login ask for what the site takes`() throws {
        let site = try AllauthSite("none")
        let terminal = try PseudoTerminal()
        let signup = try site.world.start(["signup"], terminal: terminal)
        #expect(terminal.answer("User name (Enter for none): ", "flo"))
        #expect(terminal.answer("E-mail (Enter for none): ", "flo@example.com"))
        #expect(terminal.answer("Password: ", Sandbox.password))
        #expect(terminal.answer("The same again: ", Sandbox.password))
        #expect(signup.wait().exitCode == 0)
        let second = try PseudoTerminal()
        let login = try site.world.start(["login"], terminal: second)
        #expect(second.answer("User name or e-mail: ", "flo"))
        #expect(second.answer("Password: ", Sandbox.password))
        #expect(login.wait().exitCode == 0)
    }

    @Test func `a closed site says so before it asks for anything`() throws {
        let site = try AllauthSite("closed")
        for words in [[], ["ada"], ["ada", "--email", "ada@example.com"]] {
            let terminal = try PseudoTerminal()
            let signup = try site.world.start(["signup"] + words, terminal: terminal)
            #expect(terminal.waitFor("the site is closed for sign-up"))
            #expect(signup.wait().exitCode == 5)
            for question in ["User name", "E-mail", "Password"] { #expect(!terminal.shown.contains(question)) }
        }
    }
}
