import TestSupport
import Testing

/// The output of the commands, including the trace, contains no password, token or code.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct AllauthSecrecyTests {
    @Test(arguments: ["none", "jwt"])
    func `commands with a second factor show no secret`(mode: String) throws {
        let site = try AllauthSite(mode)
        let world = site.world
        var secrets = [Sandbox.password, Sandbox.newPassword, "tok-ann", "not that one"]
        var runs = [try site.signUp("ada", "-v", "--json")]
        secrets += try site.storedSecrets()
        for words in [["whoami"], ["sessions", "--json"], ["verify-email"], ["logout", "--offline"]] {
            runs.append(try world.start(words + ["-v"], input: .nothing).wait())
        }
        runs.append(try site.logIn("ada", "-v", password: "not that one"))
        runs.append(try site.logIn("ada", "-v"))
        secrets += try site.storedSecrets()
        runs.append(try world.link(facebook: "tok-ann", "-v"))
        runs.append(try site.changePassword("-v", from: Sandbox.password, to: Sandbox.newPassword))
        secrets += try site.storedSecrets()
        let codes = Array(try site.server.change("totp", "ada").dropFirst().prefix(2))
        secrets += codes
        runs.append(try site.logIn("ada", "-v", password: Sandbox.newPassword))
        for _ in 0..<2 {
            runs.append(try site.logIn("ada", "--otp", codes[0], "-v", password: Sandbox.newPassword))
        }
        secrets += try site.storedSecrets()
        if mode == "jwt" {
            try world.letSessionRunOut("site")
            runs.append(try world.run("whoami", "-v"))
            secrets += try site.storedSecrets()
        }
        runs.append(try world.run("logout", "-v"))
        #expect(runs.count { $0.stderr.contains("/_allauth/app/v1/") } == runs.count - 1, "no trace")
        for (run, secret) in runs.flatMap({ run in secrets.map { (run, $0) } }) {
            #expect(!run.everything.contains(secret), "\(secret): \(run.everything)")
        }
    }

    @Test func `commands with a mailed code show no secret`() throws {
        let site = try AllauthSite("mandatory-code")
        var runs = [try site.signUp(email: "ada@example.com", "-v")]
        var secrets = [Sandbox.password, try site.pendingToken(), try site.code(to: "ada@example.com"), "XXXX-XXXX"]
        runs.append(try site.world.run("verify-email", "--key", "XXXX-XXXX", "-v"))
        runs.append(try site.world.run("verify-email", "-v"))
        let code = try site.code(to: "ada@example.com")
        secrets += [code, try site.pendingToken()]
        runs.append(try site.world.run("verify-email", "--key", code, "-v", "--json"))
        secrets += try site.storedSecrets()
        for (run, secret) in runs.flatMap({ run in secrets.map { (run, $0) } }) {
            #expect(!run.everything.contains(secret), "\(secret): \(run.everything)")
        }
    }
}

extension AllauthSite {
    /// The tokens of the profile's session.
    fileprivate func storedSecrets() throws -> [String] {
        let pair = try world.storedPair()
        return [pair.access, pair.refresh].compactMap(\.self)
    }
}
