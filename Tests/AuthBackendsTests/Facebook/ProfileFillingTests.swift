import CommandTestSupport

@testable import AuthBackends

/// The empty account fields that a Facebook profile can fill.
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
    func `a Facebook profile fills an empty e-mail and name in Parse`(user: User, emptyFieldValues: [JSONObject]) {
        expect(ParseBackend.replaying().emptyFieldValues(of: user, from: Self.told), emptyFieldValues)
        expect(ParseBackend.replaying().emptyFieldValues(of: user, from: IdentityProfile(id: "1003")), [])
    }

    // MARK: - rest-auth

    @Test(
        arguments: [
            (["first_name": "", "last_name": ""], [["first_name": "Ada", "last_name": "L"]]),
            (["first_name": "A", "last_name": ""], [["last_name": "L"]]),
            (["first_name": "A", "last_name": "B"], []), ([:], []), (["first_name": nil], []),
        ] as [(JSONObject, [JSONObject])])
    func `a Facebook profile fills all empty names of a rest-auth account in one request`(
        fields: JSONObject, emptyFieldValues: [JSONObject]
    ) {
        let backend = RestAuthBackend.replaying()
        expect(backend.emptyFieldValues(of: User(id: "7", fields: fields), from: Self.told), emptyFieldValues)
        expect(backend.emptyFieldValues(of: User(id: "7", fields: fields), from: IdentityProfile(id: "1003")), [])
    }

    // MARK: - allauth

    @Test func `a Facebook profile fills the empty e-mail of an allauth account, but no names`() {
        let backend = AllauthBackend.replaying()
        #expect(
            backend.emptyFieldValues(of: User(id: "7", fields: ["name": ""]), from: Self.told)
                == [["email": "ada@example.org"]])
        expect(backend.emptyFieldValues(of: User(id: "7", email: "a@b.c"), from: Self.told), [])
        expect(backend.emptyFieldValues(of: User(id: "7"), from: IdentityProfile(id: "1003")), [])
    }
}
