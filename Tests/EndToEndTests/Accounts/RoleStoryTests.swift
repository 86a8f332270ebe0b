import Foundation
import TestSupport

/// The recipe for users with roles in authctl-recipes(7): an admin, a member and an outsider, twice in a row.
@Suite(.mostlyWaits, .keepsInvariants) struct RoleStoryTests {
    /// Runs a code block of the recipe, each time with new journals, and checks who may read `path`.
    private func run(_ world: Sandbox, _ mark: String, _ path: String?) throws {
        try world.write("\(Sandbox.password)\n", to: "\(world.home)/password.txt")
        world.set("PATH", to: "\(world.home)/bin:/usr/bin:/bin")
        if !world.isThere("\(world.home)/bin/authctl") {
            try FileManager.default.createDirectory(atPath: "\(world.home)/bin", withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: "\(world.home)/bin/authctl", withDestinationPath: BuiltBinary.path)
        }
        let codes = try world.codes(ofManual: "authctl-recipes.7")
        let code = try #require(codes.first { $0.contains("for role in") && $0.contains(mark) })
        let table = try #require(codes.first { $0.contains("/reports/") })
        if let path {
            try world.write(
                table.replacing("/api/collections/reports/records", with: path), to: "\(world.home)/roles.txt")
        }
        // The fake has no data behind rules.
        let script = path == nil ? code.replacing("authctl check roles.txt\n", with: "") : code
        let ended = try shell(world, script)
        expect(ended.exitCode, 0, "\(ended.everything)")
        if path != nil { #expect(ended.stdout.contains("4 requests: 4 as expected"), "\(ended.everything)") }
    }

    private func shell(_ world: Sandbox, _ script: String) throws -> Finished {
        try world.start([], folder: world.home, program: ["/bin/bash", "-ec", script]).wait()
    }

    /// The payload of the token that `token` prints.
    private func claims(_ world: Sandbox, _ user: String) throws -> JSONDocument {
        let token = try world.run("--as", user, "token").stdout
        let text = token.split(separator: ".").dropFirst().first.map(String.init) ?? ""
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        let padded = standard + String(repeating: "=", count: (4 - standard.count % 4) % 4)
        return try JSONDocument(line: try #require(Data(base64Encoded: padded)) + [10])
    }

    @Test(
        .enabled(if: PocketBaseServer.isAvailable, "\(PocketBaseServer.absence)"),
        arguments: [PocketBaseServer.versions[0], PocketBaseServer.versions[3]])
    func `at PocketBase, a field decides who may read the reports`(version: String) throws {
        let server = try PocketBaseServer(version)
        let world = try Sandbox(visiting: server, "staff")
        try expect(world.run("profile", "add", "root", "--from", "site").exitCode, 0)
        try expect(world.run("profile", "set", "root", "collection", "_superusers").exitCode, 0)
        try expect(
            world.run("-p", "root", "login", "root@example.org", "--password-stdin", input: .password).exitCode, 0)
        try run(world, "--admin root", "/api/collections/reports/records")
        try expect(
            world.run("users", "set", "member@example.org", "--field", "role=admin", "--admin", "root").exitCode, 0)
        try expect(world.run("check", "roles.txt").exitCode, 11)
        try expect(
            world.run(
                "users", "delete", "admin@example.org", "member@example.org", "outsider@example.org",
                "--admin", "root", "--yes"
            ).exitCode, 0)
        try expect(shell(world, "rm -f *.journal").exitCode, 0)
        try run(world, "--admin root", "/api/collections/reports/records")
    }

    @Test func `at a fake of Supabase, a claim in the token decides`() throws {
        let server = try SupabaseServer()
        let world = try server.visitor()
        try FileManager.default.moveItem(atPath: "\(world.home)/secret", toPath: "\(world.home)/key.txt")
        try run(world, "--claim", "/rest/v1/reports")
        try expect(claims(world, "admin").object("app_metadata").string("role"), "admin")
        // The token of the member has its new role after a refresh.
        try expect(claims(world, "member").object("app_metadata").string("role"), "member")
        try expect(world.run("--as", "member", "token", "--min-ttl", "4000").exitCode, 4)
        try expect(claims(world, "member").object("app_metadata").string("role"), "admin")
    }

    @Test func `at a fake of Firebase's emulator, the token has the claim`() throws {
        let server = try FirebaseServer()
        let world = Sandbox()
        let words = ["profile", "add", "site", "--server", server.url, "--app-id", FirebaseServer.project]
        try expect(world.start(words).wait().exitCode, 0)
        try expect(world.run("profile", "use", "site").exitCode, 0)
        try world.write("owner", to: "\(world.home)/key.txt")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(world.home)/key.txt")
        try run(world, "--claim", nil)
        try expect(claims(world, "admin").string("role"), "admin")
    }

    @Test func `at serve, the role is a field`() throws {
        let serving = try ServingProgram()
        let world = try Sandbox(visiting: serving)
        try run(world, "--name $role", nil)
        let user = try world.run("--as", "admin", "whoami", "--json").document().object("user")
        try expect(user.object("fields").string("role"), "admin")
    }
}
