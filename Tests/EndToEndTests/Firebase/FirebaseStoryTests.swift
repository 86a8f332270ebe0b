import TestSupport

/// The life of accounts on a fake of Firebase's emulator.
@Suite(.mostlyWaits, .keepsInvariants) struct FirebaseStoryTests {
    private let server: FirebaseServer
    private let world: Sandbox

    init() throws {
        server = try FirebaseServer()
        world = Sandbox()
        let added = try world.run(
            "profile", "add", "site", "--server", server.url, "--app-id", FirebaseServer.project, "--json")
        try #require(added.document().object("item").string("backend") == "firebase", "\(added.everything)")
        try #require(try world.run("profile", "use", "site").exitCode == 0)
    }

    @Test func `a link or the code of a text message logs in, and creates an account only with a warning`() throws {
        let ada = "ada@example.org"
        let first = try world.run("login", ada, "--send-code", "--json").document()
        #expect(first.isNull("created") && first.string("pending") == "login-code")
        let link = try world.run("mail", "--for", "login", "--link").stdout
        try world.run("login", "bob@example.org", "--key-stdin", "--json", input: "\(link)").refusal(4, "wrong-code")
        let login = try world.run("login", "--key-stdin", "--json", input: "\(link)")
        try expect(login.document().flag("created"), true, "\(login.everything)")
        #expect(login.stdout.contains("no account had this address"))
        let used = try world.run("login", ada, "--key-stdin", "--json", input: "\(link)").refusal(4, "wrong-code")
        expect(used.string("hint")?.contains("login --send-code \(ada)"), true)
        let again = try world.run("login", ada, "--send-code", "--from-mail", "--json").document()
        expect(again.flag("created"), false)
        try world.run("verify-email", "--key-stdin", "--json", input: "\(link)").refusal(2, "usage")
        let signup = try world.run("signup", "zoe@example.org", "--send-code", "--from-mail", "--json").document()
        expect(signup.flag("created"), true)

        // A typo in a list creates an account, too.
        try world.write("email\n\(ada)\ntypo@example.org\n", to: "\(world.home)/rows.csv")
        let bulk = ["users", "login", "--send-code", "--credentials", "rows.csv", "--tokens", "t", "--json"]
        let many = try world.start(bulk, folder: world.home).wait()
        #expect(many.stdout.contains(#""created":1"#) && many.stdout.contains(#""logged-in":1"#), "\(many.everything)")
        #expect(
            many.stderr.contains("the server created 1 account for an address without an account"), "\(many.everything)"
        )

