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
        #expect(text.stderr.contains("authctl login --provider facebook --token-file FILE --otp CODE\n"))
        try world.logIn(facebook: "tok-bob", "--json").refusal(5, "second-factor-required")
        #expect(try world.run("whoami").exitCode == 0)
        try world.logIn(facebook: "tok-bob", "--json", "--otp", "000000").refusal(4, "wrong-code")
        #expect(try world.logIn(facebook: "tok-bob", "--otp", codes[0]).stdout.contains("fay"))
    }
}
