import TestSupport
import Testing

/// Listing and ending the sessions of an account that is logged in three times.
@Suite struct SessionListTests {
    private let world: Sandbox
    private let current: String
    private let others: [String]

    init() throws {
        world = try Sandbox()
        try world.signUp("ada")
        try world.logIn("ada")
        try world.logIn("ada")
        let ids = try world.sessionIDs()
        current = ids[0]
        others = Array(ids.dropFirst())
    }

    @Test func `all sessions are listed and the current one is marked`() throws {
        let lines = try world.run("sessions").stdout.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.filter { $0.hasPrefix("*") }.count == 1)
        #expect(lines.contains { $0.hasPrefix("*  \(current)") })
        #expect(try world.run("sessions", "list").stdout.split(separator: "\n") == lines)
    }

    @Test func `a session is ended by its id`() throws {
        #expect(try world.run("sessions", "revoke", others[0]).stdout == "ended 1 session\n")
        #expect(try Set(world.sessionIDs()) == [current, others[1]])
    }

    @Test func `an unknown id ends none`() throws {
        let revoke = try world.run("sessions", "revoke", others[0], "nobodyknow", others[1])
        #expect(revoke.exitCode == 7)
        #expect(revoke.stdout.isEmpty)
        #expect(revoke.stderr.contains("'nobodyknow'"))
        #expect(try world.sessionIDs().count == 3)
    }

    @Test func `another account's session is an unknown id`() throws {
        try world.signUp("bob")
        #expect(try world.run("sessions", "revoke", others[0]).exitCode == 7)
    }

    @Test func `the others end and the current one lives`() throws {
        #expect(try world.run("sessions", "revoke", "--others").stdout == "ended 2 sessions\n")
        #expect(try world.sessionIDs() == [current])
    }

    @Test func `ending all forgets the current one`() throws {
        let revoke = try world.run("sessions", "revoke", "--all")
        #expect(revoke.exitCode == 0)
        #expect(revoke.stdout == "ended 3 sessions, the current one too: logged out\n")
        #expect(!world.isThere(world.sessionFile()))
        #expect(try world.run("whoami").exitCode == 3)
    }

    @Test func `ending the current one by its id forgets it`() throws {
        #expect(try world.run("sessions", "revoke", current).exitCode == 0)
        #expect(!world.isThere(world.sessionFile()))
    }

    @Test(arguments: [[], ["--all", "--others"], ["--all", "someid"], ["--others", "someid"]])
    func `it must be said which ones, and only once`(words: [String]) throws {
        let revoke = try world.start(["sessions", "revoke"] + words).wait()
        #expect(revoke.exitCode == 2)
        #expect(revoke.stderr.contains("--others"))
        #expect(try world.sessionIDs().count == 3)
    }

    @Test func `a revoked session is refused from then on`() throws {
        let kept = try world.bytes(world.sessionFile())
        try world.run("sessions", "revoke", "--all")
        try world.write(kept, to: world.sessionFile())
        #expect(try world.run("sessions").exitCode == 4)
        #expect(try world.run("sessions", "revoke", "--others").exitCode == 4)
        #expect(try world.run("whoami").exitCode == 4)
    }
}
