import TestSupport
import Testing

/// Commands at a fake of Kii Cloud show no password, token or key.
@Suite struct KiiSecretTests {
    @Test func `the commands of a Kii account show no secret`() throws {
        let site = try KiiSite("refresh", "verify", hasFacebook: true)
        let world = site.world
        world.set("AUTHCTL_CLIENT_KEY", to: "canary-key")
        // Made with `printf app1:canary-key | base64`.
        var secrets = [
            Sandbox.password, Sandbox.newPassword, "not that one", "tok-ann", "tok-bad", "canary-key",
            "YXBwMTpjYW5hcnkta2V5",
        ]
        var runs: [Finished] = []
        func run(_ words: String..., input: Input = .password) throws {
            runs.append(try world.start(words + ["-v"], input: input).wait())
            // `try?`: no session may be stored.
            if let pair = try? world.storedPair() { secrets += [pair.access, pair.refresh].compactMap(\.self) }
        }
        let passwords: Input = "\(Sandbox.password)\n\(Sandbox.newPassword)\n"
        try run("signup", "ada", "--email", "ada@example.org", "--password-stdin")
        try run("signup", "ada", "--password-stdin", "--json")
        try run("whoami", "--json")
        try run("login", "ada", "--password-stdin", input: "not that one\n")
        try run("login", "ada", "--password-stdin", "--json")
        let code = try site.server.test("code", of: "ada")
        secrets.append(code)
        try run("verify-email", "--key", code)
        try run("link-facebook", "--token-stdin", input: "tok-ann\n")
        try run("link-facebook", "--token-stdin", "--facebook-id", "1", "--json", input: "tok-bad\n")
        try site.server.test("run-out", of: "ada")
        try run("sessions")
        try run("password", "change", "--password-stdin", input: "not that one\n\(Sandbox.newPassword)\n")
        try run("password", "change", "--password-stdin", input: passwords)
        try run("password", "reset", "ada@example.org")
        try run("login", "--facebook", "--token-stdin", input: "tok-ann\n")
        try run("logout")
        #expect(runs.count { $0.stderr.contains("/api/apps/app1/") } >= runs.count - 1, "no trace")
        #expect(Set(secrets).count > 17)
        for (run, secret) in runs.flatMap({ run in Set(secrets).map { (run, $0) } }) {
            #expect(!run.everything.contains(secret), "\(secret): \(run.everything)")
        }
        for secret in Set(secrets) { #expect(world.files(holding: secret) == [], "\(secret)") }
    }

    @Test func `the tokens of a Kii session are in its file only`() throws {
        let site = try KiiSite("refresh")
        try site.joinAndLogIn()
        let pair = try site.world.storedPair()
        for secret in [pair.access, try #require(pair.refresh)] {
            #expect(site.world.files(holding: secret) == [site.world.siteFile])
        }
        #expect(site.world.mode(site.world.siteFile) == 0o600)
        #expect(site.world.files(holding: Sandbox.password) == [])
    }
}
