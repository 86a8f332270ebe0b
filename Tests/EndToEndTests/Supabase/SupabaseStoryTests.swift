import Foundation
import TestSupport

/// The life of accounts and sessions at a fake Supabase project.
@Suite(.mostlyWaits, .keepsInvariants) struct SupabaseStoryTests {
    private let server: SupabaseServer
    private let world: Sandbox

    init() throws {
        server = try SupabaseServer()
        world = try server.visitor()
    }

    // MARK: - Refresh

    private func refreshes() throws -> Int { try server.control().number("refreshes") ?? 0 }

    @Test func `forty processes with an expired token make one refresh, and all succeed`() throws {
        try world.signUp("ada@example.org")
        try world.letSessionRunOut("site")
        let words = (0..<40).map { $0.isMultiple(of: 2) ? ["whoami"] : ["token"] }
        let ends = try words.map { try world.start($0) }.map { $0.wait() }
        #expect(ends.allSatisfy { $0.exitCode == 0 && $0.stderr.isEmpty }, "\(ends.map(\.stderr))")
        try expect(refreshes(), 1)
        try expect(world.run("whoami").exitCode, 0)
    }

    @Test func `a refresh whose response is lost is repeated with the same token`() throws {
        try world.signUp("ada@example.org")
        try server.control(#"{"drop":1,"interval":0}"#)
        try world.letSessionRunOut("site")
        try expect(world.run("whoami").exitCode, 0)
        try expect(refreshes(), 2)
    }

    @Test func `a process that is killed during a refresh does not lose the session`() throws {
        try world.signUp("ada@example.org")
        for _ in 0..<3 {
            try world.letSessionRunOut("site")
            try server.control(#"{"hold":1,"interval":0}"#)
            let count = try refreshes()
            let killed = try world.start(["token"])
            while try refreshes() == count { usleep(20_000) }
            killed.send(SIGKILL)
            _ = killed.wait()
            try server.control(#"{"hold":0}"#)
            try expect(world.run("whoami").exitCode, 0)
        }
    }

    @Test func `a session whose old refresh token came back is revoked, and an ended one is not refreshed again`()
        throws
    {
        try world.signUp("ada@example.org")
        try server.control(#"{"interval":0}"#)
        let first = try world.storedPair()
        for _ in 0..<2 {
            try world.letSessionRunOut("site")
            try expect(world.run("token").exitCode, 0)
        }
        let body = #"{"refresh_token":"\#(try #require(first.refresh))"}"#
        let reuse = try world.start(
            [
                "-sS", "-H", "apikey: sb_publishable_test", "-d", body,
                "\(server.url)/auth/v1/token?grant_type=refresh_token",
            ],
            program: ["/usr/bin/curl"]
        ).wait()
        #expect(reuse.stdout.contains("refresh_token_already_used"))
        try world.letSessionRunOut("site")
        let count = try refreshes()
        for _ in 0..<2 {
            let state = try world.run("whoami", "--json")
            expect(state.exitCode, 4)
            try expect(state.document().string("state"), "rejected")
        }
        try expect(refreshes(), count + 1)
    }

    // MARK: - Accounts

    @Test func `a Supabase account lives from signup to its deletion by the administrator`() throws {
        let signup = try world.signUp("ada@example.org", "--field", "name=Ada", "--json").document()
        expect(signup.flag("created"), true)
        let header = try world.run("token", "--header").stdout.split(separator: "\n")
        #expect(
            header.first == "apikey: sb_publishable_test" && header.last?.hasPrefix("Authorization: Bearer ey") == true)
        let sessions = try world.run("sessions", "--json").document()
        expect(sessions.flag("complete"), false)
        try expect(world.run("account", "update", "--field", "name=Countess").exitCode, 0)
        let user = try world.run("whoami", "--json").document().object("user")
        try expect(user.object("fields").string("name"), "Countess")
        try expect(world.changePassword().exitCode, 0)
        try world.logIn("ada@example.org", "--json").refusal(4, "wrong-password")
        try expect(world.logIn("ada@example.org", password: Sandbox.newPassword).exitCode, 0)
        let revoke = try world.run("sessions", "revoke", "--others", "--json")
        #expect(try revoke.document().isNull("revoked"))
        try world.run("api", "/rest/v1/notes", "--paginate", "--json").refusal(2, "usage")
        let notes = try world.run("api", "/rest/v1/notes?order=id", "--paginate")
        expect(notes.stdout.split(separator: "\n").count, 5)
        #expect(try world.run("storage-state", server.url).stdout.contains("sb-127-auth-token"))
        try world.run("account", "delete", "--yes", "--json").refusal(10, "unsupported")
        let logout = try world.run("logout", "--json")
        try expect(logout.document().string("revoked"), "yes")
        #expect(logout.stderr.contains("check only the signature"))
    }

    @Test func `a user who is banned is rejected, before and after the token expires`() throws {
        try world.signUp("ada@example.org")
        try server.control(#"{"banned":"ada@example.org"}"#)
        for _ in 0..<2 {
            let state = try world.run("whoami", "--json")
            expect(state.exitCode, 5)
            let document = try state.document()
            expect(document.string("state"), "rejected")
            try expect(document.object("error").string("reason"), "account-disabled")
            try world.letSessionRunOut("site")
        }
    }

    @Test func `a signup that waits is finished by its link, and a taken address is not revealed as new`() throws {
        let signup = try world.signUp("new@example.org", "--json").document()
        #expect(signup.flag("created") == true && signup.string("pending") == "email-verification")
        try expect(world.run("whoami", "--json").document().string("pending"), "email-verification")
        try world.logIn("new@example.org", "--json").refusal(5, "email-unverified")
        let link = "\(server.url)/auth/v1/verify?token=\(try server.hash(to: "new@example.org"))&type=signup"
        #expect(try world.run("verify-email", "--key", link).stdout.contains("logged in as new@example.org"))
        try world.signUp("new@example.org", "--json").refusal(6, "email-taken")
        try world.run("verify-email", "--key", link, "--json").refusal(4, "wrong-code")
    }

    @Test func `a password is reset by the code of the e-mail, after a weak one was refused`() throws {
        try world.signUp("ada@example.org")
        try expect(world.run("password", "reset", "ada@example.org").exitCode, 0)
        func reset(_ password: String, _ more: String...) throws -> Finished {
            try world.start(
                ["password", "reset", "ada@example.org", "--key", "424242", "--password-stdin", "--json"],
                input: "\(password)\n"
            ).wait()
        }
        try reset("weak").refusal(7, "weak-password")
        try expect(reset("not so weak").exitCode, 0)
        #expect(try world.run("whoami").stdout.hasPrefix("ada@example.org"))
        try expect(world.logIn("ada@example.org", password: "not so weak").exitCode, 0)
    }

    @Test func `the factor of an account is asked for before a link sets its password, and the link is not used up`()
        throws
    {
        try world.signUp("single@example.org")
        try expect(world.run("profile", "set", "site", "mailpit", "\(server.url)/mailpit").exitCode, 0)
        try expect(world.run("password", "reset", "single@example.org").exitCode, 0)
        try world.write(world.run("mail", "--for", "reset", "--link").stdout, to: "\(world.home)/link")
        try world.write("another one", to: "\(world.home)/new")
        let words = ["password", "reset", "--key-file", "link", "--new-password-file", "new", "--json"]
        let first = try world.start(words, folder: world.home).wait().refusal(5, "second-factor-required")
        expect(first.string("hint")?.contains("--otp CODE"), true)
        try world.start(words + ["--otp", "000000"], folder: world.home).wait().refusal(4, "wrong-code")
        let done = try world.start(words + ["--otp", "123456"], folder: world.home).wait()
        expect(done.exitCode, 0, "\(done.everything)")
        try expect(world.logIn("single@example.org", "--otp", "123456", password: "another one").exitCode, 0)
    }

    @Test func `a login without a password takes only a new e-mail, and only a link of the right account`() throws {
        try expect(world.run("profile", "set", "site", "mailpit", "\(server.url)/mailpit").exitCode, 0)
        let ada = "ada@example.org"
        func logIn(_ more: String...) throws -> Finished {
            try world.start(["login", ada, "--send-code", "--from-mail", "--json"] + more).wait()
        }
        let unknown = try logIn().refusal(7, "not-found")
        expect(unknown.string("hint")?.contains("signup --send-code \(ada)"), true)
        let other = try world.run("login", "bob@example.org", "--otp", "1", "--json").refusal(2, "usage")
        #expect(other.string("message") == "no login of 'bob@example.org' waits for a code")
        for user in ["ada", "eve"] {
            let signup = try world.run("signup", "\(user)@example.org", "--as", user, "--send-code", "--json")
                .document()
            #expect(signup.isNull("created") && signup.string("pending") == "login-code", "\(signup)")
        }
        // An e-mail of eve with the link of eve's own account, and one with a link to another host.
        let link = "/auth/v1/verify?token=\(try server.hash(to: "eve@example.org"))&type=magiclink"
        try expect(world.run("profile", "set", "site", "linkOrigin", "http://127.0.0.1").exitCode, 0)
        try server.control(#"{"forge":["\#(ada)","http://127.0.0.1\#(link)"]}"#)
        let foreign = try world.run("login", ada, "--key-stdin", "--json", input: "http://127.0.0.1\(link)\n")
        try foreign.refusal(4, "wrong-code")
        #expect(foreign.stderr.contains("another account"))
        // That one is old now. After each new e-mail comes one with a link to another host, or of another account.
        for host in ["http://evil.example", "http://127.0.0.1"] {
            try expect(world.run("login", "eve@example.org", "--as", "eve", "--send-code").exitCode, 0)
            let link = "/auth/v1/verify?token=\(try server.hash(to: "eve@example.org"))&type=magiclink"
            try server.control(#"{"trap":["\#(ada)","\#(host)\#(link)"]}"#)
            let login = try logIn("--wait", "5")
            expect(login.exitCode, 0, "\(login.everything)")
            try expect(login.document().object("user").string("email"), ada)
            // Only the link to the right host was sent.
            #expect(((try? server.hash(to: "eve@example.org")) == nil) == (host == "http://127.0.0.1"))
        }
        // An account that exists gets no field.
        let again = ["signup", ada, "--send-code", "--from-mail", "--field", "name=Ada"]
        #expect(try world.start(again).wait().stderr.contains("does not show these values as they were sent: 'name'"))
        let used = try world.run("login", ada, "--key-stdin", "--json", input: "http://127.0.0.1\(link)\n")
        try used.refusal(4, "wrong-code")
        try server.control(#"{"limit":0}"#)
        let limited = try logIn().refusal(9, "rate-limited")
        #expect(limited.string("message")?.contains("email rate limit exceeded") == true)
        let phone = "+491701234567"
        let unsent = try world.run("signup", "--phone", phone, "--send-code")
        #expect(unsent.exitCode == 7 && unsent.stderr.contains("Error sending confirmation OTP to provider"))
        try server.control(#"{"sms":true,"limit":null}"#)
        try world.run("login", phone, "--send-code", "--json").refusal(7, "not-found")
        try expect(world.run("signup", "--phone", phone, "--send-code").exitCode, 0)
        try expect(world.run("login", phone, "--otp", "424242").exitCode, 0)
        try world.run("login", phone, "--send-code", "--from-mail", "--json").refusal(2, "usage")
        try expect(world.run("login", phone, "--send-code").exitCode, 0)
        try world.run("login", "--otp", "000000", "--json").refusal(4, "wrong-code")
        let user = try world.run("login", "--otp", "424242", "--json").document().object("user")
        expect(user.string("phone"), String(phone.dropFirst()))
    }

    @Test func `many accounts log in without passwords until the project sends no more e-mails`() throws {
        let users = (1...4).map { "b\($0)@example.org" }
        for user in users { try world.signUp(user, "--no-login") }
        try world.write(users.map { #"{"email":"\#($0)"}"# + "\n" }.joined(), to: "\(world.home)/rows")
        let words = [
            "users", "login", "--send-code", "--credentials", "rows", "--tokens", "t", "--mailpit",
            "\(server.url)/mailpit", "--jobs", "1", "--json",
        ]
        try server.control(#"{"limit":3}"#)
        let limited = try world.start(words, folder: world.home).wait()
        #expect(limited.exitCode == 9 && limited.stderr.contains("email rate limit exceeded"), "\(limited.everything)")
        try server.control(#"{"limit":1}"#)
        let rest = try world.start(words, folder: world.home).wait()
        #expect(rest.exitCode == 0 && rest.stdout.contains(#""skipped":3"#), "\(rest.everything)")
        try expect(world.text("\(world.home)/t").split(separator: "\n").count, 4)
        try world.start(["users", "login", "--wait", "1", "--json"]).wait().refusal(2, "usage")
    }

    @Test func `a password change that needs a code is finished with --otp`() throws {
        try world.signUp("ada@example.org")
        try server.control(#"{"reauthenticate":true}"#)
        func change(_ more: String...) throws -> Finished {
            try world.start(
                ["password", "change", "--password-stdin", "--json"] + more,
                input: "\(Sandbox.password)\n\(Sandbox.newPassword)\n"
            ).wait()
        }
        try change().refusal(5, "reauthentication-required")
        try change("--otp", "1").refusal(4, "wrong-code")
        try expect(change("--otp", "904187").exitCode, 0)
        // A code is good once.
        try world.run("password", "change", "--new-password-file", "key", "--json")
            .refusal(5, "reauthentication-required")
        let alone = try world.run("password", "change", "--new-password-file", "key", "--otp", "904187")
        expect(alone.exitCode, 0, "\(alone.everything)")
    }

    @Test func `an anonymous user, a second factor and an identity`() throws {
        try expect(world.run("login", "--anonymous", "--json").document().flag("created"), true)
        #expect(try world.signUp("single@example.org").stderr.contains("first level"))
        try world.logIn("single@example.org", "--otp", "1", "--json").refusal(4, "wrong-code")
        let login = try world.logIn("single@example.org", "--otp", "123456")
        #expect(login.exitCode == 0 && !login.stderr.contains("first level"))
        let payload = Data(#"{"sub":"k1"}"#.utf8).base64EncodedString().replacing("=", with: "")
        try world.write("eyJhbGciOiJub25lIn0.\(payload).c2ln", to: "\(world.home)/id-token")
        let link = try world.run("link", "google", "--id-token-file", "id-token", "--nonce", "n", "--json")
        try expect(link.document().string("id"), "k1", "\(link.everything)")
        try expect(world.run("link", "google", "--unlink", "--json").document().flag("changed"), true)
        try world.run("link", "google", "--token-file", "id-token", "--json").refusal(10, "unsupported")
    }

    // MARK: - Keys

    @Test func `a secret key is refused as the client key, and a publishable key as the administrator's`() throws {
        let words = ["--backend", "supabase", "--server", server.url, "--client-key-file", "secret", "--json"]
        for command in [["profile", "add", "other"], ["login", "ada@example.org", "--password-stdin"]] {
            let error = try world.start(command + words, input: .password).wait().refusal(2, "usage")
            expect(error.strings("hints")?.contains { $0.contains("--admin-key-file") }, true)
        }
        try world.run("profile", "set", "site", "clientKeyFile", "secret", "--json").refusal(2, "usage")
        try world.run("users", "list", "--admin-key-file", "key", "--json").refusal(5, "bad-app-key")
        try world.run(
            "whoami", "--server", server.url, "--backend", "supabase", "--json",
            environment: [
                "AUTHCTL_CLIENT_KEY": "sb_publishable_other", "AUTHCTL_TOKEN": "x", "AUTHCTL_BACKEND": "supabase",
                "AUTHCTL_SERVER": server.url,
            ]
        ).expectExit(5)
    }

    @Test func `the administrator creates, lists, impersonates and deletes accounts`() throws {
        let create = try world.run(
            "users", "create", "--count", "3", "--name", "ci-{n}@example.org", "--journal", "j", "--credentials", "c",
            "--admin-key-file", "secret")
        expect(create.exitCode, 0, "\(create.everything)")
        let list = try world.run("users", "list", "--admin-key-file", "secret", "--json")
        expect(list.stdout.split(separator: "\n").count, 3)
        let login = try world.run("login", "--impersonate", "ci-2@example.org", "--admin-key-file", "secret")
        #expect(login.exitCode == 0 && login.stderr.contains("counts this login"))
        try world.run("login", "--impersonate", "nobody@example.org", "--admin-key-file", "secret", "--json")
            .refusal(7, "not-found")
        try expect(world.run("users", "delete", "--journal", "j", "--admin-key-file", "secret", "--yes").exitCode, 0)
        #expect(try world.run("users", "list", "--admin-key-file", "secret", "--json").stdout.isEmpty)
    }

    /// supabase/supabase#37492: 759 accounts, of which an export had 748.
    @Test func `accounts of one time are all exported, and found by phone, although the server's pages overlap`() throws
    {
        try server.control(#"{"import":759}"#)
        let export = try world.run("users", "export", "--admin-key-file", "secret")
        let lines = export.stdout.split(separator: "\n")
        #expect(export.exitCode == 0 && lines.count == 759 && Set(lines).count == 759, "\(export.stderr)")
        for number in [0, 400, 758] {
            let phone = "+155500\(String(100_000 + number).dropFirst())"
            let show = try world.run("users", "show", phone, "--admin-key-file", "secret")
            #expect(show.stdout.contains("import-\(number)@"), "\(show.everything)")
        }
        let log = try server.control().strings("log") ?? []
        #expect(log.contains { $0.hasSuffix("page=1&per_page=1000") })
    }

    /// Source: runs of Supabase Auth 2.151.0 and 2.196.0.
    @Test func `the fake takes and checks password hashes as the versions of the server do`() throws {
        func create(_ name: String, _ members: String) throws -> String {
            let body = #"{"email":"\#(name)@example.org","email_confirm":true,\#(members)}"#
            return try world.start(
                [
                    "-sS", "-o", "/dev/null", "-w", "%{http_code}", "-H", "apikey: sb_secret_test", "-d", body,
                    "\(server.url)/auth/v1/admin/users",
                ], program: ["/usr/bin/curl"]
            ).wait().stdout
        }
        let hash = #""password_hash":"$2y$10$SXEz2HeT8PUIGQXo9yeUIem8KzNxgG0d7o/.eGj2rj8KbRgAuRVlq""#
        try expect(create("ada", hash), "200")
        try expect(create("bob", hash + #","password":"long enough""#), "400")
        try expect(create("bob", #""password_hash":"pbkdf2_sha256$1$a$b""#), "500")
        try server.control(#"{"version":"v2.151.0"}"#)
        try expect(create("bob", hash), "200")
        for (name, password, code) in [("ada", "test", 0), ("ada", "other", 4), ("bob", "test", 4)]
            as [(String, String, Int32)]
        {
            let login = try world.start(["login", "\(name)@example.org", "--password-stdin"], input: "\(password)")
                .wait()
            expect(login.exitCode, code, "\(login.everything)")
        }
    }

    @Test func `an account that waits counts as existing in users create`() throws {
        try world.write(#"{"email":"new@example.org","password":"long enough"}"#, to: "\(world.home)/rows")
        try expect(world.run("users", "create", "rows", "--journal", "a").exitCode, 0)
        let again = try world.run("users", "create", "rows", "--journal", "b", "--json")
        #expect(again.exitCode == 11 && again.stdout.contains(#""state":"existing""#), "\(again.everything)")
    }
}

extension Finished {
    fileprivate func expectExit(_ code: Int32) { expect(exitCode, code, "\(everything)") }
}
