import Expectations
import JSON
import Transport

/// Users whose ACL lets others read them. Source: Parse Server 8.2.2, `protectedFields` and exchange `users.list-anon`.
@Suite struct PublicUserTests {
    private let ada: SignedUp
    private let bob: String

    init() throws {
        ada = try SignedUp(
            #""ACL":{"*":{"read":true}},"age":30,"authData":{"anonymous":{"id":"x"}}"#, email: "ada@example.com")
        bob = try #require(try ada.server.signUp("bob", email: "bob@example.com").token)
        try ada.server.signUp("eve")
    }

    private func names(_ query: String, token: String?) throws -> [String] {
        let answer = try ada.server.send(.get, "/users?\(query)", token: token)
        return answer.json?["results"]?.array?.compactMap { $0["username"]?.string } ?? [answer.line]
    }

    @Test func `everyone can read a user with a public ACL, but not its e-mail, identities or session token`() throws {
        let expected =
            #"{"objectId":"\#(ada.id)","createdAt":"2026-01-02T03:04:05.678Z","updatedAt":"2026-01-02T03:04:05.678Z","#
            + #""username":"ada","age":30,"ACL":{"*":{"read":true},"\#(ada.id)":{"read":true,"write":true}}}"#
        for token in [nil, bob] {
            try expect(ada.server.send(.get, "/users/\(ada.id)", token: token).line, "200 " + expected)
            try expect(ada.server.send(.get, "/classes/_User/\(ada.id)", token: token).line, "200 " + expected)
        }
        try expect(ada.server.send(.get, "/users").line, #"200 {"results":[\#(expected)]}"#)
    }

    @Test func `a user list contains the caller and the users whose ACL lets the caller read them`() throws {
        try expect(names("", token: nil), ["ada"])
        try expect(names("", token: ada.token), ["ada"])
        try expect(names("order=-username", token: bob), ["bob", "ada"])
        try expect(names("order=-createdAt&limit=1", token: bob), ["bob"])
        try expect(names("order=age,username&skip=1", token: bob), ["bob"])
        try expect(names(#"where={"username":{"$in":["ada","eve"]}}"#, token: bob), ["ada"])
        try expect(names(#"where={"objectId":"\#(ada.id)"}&order=age"#, token: bob), ["ada"])
        let one = try ada.server.send(.get, "/users?count=1&limit=1&skip=1&keys=username", token: bob)
        expect(one.json?["count"], 2)
        expect(one.json?["results"]?.array?.first?["username"], "bob")
        // None of these grants read access: an `ACL` inside another field, a field named `xACL`, a `read` that is 1.
        let eve = try ada.server.logIn("eve")
        let decoy = #"{"x":{"ACL":{"*":{"read":true}}},"xACL":{"*":{"read":true}},"ACL":{"*":{"read":1}}}"#
        try expect(ada.server.send(.put, "/users/\(#require(eve.id))", decoy, token: eve.token).status, 200)
        try expect(names("", token: nil), ["ada"])
    }

    @Test func `an ACL can give read access to a single user`() throws {
        let me = try #require(try ada.server.send(.get, "/users/me", token: bob).id)
        try expect(ada.put(#"{"ACL":{"\#(me)":{"read":true,"write":true}}}"#).status, 200)
        try expect(names("", token: nil), [])
        try expect(names("", token: bob), ["ada", "bob"])
        try expect(ada.server.send(.get, "/users/\(ada.id)").code, 101)
    }

    @Test(arguments: [
        #"{"*":{"read":false}}"#, #"{"*":{"write":true}}"#, #"{"*":true}"#, #"{"role:x":{"read":true}}"#, "{}",
    ])
    func `an ACL that gives no other user read access keeps a user private`(list: String) throws {
        try expect(ada.put(#"{"ACL":\#(list)}"#).status, 200)
        try expect(names("", token: bob), ["bob"])
        try expect(ada.server.send(.get, "/users/\(ada.id)", token: bob).code, 101)
        try expect(ada.me().json?["ACL"]?[ada.id], ["read": true, "write": true])
    }

    @Test func `an ACL with public write access does not let other users change or delete the user`() throws {
        try expect(ada.put(#"{"ACL":{"*":{"read":true,"write":true}}}"#).status, 200)
        for token in [nil, bob] {
            try expect(ada.server.send(.put, "/users/\(ada.id)", #"{"age":1}"#, token: token).code, 206)
            try expect(ada.server.send(.delete, "/classes/_User/\(ada.id)", token: token).code, 206)
        }
        try expect(ada.me().json?["age"], 30)
    }

    @Test(arguments: [
        #"{"email":{"$gt":"a"}}"#, #"{"$or":[{"email":{"$regex":"^ada"}}]}"#, #"{"email.x":1}"#,
        #"{"$nor":[{"$and":[{"email":"x"}]}]}"#,
    ])
    func `a query cannot filter users by e-mail address`(filter: String) throws {
        for token in [nil, bob, ada.token] {
            let answer = try ada.server.send(.get, "/users?where=\(filter)", token: token)
            expect(
                answer.line, #"400 {"code":119,"error":"This user is not allowed to query email on class _User"}"#)
        }
    }
}
