import Expectations
import JSON
import Transport

@Suite struct AnonymousTests {
    private let body = #"{"authData":{"anonymous":{"id":"device-1"}}}"#

    @Test func `the first anonymous login with an id creates a user, and later logins return the same user`() throws {
        let server = try TestServer()
        let first = try server.send(.post, "/users", body)
        expect(first.status, 201)
        expect(first.keys, ["objectId", "createdAt", "username", "sessionToken", "authDataResponse"])
        expect(first.json?["username"]?.string?.utf8.count, 25)
        let again = try server.send(.post, "/users", body)
        #expect(again.status == 200 && again.id == first.id && again.token != first.token)
        // Source: Parse Server 8.2.2, recorded as `anonymous.login-again`.
        try expect(again.response.headers["Location"], "local:/parse/users/\(#require(first.id))")
        expect(again.json?["authData"], ["anonymous": ["id": "device-1"]])
        let other = try server.send(.post, "/users", #"{"authData":{"anonymous":{"id":"device-2"}}}"#)
        #expect(other.status == 201 && other.id != first.id)
        let session = try server.send(.get, "/sessions/me", token: again.token)
        expect(session.json?["createdWith"], ["action": "login", "authProvider": "anonymous"])
    }

    @Test func `an anonymous user who sets a username and password becomes a regular user with a new token`() throws {
        let server = try TestServer()
        let first = try server.send(.post, "/users", body)
        let change = #"{"username":"ada","password":"pw","authData":{"anonymous":null}}"#
        let answer = try server.send(.put, "/users/\(#require(first.id))", change, token: first.token)
        expect(answer.keys, ["updatedAt", "sessionToken", "authDataResponse"])
        try expect(server.send(.get, "/users/me", token: first.token).code, 209)
        try expect(server.send(.get, "/users/me", token: answer.token).json?["authData"], nil)
        try expect(server.logIn("ada").id, first.id)
        try expect(server.send(.post, "/users", body).status, 201, "the old id is free")
    }

    @Test(arguments: [
        #"{"anonymous":{}}"#, #"{"anonymous":{"id":""}}"#, #"{"anonymous":{"id":null}}"#, #"{"anonymous":"x"}"#,
        #"{"anonymous":{"id":{"$ne":""}}}"#, #"{"anonymous":{"id":["x"]}}"#, #"{"anonymous":{"id":true}}"#,
        #"{"anonymous":null}"#, #"{"nosuch":{"id":"1"}}"#, #"{"nosuch":null}"#, #"{"__op":"Delete"}"#, #""x""#, "[1]",
        "5",
        #"{"anonymous":{"id":"1"},"nosuch":{"id":"1"}}"#, #"{"anonymous":{"id":"1"},"facebook":{"id":"1"}}"#,
        #"{"facebook":{"id":"1","access_token":"x"}}"#,
    ])
    func `a signup with invalid authData or an unsupported provider fails with code 252`(authData: String) throws {
        let answer = try TestServer().send(.post, "/users", #"{"authData":\#(authData)}"#)
        expect(answer.line, #"400 {"code":252,"error":"This authentication method is unsupported."}"#)
    }

    @Test func `sixteen concurrent anonymous signups with the same id create one user`() throws {
        let folder = TestFolder()
        let lines = atOnce(16) { _ in try TestServer(in: folder).send(.post, "/users", body).line }
        let created = lines.filter { $0.hasPrefix("201 ") }
        expect(created.count, 1)
        // A signup concurrent with the first one is rejected; a later signup becomes a login.
        #expect(lines.allSatisfy { $0.hasPrefix("20") || $0.contains(#""code":208"#) })
    }
}
