import TestSupport

/// The life of accounts on real PocketBase servers, one story per subject and version.
@Suite(.mostlyWaits, .enabled(if: PocketBaseServer.isAvailable, "\(PocketBaseServer.absence)"), .keepsInvariants)
struct PocketBaseStoryTests {
    static let versions = PocketBaseServer.versions

    @Test(arguments: versions)
    func `a PocketBase account lives from signup to its deletion`(version: String) throws {
        let world = try Sandbox(visiting: PocketBaseServer(version))
        try expect(world.signUp("ada@example.org", "--field", "name=Ada").exitCode, 0)
        let user = try world.run("whoami", "--json").document().object("user")
        #expect(user.string("email") == "ada@example.org" && user.flag("emailVerified") == false)
        try expect(user.object("fields").string("name"), "Ada")
        try world.signUp("ada@example.org", "--json").refusal(6, "email-taken")
        let faults = try world.signUp("nope", "--email", "nope", "--json").refusal(7, "invalid-fields")
        try expect(faults.object("fields").keys, ["username"])
        try world.start(["login", "ada@example.org", "--password-stdin", "--json"], input: "no\n").wait()
            .refusal(4, "wrong-password")

        let token = try world.token("site")
        try expect(world.run("token", "--header").stdout, "Authorization: \(token)\n")
        #expect(try world.run("exec", "--", "/usr/bin/env").stdout.contains("AUTHCTL_AUTH_HEADER=Authorization: ey"))
        let path = "/api/collections/users/records/{me}"
        #expect(try world.run("api", path).stdout.contains(#""email":"ada@example.org""#))
        let state = try world.run("storage-state", "http://127.0.0.1:3000", "--local-storage", "x")
        #expect(state.stdout.contains("pocketbase_auth"), "\(state.everything)")
        let sessions = try world.run("sessions", "--json").document()
        expect(sessions.flag("complete"), false)
        try expect(sessions.objects("items").map { $0.flag("current") }, [true])
        try expect(world.run("sessions", "revoke", "other").exitCode, 10)

        try expect(world.run("account", "update", "--field", "name=Countess").exitCode, 0)
        try expect(world.changePassword().exitCode, 0)
        try expect(world.run("whoami", "--json").document().object("user").object("fields").string("name"), "Countess")
        try expect(world.run("whoami", environment: ["AUTHCTL_TOKEN": token]).exitCode, 4)
        try expect(
            world.run("login", "ada@example.org", "--password-stdin", input: "\(Sandbox.newPassword)\n").exitCode, 0)
        let out = try world.run("logout", "--json")
        #expect(try out.document().string("revoked") == "unsupported" && out.stderr.contains("until 20"))
        try world.run("login", "ada@example.org", "--password-stdin", input: "\(Sandbox.newPassword)\n")
        try expect(world.run("account", "delete", "--yes").exitCode, 0)
        try world.logIn("ada@example.org", "--json").refusal(4, "wrong-password")
    }

