import AuthModel
import Expectations

@Suite struct HashedPasswordTests {
    private static let key = "$RXnb8rh7LaDcn07xsssqqulZYXOM/EUCEFMVcAcyYVk"
    private static let salt = "$SFVpOWJ0eXhjRzVkdGN1RQ"
    private static let bcrypt = "$10$SXEz2HeT8PUIGQXo9yeUIem8KzNxgG0d7o/.eGj2rj8KbRgAuRVlq"
    private static let phc = "$argon2id$v=19$m=19456,t=2,p=1\(salt)\(key)"
    private static let django = "pbkdf2_sha256$120000$c2FsdA$AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    private static let scrypt = "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycQ==$42xEC+ixf3L2lw==$lSrfV15cpw=="

    /// Columns: the text; its kind and its costs, `nil` if it has no known form; the text that servers accept, if another.
    @Test(
        arguments: [
            ("$2a" + bcrypt, (.bcrypt, [10]), nil), ("$2y" + bcrypt, (.bcrypt, [10]), nil),
            ("bcrypt$$2b" + bcrypt, (.bcrypt, [10]), "$2b" + bcrypt), (phc, (.argon2id, [19456, 2, 1]), nil),
            ("argon2" + phc, (.argon2id, [19456, 2, 1]), phc),
            ("$argon2i$v=19$m=16,t=3,p=8\(salt)\(key)", (.argon2i, [16, 3, 8]), nil),
            (scrypt, (.fbscrypt, [14, 8]), nil), (django, (.pbkdf2, [120_000]), nil),
            ("correct horse", nil, nil), ("", nil, nil), ("$2b" + bcrypt.dropLast(), nil, nil),
            ("$2x" + bcrypt, nil, nil), ("bcrypt_sha256$$2b" + bcrypt, nil, nil),
            (phc.replacing("id", with: "d"), nil, nil), (phc.replacing("v=19$", with: ""), nil, nil),
            (phc.replacing("v=19", with: "v=16"), nil, nil), (phc.replacing("t=2", with: "t=-2"), nil, nil),
            (phc.replacing("t=2,p", with: "p=1,t"), nil, nil), (phc.replacing(",p=1", with: ""), nil, nil),
            (phc.replacing(salt, with: "$"), nil, nil), (phc.replacing(salt, with: "$c2FsdA"), nil, nil),
            (phc + "=", nil, nil), (phc.replacing("v=19$", with: "v=19,"), nil, nil),
            (scrypt.replacing("v=1,", with: "v=2,"), nil, nil), (scrypt.replacing("+", with: "-"), nil, nil),
            (scrypt.replacing("lw==$", with: "lw$"), nil, nil), (scrypt.replacing("ss=Bw==,", with: ""), nil, nil),
            (django.replacing("$c2FsdA", with: "$"), nil, nil), (django + "$", nil, nil),
            (django.replacing("120000", with: "0"), nil, nil),
        ] as [(String, (HashedPassword.Kind, [Int])?, String?)])
    func `hashes are read in the forms of servers and of Django`(
        text: String, expected: (kind: HashedPassword.Kind, costs: [Int])?, rewritten: String?
    ) {
        let hash = HashedPassword(Secret(text))
        #expect(hash?.kind == expected?.kind && hash?.costs == expected?.costs, "\(text)")
        expect(hash?.text.reveal(), expected.map { _ in rewritten ?? text })
        #expect(!SecretTests.printed { dump(hash, to: &$0) }.contains("SXEz"))
    }

    @Test func `a hash that the server does not accept is explained without the hash`() {
        let keeping = AccountKeeping(hashes: [HashLimit(.argon2id, 131_072, 10), HashLimit(.bcrypt)])
        func fault(_ text: String, of keeping: AccountKeeping = keeping) -> String? {
            keeping.fault(ofHash: Secret(text))
        }
        expect(fault(Self.phc.replacing("m=19456,t=2,p=1", with: "m=131072,t=10,p=64")), nil)
        expect(
            fault(Self.phc.replacing("m=19456", with: "m=131073")),
            "is a hash of argon2id with a cost of 131073, and the server accepts at most 131072")
        expect(
            fault(Self.phc.replacing("t=2", with: "t=11")),
            "is a hash of argon2id with a cost of 11, and the server accepts at most 10")
        expect(fault(Self.django), "is a hash of pbkdf2_sha256, and the server accepts argon2id, bcrypt")
        expect(fault(Self.django, of: AccountKeeping()), "is a hash of pbkdf2_sha256, and the server accepts none")
        expect(fault("hunter22"), "is not a password hash of a known form")
    }
}
