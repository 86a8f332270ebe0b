import Foundation
import TestSupport
import Testing

/// The states of a local account's session, in text and in JSON.
@Suite struct WhoamiTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
        try world.signUp("ada", "--email", "ada@example.org")
    }

    @Test func `whoami reports a session that the server accepts as valid`() throws {
        let whoami = try world.run("whoami", "--json")
        #expect(whoami.exitCode == 0)
        #expect(whoami.stderr.isEmpty)
        let document = try whoami.document()
        #expect(document.string("state") == "valid")
        #expect(document.flag("checked") == true)
        #expect(document.isNull("error"))
    }

    @Test func `whoami --offline reports a stored session without opening the database`() throws {
        try FileManager.default.removeItem(atPath: world.dataFolder)
        let text = try world.run("whoami", "--offline")
        #expect(text.exitCode == 0)
        #expect(text.stdout.hasPrefix("ada "))
        let document = try world.run("whoami", "--offline", "--json").document()
        #expect(document.string("state") == "stored")
        #expect(document.flag("checked") == false)
        #expect(!world.isThere(world.dataFolder))
    }

    @Test func `whoami reports a revoked session as rejected`() throws {
        let kept = try world.bytes(world.sessionFile())
        try world.run("logout")
        try world.write(kept, to: world.sessionFile())
        let text = try world.run("whoami")
        #expect(text.exitCode == 4)
        #expect(text.stderr.contains("authctl login\n"))
        let json = try world.run("whoami", "--json")
        #expect(json.exitCode == 4)
        let document = try json.document()
        #expect(document.string("state") == "rejected")
        #expect(try document.object("error").string("reason") == "session-revoked")
        #expect(try document.object("user").string("username") == "ada")
    }

    @Test(arguments: [[], ["--offline"]])
    func `whoami reports a session past its expiry as expired`(words: [String]) throws {
        try expireSession()
        let text = try world.start(["whoami"] + words).wait()
        #expect(text.exitCode == 4)
        let json = try world.start(["whoami", "--json"] + words).wait()
        #expect(json.exitCode == 4)
        let document = try json.document()
        #expect(document.string("state") == "expired")
        #expect(try document.object("error").string("reason") == "session-expired")
    }

    @Test(arguments: [[], ["--offline"]])
    func `whoami reports an absent session`(words: [String]) throws {
        try world.run("logout")
        let text = try world.start(["whoami"] + words).wait()
        #expect(text.exitCode == 3)
        let json = try world.start(["whoami", "--json"] + words).wait()
        #expect(json.exitCode == 3)
        let document = try json.document()
        #expect(document.string("state") == "absent")
        #expect(document.isNull("user"))
        #expect(document.isNull("session"))
        #expect(document.isNull("source"))
    }

    /// Sets the expiry to the past, in the session file and in the database.
    private func expireSession() throws {
        try world.letSessionRunOut()
        try world.execute("UPDATE sessions SET expires_at = 1577836800000")
    }
}
