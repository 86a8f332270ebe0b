import TestSupport
import Testing

/// Requests that sites with allauth's headless API reject.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct AllauthRefusalTests {
    @Test func `allauth tells a taken name from a taken e-mail`() throws {
        let site = try AllauthSite("none")
        try site.join("ada")
        let name = try site.world.start(
            ["signup", "ada", "--email", "new@example.com", "--password-stdin"], input: .password
        ).wait()
        #expect(name.exitCode == 6)
        #expect(name.stderr.contains("authctl login ada\n"))
        let words = ["--email", "ADA@example.com", "--password-stdin", "--json"]
        try site.world.start(["signup", "ida"] + words, input: .password).wait().refusal(6, "email-taken")
        // Both are taken. The message reports the username, which is the first field.
        let both = try site.signUp("ada", "--json")
        #expect(both.exitCode == 6)
        #expect(try both.error().object("fields").keys == ["username", "email"])
        #expect(try site.world.run("whoami").exitCode == 0)
    }

    @Test func `a signup at allauth reports all invalid fields at once`() throws {
        let site = try AllauthSite("none")
        let words = ["signup", "a b", "--email", "x", "--password-stdin"]
        let json = try site.world.start(words + ["--json"], input: "12345\n").wait().refusal(7, "invalid-fields")
        #expect(try json.object("fields").keys == ["username", "email", "password"])
        #expect(try json.object("fields").strings("password")?.count == 3)
        let text = try site.world.start(words, input: "12345\n").wait()
        #expect(text.exitCode == 7)
        #expect(text.stderr.contains("'a b'"))
        #expect(text.stderr.contains("  email: \"Enter a valid email address.\"\n"))
        #expect(!text.everything.contains("12345"))
        try site.signUp("alma", "--json", password: "12345").refusal(7, "weak-password")
        try site.world.start(["signup", "alma", "--password-stdin", "--json"], input: .password).wait()
            .refusal(7, "invalid-fields")
        try site.signUp(email: "alma@example.com", "--json").refusal(7, "invalid-fields")
        #expect(try site.world.run("whoami").exitCode == 3)
    }

    @Test func `a signup at a closed site is forbidden`() throws {
        let site = try AllauthSite("closed")
        let text = try site.signUp("ada")
        #expect(text.exitCode == 5)
        try site.signUp("ada", "--json").refusal(5, "forbidden")
    }

    @Test func `allauth rejects logins and requests after too many`() throws {
        let site = try AllauthSite("limits")
        try site.join("ada")
        for _ in 0..<5 {
            try site.logIn("ada", "--json", password: "not that one").refusal(4, "wrong-password")
        }
        let text = try site.logIn("ada")
        #expect(text.exitCode == 9)
        let json = try site.logIn("ada", "--json").refusal(9, "rate-limited")
        #expect(json.flag("retryable") == true)
        #expect(json.number("http") == 400)

        #expect(try site.world.run("verify-email").exitCode == 0)
        let mail = try site.world.run("verify-email")
        #expect(mail.exitCode == 9)
        try site.world.run("verify-email", "--json").refusal(9, "rate-limited")

        let address = AllauthSite.address("ada")
        for _ in 0..<5 { _ = try site.server.post("auth/password/request", #"{"email":"\#(address)"}"#) }
        let reset = try site.world.run("password", "reset", address, "--json")
        let error = try reset.refusal(9, "rate-limited")
        #expect(error.number("http") == 429)
        // The session is still valid.
        #expect(try site.world.run("whoami").exitCode == 0)
    }

    @Test func `a failing mail server leaves the outcome of a signup unknown`() throws {
        let site = try AllauthSite("mailfail")
        let text = try site.signUp(email: "ada@example.com")
        #expect(text.exitCode == 8)
        #expect(text.stderr.contains("authctl login ada@example.com\n"))
        try site.signUp(email: "bea@example.com", "--json").refusal(8, "outcome-unknown")
        try site.logIn("ada@example.com", "--json").refusal(9, "server-fault")
        #expect(!site.world.isThere(site.world.sessionFile("site")))
    }

    @Test func `authctl asks a German site for English`() throws {
        let site = try AllauthSite("german")
        let error = try site.signUp("ada", "--json", password: "12345").refusal(7, "weak-password")
        #expect(try error.object("fields").strings("password")?.first?.hasPrefix("This password is too short.") == true)
        try site.logIn("nobody", "--json").refusal(4, "wrong-password")
    }

    @Test(arguments: ["", "/_allauth/app/v1/", "/_allauth/browser/v1", "/accounts"])
    func `a wrong base URL of allauth is reported`(path: String) throws {
        let good = try AllauthSite("none")
        let host = good.server.url.replacing("/_allauth/app/v1", with: "")
        try good.world.run("profile", "set", "site", "server", host + path)
        let login = try good.logIn("nobody", "--json")
        if path.hasSuffix("/") {
            // A final slash is dropped.
            try login.refusal(4, "wrong-password")
        } else {
            let error = try login.error()
            #expect(login.exitCode == 8, "\(login.everything)")
            #expect(["wrong-endpoint", "broken-answer"].contains(error.string("reason")))
        }
    }
}