    @Test(arguments: versions)
    func `a collection with usernames, required fields and rules`(version: String) throws {
        let server = try PocketBaseServer(version)
        let world = try Sandbox(visiting: server, "members")
        let faults = try world.signUp("Ada!", "--email", "ada", "--json").refusal(7, "invalid-fields")
        try expect(faults.object("fields").keys, ["username", "email", "city"])
        let more = ["--field", "city=London", "--field-json", "age=36"]
        let ada = try world.start(
            ["signup", "ada", "--email", "ada@example.org", "--password-stdin"] + more, input: .password
        ).wait()
        expect(ada.exitCode, 0, "\(ada.everything)")
        // The collection is a setting, which `exec` hands down.
        let inside = try world.run("exec", "--", BuiltBinary.path, "whoami")
        expect(inside.exitCode, 0, "\(inside.everything)")
        try world.signUp("ada", "--email", "b@example.org", "--field", "city=Rome", "--json").refusal(
            6, "username-taken")
        try expect(world.logIn("ada").exitCode, 0)
        try expect(world.run("whoami", "--json").document().object("user").object("fields").number("age"), 36)
        try expect(world.run("account", "update", "--username", "countess").exitCode, 0)
        try expect(world.logIn("countess").exitCode, 0)
        try world.run("account", "update", "--unset", "city", "--json").refusal(7, "invalid-fields")
        try expect(world.run("account", "update", "--field", "age=37", "--field", "born=1999-02-11").exitCode, 0)
        try world.run("account", "update", "--field", "age=x9", "--json").refusal(7, "invalid-fields")
        let row = #"{"username":"row","email":"row@example.org","password":"longenough1","city":"Rome","age":"x9","#
        let born = #""born":{"__type":"Date","iso":"1999-02-11T01:02:03.456Z"}}"#
        try world.write(row + born, to: "\(world.root)/rows")
        let bulk = try world.start(["users", "create", "rows", "--journal", "j", "--strict"], folder: world.root).wait()
        #expect(bulk.exitCode == 11 && bulk.stderr.contains("as they were sent: 'age'\n"), "\(bulk.everything)")

        // The four ways to deny: an empty list, 404, 400 and 403.
        func api(_ words: String...) throws -> Int32? { try world.start(["api"] + words).wait().exitCode }
        let notes = "/api/collections/notes/records"
        let note = try world.run("api", notes, "-f", "owner={me}", "-f", "text=x")
        expect(note.exitCode, 5)
        let me = try #require(try world.run("whoami", "--json").document().object("user").string("id"))
        let own = try world.run("api", notes, "-f", "owner=\(me)", "-f", "text=x")
        let id = try #require(own.stdout.firstMatch(of: /"id":"([a-z0-9]+)"/)?.1)
        try world.start(
            ["signup", "bob", "--as", "bob", "--email", "bob@example.org", "--password-stdin"] + more, input: .password
        ).wait()
        try expect(api("\(notes)/\(id)"), 0)
        try expect(api("\(notes)/\(id)", "--as", "bob"), 7)
        #expect(try world.run("api", notes, "--as", "bob").stdout.contains(#""items":[]"#))
        try expect(api("/api/collections/secrets/records"), 5)
        try expect(world.run("api", "--paginate", notes).stdout.split(separator: "\n").count, 1)

        try Sandbox(visiting: server, "closed").signUp("c@example.org", "--json").refusal(5, "forbidden")
        try Sandbox(visiting: server, "nopass").logIn("c@example.org", "--json").refusal(10, "unsupported")
        try Sandbox(visiting: server, "people").logIn("c@example.org", "--json").refusal(8, "wrong-endpoint")
        try Sandbox(visiting: server, "notes").logIn("c@example.org", "--json").refusal(8, "wrong-endpoint")
        let other = try Sandbox(visiting: server, "users")
        try other.start(["login", "--token-stdin", "--json"], input: "\(try world.token("site"))\n").wait()
            .refusal(4, "token-refused")
        try expect(other.run("whoami", environment: ["AUTHCTL_TOKEN": "garbage"]).exitCode, 4)
    }

