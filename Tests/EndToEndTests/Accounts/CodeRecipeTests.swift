import Foundation
import TestSupport

/// The recipes for apps without passwords in authctl-recipes(7), each twice in a row.
@Suite(.mostlyWaits, .keepsInvariants) struct CodeRecipeTests {
    /// Runs the code block with the mark, after `changes` of its text, with a fake of `npm`.
    private func run(_ world: Sandbox, _ mark: String, _ changes: [(String, String)]) throws {
        let bin = "\(world.home)/bin"
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: "\(bin)/authctl", withDestinationPath: BuiltBinary.path)
        try world.write("#!/bin/sh\n[ -n \"$AUTHCTL_AUTH_HEADER\" ] && echo tested\n", to: "\(bin)/npm")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: "\(bin)/npm")
        world.set("PATH", to: "\(bin):/usr/bin:/bin")
        let codes = try world.codes(ofManual: "authctl-recipes.7")
        let code = try #require(codes.first { $0.contains("--send-code") && $0.contains(mark) })
        let script = changes.reduce(code) { $0.replacing($1.0, with: $1.1) }
        for _ in 1...2 {
            let ended = try world.start([], folder: world.home, program: ["/bin/bash", "-ec", script]).wait()
            expect(ended.exitCode, 0, "\(ended.everything)")
            expect(ended.stdout.contains("tested"), code.contains("npm"), "\(ended.everything)")
        }
        try expect(world.run("--as", "ada", "whoami").exitCode, 0)
    }

    @Test func `accounts of Supabase sign up with the e-mails in Mailpit`() throws {
        let server = try SupabaseServer()
        let world = try server.visitor()
        try run(
            world, "mailpit",
            [("-p shop", "-p site"), ("set shop", "set site"), ("http://127.0.0.1:8025", "\(server.url)/mailpit")])
    }

    @Test(.enabled(if: PocketBaseServer.isAvailable, "\(PocketBaseServer.absence)"))
    func `accounts of PocketBase log in with the e-mails in a folder`() throws {
        let server = try PocketBaseServer(PocketBaseServer.versions[0])
        let world = try Sandbox(visiting: server, "bycode")
        let users = ["ada", "bob", "cal"].map { "\($0)@example.org" }
        for user in users { try expect(world.run("signup", user, "--send-code").exitCode, 0) }
        try world.write(
            users.dropFirst().map { #"{"email":"\#($0)"}"# + "\n" }.joined(), to: "\(world.home)/users.ndjson")
        try run(
            world, "mailDir", [("-p shop", "-p site"), ("set shop", "set site"), ("$PWD/mails", server.mailFolder)])
        try expect(world.text("\(world.home)/tokens.ndjson").split(separator: "\n").count, 2)
    }

    @Test func `an account of Firebase's emulator logs in with the e-mails that it lists`() throws {
        let server = try FirebaseServer()
        let world = Sandbox()
        let host = server.url.replacing("http://", with: "")
        world.set("FIREBASE_AUTH_EMULATOR_HOST", to: host)
        world.set("AUTHCTL_BACKEND", to: "firebase")
        world.set("AUTHCTL_APP_ID", to: FirebaseServer.project)
        try run(world, "FIREBASE_AUTH_EMULATOR_HOST", [("127.0.0.1:9099", host)])
    }
}
