import CommandTestSupport

@testable import AuthBackends

/// Profile updates. Account deletions are tested in `BackendContract`.
@Suite struct AccountChangeTests {
    @Test func `a Parse profile update removes fields and the e-mail with Delete operations`() throws {
        let request = """
            PUT https://a.example/parse/users/u1
            X-Parse-Application-Id: app
            X-Parse-Session-Token: r:abc
            Content-Type: application/json

            {"level":3,"username":"eve","nickname":{"__op":"Delete"},"email":{"__op":"Delete"}}
            """
        let user = User(id: "u1", username: "ada", email: "a@b.c", emailVerified: true, fields: ["nickname": "A"])
        let change = UserChange(username: "eve", fields: ["level": 3], unset: ["nickname", "email"])
        let reply = try ParseBackend.replaying(Exchange(request, 200, "{}")).update(change, of: user, .abc)
        expect(reply, Reply(User(id: "u1", username: "eve", fields: ["level": 3])))
    }

    @Test(arguments: [
        "objectId", "createdAt", "updatedAt", "emailVerified", "authData", "sessionToken", "_x", "authData.myAuth",
    ])
    func `a Parse profile update of a read-only field is rejected before any request`(name: String) throws {
        for change in [UserChange(fields: [name: "x"]), UserChange(unset: [name])] {
            let error = try failure { try ParseBackend.replaying().check(change) }
            expect(error.reason, .invalidFields)
            expect(error.fields.map(\.field), [name])
        }
    }

