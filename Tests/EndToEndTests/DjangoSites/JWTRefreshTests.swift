import TestSupport
import Testing

/// Expired JWTs are refreshed once, and the new tokens are saved before use.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct JWTRefreshTests {
    private let server: DjangoServer
    private let world: Sandbox

    init() throws {
        server = try SharedSites.server("jwt")
        world = try Sandbox(visiting: server)
    }

    static let uses = [
        ["whoami"], ["token"], ["exec", "--", "true"], ["sessions"], ["sessions", "--json"],
        ["link-facebook", "--status"], ["password", "change", "--password-stdin"],
    ]

    @Test(arguments: uses)
    func `each command refreshes an expired session once`(words: [String]) throws {
        let name = "ran-out-\(words.joined(separator: "-"))".filter { $0.isLetter || $0 == "-" }
        try world.join(name)
        try world.letSessionRunOut("site")
        try expectRefresh(words, of: name)
    }

    private func expectRefresh(_ words: [String], of name: String) throws {
        let before = try world.storedPair()
        let passwords: Input = "\(Sandbox.password)\n\(Sandbox.newPassword)\n"
        let (result, asked) = try server.requests { try world.start(words, input: passwords).wait() }
        #expect(result.exitCode == 0, "\(result.stderr)")
        #expect(result.stderr.isEmpty)
        #expect(asked.refreshes == ["POST token/refresh/ 200"], "\(asked)")
        let after = try world.storedPair()
        if words == ["token"] { #expect(result.stdout == "\(after.access)\n") }
        #expect(after.access != before.access)
        #expect(after.refresh != before.refresh)
        #expect(try server.accepts(after.access))
        #expect(try server.liveRefreshTokens(of: name) == 1)
        let (next, askedNext) = try server.requests { try world.run("whoami") }
        #expect(next.exitCode == 0)
        #expect(askedNext == ["GET user/ 200"])
    }

    @Test func `tokens that are expired when issued cost one refresh per command`() throws {
        let server = try SharedSites.server("jwt", environment: ["ACCESS_SECONDS": "0"])
        let world = try Sandbox(visiting: server)
        try world.join("ada")
        let (whoami, asked) = try server.requests { try world.run("whoami", "--json") }
        #expect(whoami.exitCode == 4)
        let error = try whoami.document().object("error")
        #expect(error.string("reason") == "session-revoked")
        #expect(error.string("hint")?.hasSuffix("authctl login") == true)
        #expect(asked == ["POST token/refresh/ 200", "GET user/ 401"])
        // A token from the last refresh is used whatever its expiry.
        let (token, askedForToken) = try server.requests { try world.run("token") }
        #expect(token.exitCode == 0)
        #expect(askedForToken == ["POST token/refresh/ 200"])
        #expect(try server.liveRefreshTokens(of: "ada") == 1)
        #expect(try world.run("logout", "--json").document().string("revoked") == "yes")
        #expect(try server.liveRefreshTokens(of: "ada") == 0)
    }

    @Test func `a rejected refresh token leads to a hint to log in`() throws {
        try world.join("dora")
        let refresh = try #require(try world.storedPair().refresh)
        _ = try server.post("logout/", #"{"refresh":"\#(refresh)"}"#)
        try world.letSessionRunOut("site")
        let before = try world.storedPair()
        for words in [["whoami"], ["token"], ["exec", "--", "true"], ["sessions"]] {
            let refused = try world.start(words[0] == "exec" ? ["--json"] + words : words + ["--json"]).wait()
            #expect(refused.exitCode == 4, "\(words)")
            // These two commands report the error inside their document.
            let error =
                ["whoami", "sessions"].contains(words[0]) ? try refused.document().object("error") : try refused.error()
            #expect(error.string("reason") == "session-expired", "\(words)")
            #expect(error.string("hint")?.hasSuffix("authctl login") == true, "\(words)")
        }
        #expect(try world.run("whoami").stderr.contains("authctl login\n"))
        #expect(try world.storedPair() == before)
    }

    @Test(.enabled(if: Host.canMount, "needs root and the right to mount"), arguments: ["full", "read-only"])
    func `no refresh is requested if the new tokens could not be saved`(disk: String) throws {
        try world.join("\(disk)-disk")
        try world.letSessionRunOut("site")
        let before = try world.bytes(world.siteFile)
        let obstacle =
            disk == "full"
            ? """
            cp -a ~/.config/authctl ~/copy
            mount -t tmpfs -o size=64k,mode=700 none ~/.config/authctl || exit 99
            cp -a ~/copy/. ~/.config/authctl || exit 98
            cat /dev/zero >~/.config/authctl/filler 2>/dev/null
            """ : "mount --bind ~ ~ && mount -o remount,ro,bind ~ || exit 99"
        let script = """
            \(obstacle)
            "$A" whoami --json
            code=$?
            "$A" token >/dev/null 2>&1
            [ $? = 12 ] || exit 97
            cmp ~/.config/authctl/sessions/site~~*.json \(world.root)/before || exit 96
            exit $code
            """
        try world.write(before, to: "\(world.root)/before")
        let (result, asked) = try server.requests {
            try world.start(
                [], environment: ["A": BuiltBinary.path],
                program: ["/usr/bin/unshare", "-m", "/bin/bash", "-c", script]
            ).wait()
        }
        #expect(result.exitCode == 12, "\(result.everything)")
        #expect(try result.error().string("reason") == (disk == "full" ? "no-space" : "not-written"))
        #expect(asked == [])
        #expect(try world.run("whoami").exitCode == 0)
    }
}
