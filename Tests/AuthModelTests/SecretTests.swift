import AuthModel
import Expectations

@Suite struct SecretTests {
    static let secret = Secret("hunter22")

    struct Holder {
        let secret = SecretTests.secret
        let maybe: Secret? = SecretTests.secret
        let credentials = Credentials(login: "ada", password: SecretTests.secret)
        let session = Session(token: SecretTests.secret, refreshToken: SecretTests.secret)
        let account = NewAccount(username: "ada", password: SecretTests.secret)
        let list = [SecretTests.secret]
    }

    @Test(arguments: [
        ("description", secret.description),
        ("interpolation", "\(secret)"),
        ("String(describing:)", String(describing: secret)),
        ("String(reflecting:)", String(reflecting: secret)),
        ("print", printed { print(secret, to: &$0) }),
        ("debugPrint", printed { debugPrint(secret, to: &$0) }),
        ("dump", printed { dump(secret, to: &$0) }),
        ("in an optional", "\(Optional(secret) as Any)"),
        ("in others, interpolated", "\(Holder())"),
        ("in others, reflected", String(reflecting: Holder())),
        ("in others, dumped", printed { dump(Holder(), to: &$0) }),
        ("as a key", "\([secret: 1])"),
    ])
    func `printing a secret shows 'redacted' and not its value`(way: String, text: String) {
        #expect(!text.contains("hunter22"), "by \(way)")
        #expect(text.contains("redacted"), "by \(way)")
    }

    @Test(arguments: [
        ("correct horse", nil), (" \t", nil), ("a\u{FEFF}", nil), ("a\nb", "contains a line break"),
        ("a\r\nb", "contains a line break"), ("a\r", "contains a carriage return"),
        ("\u{FEFF}a", "begins with a byte-order mark"),
    ])
    func `a text with a line break or a byte-order mark cannot be a password`(text: String, fault: String?) {
        expect(Secret(text).passwordFault, fault)
    }

    @Test func `reflection does not reveal a secret`() {
        #expect(Mirror(reflecting: Self.secret).children.isEmpty)
    }

    @Test func `the Secret type does not conform to Encodable`() {
        #expect(!(Self.secret as Any is any Encodable))
    }

    @Test func `reveal returns the value of a secret`() {
        expect(Self.secret.reveal(), "hunter22")
    }

    @Test func `two secrets are equal only if their values are equal`() {
        expect(Self.secret, Secret("hunter22"))
        #expect(Self.secret != Secret("hunter23"))
    }

    static func printed(_ write: (inout String) -> Void) -> String {
        var text = ""
        write(&text)
        return text
    }
}