    /// The default serializer ignores an e-mail, so nothing else is sent before the site has shown that it takes one.
    @Test(arguments: [("ada@example.org", AuthError.Reason?.some(.unsupported)), ("E@b.c", nil), (nil, nil)])
    func `a rest-auth update of the e-mail is unsupported if the site ignores it, and then changes nothing`(
        shown: String?, reason: AuthError.Reason?
    ) throws {
        func patch(_ body: String) -> Exchange {
            let head = "PATCH https://a.example/auth/user/\nAccept: application/json\nAccept-Language: en"
            let rest = "Authorization: Token 0a1b\nContent-Type: application/json\n\n\(body)"
            let email = shown.map { #","email":"\#($0)""# } ?? ""
            return Exchange("\(head)\n\(rest)", 200, #"{"pk":7,"username":"eve"\#(email)}"#)
        }
        let change = UserChange(username: "eve", email: "e@b.c")
        var exchanges = [patch(#"{"email":"e@b.c"}"#)]
        if reason == nil { exchanges.append(patch(#"{"username":"eve"}"#)) }
        let backend = RestAuthBackend.replaying(atSite: true, exchanges)
        guard let reason else {
            try expect(backend.update(change, of: .seven, .key).value.username, "eve")
            return
        }
        try expect(failure { _ = try backend.update(change, of: .seven, .key) }.reason, reason)
    }

    @Test func `a rest-auth profile update that removes the e-mail or sets an unknown field sends no request`() throws {
        let change = UserChange(unset: ["email"])
        let error = try failure { _ = try RestAuthBackend.replaying().update(change, of: .seven, .key) }
        expect(error.reason, .unsupported)
        for name in ["pk", "nickname"] {
            let change = UserChange(fields: [name: "x"])
            let error = try failure { _ = try RestAuthBackend.replaying().update(change, of: .seven, .key) }
            expect(error.reason, .invalidFields)
        }
    }

    @Test(
        arguments: [
            (200, #"{"pk":7,"username":"eve","first_name":""}"#, nil),
            (400, #"{"username":["A user with that username already exists."]}"#, .usernameTaken),
        ] as [(Int, String, AuthError.Reason?)])
    func `a rest-auth profile update changes the username and sets a removed text field to an empty string`(
        status: Int, answer: String, reason: AuthError.Reason?
    ) throws {
        let request = """
            PATCH https://a.example/auth/user/
            Accept: application/json
            Accept-Language: en
            Authorization: Token 0a1b
            Content-Type: application/json

            {"first_name":"","username":"eve"}
            """
        let user = User(id: "7", username: "ada", fields: ["first_name": "Ada"])
        let backend = RestAuthBackend.replaying(Exchange(request, status, answer))
        let change = UserChange(username: "eve", unset: ["first_name"])
        guard let reason else {
            try expect(backend.update(change, of: user, .key).value.username, "eve")
            return
        }
        try expect(failure { _ = try backend.update(change, of: user, .key) }.reason, reason)
    }

    @Test(arguments: [
        UserChange(username: "eve"), UserChange(email: "e@b.c", fields: ["x": 1]), UserChange(unset: ["x"]),
    ])
    func `an allauth profile update of anything except the e-mail is unsupported`(change: UserChange) throws {
        let error = try failure { _ = try AllauthBackend.replaying().update(change, of: .seven, .allauthOld) }
        expect(error.reason, .unsupported)
    }

    private static func allauth(_ request: String, _ code: String? = nil, body: String) -> Exchange {
        let answer = code.map { #"{"status":400,"errors":[{"message":"x","code":"\#($0)","param":"email"}]}"# }
        return .allauth(
            request, sending: body, as: .token("s1"), code == nil ? 200 : 400, answer ?? #"{"status":200,"data":[]}"#)
    }

    private static let me = Exchange.allauth("GET auth/session", as: .token("s1"), 200, AllauthSample.done(token: nil))
    private static let added = allauth("POST account/email", "duplicate_email", body: #"{"email":"e@b.c"}"#)
    private static let primary = #"{"email":"e@b.c","primary":true}"#

    /// Source of the behavior: allauth 65.21, `headless/account/inputs.py`.
    @Test(arguments: [
        [added, allauth("PATCH account/email", body: primary), me],
        [
            added, allauth("PATCH account/email", "unverified_primary_email", body: primary),
            allauth("PUT account/email", body: #"{"email":"e@b.c"}"#), me,
        ],
    ])
    func `an allauth change to an already added e-mail makes it primary or, if unverified, starts verification`(
        exchanges: [Exchange]
    ) throws {
        let change = UserChange(email: "e@b.c")
        try expect(AllauthBackend.replaying(exchanges).update(change, of: .seven, .allauthOld), Reply(.allauthSeven))
    }

    @Test func `an allauth profile update can remove the e-mail of the user`() throws {
        let removed = Self.allauth("DELETE account/email", body: #"{"email":"a@b.c"}"#)
        _ = try AllauthBackend.replaying([removed, Self.me])
            .update(UserChange(unset: ["email"]), of: User(id: "7", email: "a@b.c"), .allauthOld)
    }

    // MARK: - Kii

    private static let kiiUser = """
        {"userID":"u1","internalUserID":7,"loginName":"ada","displayName":"Ada","emailAddress":"a@b.c",\
        "phoneNumber":"+819012345678","phoneNumberVerified":true,"_hasPassword":true,"level":2,"apiToken":"t","old":1}
        """

    private static func kii(_ method: String, _ path: String, _ type: String?, _ body: String) -> String {
        let end = type.map { "\nContent-Type: application/vnd.kii.\($0)+json\n\n\(body)" } ?? ""
        return """
            \(method) https://a.example/api/apps/app1/users/me\(path)
            Accept: */*
            Authorization: Bearer k11-token-1\(end)
            """
    }

    private static func backend(_ exchanges: Exchange...) -> KiiBackend {
        let transport = ReplayingTransport()
        for exchange in exchanges { transport.expect(exchange) }
        return KiiBackend(
            endpoints: KiiEndpoints(site: "https://a.example/api", appID: "app1"),
            server: .replaying(transport, base: "https://a.example/api"))
    }

    private static let session = Session(token: Secret("k11-token-1"))

    @Test func `a Kii profile update resends unchanged custom fields and changes the e-mail separately`() throws {
        let backend = Self.backend(
            Exchange(Self.kii("GET", "", nil, ""), 200, Self.kiiUser),
            Exchange(
                Self.kii("POST", "", "UserUpdateRequest", #"{"level":3,"apiToken":"t","loginName":"eve"}"#), 200,
                #"{"modifiedAt":1340725385432}"#),
            Exchange(
                Self.kii("PUT", "/email-address", "EmailAddressModificationRequest", #"{"emailAddress":"e@b.c"}"#),
                409, #"{"errorCode":"USER_ALREADY_EXISTS","message":"x","field":"emailAddress"}"#))
        let change = UserChange(username: "eve", email: "e@b.c", fields: ["level": 3], unset: ["old"])
        let error = try failure { _ = try backend.update(change, of: User(id: "u1"), Self.session) }
        expect(error.reason, .emailTaken)
        #expect(error.message.hasPrefix("the other values were changed, but the e-mail was not: "))
    }

    @Test(
        arguments: [
            (UserChange(fields: ["userID": "x"]), .invalidFields), (UserChange(unset: ["_x"]), .invalidFields),
            (UserChange(fields: ["phoneNumberVerified": true]), .invalidFields),
            (UserChange(unset: ["displayName"]), .unsupported), (UserChange(unset: ["email"]), .unsupported),
        ] as [(UserChange, AuthError.Reason)])
    func `an unsupported Kii profile update is rejected before a request`(change: UserChange, reason: AuthError.Reason)
        throws
    {
        let error = try failure { try Self.backend().check(change) }
        expect(error.reason, reason)
    }
}
