import Foundation
import TestSupport
import Testing

/// An account from signup to logout: `authctl serve` over http, and over https behind nginx.
@Suite struct HostLifeTests {
    enum Way: CaseIterable {
        case http, https
    }

    @Test(arguments: Way.allCases)
    func `a served account works from signup to logout`(way: Way) throws {
        let host = try AccountHost(way)
        try AccountStory(world: host.world, profile: "live", backend: "parse", server: host.url).run()
    }

    @Test(arguments: Way.allCases)
    func `a served account gets mails for verification and reset`(way: Way) throws {
        let host = try AccountHost(way)
        let world = host.world
        try world.signUp("ada", "--email", "ada@example.org")
        #expect(try world.run("verify-email").stdout.contains("ada@example.org"))
        #expect(try world.run("verify-email", "--key", "0f3a").exitCode == 10)
        #expect(try world.run("password", "reset", "ada@example.org").exitCode == 0)
        #expect(world.contents(of: host.mails).filter { !$0.hasSuffix("/.lock") }.count == 2)
    }

    @Test func `the trace of a request shows method, URL and status, but no secret`() throws {
        let host = try AccountHost(.https)
        let result = try host.world.start(["signup", "ada", "--password-stdin", "-v"], input: .password).wait()
        #expect(result.stderr.contains("authctl: > POST \(host.url)/users\n"))
        #expect(result.stderr.firstMatch(of: /authctl: < 201 in \d+ ms, \d+ bytes\n/) != nil)
        for secret in [Sandbox.password, AccountHost.key, try host.world.token("live")] {
            #expect(!result.everything.contains(secret))
        }
    }

    @Test func `a certificate of an unknown authority ends a signup before it is sent`() throws {
        let host = try AccountHost(.https)
        let result = try host.world.start(
            ["signup", "ada", "--password-stdin", "--json"], input: .password, environment: ["AUTHCTL_CA_CERT": nil]
        ).wait()
        #expect(result.exitCode == 8)
        #expect(try result.error().string("reason") == "tls")
        #expect(try host.world.signUp("ada").exitCode == 0)
    }

    @Test func `a logout from an unreachable server deletes the session here`() throws {
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

/// A Parse server on the network, and a sandbox whose profile `live` selects it.
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
