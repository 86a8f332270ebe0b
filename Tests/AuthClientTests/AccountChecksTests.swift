import AuthModel
import Expectations

@testable import AuthClient

@Suite struct AccountChecksTests {
    @Test(arguments: [
        ("ada", "12345678", nil as String?, [] as [String]),
        ("ad", "12345678", nil, ["username"]),
        ("", "12345678", nil, ["username"]),
        ("ada", "1234567", nil, ["password"]),
        ("ad", "1234567", "x", ["username", "email", "password"]),
        ("ada", "12345678", "ada@example.org", []),
        ("a😀", "12345678", nil, []),  // three code units of UTF-16, two characters
        ("😀", "12345678", nil, ["username"]),
        ("ada", "😀😀😀😀", nil, []),
        ("ada", "😀😀😀a", nil, ["password"]),
        ("e\u{301}e", "12345678", nil, []),
        ("éé", "12345678", nil, ["username"]),
    ])
    func `validation of a new account reports every invalid field and counts lengths in UTF-16 code units`(
        username: String, password: String, email: String?, faulty: [String]
    ) {
        let account = NewAccount(username: username, email: email, password: Secret(password))
        expect(AccountChecks.faults(of: account).map(\.field), faulty)
    }

    @Test func `validation of a new account reports a missing username`() {
        let account = NewAccount(username: nil, password: Secret("12345678"))
        expect(AccountChecks.faults(of: account).map(\.field), ["username"])
    }

    @Test(arguments: ["a@b.c", "a.b+c@sub.example.org", "ü@bücher.example", "'@b.c", "a@b.c.d", "😀@b.c"])
    func `an e-mail address with a local part, one @ and a domain with a dot is accepted`(text: String) {
        #expect(AccountChecks.isEmail(text))
    }

    @Test(arguments: [
        "", "@", "a", "a@", "@b.c", "a@b", "a@b.", "a@.c", "a@b..c", "a@@b.c", "a@b@c.d", "a b@c.d", "a@b .c",
        "a@b.c\n", "a\0@b.c", "a\u{85}@b.c", "a\u{A0}@b.c", "a@b.c\u{7F}",
    ])
    func `a malformed e-mail address is rejected`(text: String) {
        #expect(!AccountChecks.isEmail(text))
    }
}
