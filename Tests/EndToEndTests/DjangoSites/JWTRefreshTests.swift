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
    /// Commands that always send a request.
    static let askingUses = uses.filter { !["token", "exec"].contains($0[0]) }

    @Test(arguments: uses)
    func `each command refreshes an expired session once`(words: [String]) throws {
        let name = "ran-out-\(words.joined(separator: "-"))".filter { $0.isLetter || $0 == "-" }
        try world.join(name)
        try world.letSessionRunOut("site")
        try expectRefresh(words, of: name)
    }

    @Test(arguments: askingUses)
    func `each command refreshes a session once after the server rejects it`(words: [String]) throws {
        let name = "refused-\(words.joined(separator: "-"))".filter { $0.isLetter || $0 == "-" }
        try world.join(name)
        try world.spoil(access: true)
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

    @Test func `a refresh for a disabled account reports it and keeps the session`() throws {
        try world.join("bea")
        let good = try world.bytes(world.siteFile)
        try server.change("deactivate", "bea")
        let (whoami, asked) = try server.requests { try world.run("whoami", "--json") }
        #expect(try whoami.error().string("reason") == "account-disabled")
        #expect(asked == ["GET user/ 401"])
        #expect(try world.bytes(world.siteFile) == good)
        try world.letSessionRunOut("site")
        let expired = try world.bytes(world.siteFile)
        for words in [["whoami"], ["token"], ["sessions"]] {
            let refused = try world.start(words + ["--json"]).wait()
            #expect(refused.exitCode == 5)
            #expect(try refused.error().string("reason") == "account-disabled")
        }
        #expect(try world.bytes(world.siteFile) == expired)
        #expect(try world.run("logout", "--json").document().flag("forgotten") == true)
    }

    @Test func `a refresh for a deleted account is rejected`() throws {
        try world.join("cleo")
        try server.change("delete", "cleo")
        let (whoami, asked) = try server.requests { try world.run("whoami", "--json") }
        #expect(whoami.exitCode == 4)
        #expect(try whoami.document().string("state") == "rejected")
        #expect(asked == ["GET user/ 401"])
        #expect(try world.run("sessions").exitCode == 4)
        #expect(try world.run("logout").exitCode == 0)
        #expect(!world.isThere(world.siteFile))
    }

    @Test func `a rejected refresh token leads to a hint to log in`() throws {
        try world.join("dora")
        let refresh = try #require(try world.storedPair().refresh)
        _ = try server.post("logout/", #"{"refresh":"\#(refresh)"}"#)
        try world.letSessionRunOut("site")
        try expectAdvice()
    }

    @Test func `a changed signing key of the server leads to a hint to log in`() throws {
        try world.join("edda")
        try world.spoil(access: true, refresh: true)
        let (_, asked) = try server.requests {
            try expectAdvice(asking: [["whoami"], ["sessions"]], reason: "session-revoked")
        }
        #expect(asked.refreshes == ["POST token/refresh/ 401"])
        try world.letSessionRunOut("site")
        try expectAdvice()
    }

    private func expectAdvice(
        asking commands: [[String]] = [["whoami"], ["token"], ["exec", "--", "true"], ["sessions"]],
        reason: String = "session-expired"
    ) throws {
        let before = try world.storedPair()
        for words in commands {
            let refused = try world.start(words[0] == "exec" ? ["--json"] + words : words + ["--json"]).wait()
            #expect(refused.exitCode == 4, "\(words)")
            // These two commands report the error inside their document.
            let error =
                ["whoami", "sessions"].contains(words[0]) ? try refused.document().object("error") : try refused.error()
            #expect(error.string("reason") == reason, "\(words)")
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

extension Sandbox {
    /// Invalidates the signatures of the stored tokens, as a changed signing key of the server does.
    fileprivate func spoil(access: Bool = false, refresh: Bool = false) throws {
        let pair = try storedPair()
        let tokens = [access ? pair.access : nil, refresh ? pair.refresh : nil].compactMap(\.self)
        try rewriteSession("site") { content in
            tokens.reduce(content) { $0.replacing($1, with: Self.spoiled($1)) }
        }
    }

    private static func spoiled(_ token: String) -> String {
        let dot = token.lastIndex(of: ".") ?? token.startIndex
        return "\(token[...dot])\(String(token[dot...].dropFirst().reversed()))"
    }
}
