import TestSupport
import Testing

/// Signups and logins that the site rejects.
extension KeySiteTests {
    @Test(arguments: Family.restAuths)
    func `a signup at a key site reports all invalid fields at once`(family: Family) throws {
        let site = try DjangoSite(family)
        let words = ["signup", "bad name!", "--email", "nonsense", "--password-stdin"]
        let text = try site.world.start(words, input: "123").wait()
        #expect(text.exitCode == 7)
        #expect(text.stderr.contains("'bad name!'"))
        for field in [
            "username: \"Enter a valid username.", "email: \"Enter a valid", "password: \"This password is too",
        ] {
            #expect(text.stderr.contains("authctl: error:   \(field)"), "\(text.stderr)")
        }
        let fields = try site.world.start(words + ["--json"], input: "123").wait()
            .refusal(7, "invalid-fields").object("fields")
        #expect(fields.keys == ["username", "email", "password"])
        #expect(fields.strings("password")?.count == 3)
    }

    @Test(arguments: Family.restAuths)
    func `a weak password has the reason weak-password`(family: Family) throws {
        let site = try DjangoSite(family)
        let fields = try site.signUp("kim", "--json", password: "123").refusal(7, "weak-password").object("fields")
        #expect(fields.keys == ["password"])
        let text = try site.signUp("kim", password: "123")
        #expect(text.errorLines.count == 4)
        #expect(text.errorLines[0].contains("'kim'"))
    }

    @Test(arguments: Family.restAuths)
    func `a taken username is reported before a taken e-mail`(family: Family) throws {
        let site = try DjangoSite(family)
        try site.signUp("lea")
        let words = ["signup", "lea", "--password-stdin", "--json", "--email"]
        for email in ["lea2@example.com", "lea@example.com"] {
            let error = try site.world.start(words + [email], input: .password).wait().refusal(6, "username-taken")
            #expect(error.string("hint")?.hasSuffix("authctl login lea") == true)
            #expect(try error.object("fields").keys.contains("username"))
        }
        let text = try site.signUp("lea")
        #expect(text.exitCode == 6)
        // The password is invalid as well, so the reason is not username-taken.
        let fields = try site.signUp("lea", "--json", password: "123").refusal(7, "invalid-fields").object("fields")
        #expect(fields.keys.isSuperset(of: ["username", "password"]))
    }

    @Test(arguments: Family.restAuths)
    func `a taken e-mail is reported`(family: Family) throws {
        let site = try DjangoSite(family)
        try site.signUp("mia")
        if family == .djRestAuth {
            // For dj-rest-auth an address is taken only once it is verified.
            try site.world.run("verify-email")
            let key = try #require(try site.mail(to: "mia@example.com").verificationKey)
            try #require(try site.world.run("verify-email", "--key", key).exitCode == 0)
        }
        let words = ["signup", "mia2", "--email", "Mia@example.com", "--password-stdin", "--json"]
        let error = try site.world.start(words, input: .password).wait().refusal(6, "email-taken")
        #expect(error.string("hint")?.hasSuffix("authctl login NAME") == true)
    }

    @Test(arguments: Family.restAuths)
    func `a field that the site requires is named`(family: Family) throws {
        let site = try DjangoSite(family)
        let noEmail = try site.world.signUp("ned")
        #expect(noEmail.exitCode == 7)
        #expect(noEmail.stderr.contains(#""This field is required.""#))
        #expect(noEmail.errorLines.count == 1)
        let fields = try site.world.signUp("ned", "--json").refusal(7, "invalid-fields").object("fields")
        #expect(fields.keys == ["email"])
        let words = ["signup", "--email", "ned@example.com", "--password-stdin", "--json"]
        let noName = try site.world.start(words, input: .password).wait().refusal(7, "invalid-fields")
        #expect(try noName.object("fields").keys == ["username"])
    }

    @Test(arguments: Family.restAuths)
    func `a disabled account is reported and a deleted one is unknown`(family: Family) throws {
        let site = try DjangoSite(family)
        let world = site.world
        try site.signUp("oda")
        try site.server.change("deactivate", "oda")
        try world.run("whoami", "--json").refusal(5, "account-disabled")
        // A login does not reveal that the account is disabled.
        try site.logIn("oda", "--json").refusal(4, "wrong-password")
        try site.server.change("activate", "oda")
        #expect(try world.run("whoami").exitCode == 0)
        try site.server.change("delete", "oda")
        let gone = try world.run("whoami", "--json")
        #expect(gone.exitCode == 4)
        #expect(try gone.document().object("error").string("reason") == "session-revoked")
        try site.logIn("oda", "--json").refusal(4, "wrong-password")
        #expect(try world.run("logout", "--json").document().string("revoked") == "already")
    }
}
