import Foundation
import TestSupport
import Testing

/// Every state of a session that the embedded accounts can bring about, in text and in JSON.
@Suite struct WhoamiTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
        try world.signUp("ada", "--email", "ada@example.org")
    }

    @Test func `a session that the server confirms is valid`() throws {
        let whoami = try world.run("whoami", "--json")
        #expect(whoami.exitCode == 0)
        #expect(whoami.stderr.isEmpty)
        let document = try whoami.document()
        #expect(document.string("state") == "valid")
        #expect(document.flag("checked") == true)
        #expect(document.isNull("error"))
    }

    @Test func `offline it is stored, and the server is not asked`() throws {
        try FileManager.default.removeItem(atPath: world.dataFolder)
        let text = try world.run("whoami", "--offline")
        #expect(text.exitCode == 0)
        #expect(text.stdout.hasPrefix("ada (profile 'default', accounts on this machine), not checked\n"))
        let document = try world.run("whoami", "--offline", "--json").document()
        #expect(document.string("state") == "stored")
        #expect(document.flag("checked") == false)
        #expect(!world.isThere(world.dataFolder))
    }

    @Test func `a session that was ended elsewhere is rejected`() throws {
        let kept = try world.bytes(world.sessionFile())
        try world.run("logout")
        try world.write(kept, to: world.sessionFile())
        let text = try world.run("whoami")
        #expect(text.exitCode == 4)
        #expect(text.stdout.hasPrefix("ada was logged in "))
        #expect(text.stderr.contains("authctl: hint: log in again: authctl login"))
        let json = try world.run("whoami", "--json")
        #expect(json.exitCode == 4)
        let document = try json.document()
        #expect(document.string("state") == "rejected")
        #expect(try document.object("error").string("reason") == "session-revoked")
        #expect(try document.object("user").string("username") == "ada")
    }

    @Test(arguments: [[], ["--offline"]])
    func `a session past its end has expired`(words: [String]) throws {
        try expireSession()
        let text = try world.start(["whoami"] + words).wait()
        #expect(text.exitCode == 4)
        #expect(text.stdout.contains("the session has expired"))
        let json = try world.start(["whoami", "--json"] + words).wait()
        #expect(json.exitCode == 4)
        let document = try json.document()
        #expect(document.string("state") == "expired")
        #expect(try document.object("error").string("reason") == "session-expired")
    }

    @Test func `the token of a session past its end is not printed`() throws {
        try expireSession()
        let result = try world.run("token")
        #expect(result.exitCode == 4)
        #expect(result.stdout.isEmpty)
    }

    @Test(arguments: [[], ["--offline"]])
    func `with nothing stored it is absent`(words: [String]) throws {
        try world.run("logout")
        let text = try world.start(["whoami"] + words).wait()
        #expect(text.exitCode == 3)
        #expect(text.stdout == "nobody is logged in (profile 'default', accounts on this machine)\n")
        let json = try world.start(["whoami", "--json"] + words).wait()
        #expect(json.exitCode == 3)
        let document = try json.document()
        #expect(document.string("state") == "absent")
        #expect(document.isNull("user"))
        #expect(document.isNull("session"))
        #expect(document.isNull("source"))
    }

    @Test func `a session from the environment outranks the stored one`() throws {
        let token = try world.token()
        try world.signUp("bob")
        let environment = ["AUTHCTL_TOKEN": token, "AUTHCTL_BACKEND": "local"]
        let document = try world.run("whoami", "--json", environment: environment).document()
        #expect(document.string("source") == "environment")
        #expect(try document.object("user").string("username") == "ada")
        #expect(try world.run("whoami").stdout.hasPrefix("bob "))
    }

    @Test func `a session from the environment needs a named backend`() throws {
        let result = try world.run("whoami", environment: ["AUTHCTL_TOKEN": try world.token()])
        #expect(result.exitCode == 2)
        #expect(result.stderr.contains("AUTHCTL_TOKEN"))
        #expect(try !result.everything.contains(world.token()))
    }

    @Test func `the environment's session is read from a file as well`() throws {
        try world.write("\(try world.token())\r\n", to: "\(world.home)/token")
        try world.signUp("bob")
        let environment = ["AUTHCTL_TOKEN_FILE": "\(world.home)/token"]
        let whoami = try world.run("--backend", "local", "whoami", environment: environment)
        #expect(whoami.stdout.hasPrefix("ada ") || whoami.stdout.hasPrefix("somebody "))
        #expect(whoami.exitCode == 0)
    }

    @Test func `login works on the stored session and says that another outranks it`() throws {
        let token = try world.token()
        let environment = ["AUTHCTL_TOKEN": token, "AUTHCTL_BACKEND": "local", "AUTHCTL_PASSWORD": Sandbox.password]
        let login = try world.run("login", "ada", environment: environment)
        #expect(login.exitCode == 0)
        #expect(login.warnings.count == 1)
        #expect(login.warnings.first?.contains("AUTHCTL_TOKEN") == true)
        #expect(try world.token() != token)
    }

    /// Lets the session run out, in the stored file and in the database.
    private func expireSession() throws {
        try world.letSessionRunOut()
        try world.execute("UPDATE sessions SET expires_at = 1577836800000")
    }
}
