import Foundation
import TestSupport
import Testing

/// The life of an account at a host: `authctl serve` over http, and the same behind nginx over https.
@Suite struct HostLifeTests {
    enum Way: CaseIterable {
        case http, https
    }

    @Test(arguments: Way.allCases)
    func `an account lives from signup to logout`(way: Way) throws {
        let host = try AccountHost(way)
        let world = host.world
        let signup = try world.signUp("ada", "--email", "ada@example.org")
        #expect(signup.stdout == "created account ada and logged in (profile 'live', \(host.url))\n")
        let whoami = try world.run("whoami", "--json").document()
        #expect(whoami.string("state") == "valid")
        #expect(whoami.string("backend") == "parse")
        #expect(whoami.string("server") == host.url)
        #expect(try whoami.object("user").string("email") == "ada@example.org")

        try world.run("profile", "add", "phone", "--from", "live")
        #expect(try world.logIn("ada@example.org", "-p", "phone").exitCode == 0)
        let sessions = try world.run("sessions", "--json")
        #expect(!sessions.everything.contains(try world.token("phone")))
        #expect(try sessions.document().objects("items").count == 2)
        #expect(try world.run("sessions", "revoke", "--others").exitCode == 0)
        #expect(try world.run("whoami", "-p", "phone").exitCode == 4)
        #expect(try world.run("sessions", "revoke", "nonesuch").exitCode == 7)

        let before = try world.token("live")
        let change: Input = "\(Sandbox.password)\nquite another one\n"
        #expect(try world.run("password", "change", "--password-stdin", input: change).exitCode == 0)
        #expect(try world.token("live") != before)
        #expect(try world.run("whoami").exitCode == 0)
        #expect(try world.logIn("ada").exitCode == 4)
        #expect(try world.run("login", "ada", "--password-stdin", input: "quite another one").exitCode == 0)

        let token = try world.token("live")
        let kept = try world.run("login", "-p", "phone", "--token-stdin", input: "\(token)\n")
        #expect(kept.stdout == "logged in as ada (profile 'phone', \(host.url))\n")
        let logout = try world.run("logout", "--json").document()
        #expect(logout.string("revoked") == "yes")
        #expect(try world.run("logout", "-p", "phone", "--json").document().string("revoked") == "already")
        #expect(try world.run("whoami").exitCode == 3)
    }

    @Test(arguments: Way.allCases)
    func `mails are asked for, and an address is confirmed by its link`(way: Way) throws {
        let host = try AccountHost(way)
        let world = host.world
        try world.signUp("ada", "--email", "ada@example.org")
        #expect(try world.run("verify-email").stdout == "a mail was sent to ada@example.org: follow its link\n")
        #expect(try world.run("verify-email", "--key", "0f3a").exitCode == 10)
        #expect(try world.run("password", "reset", "ada@example.org").exitCode == 0)
        #expect(world.contents(of: host.mails).filter { !$0.hasSuffix("/.lock") }.count == 2)
    }

    @Test(arguments: Way.allCases)
    func `a refusal means the same as anywhere else`(way: Way) throws {
        let host = try AccountHost(way)
        let world = host.world
        try world.signUp("ada", "--email", "ada@example.org")
        #expect(try world.signUp("ada").exitCode == 6)
        #expect(try world.signUp("bob", "--email", "ada@example.org").exitCode == 6)
        #expect(try world.run("login", "ada", "--password-stdin", input: "not that one").exitCode == 4)
        let otherKey = try world.run(
            "login", "ada", "--password-stdin", "--json", input: .password,
            environment: ["AUTHCTL_CLIENT_KEY": "not-the-key"])
        #expect(otherKey.exitCode == 5)
        #expect(try otherKey.error().string("reason") == "bad-app-key")
        let otherPath = try world.run(
            "login", "ada", "--password-stdin", "--json", "--server", "\(host.origin)/elsewhere", input: .password,
            environment: ["AUTHCTL_CLIENT_KEY": AccountHost.key])
        #expect(otherPath.exitCode == 8)
        #expect(try otherPath.error().string("reason") == "wrong-endpoint")
    }

    @Test func `the trace tells what was asked, and no secret`() throws {
        let host = try AccountHost(.https)
        let result = try host.world.start(["signup", "ada", "--password-stdin", "-v"], input: .password).wait()
        #expect(result.stderr.contains("authctl: > POST \(host.url)/users\n"))
        #expect(result.stderr.firstMatch(of: /authctl: < 201 in \d+ ms, \d+ bytes\n/) != nil)
        for secret in [Sandbox.password, AccountHost.key, try host.world.token("live")] {
            #expect(!result.everything.contains(secret))
        }
    }

    @Test func `an authority that nobody trusts is told, and nothing is sent`() throws {
        let host = try AccountHost(.https)
        let result = try host.world.start(
            ["signup", "ada", "--password-stdin", "--json"], input: .password, environment: ["AUTHCTL_CA_CERT": nil]
        ).wait()
        #expect(result.exitCode == 8)
        #expect(try result.error().string("reason") == "tls")
        #expect(try host.world.signUp("ada").exitCode == 0)
    }

    @Test func `a host that is gone is told, and a log-out forgets the session all the same`() throws {
        let host = try AccountHost(.http)
        let world = host.world
        try world.signUp("ada")
        host.server.program.send(SIGTERM)
        host.server.program.wait()
        let whoami = try world.run("whoami", "--json", "--timeout", "3")
        #expect(whoami.exitCode == 8)
        #expect(try whoami.document().string("state") == "unknown")
        #expect(try whoami.document().object("error").string("reason") == "connect")
        #expect(try world.run("whoami", "--offline").exitCode == 0)
        let logout = try world.run("logout", "--timeout", "3")
        #expect(logout.exitCode == 8)
        #expect(!world.isThere(world.sessionFile("live")))
    }
}

/// A Parse server of the network, and a world whose profile `live` leads there.
private final class AccountHost {
    static let key = "rest-k3y"

    let world: Sandbox
    let server: ServingProgram
    let origin: String
    var url: String { "\(origin)/parse" }
    var mails: String { "\(world.root)/mails" }

    private let front: TLSFront?

    init(_ way: HostLifeTests.Way) throws {
        world = try Sandbox()
        let keyFile = "\(world.root)/rest-key"
        try world.write("\(Self.key)\n", to: keyFile)
        server = try ServingProgram(
            "--database", "\(world.root)/accounts/served.db", "--app-id", "shop", "--client-key-file", keyFile,
            "--mail-dir", "\(world.root)/mails", world: world)
        front = way == .https ? try TLSFront(of: server) : nil
        origin = front?.origin ?? "http://127.0.0.1:\(server.port)"
        let added = try world.run(
            "profile", "add", "live", "--backend", "parse", "--server", url, "--app-id", "shop",
            "--client-key-file", keyFile)
        try #require(added.exitCode == 0)
        try world.run("profile", "use", "live")
        if front != nil { world.set("AUTHCTL_CA_CERT", to: TestAuthority.file) }
    }
}
