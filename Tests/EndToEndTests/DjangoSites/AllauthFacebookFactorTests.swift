import TestSupport
import Testing

/// Facebook logins to accounts with a second factor at a site with allauth's headless API.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct AllauthFacebookFactorTests {
    private let site: AllauthSite
    private let world: Sandbox

    init() throws {
        site = try AllauthSite("none")
        world = site.world
    }

    /// Creates an account whose second factor is enabled after its signup.
    ///
    /// - Returns: its recovery codes.
    private func join(_ name: String) throws -> [String] {
        try site.join(name)
        return Array(try site.server.change("totp", name).dropFirst())
    }

    @Test func `a Facebook login without a code fails with a hint to --otp`() throws {
        let codes = try join("fay")
        try #require(try world.link(facebook: "tok-bob").exitCode == 0)
        let text = try world.logIn(facebook: "tok-bob")
        #expect(text.exitCode == 5)
        #expect(text.stderr.contains("authctl login --facebook --token-file FILE --otp CODE\n"))
        try world.logIn(facebook: "tok-bob", "--json").refusal(5, "second-factor-required")
        #expect(try world.run("whoami").exitCode == 0)
        try world.logIn(facebook: "tok-bob", "--json", "--otp", "000000").refusal(4, "wrong-code")
        #expect(try world.logIn(facebook: "tok-bob", "--otp", codes[0]).stdout.contains("fay"))
    }

    /// An ID token is accepted once, so a prompt for the code would come too late.
    @Test func `a login with an ID token takes its code from --otp only`() throws {
        let codes = try join("ina")
        let graph = try #require(site.server.graph)
        func start(_ word: String, _ more: [String] = [], _ terminal: PseudoTerminal? = nil) throws -> Finished {
            let path = "\(world.root)/id-token"
            try world.write(try graph.idToken(sub: "1010"), to: path)
            return try world.start([word] + more + ["--id-token-file", path], terminal: terminal).wait()
        }
        try #require(try start("link-facebook").exitCode == 0)
        let terminal = try PseudoTerminal()
        #expect(try start("login", ["--facebook"], terminal).exitCode == 5)
        #expect(
            terminal.shown.replacing("\r\n", with: "").contains(
                "authctl login --facebook --id-token-file FILE --otp CODE"))
        #expect(try start("login", ["--facebook", "--otp", codes[0]]).stdout.contains("ina"))
    }
}