    @Test(arguments: versions)
    func `e-mails of PocketBase verify an address, reset a password and change the e-mail`(version: String) throws {
        let server = try PocketBaseServer(version)
        let world = try Sandbox(visiting: server, "strict")
        try expect(world.run("profile", "set", "site", "mailDir", server.mailFolder).exitCode, 0)
        let signup = try world.signUp("eve@example.com", "--json").document()
        expect(signup.string("pending"), "email-verification", "\(signup)")
        try world.logIn("eve@example.com", "--json").refusal(5, "forbidden")
        func mail(_ words: String...) throws -> Input {
            let mail = try world.start(["mail", "--link", "--wait", "20"] + words).wait()
            try #require(mail.exitCode == 0, "\(mail.everything)")
            return .bytes(Array(mail.output))
        }
        let verification = try mail("--for", "verification")
        for line in [
            "create --count 2 --email b-{n}@example.com --journal j --credentials c", "verify --journal j --wait 20",
            "login --credentials c --tokens t", "delete --journal j --credentials c --yes",
        ] {
            let bulk = try world.start(
                ["users"] + line.split(separator: " ").map(String.init), folder: world.root
            ).wait()
            #expect(bulk.exitCode == 0 && bulk.stdout.hasPrefix("2 "), "\(bulk.everything)")
        }
        try world.run("password", "reset", "--key-stdin", "--json", input: verification).refusal(2, "usage")
        try expect(world.run("verify-email", "--key-stdin", input: verification).exitCode, 0)
        try expect(world.logIn("eve@example.com").exitCode, 0)

        try expect(world.run("password", "reset", "eve@example.com").exitCode, 0)
        try world.write("\(Sandbox.newPassword)\n", to: "\(world.root)/new")
        let reset = try world.run(
            "password", "reset", "--key-stdin", "--new-password-file", "\(world.root)/new",
            input: try mail("--for", "reset"))
        expect(reset.exitCode, 0, "\(reset.everything)")
        let whoami = try world.run("whoami", "--json")
        expect(whoami.exitCode, 4)
        try expect(whoami.document().string("state"), "rejected")
        try world.run("login", "eve@example.com", "--password-file", "\(world.root)/new")

        let update = try world.run("account", "update", "--email", "eva@example.com", "--json").document()
        expect(update.string("pending"), "email-verification")
        let change = try mail("--to", "eva@example.com")
        try world.run("verify-email", "--key-stdin", "--json", input: change).refusal(5, "reauthentication-required")
        let done = try world.run("verify-email", "--key-stdin", "--password-file", "\(world.root)/new", input: change)
        expect(done.exitCode, 0, "\(done.everything)")
        #expect(try world.run("whoami").stdout.hasPrefix("eva@example.com "))
    }

    @Test(arguments: versions)
    func `an e-mailed code finishes a login with a second factor without the password`(version: String) throws {
        let server = try PocketBaseServer(version)
        let world = try Sandbox(visiting: server, "codes")
        try expect(world.run("profile", "set", "site", "mailDir", server.mailFolder).exitCode, 0)
        try expect(world.signUp("mia@example.com", "--no-login").exitCode, 0)
        try world.logIn("mia@example.com", "--json").refusal(5, "second-factor-required")
        let code = try world.run("mail", "--code", "--wait", "20").stdout.split(separator: "\n")[0]
        try world.run("login", "--otp", "000000", "--json").refusal(4, "wrong-code")
        let login = try world.run("login", "--otp", String(code), "--json")
        try expect(login.document().object("user").string("email"), "mia@example.com", "\(login.everything)")
        expect(world.contents(of: server.mailFolder).count, 1)
        // The login after a password change needs the second factor, too.
        let change = try world.changePassword()
        expect(change.exitCode, 0, "\(change.everything)")
        try expect(world.run("whoami").exitCode, 3)
        #expect(try world.run("login", "--otp", "000000", "--json").refusal(4, "wrong-code").string("code") != nil)
        // A code alone would not log in to the account, and nobody would know its password.
        try world.run("signup", "zoe@example.com", "--send-code", "--json").refusal(10, "unsupported")
        try expect(world.signUp("zoe@example.com", "--no-login").exitCode, 0)
    }

