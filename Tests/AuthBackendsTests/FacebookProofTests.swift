import AuthModel
import CommandTestSupport
import JSON
import Testing
import Transport

@testable import AuthBackends

/// Tokens of Limited Login, and other ways to log in, as each kind of server has them.
@Suite struct FacebookProofTests {
    static let identity = FacebookIdentity(id: "1003", .idToken(Secret("a.b.c")))

    @Test func `servers want different things of an identity`() {
        #expect(
            ParseBackend.replaying().facebookTraits
                == FacebookTraits(needsID: true, takesIDTokens: true, tellsNewAccounts: true))
        #expect(!ParseBackend.replaying(takesIDTokens: false).facebookTraits.takesIDTokens)
        #expect(
            RestAuthBackend.replaying().facebookTraits
                == FacebookTraits(needsID: false, takesIDTokens: false, tellsNewAccounts: false))
        #expect(
            AllauthBackend.replaying().facebookTraits
                == FacebookTraits(needsID: false, takesIDTokens: true, tellsNewAccounts: false))
    }

    // MARK: - ID tokens

    @Test func `Parse is sent an ID token under its own name`() throws {
        let logIn = ParseFacebookTests.logInRequest.replacing(
            #""access_token":"EAAB""#, with: #""token":"a.b.c""#)
        let user = #"{"objectId":"g7/y","username":"ada","sessionToken":"r:abc"}"#
        let session = try ParseBackend.replaying(Exchange(logIn, 200, user)).logIn(facebook: Self.identity).value
            .session
        #expect(session.token == Secret("r:abc"))
        let link = ParseFacebookTests.updateRequest(#"{"id":"1003","token":"a.b.c"}"#)
        let backend = ParseBackend.replaying(
            Exchange(Exchange.currentUserRequest, 200, ParseFacebookTests.unlinked), Exchange(link, 200, "{}"))
        #expect(try backend.linkFacebook(Self.identity, to: .abc).value.hasChanged)
    }

    @Test func `allauth is sent an ID token under its own name`() throws {
        for process in ["login", "connect"] {
            let body =
                #"{"provider":"facebook","process":"\#(process)","#
                + #""token":{"client_id":"fbapp","id_token":"a.b.c"}}"#
            let isLogIn = process == "login"
            let request = Exchange.allauth(
                "POST auth/provider/token", sending: body, as: isLogIn ? .nobody : .token("s1"), 200,
                AllauthSample.done(token: isLogIn ? "s1" : nil))
            if isLogIn {
                let backend = AllauthBackend.replaying(.allauthSite, request)
                #expect(try backend.logIn(facebook: Self.identity).value.session == .allauth)
            } else {
                let backend = AllauthBackend.replaying(
                    .allauthProviders(), .allauthSite, request, .allauthProviders("1003"))
                #expect(try backend.linkFacebook(Self.identity, to: .allauthOld).value.hasChanged)
            }
        }
    }

    @Test func `rest-auth is sent no ID token`() throws {
        for error in [
            try failure { _ = try RestAuthBackend.replaying().logIn(facebook: Self.identity) },
            try failure { _ = try RestAuthBackend.replaying().linkFacebook(Self.identity, to: .key) },
        ] {
            #expect(error == AuthError(.unsupported, "the site takes no tokens of Facebook's Limited Login"))
        }
    }

    // MARK: - Other ways in

    @Test(arguments: [
        (#"{"facebook":{"id":"1"}}"#, nil as Bool?), (#"{"facebook":{"id":"1"},"google":{"id":"2"}}"#, true),
        (#"{"facebook":{"id":"1"},"anonymous":{"id":"2"}}"#, nil),
        (#"{"facebook":{"id":"1"},"mfa":{"status":"enabled"}}"#, nil),
        (#"{"facebook":{"id":"1"},"google":null}"#, nil),
    ])
    func `Parse tells of other identities, and of passwords nothing`(authData: String, isKnown: Bool?) throws {
        let user = #"{"objectId":"g7/y","username":"ada","authData":\#(authData)}"#
        let backend = ParseBackend.replaying(Exchange(Exchange.currentUserRequest, 200, user))
        #expect(try backend.facebookStatus(of: .abc).value.hasOtherWayIn == isKnown)
    }

    @Test(
        arguments: [
            (#","has_usable_password":true"#, "", true), (#","has_usable_password":false"#, "", false),
            ("", "", nil),
            (
                #","has_usable_password":false"#, #",{"uid":"7","provider":{"id":"google"},"display":"x"}"#, true
            ),
        ] as [(String, String, Bool?)])
    func `allauth tells of passwords and of other identities`(
        password: String, others: String, isKnown: Bool?
    ) throws {
        let user = #"{"id":7,"display":"ada"\#(password)}"#
        let session = #"{"status":200,"data":{"user":\#(user)},"meta":{"is_authenticated":true}}"#
        let rows = #"{"uid":"1003","provider":{"id":"facebook"},"display":"x"}\#(others)"#
        let backend = AllauthBackend.replaying(
            .allauthUser(as: .token("s1"), 200, session),
            .allauth("GET account/providers", as: .token("s1"), 200, #"{"status":200,"data":[\#(rows)]}"#))
        #expect(try backend.facebookStatus(of: .allauthOld).value.hasOtherWayIn == isKnown)
    }
}

/// What servers can be told of a user from their profile at Facebook.
@Suite struct UserFillingTests {
    static let told = FacebookProfile(
        id: "1003", name: "Ada L", firstName: "Ada", lastName: "L", email: "ada@example.org")

    // MARK: - Parse

    @Test(arguments: [
        (User(id: "1"), [["email": "ada@example.org"], ["name": "Ada L"]]),
        (User(id: "1", email: "", fields: ["name": ""]), [["email": "ada@example.org"], ["name": "Ada L"]]),
        (User(id: "1", fields: ["name": nil]), [["email": "ada@example.org"], ["name": "Ada L"]]),
        (User(id: "1", email: "a@b.c"), [["name": "Ada L"]]),
        (User(id: "1", fields: ["name": "A"]), [["email": "ada@example.org"]]),
        (User(id: "1", email: "a@b.c", fields: ["name": 5]), []),
    ] as [(User, [JSONObject])])
    func `Parse takes an address and a name where there is none`(user: User, fillings: [JSONObject]) {
        #expect(ParseBackend.replaying().fillings(of: user, from: Self.told) == fillings)
        #expect(ParseBackend.replaying().fillings(of: user, from: FacebookProfile(id: "1003")) == [])
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

    @Test func `Parse is told each in a request of its own`() throws {
        let user = User(id: "g7/y", username: "ada")
        let backend = ParseBackend.replaying(
            Self.update(#"{"email":"ada@example.org"}"#), Self.update(#"{"name":"Ada L"}"#))
        let withEmail = try backend.fill(["email": "ada@example.org"], of: user, .abc)
        #expect(withEmail == Reply(User(id: "g7/y", username: "ada", email: "ada@example.org")))
        let full = try backend.fill(["name": "Ada L"], of: withEmail.value, .abc)
        #expect(
            full
                == Reply(User(id: "g7/y", username: "ada", email: "ada@example.org", fields: ["name": "Ada L"])))
    }

    @Test func `Parse may not take an address`() throws {
        let backend = ParseBackend.replaying(
            Self.update(
                #"{"email":"ada@example.org"}"#, 400,
                #"{"code":203,"error":"Account already exists for this email address."}"#))
        let error = try failure {
            _ = try backend.fill(["email": "ada@example.org"], of: User(id: "g7/y"), .abc)
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
    func `rest-auth takes the names that it shows empty, both at once`(fields: JSONObject, fillings: [JSONObject]) {
        let backend = RestAuthBackend.replaying()
        #expect(backend.fillings(of: User(id: "7", fields: fields), from: Self.told) == fillings)
        #expect(backend.fillings(of: User(id: "7", fields: fields), from: FacebookProfile(id: "1003")) == [])
    }

    @Test func `rest-auth is told the names, and answers with the user`() throws {
        let request = """
            PATCH https://a.example/auth/user/
            Accept: application/json
            Accept-Language: en
            Authorization: Token 0a1b
            Content-Type: application/json

            {"first_name":"Ada","last_name":"L"}
            """
        let answer = #"{"pk":7,"username":"ada","email":"ada@example.org","first_name":"Ada","last_name":"L"}"#
        let reply = try RestAuthBackend.replaying(Exchange(request, 200, answer))
            .fill(["first_name": "Ada", "last_name": "L"], of: .seven, .key)
        #expect(
            reply
                == Reply(
                    User(
                        id: "7", username: "ada", email: "ada@example.org",
                        fields: ["first_name": "Ada", "last_name": "L"])))
    }

    // MARK: - allauth

    @Test func `allauth takes an address where there is none, and no names`() {
        let backend = AllauthBackend.replaying()
        #expect(
            backend.fillings(of: User(id: "7", fields: ["name": ""]), from: Self.told)
                == [["email": "ada@example.org"]])
        #expect(backend.fillings(of: User(id: "7", email: "a@b.c"), from: Self.told) == [])
        #expect(backend.fillings(of: User(id: "7"), from: FacebookProfile(id: "1003")) == [])
    }

    @Test(arguments: [nil as String?, "ada@example.org"])
    func `allauth is told the address, and has it when its mail was followed`(email: String?) throws {
        let member = email.map { #","email":"\#($0)""# } ?? ""
        let session =
            #"{"status":200,"data":{"user":{"id":7,"display":"ada"\#(member)}},"#
            + #""meta":{"is_authenticated":true}}"#
        let backend = AllauthBackend.replaying(
            .allauth(
                "POST account/email", sending: #"{"email":"ada@example.org"}"#, as: .token("s1"), 200,
                #"{"status":200,"data":[{"email":"ada@example.org","verified":false,"primary":true}]}"#),
            .allauthUser(as: .token("s1"), 200, session))
        let user = try backend.fill(["email": "ada@example.org"], of: User(id: "7"), .allauthOld).value
        #expect(user.email == email)
    }
}
