import CommandTestSupport
import Platform

@testable import AuthClient

@Suite struct SessionNameTests {
    @Test(arguments: [
        "ada", "a", "A.b_c-9", "_", "9", "ada@example.org", "ada+ci@example.org", "+1", "@",
        String(repeating: "x", count: 64),
    ])
    func `a name of letters, digits, dots, dashes, underscores, @ and + is a valid session name`(name: String) {
        #expect(SessionKey.isName(name))
    }

    @Test(arguments: [
        "", ".", "..", ".a", "-a", "a b", "a/b", "a~b", "a\n", "é", "a\0", "a:b", "a\u{301}",
        String(repeating: "x", count: 65),
    ])
    func `a session name with an invalid character or length is rejected`(name: String) {
        #expect(!SessionKey.isName(name))
    }

    @Test(arguments: [
        ("ci~ada@example.org~0123456789abcdef.json", "ci", "ada@example.org", "0123456789abcdef"),
        ("ci~~0123456789abcdef.json", "ci", nil, "0123456789abcdef"),
    ])
    func `a session file's name contains the profile, the session name and a hash`(
        fileName: String, profile: String, name: String?, hash: String
    ) throws {
        let parts = try #require(SessionFileName(fileName))
        #expect(parts.profile == profile && parts.name == name && parts.hash == hash)
    }

    @Test(arguments: [
        "ci.json", "ci~ada.json", "ci~a~b~c.json", "~ada~0123456789abcdef.json", "ci~.ada~0123456789abcdef.json",
        "ci~a b~0123456789abcdef.json", "ci~ada~0123456789abcdef", ".lock-ci~ada~0123456789abcdef", ".json",
    ])
    func `a file with a malformed name is not a session file`(fileName: String) {
        #expect(SessionFileName(fileName) == nil)
    }

    @Test func `the file name of a session can be parsed back into profile, session name and hash`() throws {
        for name in [nil, "ada", "ada+ci@example.org", String(repeating: "x", count: 64)] {
            let key = SessionKey(profile: String(repeating: "p", count: 64), name: name, connection: .site)
            let parts = try #require(SessionFileName(key.fileName))
            #expect(parts.profile == key.profile && parts.name == name && parts.hash == Connection.site.hash)
            #expect(key.fileName.utf8.count <= 200)
        }
    }

    @Test(
        arguments: [
            ("bob", nil, ["--as", "bob"]), ("bob", "ada", ["--as", "bob"]), (nil, "ada", ["--as", ""]), (nil, nil, []),
        ] as [(String?, String?, [String])])
    func `a hint adds --as NAME, or --as '' for the profile's own session if a session name is in force`(
        own: String?, inForce: String?, words: [String]
    ) {
        expect(SessionKey.local("default", as: own).nameOption(insteadOf: inForce), words)
    }
}