    @Test(arguments: versions)
    func `a code from an e-mail creates an account and logs in without a password`(version: String) throws {
        let server = try PocketBaseServer(version)
        let world = try Sandbox(visiting: server, "bycode")
        try expect(world.run("profile", "set", "site", "mailDir", server.mailFolder).exitCode, 0)
        let (ada, wait) = ("ada@example.org", ["--from-mail", "--wait", "20"])
        let signup = try world.run("signup", ada, "--send-code", "--json").document()
        #expect(signup.string("pending") == "login-code" && signup.flag("created") == true, "\(signup)")
        let state = try world.run("whoami", "--json")
        expect(state.exitCode, 3)
        try expect(state.document().string("pending"), "login-code")
        let code = try world.run("mail", "--for", "login", "--code", "--wait", "20").stdout.split(separator: "\n")[0]
        try world.run("login", "--otp", "000000", "--json").refusal(4, "wrong-code")
        try world.run("login", "eve@example.org", "--otp", String(code), "--json").refusal(2, "usage")
        let login = try world.run("login", "--key-stdin", "--json", input: "\(code)\n").document()
        #expect(try login.object("user").string("email") == ada && login.isNull("pending"), "\(login)")
        try world.run("login", "--otp", String(code), "--json").refusal(2, "usage")

        // Another user beside it; the code of the earlier e-mail is not taken.
        try world.run("login", ada, "--send-code")
        let bob = try world.start(["signup", "bob@example.org", "--as", "bob", "--send-code", "--json"] + wait).wait()
        try expect(bob.document().flag("created"), true, "\(bob.everything)")
        let again = try world.start(["login", ada, "--send-code"] + wait).wait()
        expect(again.exitCode, 0, "\(again.everything)")
        let unknown = try world.run("login", "no@example.org", "--send-code", "--from-mail", "--wait", "1", "--json")
        let error = try unknown.refusal(7, "not-found")
        #expect(error.string("hint")?.hasSuffix("login no@example.org --otp CODE") == true)
        #expect(try world.run("login", "no@example.org", "--send-code").stdout.hasPrefix("if there is such an account"))
        try expect(world.run("whoami", "--json").document().object("user").string("email"), ada)

        // Two logins at once: each tries its own code. From some version on, the first login deletes the code of the second.
        let cal = "cal@example.org"
        try expect(world.run("signup", cal, "--send-code").exitCode, 0)
        let both = try (0..<2).map { try world.start(["login", cal, "--as", "t\($0)", "--send-code"] + wait) }
        let ends = both.map { $0.wait() }.sorted { ($0.exitCode ?? 99) < ($1.exitCode ?? 99) }
        expect(ends[0].exitCode, 0, "\(ends[0].everything)")
        #expect(ends[1].exitCode == 0 || ends[1].exitCode == 4 && ends[1].stderr.contains("get a new code"))
        try expect(world.run("login", ada, "--send-code").exitCode, 0)
        #expect(try world.run("logout").stderr.contains("the login or signup of '\(ada)' no longer waits"))
        try world.run("login", "--otp", "1", "--json").refusal(2, "usage")

        // The e-mails of another folder do not arrive.
        let dan = ["dan@example.org", "--send-code", "--json"]
        try expect(world.run("profile", "set", "site", "mailDir", world.home).exitCode, 0)
        let lost = try world.start(["signup"] + dan + ["--from-mail", "--wait", "1"]).wait().refusal(7, "not-found")
        #expect(lost.string("message")?.contains("'dan@example.org' was created") == true)
        let taken = try world.start(["signup"] + dan).wait().refusal(6, "email-taken")
        #expect(taken.string("hint")?.contains("login --send-code dan@example.org") == true)
        var errors = try (1...6).map { _ in try world.run("login", "--otp", "000000", "--json").stderr }
        errors.removeAll { !$0.contains("rate-limited") }
        #expect(errors.allSatisfy { $0.contains("too many requests: ") } && !errors.isEmpty)

        try expect(world.run("profile", "set", "site", "collection", "users").exitCode, 0)
        for words in ["login", "signup"] {
            try world.run(words, "zoe@example.org", "--send-code", "--json").refusal(10, "unsupported")
        }
    }

