import CommandTestSupport
import Platform

@testable import AuthBackends

extension FirebaseBackendTests {
    private static let users = "POST v1/projects/demo-shop/accounts"
    private static let updated = Answer("\(users):update", #"{"localId":"u1","idToken":"t0ken-of-ada"}"#)

    /// The account with these claims, as the administrator sees it.
    private static func found(_ claims: String?, _ more: String = "") -> Answer {
        let member = claims.map { #","customAttributes":\#(JSONValue.string($0).text)"# } ?? ""
        return Answer("\(users):lookup", #"{"users":[{"localId":"u1","email":"a@b"\#(member)\#(more)}]}"#)
    }

    /// Source: the exchanges `admin/create`, `admin/create-disabled` and `admin/claims-set`.
    @Test func `the administrator creates an account with its state, then sets its claims`() throws {
        var account = NewAccount(
            username: nil, email: "a@b", phone: "+15555550188", password: Secret("long enough"),
            fields: ["displayName": "Ada", "photoUrl": "http://p"])
        (account.state.emailVerified, account.state.disabled) = (true, true)
        account.state.claims = ["role": "admin", "none": .null]
        let found = Self.found(#"{"role":"admin"}"#, #","disabled":true"#)
        let bodies = try run(Answer(Self.users, #"{"localId":"u1"}"#), Self.updated, found) { backend throws in
            guard case .created(let user) = try backend.createUser(account, adminKey: nil) else { throw TestFault() }
            #expect(user.claims == ["role": "admin"] && user.disabled == true)
        }
        let fields = #""displayName":"Ada","photoUrl":"http://p","email":"a@b","phoneNumber":"+15555550188""#
        expect(bodies[0], #"{\#(fields),"password":"long enough","emailVerified":true,"disabled":true}"#)
        expect(bodies[1], ##"{"localId":"u1","customAttributes":"{\"role\":\"admin\"}"}"##)
    }

    @Test func `a new account whose claims cannot be set is reported as created`() throws {
        var account = NewAccount(username: nil, phone: "+15555550188", password: Secret("long enough"))
        account.state.claims = ["a": 1]
        let refused = Answer("\(Self.users):update", 400, FirebaseSample.error("FORBIDDEN_CLAIM : a"))
        let bodies = try run(Answer(Self.users, #"{"localId":"u1"}"#), refused) { backend throws in
            let error = try failure { _ = try backend.createUser(account, adminKey: nil) }
            #expect(error.isAfterSuccess && error.message.hasPrefix("the account was created"), "\(error)")
        }
        expect(bodies[0], #"{"phoneNumber":"+15555550188","password":"long enough"}"#)
        let key = FirebaseSample.error("Bad.", 401).replacing("}}", with: #","status":"UNAUTHENTICATED"}}"#)
        try run(Answer(Self.users, 401, key)) { backend throws in
            let error = try failure { _ = try backend.createUser(account, adminKey: Secret("t")) }
            #expect(error.reason == .badAppKey && error.message.contains("access token") && !error.isAfterSuccess)
        }
    }

    /// Source: the exchanges `admin/update-email-password-unverify`, `admin/update-delete-attribute`, `admin/disable` and
    /// `admin/end-sessions`.
    @Test func `the administrator changes an account with one request, then reads it`() throws {
        var all = AccountChange { ($0.emailVerified, $0.disabled, $0.endsSessions) = (false, true, true) }
        all.user = UserChange(email: "b@c", fields: ["phoneNumber": "+15555550111"], unset: ["displayName"])
        all.user.password = Secret("long enough")
        let removal = AccountChange { $0.user.unset = ["photoUrl", "phoneNumber"] }
        let found = Self.found(nil)
        let bodies = try run(Self.updated, found, Self.updated, found) { backend throws in
            for change in [all, removal] {
                let user = try backend.update(change, of: User(id: "u1"), adminKey: nil)
                #expect(user.claims == [:] && user.disabled == false)
            }
            // The response to a new password has tokens of the user.
            expect(backend.masker.mask("t0ken-of-ada"), "<redacted>")
        }
        let names = #""phoneNumber":"+15555550111","deleteAttribute":["DISPLAY_NAME"],"email":"b@c""#
        let state = #""emailVerified":false,"disableUser":true,"validSince":"\#(Instant.sampleNow.seconds)""#
        expect(bodies[0], #"{\#(names),"password":"long enough",\#(state),"localId":"u1"}"#)
        expect(bodies[2], #"{"deleteAttribute":["PHOTO_URL"],"deleteProvider":["phone"],"localId":"u1"}"#)
    }

    /// A member whose name suggests a secret is not shown, but stays.
    @Test func `claims are merged with all claims that the account has`() throws {
        let change = AccountChange { $0.claims = ["role": "admin", "team": .null] }
        let (before, after) = (#"{"apiKey":"k1","team":"red"}"#, #"{"apiKey":"k1","role":"admin"}"#)
        let bodies = try run(Self.found(before), Self.updated, Self.found(after)) { backend throws in
            try expect(backend.update(change, of: User(id: "u1"), adminKey: nil).claims, ["role": "admin"])
        }
        expect(bodies[1], #"{"customAttributes":\#(JSONValue.string(after).text),"localId":"u1"}"#)
    }

    @Test func `claims that another administrator overwrote are written again, at most three times`() throws {
        let change = AccountChange { ($0.claims, $0.disabled) = (["a": 1], true) }
        let (other, both) = (Self.found(#"{"b":2}"#), Self.found(#"{"b":2,"a":1}"#))
        let bodies = try run(Self.found(nil), Self.updated, other, Self.updated, both) { backend throws in
            try expect(backend.update(change, of: User(id: "u1"), adminKey: nil).claims, ["b": 2, "a": 1])
        }
        expect(bodies[3], ##"{"customAttributes":"{\"b\":2,\"a\":1}","localId":"u1"}"##)
        try run(other, Self.updated, other, Self.updated, other, Self.updated, other) { backend throws in
            try expect(failure { _ = try backend.update(change, of: User(id: "u1"), adminKey: nil) }.reason, .conflict)
        }
    }

    private static let refusedClaims: [(JSONObject, before: String, AuthError.Reason)] = [
        (["sub": "x"], "{}", .invalidFields), (["firebase": .null], "{}", .invalidFields),
        (["a": .string(String(repeating: "x", count: 993))], "{}", .invalidFields),
        (["a": 1], "not JSON", .invalidResponse),
    ]

    @Test(arguments: refusedClaims)
    func `claims that are reserved or too long, or would replace unreadable ones, are not sent`(
        claims: JSONObject, before: String, reason: AuthError.Reason
    ) throws {
        try run(Self.found(before)) { backend throws in
            let change = AccountChange { $0.claims = claims }
            try expect(failure { _ = try backend.update(change, of: User(id: "u1"), adminKey: nil) }.reason, reason)
        }
    }

    @Test func `accounts are found by their address or phone number, and by no other name`() throws {
        let phone = Self.found(nil, #","phoneNumber":"+15555550188""#)
        let bodies = try run(phone, Self.found(nil)) { backend throws in
            try expect(backend.users(named: "+15555550188", adminKey: nil).map(\.id), ["u1"])
            try expect(backend.users(named: "A@b", adminKey: nil).map(\.id), ["u1"])
            try expect(backend.users(named: "ada", adminKey: nil), [])
        }
        expect(bodies, [#"{"phoneNumber":["+15555550188"]}"#, #"{"email":["A@b"]}"#])
    }
}
