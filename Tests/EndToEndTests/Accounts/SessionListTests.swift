import TestSupport
import Testing

/// The sessions of a local account that is logged in three times.
@Suite struct SessionListTests {
    @Test func `sessions of a local account are listed and revoked by id, as others and all`() throws {
        let world = try Sandbox()
        try world.signUp("ada")
        for _ in 0..<3 { try world.logIn("ada", "-q") }
        let ids = try world.sessionIDs()
        try #require(ids.count == 4)
        let lines = try world.run("sessions").stdout.split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("*") }.count == 1)
        #expect(lines.contains { $0.hasPrefix("*  \(ids[0])") })

        #expect(try world.run("sessions", "revoke", ids[1]).exitCode == 0)
        #expect(try Set(world.sessionIDs()) == [ids[0], ids[2], ids[3]])
        #expect(try world.run("sessions", "revoke", "--others").exitCode == 0)
        #expect(try world.sessionIDs() == [ids[0]])

        let saved = try world.bytes(world.sessionFile())
        #expect(try world.run("sessions", "revoke", "--all").exitCode == 0)
        #expect(!world.isThere(world.sessionFile()))
        try world.write(saved, to: world.sessionFile())
        #expect(try world.run("sessions").exitCode == 4)
        #expect(try world.run("whoami").exitCode == 4)
    }
}
