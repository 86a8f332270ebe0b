import Testing

@testable import AuthClient

@Suite struct ProfileTests {
    @Test(arguments: [
        "default", "a", "A.b_c-9", "_", "9", "a..b", String(repeating: "x", count: 64),
    ])
    func `may be called so`(name: String) {
        #expect(Profile.isName(name))
    }

    @Test(arguments: [
        "", ".", "..", ".a", "-a", "a b", "a/b", "a\n", "é", "a\0", "a:b", "a\u{301}",
        String(repeating: "x", count: 65),
    ])
    func `may not be called so`(name: String) {
        #expect(!Profile.isName(name))
    }

    @Test func `takes its place in the order of the names`() {
        var configuration = Configuration()
        for name in ["b", "c", "a", "b"] { configuration[name] = Profile(name: name, settings: [:]) }
        #expect(configuration.profiles.map(\.name) == ["a", "b", "c"])
    }

    @Test func `is removed by nil`() {
        var configuration = Configuration(profiles: [Profile(name: "a", settings: [:])])
        configuration["a"] = nil
        #expect(configuration.profiles.isEmpty)
    }
}
