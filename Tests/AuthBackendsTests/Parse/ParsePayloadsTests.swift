import CommandTestSupport
import Platform

@testable import AuthBackends

@Suite struct ParsePayloadsTests {
    @Test func `the extra fields of a Parse user contain no secret and no standard member such as username`() {
        let user = ParsePayloads.user([
            "objectId": "1", "username": "ada", "email": "a@b.c", "emailVerified": false,
            "createdAt": "2026-01-02T03:04:05Z", "updatedAt": "2026-01-02T03:04:06Z",
            "__type": "Object", "className": "_User", "sessionToken": "r:secret", "password": "secret",
            "_hashed_password": "secret", "_email_verify_token": "secret", "_anything": "secret",
            "authData": ["facebook": ["id": "1", "access_token": "secret"], "mfa": ["secret": "secret"]],
            "authDataResponse": ["mfa": ["recovery": "secret"]], "age": 36, "nested": ["_kept": true],
        ])
        expect(user.fields, ["updatedAt": "2026-01-02T03:04:06Z", "age": 36, "nested": ["_kept": true]])
        #expect(!"\(user)".contains("secret"))
        expect(user.emailVerified, false)
        expect(user.createdAt, Instant("2026-01-02T03:04:05Z"))
    }

    static let identities: [(authData: JSONValue?, providers: [String]?)] = [
        (nil, nil),
        (.null, nil),
        ([:], []),
        (["facebook": ["id": "1"]], ["facebook"]),
        (["facebook": nil, "anonymous": ["id": "x"]], ["anonymous"]),
        (["mfa": ["status": "enabled"], "myAuth": ["id": "x"]], ["myAuth"]),
        ("odd", nil),
    ]

    @Test(arguments: identities)
    func `the providers of a Parse user's identities come from authData`(authData: JSONValue?, providers: [String]?) {
        var object: JSONObject = ["objectId": "1"]
        object["authData"] = authData
        expect(ParsePayloads.user(object).providers, providers)
    }

    @Test(arguments: [
        ("7", "7" as String?), ("12345678901234567890", "12345678901234567890"), ("1.5", nil), (#""x""#, "x"),
    ])
    func `the id of an identity keeps all its digits`(id: String, read: String?) throws {
        let authData = try JSONValue(parsing: Array(#"{"facebook":{"id":\#(id)}}"#.utf8))
        expect(ParsePayloads.user(["authData": authData]).identities, [Identity(provider: "facebook", id: read)])
    }

    @Test(arguments: [["__type": "Date", "iso": "2027-01-02T03:04:05Z"], "2027-01-02T03:04:05Z"] as [JSONValue])
    func `the expiry of a session is read from a Date object or from a text`(expiry: JSONValue) {
        expect(ParsePayloads.session(["objectId": "s1", "expiresAt": expiry], currentID: nil)?.expiresAt, .sampleEnd)
    }

    @Test func `values of the wrong type are left out of a Parse user`() {
        let user = ParsePayloads.user([
            "objectId": 5, "username": ["x"], "email": nil, "emailVerified": "yes", "createdAt": "yesterday",
        ])
        var expected = User()
        expected.lacksEmail = true
        expect(user, expected)
    }

    @Test(arguments: [(nil, false), (.null, true), ("", true), ("ada@example.org", false)] as [(JSONValue?, Bool)])
    func `a user has no e-mail if the e-mail member is null, empty or, for allauth, missing`(
        email: JSONValue?, isEmpty: Bool
    )
        throws
    {
        var (parse, django, kii): (JSONObject, JSONObject, JSONObject) = (["objectId": "1"], ["id": 1], ["userID": "1"])
        parse["email"] = email
        django["email"] = email
        kii["emailAddress"] = email
        let users = [ParsePayloads.user(parse), RestAuthPayloads.user(django), KiiPayloads.user(kii)]
        expect(users.map(\.lacksEmail), Array(repeating: isEmpty, count: 3))
        let allauth = try #require(AllauthPayloads.user(["user": .object(django)]))
        expect(allauth.lacksEmail, (email != "ada@example.org"))
    }
}
