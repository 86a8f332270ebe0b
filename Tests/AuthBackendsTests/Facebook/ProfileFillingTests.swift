import AuthModel
import CommandTestSupport
import JSON
import Testing

@testable import AuthBackends

/// Empty fields of an account that a Facebook profile can fill.
@Suite struct ProfileFillingTests {
    static let told = IdentityProfile(
        id: "1003", name: "Ada L", firstName: "Ada", lastName: "L", email: "ada@example.org")

    // MARK: - Parse

    @Test(
        arguments: [
            (User(id: "1"), [["email": "ada@example.org"], ["name": "Ada L"]]),
            (User(id: "1", email: "", fields: ["name": ""]), [["email": "ada@example.org"], ["name": "Ada L"]]),
            (User(id: "1", fields: ["name": nil]), [["email": "ada@example.org"], ["name": "Ada L"]]),
            (User(id: "1", email: "a@b.c"), [["name": "Ada L"]]),
            (User(id: "1", fields: ["name": "A"]), [["email": "ada@example.org"]]),
            (User(id: "1", email: "a@b.c", fields: ["name": 5]), []),
        ] as [(User, [JSONObject])])
    func `Parse accounts get an e-mail and a name where they have none`(user: User, emptyFieldValues: [JSONObject]) {
        #expect(ParseBackend.replaying().emptyFieldValues(of: user, from: Self.told) == emptyFieldValues)
        #expect(ParseBackend.replaying().emptyFieldValues(of: user, from: IdentityProfile(id: "1003")) == [])
    }

    private static func update(_ body: String, _ status: Int = 200, _ answer: String = "{}") -> Exchange {
        let request = """
            PUT https://a.example/parse/users/g7%2Fy
            X-Parse-Application-Id: app
            X-Parse-Session-Token: r:abc
            Content-Type: application/json

            \(body)
            """
        return Exchange(request, status, answer)
    }

    @Test func `Parse accounts get e-mail and name in separate requests`() throws {
        let user = User(id: "g7/y", username: "ada")
        let backend = ParseBackend.replaying(
            Self.update(#"{"email":"ada@example.org"}"#), Self.update(#"{"name":"Ada L"}"#))
        let withEmail = try backend.update(UserChange(email: "ada@example.org"), of: user, .abc)
        #expect(withEmail == Reply(User(id: "g7/y", username: "ada", email: "ada@example.org")))
        let full = try backend.update(UserChange(fields: ["name": "Ada L"]), of: withEmail.value, .abc)
        #expect(
            full
                == Reply(User(id: "g7/y", username: "ada", email: "ada@example.org", fields: ["name": "Ada L"])))
    }

    @Test func `Parse rejects an e-mail of another account`() throws {
        let backend = ParseBackend.replaying(
            Self.update(
                #"{"email":"ada@example.org"}"#, 400,
                #"{"code":203,"error":"Account already exists for this email address."}"#))
        let error = try failure {
            _ = try backend.update(UserChange(email: "ada@example.org"), of: User(id: "g7/y"), .abc)
        }
        #expect(error.reason == .emailTaken)
    }

    // MARK: - rest-auth

    @Test(
        arguments: [
            (["first_name": "", "last_name": ""], [["first_name": "Ada", "last_name": "L"]]),
            (["first_name": "A", "last_name": ""], [["last_name": "L"]]),
            (["first_name": "A", "last_name": "B"], []), ([:], []), (["first_name": nil], []),
        ] as [(JSONObject, [JSONObject])])
    func `rest-auth accounts get the names that are empty in one request`(
        fields: JSONObject, emptyFieldValues: [JSONObject]
    ) {
        let backend = RestAuthBackend.replaying()
        #expect(backend.emptyFieldValues(of: User(id: "7", fields: fields), from: Self.told) == emptyFieldValues)
        #expect(backend.emptyFieldValues(of: User(id: "7", fields: fields), from: IdentityProfile(id: "1003")) == [])
    }

    @Test func `rest-auth returns the user with the new names`() throws {
        let request = """
            PATCH https://a.example/auth/user/
            Accept: application/json
            Accept-Language: en
            Authorization: Token 0a1b
            Content-Type: application/json

            {"first_name":"Ada","last_name":"L"}
            """
        let answer = #"{"pk":7,"username":"ada","email":"ada@example.org","first_name":"Ada","last_name":"L"}"#
        let user = User(id: "7", username: "ada", fields: ["first_name": "", "last_name": ""])
        let reply = try RestAuthBackend.replaying(Exchange(request, 200, answer))
            .update(UserChange(fields: ["first_name": "Ada", "last_name": "L"]), of: user, .key)
        #expect(
            reply
                == Reply(
                    User(
                        id: "7", username: "ada", email: "ada@example.org",
                        fields: ["first_name": "Ada", "last_name": "L"])))
    }

    // MARK: - allauth

    @Test func `allauth accounts get an e-mail where they have none, and no names`() {
        let backend = AllauthBackend.replaying()
        #expect(
            backend.emptyFieldValues(of: User(id: "7", fields: ["name": ""]), from: Self.told)
                == [["email": "ada@example.org"]])
        #expect(backend.emptyFieldValues(of: User(id: "7", email: "a@b.c"), from: Self.told) == [])
        #expect(backend.emptyFieldValues(of: User(id: "7"), from: IdentityProfile(id: "1003")) == [])
    }

    @Test(arguments: [nil as String?, "ada@example.org"])
    func `allauth accounts have a new e-mail after it is verified`(email: String?) throws {
        let member = email.map { #","email":"\#($0)""# } ?? ""
        let session =
            #"{"status":200,"data":{"user":{"id":7,"display":"ada"\#(member)}},"#
            + #""meta":{"is_authenticated":true}}"#
        let backend = AllauthBackend.replaying(
            .allauth(
                "POST account/email", sending: #"{"email":"ada@example.org"}"#, as: .token("s1"), 200,
                #"{"status":200,"data":[{"email":"ada@example.org","verified":false,"primary":true}]}"#),
            .allauthUser(as: .token("s1"), 200, session))
        let user = try backend.update(UserChange(email: "ada@example.org"), of: User(id: "7"), .allauthOld).value
        #expect(user.email == email)
    }
}
