import Expectations

@testable import AuthClient

@Suite struct ProfileTests {
    @Test(arguments: ["default", "a", "A.b_c-9", "_", "9", "a..b", String(repeating: "x", count: 64)])
    func `a profile name may contain letters, digits, dots, dashes and underscores`(name: String) {
        #expect(Profile.isName(name))
    }

    @Test(arguments: [
        "", ".", "..", ".a", "-a", "a b", "a/b", "a\n", "é", "a\0", "a:b", "a\u{301}",
        String(repeating: "x", count: 65),
    ])
    func `a profile name with an invalid character, first character or length is rejected`(name: String) {
        #expect(!Profile.isName(name))
    }

    @Test func `profiles are sorted by name`() {
        var configuration = Configuration()
        for name in ["b", "c", "a", "b"] { configuration.put(Profile(name: name, settings: [:])) }
        expect(configuration.profiles.map(\.name), ["a", "b", "c"])
    }
}
