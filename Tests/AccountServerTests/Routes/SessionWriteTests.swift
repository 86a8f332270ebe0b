import Expectations
import JSON
import Transport

@Suite struct SessionWriteTests {
    @Test func `a session created by POST /sessions takes only custom fields from the request`() throws {
        let user = try SignedUp("")
        let body =
            #"{"label":"cron","sessionToken":"r:mine","expiresAt":{"__type":"Date","iso":"2099-01-01T00:00:00.000Z"},"#
            + #""createdWith":{"action":"x"},"installationId":"i","user":{"objectId":"zzzzzzzzzz"},"objectId":"mine"}"#
        let answer = try user.server.send(
            .post, "/sessions", body, token: user.token, headers: ["X-Parse-Installation-Id": "i"])
        expect(answer.status, 201)
        try expect(answer.response.headers["Location"], "local:/parse/classes/_Session/\(#require(answer.id))")
        let keys = ["createdWith", "expiresAt", "label", "objectId", "sessionToken", "user"]
        expect(answer.keys.sorted(), keys)
        expect(answer.json?["createdWith"]?["action"], "create")
        expect(answer.json?["expiresAt"]?["iso"], "2027-01-02T03:04:05.678Z")
        expect(answer.json?["user"]?["objectId"], .string(user.id))
        #expect(answer.token != "r:mine" && answer.token != user.token)
        let shown = try user.server.send(.get, "/sessions/me", token: answer.token)
        #expect(shown.json?["label"] == "cron" && shown.json?["installationId"] == nil)
        try expect(user.me().status, 200)
    }

    /// Source: the exchanges `upgrade.no-token` and `upgrade.invalid-r-token` of Parse Server 4.10 to 8.2.
    @Test func `POST /upgradeToRevocableSession replaces the session of the installation`() throws {
        let user = try SignedUp("")
        func upgrade(_ token: String?) throws -> Answer {
            try user.server.send(
                .post, "/upgradeToRevocableSession", "{}", token: token, headers: ["X-Parse-Installation-Id": "i"])
        }
        try expect(upgrade(nil).line, #"404 {"code":101,"error":"invalid session"}"#)
        try expect(upgrade("r:0").line, #"400 {"code":209,"error":"Invalid session token"}"#)
        let first = try upgrade(user.token)
        #expect(first.status == 200 && first.json?["createdWith"] == ["action": "upgrade"])
        let second = try upgrade(first.token)
        try expect(user.server.send(.get, "/users/me", token: second.token).status, 200)
        try expect(user.server.send(.get, "/users/me", token: first.token).code, 209)
    }

    @Test(arguments: ["sessionToken", "installationId", "expiresAt", "createdWith", "user"])
    func `the server-managed fields of a session are read-only`(field: String) throws {
        let user = try SignedUp("")
        let session = try user.server.send(.get, "/sessions/me", token: user.token)
        let id = try #require(session.id)
        for value in ["null", #""x""#, #"{"__op":"Delete"}"#, #"{"__type":"Date","iso":"2099-01-01T00:00:00.000Z"}"#] {
            let answer = try user.server.send(
                .put, "/sessions/\(id)", #"{"label":"x","\#(field)":\#(value)}"#, token: user.token)
            expect(answer.line, #"400 {"code":105}"#)
        }
        try expect(user.server.send(.get, "/sessions/me", token: user.token).text, session.text)
    }

    @Test func `custom fields of a session can be updated like fields of a user`() throws {
        let user = try SignedUp("")
        let id = try #require(try user.server.send(.get, "/sessions/me", token: user.token).id)
        func put(_ body: String) throws -> Answer {
            try user.server.send(.put, "/sessions/\(id)", body, token: user.token)
        }
        try expect(put(#"{"label":"a","uses":{"__op":"Increment","amount":2}}"#).json?["uses"], 2)
        try expect(put(#"{"ACL":{}}"#).line, #"400 {"code":105,"error":"Cannot set ACL on a Session."}"#)
        let other = try user.server.signUp("bob").token
        try expect(user.server.send(.put, "/sessions/\(id)", #"{"label":"b"}"#, token: other).code, 101)
        try expect(user.server.send(.put, "/sessions/\(id)", #"{"label":"b"}"#).code, 209)
        try expect(user.server.send(.post, "/sessions", #"{"label":"b"}"#).code, 209)
        try expect(user.server.send(.get, "/sessions/\(id)", token: user.token).json?["label"], "a")
    }

    @Test func `a where parameter selects sessions by their fields`() throws {
        let user = try SignedUp("")
        _ = try user.server.send(.post, "/sessions", #"{"label":"b"}"#, token: user.token)
        _ = try user.server.send(.post, "/sessions", #"{"label":"c"}"#, token: user.token)
        func count(_ filter: String, _ rest: String = "") throws -> String {
            let answer = try user.server.send(.get, "/sessions?where=\(filter)\(rest)", token: user.token)
            guard let rows = answer.json?["results"]?.array else { return answer.code?.description ?? "" }
            return ([rows.count.description] + [answer.json?["count"]?.integer.map { "of \($0)" }].compactMap(\.self))
                .joined(separator: " ")
        }
        try expect(count("{}"), "3")
        try expect(count(#"{"label":"b"}"#), "1")
        try expect(count(#"{"label":null}"#), "1")
        try expect(count(#"{"label":"b","restricted":true}"#), "0")
        try expect(count(#"{"createdWith":{"action":"create"}}"#, "&count=1&limit=1"), "1 of 2")
        try expect(count(#"{"createdWith":{"action":"create"}}"#, "&skip=1"), "1")
        try expect(count(#"{"expiresAt":{"__type":"Date","iso":"2027-01-02T03:04:05.678Z"}}"#), "3")
        try expect(count(#"{"createdAt":{"__type":"Date","iso":"2026-01-02T03:04:05.678Z"}}"#), "3")
        let pointer = #"{"__type":"Pointer","className":"_User","objectId":"\#(user.id)"}"#
        try expect(count(#"{"user":\#(pointer)}"#), "3")
        try expect(count(#"{"label":{"$ne":"b"}}"#), "2")
        try expect(count(#"{"user.objectId":"x"}"#), "0")
        for filter in [#"{"label":{"$near":"b"}}"#, #"{"label":{"$regex":"."}}"#, #"{"$or":"x"}"#, "[]", "5", "{"] {
            try expect(count(filter), "102")
        }
        for name in ["sessionToken", "_session_token", "$xor", "token_hash'--", "user..objectId"] {
            try expect(count(#"{"\#(name)":"x"}"#), "105")
        }
    }

    @Test func `include=user embeds the user object in a session`() throws {
        let user = try SignedUp("", email: "ada@example.com")
        let answer = try user.server.send(.get, "/sessions?include=user", token: user.token)
        let session = try user.server.send(.get, "/sessions/me", token: user.token).id ?? ""
        let one = try user.server.send(.get, "/sessions/\(session)?include=user", token: user.token)
        for shown in [answer.json?["results"]?.array?.first?["user"], one.json?["user"]] {
            #expect(shown?["username"] == "ada" && shown?["className"] == "_User" && shown?["__type"] == "Object")
            expect(shown?["sessionToken"], nil)
        }
    }
}
