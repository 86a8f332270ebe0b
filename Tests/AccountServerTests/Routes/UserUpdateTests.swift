import Expectations
import Foundation
import JSON
import Transport

@testable import AccountServer

@Suite struct UserUpdateTests {
    /// Columns: the update; the members of the response after `updatedAt`; the fields of the user afterwards.
    @Test(arguments: [
        (#"{"age":31}"#, #""#, #""age":31,"tags":["a","b"],"prefs":{"theme":"dark"}"#),
        (#"{"age":null}"#, #""#, #""age":null,"tags":["a","b"],"prefs":{"theme":"dark"}"#),
        (#"{"age":{"__op":"Delete"}}"#, #""#, #""tags":["a","b"],"prefs":{"theme":"dark"}"#),
        (#"{"nosuch":{"__op":"Delete"}}"#, #""#, #""age":30,"tags":["a","b"],"prefs":{"theme":"dark"}"#),
        (
            #"{"age":{"__op":"Increment","amount":-2}}"#, #","age":28"#,
            #""age":28,"tags":["a","b"],"prefs":{"theme":"dark"}"#
        ),
        (
            #"{"age":{"__op":"Increment","amount":0.5}}"#, #","age":30.5"#,
            #""age":30.5,"tags":["a","b"],"prefs":{"theme":"dark"}"#
        ),
        (
            #"{"age":{"__op":"Increment","amount":9223372036854775807}}"#, #","age":9.223372036854776e+18"#,
            #""age":9.223372036854776e+18,"tags":["a","b"],"prefs":{"theme":"dark"}"#
        ),
        (
            #"{"logins":{"__op":"Increment","amount":1}}"#, #","logins":1"#,
            #""age":30,"tags":["a","b"],"prefs":{"theme":"dark"},"logins":1"#
        ),
        (
            #"{"tags":{"__op":"Add","objects":["b",{"x":1}]}}"#, #","tags":["a","b","b",{"x":1}]"#,
            #""age":30,"tags":["a","b","b",{"x":1}],"prefs":{"theme":"dark"}"#
        ),
        (
            #"{"tags":{"__op":"AddUnique","objects":["b","c","c"]}}"#, #","tags":["a","b","c"]"#,
            #""age":30,"tags":["a","b","c"],"prefs":{"theme":"dark"}"#
        ),
        (
            #"{"tags":{"__op":"Remove","objects":["a",7]}}"#, #","tags":["b"]"#,
            #""age":30,"tags":["b"],"prefs":{"theme":"dark"}"#
        ),
        (
            #"{"sessionToken":"r:x","createdAt":"2001-01-01T00:00:00.000Z","objectId":"x","_ClientVersion":"1"}"#,
            #""#, #""age":30,"tags":["a","b"],"prefs":{"theme":"dark"}"#
        ),
        (
            #"{"prefs.font":"A","prefs.theme":{"__op":"Delete"},"new.sub":1,"none.x":{"__op":"Delete"}}"#, "",
            #""age":30,"tags":["a","b"],"prefs":{"font":"A"},"new":{"sub":1}"#
        ),
        (
            #"{"prefs.n.a":{"__op":"Increment","amount":2},"prefs.n.b":{"__op":"Add","objects":[1]}}"#,
            #","prefs":{"n":{"a":2,"b":[1]}}"#,
            #""age":30,"tags":["a","b"],"prefs":{"theme":"dark","n":{"a":2,"b":[1]}}"#
        ),
        (
            #"{"tags":[{"__type":"Date","iso":"2000-01-01T01:00:00+01:00"}]}"#, "",
            #""age":30,"tags":[{"__type":"Date","iso":"2000-01-01T00:00:00.000Z"}],"prefs":{"theme":"dark"}"#
        ),
    ])
    func `a user update applies operations such as Increment`(body: String, told: String, fields: String) throws {
        let user = try SignedUp(#""age":30,"tags":["a","b"],"prefs":{"theme":"dark"}"#)
        let answer = try user.put(body)
        expect(answer.line, #"200 {"updatedAt":"2026-01-02T03:04:05.678Z"\#(told)}"#)
        #expect(try user.me().text.contains(#""username":"ada",\#(fields),"ACL""#))
    }

    @Test(arguments: [
        (#"{"username":""}"#, 400, 200), (#"{"username":null}"#, 400, 200), (#"{"username":5}"#, 400, 111),
        (#"{"username":{"$ne":""}}"#, 400, 111), (#"{"username":{"__op":"Delete"}}"#, 400, 200),
        (#"{"username":"a\u0000"}"#, 400, 200), (#"{"username":"BOB"}"#, 400, 202),
        (#"{"username":"bob","email":"bob@example.com"}"#, 400, 202),
        (#"{"password":""}"#, 400, 201), (#"{"password":null}"#, 400, 201), (#"{"password":5}"#, 400, 111),
        (#"{"password":["x"]}"#, 400, 111), (#"{"password":{"__op":"Delete"}}"#, 400, 201),
        (#"{"bad-name":1}"#, 400, 105), (#"{"_hidden":1}"#, 400, 105), (#"{"age.x":1}"#, 400, 111),
        (#"{"prefs.0":1}"#, 400, 105), (#"{"prefs..x":1}"#, 400, 105), (#"{"prefs.__type":"Date"}"#, 400, 105),
        (#"{"ACL.x":1}"#, 400, 105), (#"{"authData.x":1}"#, 400, 105),
        (#"{"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u":1}"#, 400, 105),
        (#"{"prefs.x":\#(String(repeating: "[", count: 509))\#(String(repeating: "]", count: 509))}"#, 400, 107),
        (#"{"born":{"__type":"Date","iso":"today"}}"#, 400, 107), (#"{"prefs.x":{"__op":"Batch"}}"#, 400, 108),
        ("{\((0...100).map { #""a.b\#($0)":1"# }.joined(separator: ","))}", 400, 107),
        (#"{"email":5}"#, 400, 111), (#"{"email":"nope"}"#, 400, 125), (#"{"email":"BOB@Example.com"}"#, 400, 203),
        (#"{"email":"a@b\nBcc: c@d"}"#, 400, 125), (#"{"emailVerified":true}"#, 400, 119),
        (#"{"emailVerified":null}"#, 400, 119), (#"{"ACL":"x"}"#, 400, 111),
        (#"{"age":{"__op":"Increment","amount":"1"}}"#, 400, 107), (#"{"age":{"__op":"Add","objects":1}}"#, 400, 107),
        (#"{"age":{"__op":"Add","objects":[1]}}"#, 400, 111),
        (#"{"prefs":{"__op":"Increment","amount":1}}"#, 400, 111), (#"{"age":{"__op":"AddRelation"}}"#, 400, 108),
        (#"{"age":{"__op":"SetOnInsert","amount":1}}"#, 400, 108),
        (#"{"age":{"__op":7}}"#, 400, 108), (#"{"authData":null}"#, 400, 252), (#"{"authData":"x"}"#, 400, 252),
        (#"{"authData":{"nosuch":{"id":"1"}}}"#, 400, 252), (#"{"authData":{"facebook":{"id":"1"}}}"#, 400, 252),
    ])
    func `an invalid user update changes no field`(body: String, status: Int, code: Int64) throws {
        let user = try SignedUp(#""age":30,"prefs":{}"#)
        try user.server.signUp("bob", email: "bob@example.com")
        let before = try user.me().text
        let both = #"{"fresh":1,"# + body.dropFirst()
        let answer = try user.put(both)
        #expect(answer.status == status && answer.code == code, "\(answer.line)")
        try expect(user.me().text, before)
    }

    @Test func `a user can read, change and delete only their own account`() throws {
        let user = try SignedUp("")
        let other = try user.server.signUp("bob")
        let (bob, token) = (try #require(other.id), other.token)
        let insufficient = #"400 {"code":206,"error":"Insufficient auth."}"#
        for (id, token) in [(user.id, token), (user.id, nil), ("zzzzzzzzzz", token), ("me", token)] {
            let put = try user.server.send(.put, "/users/\(id)", #"{"username":"mine","password":"x"}"#, token: token)
            expect(put.line, insufficient)
            if id != "me" { try expect(user.server.send(.get, "/users/\(id)", token: token).code, 101) }
        }
        for id in [user.id, "zzzzzzzzzz"] {
            try expect(user.server.send(.delete, "/users/\(id)", token: token).line, insufficient)
        }
        try expect(
            user.server.send(.delete, "/users/\(user.id)").line,
            #"400 {"code":206,"error":"Insufficient auth to delete user"}"#)
        try expect(user.server.send(.get, "/users/\(bob)", token: token).token, token)
        try expect(user.me().json?["username"], "ada")
    }

    @Test func `a password change revokes all sessions and returns a new session token`() throws {
        let user = try SignedUp("")
        let other = try user.server.logIn("ada").token
        let answer = try user.put(#"{"password":"new"}"#)
        expect(answer.keys, ["updatedAt", "sessionToken"])
        for token in [user.token, other] {
            try expect(user.server.send(.get, "/users/me", token: token).code, 209)
        }
        let list = try user.server.send(.get, "/sessions", token: answer.token)
        expect(list.json?["results"]?.array?.count, 1)
        try expect(user.server.logIn("ada").code, 101)
        try expect(user.server.logIn("ada", password: "new").status, 200)
    }

    @Test func `a password change has no effect if the session is revoked while the password is hashed`() throws {
        let user = try SignedUp("")
        let routes = try ParseRoutes(
            serving: ServerSettings(
                database: user.server.folder.database(), baseURL: "local:/parse", applicationID: "test-app",
                passwordCost: .minimum))
        let request = HTTPRequest.test(.put, "/users/\(user.id)", #"{"password":"new"}"#, token: user.token)
        let answer = try routes.run(request) {
            _ = try? user.server.send(.post, "/logout", token: user.token)
        }.answer
        expect(answer.code, 209)
        try expect(user.server.logIn("ada").status, 200)
    }

    @Test func `a change of username and e-mail keeps the session and frees the old username and e-mail`() throws {
        let user = try SignedUp("", email: "ada@example.com")
        try expect(user.put(#"{"username":"Ada","email":"ADA@example.com"}"#).keys, ["updatedAt"])
        try expect(user.put(#"{"username":"eve","email":"eve@example.com"}"#).status, 200)
        try expect(user.server.signUp("ada", email: "ada@example.com").status, 201)
        try expect(user.put(#"{"email":{"__op":"Delete"}}"#).status, 200)
        try expect(user.me().json?["email"], nil)
    }

    @Test func `the deletion of a user deletes all sessions of the user and frees the username`() throws {
        let user = try SignedUp("")
        let other = try user.server.logIn("ada").token
        try expect(user.server.send(.delete, "/users/\(user.id)", token: user.token).line, "200 {}")
        for path in ["/users/me", "/sessions", "/sessions/me"] {
            try expect(user.server.send(.get, path, token: other).code, 209)
        }
        try expect(user.server.logIn("ada").code, 101)
        #expect(try user.server.signUp("ada").id != user.id)
    }

    @Test func `a user list contains at most the caller if no user has a public ACL`() throws {
        let user = try SignedUp(#""age":30"#)
        try user.server.signUp("bob")
        func list(_ query: String, token: String?) throws -> String {
            try user.server.send(.get, "/users?\(query)", token: token).text
        }
        try expect(list("count=1", token: nil), #"{"results":[],"count":0}"#)
        try expect(list("count=1&limit=0", token: user.token), #"{"results":[],"count":1}"#)
        try expect(list("skip=1", token: user.token), #"{"results":[]}"#)
        try expect(list(#"where={"username":"bob"}"#, token: user.token), #"{"results":[]}"#)
        let own = try list(#"keys=username&where={"age":30}"#, token: user.token)
        #expect(own.hasPrefix(#"{"results":[{"username":"ada","objectId":"\#(user.id)""#))
        #expect(try list(#"where={"email":"x"}"#, token: user.token).contains(#""code":119"#))
        for field in ["password", "_hashed_password", "sessionToken", "authData", "authData.facebook.id", "$xor"] {
            #expect(try list(#"where={"\#(field)":"x"}"#, token: user.token).contains(#""code":105"#))
        }
    }

    @Test func `a user update with 30,000 fields takes linear time`() throws {
        let user = try SignedUp("")
        let members = (0..<30_000).map { #""f\#($0)":1"# }.joined(separator: ",")
        let start = ContinuousClock.now
        try expect(user.put("{\(members)}").status, 200)
        try expect(user.put("{\(members)}").status, 200)
        #expect(ContinuousClock.now - start < .seconds(20), "the time is not quadratic")
    }
}

/// A server with the user `ada`.
struct SignedUp {
    let server: TestServer
    let id: String
    let token: String

    init(_ fields: String, email: String? = nil, adjust: (inout ServerSettings) -> Void = { _ in }) throws {
        server = try TestServer(adjust: adjust)
        let rest = [fields, email.map { #""email":"\#($0)""# } ?? ""].filter { !$0.isEmpty }.map { "," + $0 }.joined()
        let answer = try server.send(.post, "/users", #"{"username":"ada","password":"pw"\#(rest)}"#)
        (id, token) = (try #require(answer.id), answer.token ?? "")
    }

    func put(_ body: String) throws -> Answer { try server.send(.put, "/users/\(id)", body, token: token) }
    func me() throws -> Answer { try server.send(.get, "/users/me", token: token) }
}
