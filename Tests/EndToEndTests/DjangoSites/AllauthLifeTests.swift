import TestSupport
import Testing

/// Accounts of a site with allauth's headless API that asks for no verified address: from signup to logout.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct AllauthLifeTests {
    private let site: AllauthSite
    private let world: Sandbox
    private let server: DjangoServer

    init() throws {
        site = try AllauthSite("none")
        world = site.world
        server = site.server
    }

    @Test func `an account lives from signup to logout`() throws {
        let place = "(profile 'site', \(server.url))"
        let signup = try site.signUp("ada")
        #expect(signup.exitCode == 0)
        #expect(signup.stdout == "created account ada and logged in \(place)\n")
        #expect(signup.stderr.isEmpty)
        #expect(world.mode(world.sessionFile("site")) == 0o600)
        #expect(try world.run("whoami").stdout == "ada \(place)\ne-mail:  ada@example.com\n")
        let whoami = try world.run("whoami", "--json").document()
        #expect(whoami.string("state") == "valid")
        #expect(whoami.string("backend") == "allauth")
        let user = try whoami.object("user")
        #expect(user.string("id").flatMap { Int($0) } != nil)
        #expect(user.string("username") == "ada")
        #expect(user.string("email") == "ada@example.com")
        #expect(user.isNull("emailVerified") && user.isNull("providers"))
        #expect(try user.object("fields").flag("has_usable_password") == true)
        #expect(try whoami.object("session").isNull("expiresAt"))

        let token = try site.token
        #expect(token.wholeMatch(of: /[0-9a-z]{32}/) != nil)
        let variables = try world.run("exec", "--", "/usr/bin/env").stdout.split(separator: "\n")
        for variable in ["TOKEN=\(token)", "BACKEND=allauth", "SERVER=\(server.url)", "USERNAME=ada"] {
            #expect(variables.contains("AUTHCTL_\(variable)"))
        }
        let inner = try world.run(
            "exec", "--", "env", "AUTHCTL_CONFIG_DIR=\(world.root)/elsewhere", BuiltBinary.path, "whoami", "--json")
        #expect(try inner.document().string("source") == "environment")

        let (logout, asked) = try site.requests { try world.run("logout") }
        #expect(logout.exitCode == 0)
        #expect(logout.stdout == "logged out (profile 'site')\n")
        #expect(logout.stderr.isEmpty)
        #expect(asked == ["DELETE auth/session 401"])
        #expect(try server.session(token).status == 410)
        #expect(try world.run("logout", "--json").document().flag("changed") == false)
        #expect(try world.run("whoami").exitCode == 3)
    }

    @Test func `somebody logs in by user name or e-mail, in any case`() throws {
        try site.join("bea")
        for name in ["bea", "BEA", "bea@example.com", "Bea@Example.COM"] {
            let login = try site.logIn(name, "-q")
            #expect(login.stdout == "logged in as bea (profile 'site', \(server.url))\n", "\(login.stderr)")
        }
        try site.logIn("bea", "--json", password: "not that one").refusal(4, "wrong-password")
        try site.logIn("bea@example.com", "--json", password: "not that one").refusal(4, "wrong-password")
        let nobody = try site.logIn("nobody")
        #expect(nobody.exitCode == 4)
        #expect(nobody.stderr.contains("cannot log in as 'nobody': wrong user name or password\n"))
        #expect(nobody.stderr.contains("authctl signup nobody"))
        #expect(try world.run("whoami").exitCode == 0)
    }

    @Test func `a user name may hold the sign of an e-mail`() throws {
        let signup = try world.start(
            ["signup", "bo@home", "--email", "bo@example.com", "--password-stdin"], input: .password
        ).wait()
        #expect(signup.exitCode == 0)
        let (login, asked) = try site.requests { try site.logIn("bo@home", "-q") }
        #expect(login.stdout.hasPrefix("logged in as bo@home "))
        #expect(asked == ["POST auth/login 400", "POST auth/login 200"])
        try site.logIn("bo@home", "--json", password: "not that one").refusal(4, "wrong-password")
    }

    @Test func `a second log-in leaves the first session alive`() throws {
        try site.join("cleo")
        let first = try site.token
        let login = try site.logIn("cleo")
        #expect(login.stderr.contains("note: the session kept before ('cleo') was replaced"))
        #expect(try site.token != first)
        #expect(try server.session(first).status == 200)
        #expect(try world.run("logout").exitCode == 0)
        #expect(try server.session(first).status == 200)
    }

    @Test func `a session is kept by its token, if the server takes it`() throws {
        try site.join("dora")
        let token = try site.token
        let phone = try site.another().world
        let login = try phone.run("login", "--token-stdin", input: "\(token)\n")
        #expect(login.stdout == "logged in as dora (profile 'site', \(server.url))\n")
        #expect(try phone.token("site") == token)
        let bad = try phone.run("login", "--token-stdin", "--json", input: "0123456789abcdef\n")
        try bad.refusal(4, "token-refused")
        #expect(try phone.token("site") == token)
        #expect(try phone.run("logout").exitCode == 0)
        #expect(try world.run("whoami").exitCode == 4)
    }

    @Test func `the account is made without a session where none is wanted`() throws {
        let (signup, asked) = try site.requests { try site.signUp("edda", "--no-login") }
        #expect(signup.exitCode == 0)
        #expect(signup.stdout == "created account edda (profile 'site', \(server.url))\n")
        #expect(signup.stderr.isEmpty)
        #expect(!world.isThere(world.sessionFile("site")))
        #expect(asked == ["POST auth/signup 200", "DELETE auth/session 401"])
        #expect(try site.logIn("edda").exitCode == 0)
    }

    @Test func `a log-out of a session that is gone says so`() throws {
        try site.join("fay")
        _ = try server.ask("DELETE", "auth/session", options: ["-H", "X-Session-Token: \(try site.token)"])
        let logout = try world.run("logout")
        #expect(logout.exitCode == 0)
        #expect(logout.stdout == "logged out (profile 'site'); the session had already ended\n")
        try site.logIn("fay")
        _ = try server.ask("DELETE", "auth/session", options: ["-H", "X-Session-Token: \(try site.token)"])
        #expect(try world.run("logout", "--json").document().string("revoked") == "already")
    }

    /// A server says 410 to it, whatever is asked.
    @Test func `a session that was ended elsewhere is told by every command`() throws {
        try site.join("gina")
        _ = try server.ask("DELETE", "auth/session", options: ["-H", "X-Session-Token: \(try site.token)"])
        let whoami = try world.run("whoami", "--json")
        #expect(whoami.exitCode == 4)
        #expect(try whoami.document().string("state") == "rejected")
        #expect(try whoami.document().object("error").string("reason") == "session-revoked")
        #expect(try whoami.document().object("error").number("http") == 410)
        for words in [["sessions"], ["sessions", "revoke", "--all"], ["link-facebook", "--status"], ["verify-email"]] {
            let text = try world.start(words, input: .nothing).wait()
            #expect(text.exitCode == 4, "\(words): \(text.stderr)")
            #expect(text.stderr.contains("the server does not accept this session any more\n"))
            #expect(text.stderr.contains("authctl: hint: log in again: authctl login\n"))
        }
        for words in [["link-facebook", "--unlink"], ["verify-email"], ["sessions", "revoke", "--others"]] {
            try world.start(words + ["--json"], input: .nothing).wait().refusal(4, "session-revoked")
        }
        try world.run("link-facebook", "--token-stdin", "--json", input: "tok-ann\n").refusal(4, "session-revoked")
        try site.changePassword("--json", from: Sandbox.password, to: Sandbox.newPassword)
            .refusal(4, "session-revoked")
        // With the stored session nothing is asked of the server that others may do.
        #expect(try site.logIn("gina", "-q").exitCode == 0)
    }

    @Test func `an account that is disabled or gone is refused as such`() throws {
        try site.join("hana")
        try server.change("deactivate", "hana")
        #expect(try world.run("whoami").exitCode == 4)
        let login = try site.logIn("hana")
        #expect(login.exitCode == 5)
        #expect(login.stderr == "authctl: error: cannot log in as 'hana': the account is disabled\n")
        try site.logIn("hana", "--json").refusal(5, "account-disabled")
        // Said to nobody who does not know the password.
        try site.logIn("hana", "--json", password: "not that one").refusal(4, "wrong-password")
        try server.change("delete", "hana")
        try site.logIn("hana", "--json").refusal(4, "wrong-password")
        #expect(try world.run("whoami").exitCode == 4)
        #expect(try world.run("logout").exitCode == 0)
    }
}