    @Test(arguments: versions)
    func `identities of an OpenID Connect provider log in, are linked and unlinked`(version: String) throws {
        let server = try PocketBaseServer(version)
        let (world, theirs) = (try Sandbox(visiting: server), try Sandbox(visiting: server))
        func run(_ world: Sandbox, _ words: [String], _ sub: String, _ email: String = "") throws -> Finished {
            let code = PocketBaseServer.code(sub: sub, email: email)
            return try world.start(
                words + ["--code-stdin", "--redirect-uri", "http://127.0.0.1/r", "--json"], input: "\(code)\n"
            ).wait()
        }
        let login = try run(theirs, ["login", "--provider", "oidc"], "o1", "ida@example.org").document()
        expect(login.flag("created"), (version == "0.23.12" ? nil : true))
        try expect(world.signUp("pat@example.org").exitCode, 0)
        try run(world, ["link", "google"], "o2").refusal(10, "unsupported")
        try run(world, ["link", "oidc"], "o1", "ida@example.org").refusal(6, "identity-taken")
        #expect(try world.run("whoami").stdout.hasPrefix("pat@example.org "))
        let link = try run(world, ["link", "oidc"], "o8", "else@example.org").document()
        #expect(link.flag("linked") == true && link.strings("ids") == ["o8"])
        // 0.40 replaces the identity of the provider.
        let second = try run(world, ["link", "oidc"], "o9", "else@example.org")
        if version != "0.40.6" { try second.refusal(6, "identity-taken") }
        #expect(try world.run("link", "--status").stdout.contains("oidc: o"))
        try expect(world.run("link", "oidc", "--unlink").exitCode, 0)
        #expect(try world.run("link", "--status", "--json").document().objects("items").isEmpty)
        try expect(world.start(["login", "--anonymous"]).wait().exitCode, 10)
    }

