import TestSupport
import Testing

/// Many processes find the same expired session. One of them refreshes it, and all use the new tokens.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct ConcurrentJWTRefreshTests {
    private let server: DjangoServer
    private let world: Sandbox

    init() throws {
        server = try SharedSites.server("jwt")
        world = try Sandbox(visiting: server)
    }

    @Test func `ten processes refresh an expired session once and all succeed`() throws {
        try world.join("ada")
        try world.letSessionRunOut("site")
        let before = try world.storedPair()
        let words = (0..<10).map { $0.isMultiple(of: 2) ? ["whoami"] : ["token"] }
        let (ends, asked) = try server.requests { try all(words) }
        #expect(ends.allSatisfy { $0.exitCode == 0 && $0.stderr.isEmpty }, "\(ends.map(\.stderr))")
        let tokens = Set(zip(words, ends).filter { $0.0 == ["token"] }.map(\.1.stdout))
        #expect(asked.refreshes == ["POST token/refresh/ 200"])
        #expect(asked.count == 6)
        let after = try world.storedPair()
        #expect(after.access != before.access)
        #expect(tokens == ["\(after.access)\n"])
        #expect(try server.accepts(after.access))
        #expect(try server.liveRefreshTokens(of: "ada") == 1)
        #expect(try server.refresh(try #require(after.refresh)).status == 200)
    }

    @Test func `a logout among ten refreshing processes is not undone`() throws {
        try world.join("bea")
        for round in 0..<3 {
            try world.logIn("bea", "-q")
            try world.letSessionRunOut("site")
            let words = (0..<10).map { number in
                number == 3 * round + 1 ? ["logout"] : number.isMultiple(of: 2) ? ["whoami"] : ["token"]
            }
            let (ends, asked) = try server.requests { try all(words) }
            for (words, end) in zip(words, ends) {
                let expected: [Int32?] = words == ["logout"] ? [0] : [0, 3]
                #expect(expected.contains(end.exitCode), "\(words): \(end.stderr)")
            }
            #expect(asked.refreshes.count <= 1)
            #expect(!world.isThere(world.siteFile))
            #expect(try world.run("whoami").exitCode == 3)
        }
        // The token of the signup. The login replaced it without revoking it.
        #expect(try server.liveRefreshTokens(of: "bea") == 1)
    }

    @Test func `a login during a refresh by others is kept`() throws {
        try world.join("cleo")
        try world.letSessionRunOut("site")
        let words = (0..<8).map { $0 == 3 ? ["login", "cleo", "--password-stdin", "-q"] : ["whoami"] }
        let ends = try all(words)
        #expect(ends.allSatisfy { $0.exitCode == 0 }, "\(ends.map(\.stderr))")
        let pair = try world.storedPair()
        #expect(try server.accepts(pair.access))
        #expect(try server.refresh(try #require(pair.refresh)).status == 200)
    }

    /// Starts all commands before it waits for the first.
    private func all(_ commands: [[String]]) throws -> [Finished] {
        try commands.map { try world.start($0, input: .password) }.map { $0.wait() }
    }
}
