import Foundation
import SQLite
import TestSupport

/// The recipes for moving accounts in authctl-recipes(7), each as its text is.
@Suite(.mostlyWaits, .keepsInvariants, .enabled(if: Host.hasJQ, "needs jq")) struct MoveStoryTests {
    /// A published hash of the password `test`; the fake of Supabase knows it. Source: Supabase Auth,
    /// `password_test.go`.
    private static let hash =
        "$argon2id$v=19$m=32,t=3,p=2$SFVpOWJ0eXhjRzVkdGN1RQ$RXnb8rh7LaDcn07xsssqqulZYXOM/EUCEFMVcAcyYVk"
    /// A user of a project with the published hash of `user1password`, in the form of the service. Source:
    /// github.com/firebase/scrypt.
    private static let user = #"""
        {"localId":"u1","email":"ada@example.org","emailVerified":true,"displayName":"Ada",
        "customAttributes":"{\"role\":\"admin\"}","salt":"42xEC-ixf3L2lw==",
        "passwordHash":"lSrfV15cpx95_sZS2W9c9Kp6i_LVgQNDNC_qzrCnh1SAyZvqmZqAjTdn3aoItz-VHjoZilo78198JAdRuid5lQ=="}
        """#
    private static let config = #"""
        {"signIn":{"hashConfig":{"algorithm":"SCRYPT","rounds":8,"memoryCost":14,"saltSeparator":"Bw==",
        "signerKey":"jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="}}}
        """#

    private let world = Sandbox()

    init() throws {
        world.set("PATH", to: "\(world.home)/bin:/usr/bin:/bin")
        try FileManager.default.createDirectory(atPath: "\(world.home)/bin", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: "\(world.home)/bin/authctl", withDestinationPath: BuiltBinary.path)
    }

    private func secret(_ name: String, _ text: String) throws {
        try world.write(text, to: "\(world.home)/\(name)")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(world.home)/\(name)")
    }

    private func add(_ profile: String, _ words: String...) throws {
        let added = try world.start(["profile", "add", profile] + words).wait()
        try #require(added.exitCode == 0, "\(added.everything)")
    }

    /// Runs the block of the recipes that contains all marks.
    @discardableResult
    private func runRecipe(_ marks: String...) throws -> Finished {
        let codes = try world.codes(ofManual: "authctl-recipes.7").filter { $0.contains("-p new") }
        let found = codes.filter { code in marks.allSatisfy(code.contains) }
        try #require(found.count == 1, "\(found)")
        let ended = try world.start([], program: ["/bin/bash", "-c", "set -eo pipefail\n\(found[0])"]).wait()
        expect(ended.exitCode, 0, "\(ended.everything)")
        return ended
    }

    /// The password that the credentials file has for an account.
    private func newPassword(of name: String) throws -> String {
        let lines = try world.text("\(world.home)/new.ndjson").split(separator: "\n")
        let line = lines.first { $0.contains(#""\#(name)""#) }
        return try #require(try JSONDocument(line: Data("\(line ?? "")\n".utf8)).string("password"))
    }

    private func logIn(_ name: String, _ password: String) throws -> Finished {
        try world.run("-p", "new", "login", name, "--password-stdin", input: "\(password)\n")
    }

    private func addSupabase() throws -> SupabaseServer {
        let server = try SupabaseServer()
        try secret("public.txt", "sb_publishable_test")
        try secret("secret.txt", "sb_secret_test")
        try add("new", "--server", server.url, "--client-key-file", "public.txt")
        return server
    }

    private func show(_ name: String, _ admin: String...) throws -> JSONDocument {
        try world.start(["-p", "new", "users", "show", name, "--json"] + admin).wait().document()
    }

    @Test func `from Firebase to Supabase, with passwords and claims`() throws {
        let service = try ScriptedServer([
            .init(["CONNECT": [[.send("HTTP/1.1 200 OK\r\n\r\n"), .tunnel(1)]]]),
            .init(
                [
                    "/v1/projects/demo-shop/accounts:batchGet": [.json(#"{"users":[\#(Self.user)]}"#)],
                    "/v2/projects/demo-shop/config": [.json(Self.config)],
                ], certificate: TestAuthority.path("google")),
        ])
        world.set("HTTPS_PROXY", to: service.url(""))
        world.set("AUTHCTL_CA_CERT", to: TestAuthority.file)
        let supabase = try addSupabase()
        defer { withExtendedLifetime(supabase) {} }
        try secret("token.txt", "ya29.token")
        try secret("web.txt", "AIzaSy1")
        try add("old", "--backend", "firebase", "--app-id", "demo-shop", "--client-key-file", "web.txt")
        try runRecipe("--password-hashes")
        expect(world.mode("\(world.home)/users.ndjson"), 0o600)
        try expect(logIn("ada@example.org", "user1password").exitCode, 0)
        try expect(logIn("ada@example.org", "user2password").exitCode, 4)
        let user = try show("ada@example.org", "--admin-key-file", "secret.txt")
        #expect(try user.flag("emailVerified") == true && user.object("claims").string("role") == "admin")
        try expect(user.object("fields").string("displayName"), "Ada")
    }

    @Test func `from Parse to Supabase, with roles as claims and a mail for a new password`() throws {
        let rows = ["ada", "bob"].map { name in
            #"{"objectId":"\#(name)1","username":"\#(name)","email":"\#(name)@example.org","emailVerified":true,"plan":"gold"}"#
        }
        let server = try ScriptedServer([
            "/parse/schemas": [.json(#"{"results":[]}"#)],
            "/parse/roles": [.json(#"{"results":[{"objectId":"r1","name":"editor"}],"count":1}"#)],
            "/parse/users": [
                .json(#"{"results":[{"objectId":"ada1"}],"count":1}"#),
                .json(#"{"results":[\#(rows.joined(separator: ","))]}"#), .json(#"{"results":[]}"#),
            ],
        ])
        try secret("master.txt", "m4ster")
        try add("old", "--backend", "parse", "--server", server.url("/parse"), "--app-id", "shop")
        let supabase = try addSupabase()
        try runRecipe("master.txt")
        let role = #"{"__type":"Pointer","className":"_Role","objectId":"r1"}"#
        let relation = #"{"$relatedTo":{"object":\#(role),"key":"users"}}"#
        let targets = server.requests.map { $0.target.removingPercentEncoding ?? "" }
        expect(
            targets.filter { !$0.contains("schemas") },
            [
                "/parse/roles?order=objectId&count=1&skip=0",
                "/parse/users?where=\(relation)&keys=objectId&order=objectId&count=1&limit=1000",
                "/parse/users?order=objectId&limit=100",
                #"/parse/users?where={"objectId":{"$gt":"bob1"}}&order=objectId&limit=100"#,
            ])
        #expect(server.requests.allSatisfy { $0.fields.contains("X-Parse-Master-Key: m4ster") })
        let (ada, bob) = (
            try show("ada@example.org", "--admin-key-file", "secret.txt"),
            try show("bob@example.org", "--admin-key-file", "secret.txt")
        )
        try expect(ada.object("claims").strings("roles"), ["editor"])
        try expect(bob.object("claims").strings("roles"), [])
        #expect(try ada.flag("emailVerified") == true && ada.object("fields").string("username") == "ada")
        try expect(logIn("bob@example.org", newPassword(of: "bob@example.org")).exitCode, 0)
        try runRecipe("password reset")
        try expect(["ada", "bob"].map { try supabase.hash(to: "\($0)@example.org").isEmpty }, [false, false])
    }

    @Test func `from local accounts to Parse, here to serve`() throws {
        try add("old", "--backend", "local")
        let signUp = ["signup", "ada", "--email", "ada@example.org", "--field", "plan=gold", "--no-login"]
        try expect(
            world.start(["-p", "old"] + signUp + ["--password-stdin"], input: .password).wait().exitCode, 0)
        let server = try ServingProgram(world: Sandbox())
        try add("new", "--backend", "parse", "--server", server.url, "--app-id", ServingProgram.appID)
        try runRecipe("authctl -p old users export > users.ndjson")
        try expect(logIn("ada", newPassword(of: "ada")).exitCode, 0)
        let user = try world.run("-p", "new", "whoami", "--json").document().object("user")
        #expect(try user.string("email") == "ada@example.org" && user.object("fields").string("plan") == "gold")
        // The same block again continues its journal.
        #expect(try runRecipe("authctl -p old users export > users.ndjson").stdout.hasPrefix("1 skipped in "))
    }

    @Test(
        .enabled(if: PocketBaseServer.isAvailable, "\(PocketBaseServer.absence)"),
        arguments: [
            (PocketBaseServer.versions[3], PocketBaseServer.versions[0]),
            (PocketBaseServer.versions[0], PocketBaseServer.versions[3]),
        ])
    func `between PocketBase servers, with the state and the fields`(from: String, to: String) throws {
        for (name, version) in [("old", from), ("new", to)] {
            let server = try PocketBaseServer(version)
            world.keep(server)
            try add(name, "--backend", "pocketbase", "--server", server.url)
            try add("\(name)-root", "--from", name)
            try expect(world.run("profile", "set", name, "collection", "staff").exitCode, 0)
            try expect(world.run("profile", "set", "\(name)-root", "collection", "_superusers").exitCode, 0)
            let words = ["-p", "\(name)-root", "login", "root@example.org", "--password-stdin"]
            try expect(world.start(words, input: .password).wait().exitCode, 0)
        }
        let rows = [("ada", true), ("bob", false)].map { name, isVerified in
            let state = #""emailVerified":\#(isVerified),"role":"\#(name)-role""#
            return #"{"email":"\#(name)@example.org","password":"\#(Sandbox.password)",\#(state)}"# + "\n"
        }
        let created = try world.start(
            ["-p", "old", "users", "create", "-", "--admin", "old-root", "--journal", "old.journal"],
            input: "\(rows.joined())"
        ).wait()
        expect(created.exitCode, 0, "\(created.everything)")
        try runRecipe("--admin old-root")
        for (name, isVerified) in [("ada", true), ("bob", false)] {
            let user = try show("\(name)@example.org", "--admin", "new-root")
            #expect(user.flag("emailVerified") == isVerified)
            try expect(user.object("fields").string("role"), "\(name)-role")
            try expect(logIn("\(name)@example.org", newPassword(of: "\(name)@example.org")).exitCode, 0)
            // PocketBase never shows hashes, so that no old password moves.
            try expect(logIn("\(name)@example.org", Sandbox.password).exitCode, 4)
        }
        #expect(try runRecipe("--admin old-root").stdout.hasPrefix("2 skipped in "))
    }

    @Test(.enabled(if: DjangoServer.isAvailable, DjangoServer.needed))
    func `from a Django dump to Supabase with hashes, and to Firebase with new passwords`() throws {
        let site = try DjangoServer(.djRestAuth)
        let visitor = try Sandbox(visiting: site)
        for name in ["ada", "bob", "eve"] { try visitor.join(name) }
        // What the hasher for argon2 would store, a disabled account, and one without a password.
        let database = try DatabaseConnection(opening: "\(site.world.root)/database", busyTimeout: .seconds(5))
        _ = try database.run("UPDATE auth_user SET password = ? WHERE username = 'ada'", [.text("argon2\(Self.hash)")])
        _ = try database.run("UPDATE auth_user SET first_name = 'Ada' WHERE username = 'ada'")
        _ = try database.run(
            "UPDATE auth_user SET password = ?, is_active = 0 WHERE username = 'bob'", [.text("argon2\(Self.hash)")])
        _ = try database.run("UPDATE auth_user SET password = '!x' WHERE username = 'eve'")
        try world.writeProgram(
            "#!/bin/sh\ntest \"$1\" = manage.py && shift\nexec \(site.manager) \"$@\"\n", to: "\(world.home)/bin/python"
        )
        do {
            let supabase = try addSupabase()
            defer { withExtendedLifetime(supabase) {} }
            try runRecipe("manage.py")
            expect(world.mode("\(world.home)/users.ndjson"), 0o600)
            try expect(logIn("ada@example.com", "test").exitCode, 0)
            try expect(logIn("ada@example.com", "text").exitCode, 4)
            try expect(logIn("bob@example.com", "test").exitCode, 5)
            try expect(logIn("eve@example.com", newPassword(of: "eve@example.com")).exitCode, 0)
            let user = try show("ada@example.com", "--admin-key-file", "secret.txt")
            #expect(try user.object("fields").string("first_name") == "Ada" && user.flag("emailVerified") == true)
        }
        try expect(world.start([], program: ["/bin/rm", "move.journal", "new.ndjson"]).wait().exitCode, 0)
        try expect(world.run("profile", "remove", "new", "--force").exitCode, 0)
        let firebase = try FirebaseServer()
        try add("new", "--server", firebase.url, "--app-id", FirebaseServer.project)
        try secret("token.txt", "owner")
        try runRecipe("--drop fields.first_name")
        for name in ["ada", "eve"] {
            try expect(logIn("\(name)@example.com", newPassword(of: "\(name)@example.com")).exitCode, 0)
        }
        try expect(logIn("bob@example.com", newPassword(of: "bob@example.com")).exitCode, 5)
    }
}