    @Test(arguments: versions)
    func `a superuser's token creates, lists, exports, impersonates and deletes accounts`(version: String) throws {
        let server = try PocketBaseServer(version)
        let (world, root) = (try Sandbox(visiting: server), try Sandbox(visiting: server, "_superusers"))
        try expect(root.logIn("root@example.org").exitCode, 0)
        let key = "\(world.root)/key"
        let wrong = "\(world.root)/wrong"
        try world.write(try root.token("site"), to: key)
        try expect(world.signUp("ada@example.org").exitCode, 0)
        try world.write(try world.token("site"), to: wrong)
        try world.run("users", "list", "--admin-key-file", wrong, "--json").refusal(5, "bad-app-key")
        try world.run("login", "--impersonate", "ada@example.org", "--admin-key-file", wrong, "--json")
            .refusal(5, "bad-app-key")

        let bulk = ["--count", "3", "--email", "ci-{n}@example.org", "--journal", "j", "--credentials", "c"]
        let created = try world.start(
            ["users", "create", "--admin-key-file", key, "--json"] + bulk, folder: world.root
        ).wait()
        #expect(created.stdout.contains(#""created":3"#), "\(created.everything)")
        let list = try world.run("users", "list", "--admin-key-file", key, "--json").stdout.split(separator: "\n")
        #expect(list.count == 4 && list.filter { $0.contains(#""emailVerified":true"#) }.count == 3)
        let export = try world.run("users", "export", "--admin-key-file", key).stdout
        #expect(export.contains("ci-2@example.org") && !export.contains("collectionId"))
        let missing = try world.run("login", "--impersonate", "no@example.org", "--admin-key-file", key, "--json")
        try missing.refusal(7, "not-found")
        try expect(world.run("login", "--impersonate", "ci-2@example.org", "--admin-key-file", key).exitCode, 0)
        #expect(try world.run("whoami").stdout.hasPrefix("ci-2@example.org "))
        try expect(world.run("doctor", "--network").exitCode, 0)
        let tokens = try world.start(
            ["users", "login", "--credentials", "c", "--tokens", "t"], folder: world.root
        ).wait()
        expect(tokens.exitCode, 0, "\(tokens.everything)")
        let deleted = try world.start(
            ["users", "delete", "--journal", "j", "--admin-key-file", key, "--yes"], folder: world.root
        ).wait()
        expect(deleted.exitCode, 0, "\(deleted.everything)")
        try expect(world.run("users", "list", "--admin-key-file", key, "--json").stdout.split(separator: "\n").count, 1)
        func keep(_ id: String, _ name: String) throws -> String {
            let row = #"{"id":"\#(id)","email":"\#(name)@example.org","password":"\#(Sandbox.password)"}"#
            try world.write("\(row)\n", to: "\(world.root)/rows")
            let words = ["users", "create", "rows", "--journal", name, "--keep-ids", "--admin-key-file", key, "--json"]
            return try world.start(words, folder: world.root).wait().stdout
        }
        #expect(
            try keep("abcdefghijklmno", "k1").contains(
                #""state":"created","username":"k1@example.org","id":"abcdefghijklmno""#))
        #expect(try keep("abcdefghijklmno", "k2").contains(#""fields":{"id":["Value must be unique."]}"#))
        #expect(try keep("abcdefghijklmn", "k3").contains("must have 15 lowercase letters and digits"))
        try expect(world.run("users", "list", "--admin-key-file", key, "--json").stdout.split(separator: "\n").count, 2)
    }

    @Test(arguments: versions)
    func `an impersonation opens only an account with exactly that name, which no other has`(version: String) throws {
        let server = try PocketBaseServer(version)
        let (world, root) = (try Sandbox(visiting: server, "names"), try Sandbox(visiting: server, "_superusers"))
        try expect(root.logIn("root@example.org").exitCode, 0)
        let (key, code) = ("\(world.root)/key", #"||username="boss" //\"#)
        try world.write(try root.token("site"), to: key)
        for (name, email) in [
            ("boss", "boss"), (code, "eve"), ("bob@example.org", "mallory"), ("bob", "bob"), ("o'neil", "neil"),
        ] {
            let signup = try world.signUp(name, "--email", "\(email)@example.org", "--no-login")
            expect(signup.exitCode, 0, "\(signup.everything)")
        }
        func impersonate(_ name: String) throws -> Finished {
            try world.run("login", "--impersonate", name, "--admin-key-file", key, "--json")
        }
        for name in [code, "bob@example.org"] { try impersonate(name).refusal(7, "invalid-fields") }
        for (name, user) in [("boss@example.org", "boss"), ("o'neil", "o'neil")] {
            try expect(impersonate(name).document().object("user").string("username"), user)
        }
    }

    /// A token of the collection lives 10 seconds, and is renewed after 5.
    @Test func `200 commands of 20 processes renew a session under the lock and keep it valid`() throws {
        let world = try Sandbox(visiting: PocketBaseServer(PocketBaseServer.versions[0]), "brief")
        try expect(world.signUp("ada@example.org").exitCode, 0)
        let first = try world.token("site")
        let script = """
            sleep 6
            for i in {1..20}; do
                (for j in {1..10}; do "$A" whoami >/dev/null || exit 1; done) &
            done
            for job in $(jobs -p); do wait "$job" || exit 1; done
            """
        let end = try world.start(
            [], environment: ["A": BuiltBinary.path], program: ["/bin/bash", "-c", script]
        ).wait(atMost: .seconds(60))
        expect(end.exitCode, 0, "\(end.everything)")
        #expect(try world.token("site") != first)
        try expect(world.run("whoami").exitCode, 0)
        expect(world.contents(of: world.sessionFolder).filter { $0.hasSuffix(".json") }.count, 1)
    }
}

extension Sandbox {
    /// A sandbox whose current profile `site` selects a collection of the server, which `profile add` detects.
    convenience init(visiting server: PocketBaseServer, _ collection: String? = nil) throws {
        self.init()
        keep(server)
        let added = try run("profile", "add", "site", "--server", server.url, "--json")
        try #require(added.document().object("item").string("backend") == "pocketbase", "\(added.everything)")
        try #require(try run("profile", "use", "site").exitCode == 0)
        if let collection { try #require(try run("profile", "set", "site", "collection", collection).exitCode == 0) }
    }
}