        let phone = "+15555550123"
        let refused = try world.run("signup", "--phone", phone, "--send-code", "--json").refusal(10, "unsupported")
        #expect(refused.string("hint")?.hasSuffix("login --send-code \(phone)") == true)
        try expect(world.run("login", phone, "--send-code").exitCode, 0)
        try world.run("login", "--otp", "1", "--json").refusal(4, "wrong-code")
        let code = try world.run("mail", "--to", phone, "--code").stdout.split(separator: "\n")[0]
        try expect(world.run("login", phone, "--otp", String(code)).exitCode, 0)
        #expect(try world.run("login", phone, "--send-code", "--from-mail").stdout.hasPrefix("logged in as \(phone) "))
    }

    @Test func `a Firebase account lives from signup to its deletion`() throws {
        let signup = try world.signUp("ada@example.org", "--field", "displayName=Ada", "--json").document()
        expect(signup.flag("created"), true)
        try world.signUp("ada@example.org", "--json").refusal(6, "email-taken")
        try world.signUp("bob@example.org", "--field", "age=3", "--json").refusal(10, "unsupported")
        try world.run("login", "ada@example.org", "--password-stdin", "--json", input: "no\n")
            .refusal(4, "wrong-password")
        let user = try world.run("whoami", "--json").document().object("user")
        expect(user.string("email"), "ada@example.org")
        try expect(user.object("fields").string("displayName"), "Ada")
        #expect(!(try world.run("whoami", "--json").stdout.contains("fakeHash")))

        let token = try world.token("site")
        try expect(world.run("token", "--header").stdout, "Authorization: Bearer \(token)\n")
        let api = try world.run("api", "/me", "--json").refusal(2, "usage")
        expect(api.string("hint")?.contains("profile set site apiURL"), true)
        try expect(world.run("sessions", "--json").document().flag("complete"), false)
        try expect(world.run("sessions", "revoke", "other").exitCode, 10)
        try world.run("storage-state", "http://127.0.0.1:3000", "--json").refusal(2, "usage")
        try world.write("AIzaKey1", to: "\(world.root)/key")
        let key = "--client-key-file=\(world.root)/key"
        let state = try world.run("storage-state", server.url, key)
        #expect(state.stdout.contains(#""name":"firebase:authUser:AIzaKey1:[DEFAULT]""#), "\(state.everything)")
        let indexed = try world.run("storage-state", server.url, "--indexed-db", "--app-name", "shop", key)
        #expect(indexed.stdout.contains(#""fbase_key":"firebase:authUser:AIzaKey1:shop""#), "\(indexed.everything)")
        try expect(world.run("account", "update", "--unset", "displayName").exitCode, 0)

        let file = try #require(world.sessionFiles.first)
        let old = try world.text(file)
        try expect(world.changePassword().exitCode, 0)
        try expect(world.run("whoami").exitCode, 0)
        // The emulator would revive the revoked session.
        let new = try world.text(file)
        try world.write(old, to: file)
        let revoked = try world.run("whoami", "--json")
        expect(revoked.exitCode, 4)
        try expect(revoked.document().object("error").string("reason"), "session-revoked")
        try world.write(new, to: file)

        let out = try world.run("logout", "--json")
        #expect(try out.document().string("revoked") == "unsupported" && out.stderr.contains("until 20"))
        try world.run("login", "ada@example.org", "--password-stdin", input: "\(Sandbox.newPassword)\n")
        try world.letSessionRunOut("site")
        try expect(world.run("whoami").exitCode, 0)
        try expect(server.control(#"{"oldest":1}"#).number("refreshes"), 1)
        try world.run("account", "delete", "--yes", "--json").refusal(5, "reauthentication-required")
        let deleted = try world.run("account", "delete", "--yes", "--password-stdin", input: "\(Sandbox.newPassword)\n")
        expect(deleted.exitCode, 0, "\(deleted.everything)")
        try world.logIn("ada@example.org", "--json").refusal(4, "wrong-password")
    }

    @Test func `the emulator's e-mails verify an address, reset a password and change the e-mail`() throws {
        try expect(world.signUp("eve@example.org").exitCode, 0)
        try world.write("\(Sandbox.newPassword)\n", to: "\(world.root)/new")
        let script = """
            set -eo pipefail
            "$A" verify-email
            "$A" mail --for verification --link | "$A" verify-email --key-stdin
            "$A" password reset eve@example.org
            "$A" mail --for reset --to eve@example.org --link |
                "$A" password reset --key-stdin --new-password-file "$NEW"
            "$A" login eve@example.org --password-file "$NEW"
            "$A" account update --email eva@example.org
            "$A" mail --to eva@example.org --link | "$A" verify-email --key-stdin
            "$A" whoami
            """
        let ended = try world.start(
            [], environment: ["A": BuiltBinary.path, "NEW": "\(world.root)/new"], program: ["/bin/bash", "-c", script]
        ).wait()
        expect(ended.exitCode, 0, "\(ended.everything)")
        #expect(ended.stdout.contains("eva@example.org (verified)"), "\(ended.everything)")
        try world.run("mail", "--app-id", "other", "--json").refusal(7, "not-found")
    }

    @Test func `identities, anonymous users and second factors log in`() throws {
        let id = FirebaseServer.idToken(sub: "g1", email: "ida@example.org")
        let login = try world.run("login", "--provider", "google", "--id-token-stdin", "--json", input: "\(id)\n")
        try expect(login.document().flag("created"), true, "\(login.everything)")
        try expect(world.signUp("pat@example.org").exitCode, 0)
        try world.run("link", "google", "--id-token-stdin", "--json", input: "\(id)\n").refusal(6, "identity-taken")
        let second = FirebaseServer.idToken(sub: "g2", email: "x@example.org")
        let link = try world.run("link", "google", "--id-token-stdin", "--json", input: "\(second)\n").document()
        expect(link.strings("ids"), ["g2"])
        try expect(world.run("link", "google", "--unlink").exitCode, 0)
        let third = FirebaseServer.idToken(sub: "g3", email: "pat@example.org")
        try world.run("login", "--provider", "apple", "--id-token-stdin", "--json", input: "\(third)\n")
            .refusal(6, "email-taken")
        try expect(world.run("login", "--anonymous").exitCode, 0)
        try expect(world.signUp("single@example.org", "--no-login").exitCode, 0)
        try world.logIn("single@example.org", "--json").refusal(5, "second-factor-required")
        try world.run("login", "--otp", "000000", "--json").refusal(4, "wrong-code")
        try expect(world.run("login", "--otp", "123456").exitCode, 0)
    }

    @Test func `the emulator lists, exports, impersonates and deletes accounts without a key`() throws {
        let created = try world.start(
            [
                "users", "create", "--count", "3", "--email", "ci-{n}@example.org", "--journal", "j", "--credentials",
                "c", "--json",
            ], folder: world.root
        ).wait()
        #expect(created.stdout.contains(#""created":3"#), "\(created.everything)")
        let list = try world.run("users", "list", "--json")
        expect(list.stdout.split(separator: "\n").count, 3, "\(list.everything)")
        #expect(!list.stdout.contains("fakeHash"))
        #expect(try world.run("users", "export").stdout.contains("ci-2@example.org"))
        let login = try world.run("login", "--impersonate", "ci-2@example.org")
        expect(login.exitCode, 0, "\(login.everything)")
        try world.run("login", "--impersonate", "no@example.org", "--json").refusal(7, "not-found")
        let deleted = try world.start(["users", "delete", "--journal", "j", "--yes"], folder: world.root).wait()
        expect(deleted.exitCode, 0, "\(deleted.everything)")
    }

    @Test func `the variable of Firebase's tools selects the emulator, with a note`() throws {
        let fresh = Sandbox()
        let host = server.url.replacing("http://", with: "")
        fresh.set("FIREBASE_AUTH_EMULATOR_HOST", to: host)
        fresh.set("AUTHCTL_BACKEND", to: "firebase")
        let signup = try fresh.signUp("ada@example.org")
        #expect(signup.exitCode == 0 && signup.stderr.contains("note: using the emulator at '\(server.url)'"))
        try expect(fresh.run("users", "list", environment: ["AUTHCTL_TOKEN": "x"]).exitCode, 2)
        fresh.set("FIREBASE_AUTH_EMULATOR_HOST", to: "")
        try fresh.logIn("ada@example.org", "--json").refusal(2, "usage")
        fresh.set("AUTHCTL_BACKEND", to: "")
    }
}
