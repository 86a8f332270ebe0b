import Expectations
import Foundation
import JSON
import Platform
import Synchronization
import Transport

@Suite struct SessionTests {
    @Test func `a request for the current session returns the session with its token`() throws {
        let server = try TestServer()
        let signup = try server.signUp("a")
        let (userID, token) = try (#require(signup.id), #require(signup.token))
        let answer = try server.send(.get, "/sessions/me", token: token)
        let id = try #require(answer.id)
        let expected =
            #"{"objectId":"\#(id)","createdAt":"2026-01-02T03:04:05.678Z","#
            + #""updatedAt":"2026-01-02T03:04:05.678Z","#
            + #""user":{"objectId":"\#(userID)","__type":"Pointer","className":"_User"},"sessionToken":"\#(token)","#
            + #""expiresAt":{"__type":"Date","iso":"2027-01-02T03:04:05.678Z"},"#
            + #""createdWith":{"action":"signup","authProvider":"password"}}"#
        expect(answer.line, "200 " + expected)
        let login = try server.logIn("a").token
        #expect(try server.send(.get, "/sessions/me", token: login).text.contains(#""action":"login""#))
    }

    /// The error messages are recorded from Parse Server 8.2.2.
    @Test func `each session route returns Parse Server's message for a missing or unknown session token`() throws {
        let server = try TestServer()
        let invalid = #"400 {"code":209,"error":"Invalid session token"}"#
        for path in ["/sessions", "/sessions/x"] {
            try expect(server.send(.get, path).line, invalid)
            try expect(server.send(.get, path, token: "r:0").line, invalid)
        }
        try expect(server.send(.delete, "/sessions/x").line, invalid)
        let required = #"400 {"code":209,"error":"Session token required."}"#
        try expect(server.send(.get, "/sessions/me").line, required)
        let notFound = #"400 {"code":209,"error":"Session token not found."}"#
        try expect(server.send(.get, "/sessions/me", token: "r:0").line, notFound)
    }

    @Test func `a session list omits other users' sessions, and all tokens except the one of the request`() throws {
        let server = try TestServer()
        let token = try #require(try server.signUp("a").token)
        _ = try server.logIn("a")
        try server.signUp("b")
        let answer = try server.send(.get, "/sessions", token: token)
        #expect(answer.status == 200 && answer.keys == ["results"])
        expect(answer.json?["results"]?.array?.map { $0["sessionToken"] }, [.string(token), ""])
    }

    @Test func `the parameters limit, skip, order and count apply to the session list`() throws {
        let list = try SessionList(count: 4)
        try expect(list.indices(""), [0, 1, 2, 3])
        try expect(list.indices("?limit=2&skip=1&order=createdAt"), [1, 2])
        try expect(list.indices("?order=-createdAt&limit=3"), [3, 2, 1])
        try expect(list.indices("?order=-expiresAt,updatedAt"), [3, 2, 1, 0])
        try expect(list.indices("?order=nosuch,token_hash"), [0, 1, 2, 3])
        try expect(list.indices("?limit=0"), [])
        try expect(list.get("?count=1&limit=0").text, #"{"results":[],"count":4}"#)
        try expect(list.get("?count=1&limit=1").json?["count"], 4)
        let columns = String(repeating: "createdAt,-updatedAt,", count: 3000)
        try expect(list.indices("?order=\(columns)"), [0, 1, 2, 3])
    }

    @Test func `the parameters keys and excludeKeys select the members of a session`() throws {
        let list = try SessionList(count: 1)
        let selected = try list.get("?keys=createdWith,expiresAt,installationId,_hashed_password").text
        #expect(selected.hasPrefix(#"{"results":[{"createdWith":{"#))
        #expect(selected.contains(#""iso":"2027-01-02T03:04:05.678Z"},"objectId":""#))
        #expect(
            selected.hasSuffix(#""createdAt":"2026-01-02T03:04:05.678Z","updatedAt":"2026-01-02T03:04:05.678Z"}]}"#))
        let rest = try list.get("?excludeKeys=sessionToken,user,objectId").text
        #expect(!rest.contains(#""user""#) && rest.contains(#""objectId""#) && rest.contains(#""expiresAt""#))
    }

    @Test(arguments: [
        ("nosuch=1", "nosuch"), ("where=%7Bbroken", "where"), ("where=%5B%5D", "where"), ("limit=-1", "limit"),
        ("limit=abc", "limit"),
        ("skip=99999999999999999999", "skip"), ("__proto__=1", "__proto__"), ("a%20b=1", "a b"),
    ])
    func `an unknown or malformed query parameter for a session list is rejected`(query: String, name: String) throws {
        let answer = try SessionList(count: 1).get("?" + query)
        expect(answer.line, #"400 {"code":102,"error":"Invalid parameter for query: \#(name)"}"#)
    }

    @Test func `a user can read and delete only their own sessions`() throws {
        let server = try TestServer()
        let (mine, other) = try (server.signUp("a").token, server.signUp("b").token)
        let id = try #require(try server.send(.get, "/sessions/me", token: other).id)
        let missing = #"404 {"code":101,"error":"Object not found."}"#
        let undeleted = #"404 {"code":101,"error":"Object not found for delete."}"#
        for path in ["/sessions/\(id)", "/sessions/zzzzzzzzzz", "/sessions/%27%20OR%201%3D1"] {
            try expect(server.send(.get, path, token: mine).line, missing)
            try expect(server.send(.delete, path, token: mine).line, undeleted)
        }
        let shown = try server.send(.get, "/sessions/\(id)", token: other)
        #expect(shown.id == id && shown.token == other)
        try expect(server.send(.delete, "/sessions/\(id)", token: other).line, "200 {}")
        try expect(server.send(.get, "/users/me", token: other).code, 209)
        try expect(server.send(.get, "/users/me", token: mine).status, 200)
    }

    @Test func `a login replaces the user's earlier session that has the same installation id`() throws {
        let server = try TestServer()
        let token = try server.signUp("a").token
        try server.signUp("b")
        let headers: HTTPHeaders = ["X-Parse-Installation-Id": "aaaaaaaa-0000"]
        for name in ["a", "b", "a"] {
            let body = #"{"username":"\#(name)","password":"pw"}"#
            try expect(server.send(.post, "/login", body, headers: headers).status, 200)
        }
        let list = try server.send(.get, "/sessions", token: token)
        expect(list.json?["results"]?.array?.compactMap { $0["installationId"]?.string }, ["aaaaaaaa-0000"])
        expect(list.json?["results"]?.array?.count, 2)
    }
}

/// The sessions of one user, created a second apart.
private struct SessionList {
    let server: TestServer
    let token: String
    let ids: [String]

    init(count: Int) throws {
        let time = Mutex(TestServer.start)
        server = try TestServer(clock: WallClock { time.withLock { $0 } })
        token = try server.signUp("a").token ?? ""
        var ids = [try server.send(.get, "/sessions/me", token: token).id ?? ""]
        for _ in 1..<count {
            time.withLock { $0 = $0.adding(.seconds(1)) }
            ids.append(try server.send(.get, "/sessions/me", token: server.logIn("a").token).id ?? "")
        }
        self.ids = ids
    }

    func get(_ query: String) throws -> Answer {
        try server.send(.get, "/sessions" + query, token: token)
    }

    /// The index in `ids` of each session in the response.
    func indices(_ query: String) throws -> [Int] {
        try get(query).json?["results"]?.array?.compactMap { row in ids.firstIndex { $0 == row["objectId"]?.string } }
            ?? []
    }
}
