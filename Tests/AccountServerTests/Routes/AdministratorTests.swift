import Expectations
import JSON
import Transport

@testable import AccountServer

/// Requests with a master key. They count only in the process of the server; over HTTP, they are ordinary requests.
@Suite struct AdministratorTests {
    static let key: HTTPHeaders = ["X-Parse-Master-Key": "local"]

    /// Columns: the update; the status and error code in the process, and over HTTP without and with the user's session;
    /// the members of the user after the update in the process.
    @Test(
        arguments: [
            (#"{"plan":"gold","old":{"__op":"Delete"}}"#, [200, 206, 200], ["plan": "gold"]),
            (#"{"emailVerified":true}"#, [200, 206, 119], ["emailVerified": true, "old": 1]),
            (#"{"emailVerified":false}"#, [200, 206, 119], ["emailVerified": false, "old": 1]),
            (#"{"emailVerified":7}"#, [111, 206, 119], ["old": 1]),
            (
                #"{"email":"new@example.org","emailVerified":true}"#, [200, 206, 119],
                ["email": "new@example.org", "emailVerified": true, "old": 1]
            ),
            (#"{"email":"bob@example.org"}"#, [203, 206, 203], ["old": 1]),
            (#"{"username":"bob"}"#, [202, 206, 202], ["old": 1]),
            (#"{"password":""}"#, [201, 206, 201], ["old": 1]),
        ] as [(String, [Int64], JSONObject)])
    func `only an in-process request with a master key updates any user`(
        body: String, results: [Int64], members: JSONObject
    ) throws {
        var found: [Int64] = []
        for (isInProcess, hasSession) in [(true, false), (false, false), (false, true)] {
            let server = try TestServer { $0.isInProcess = isInProcess }
            try server.signUp("bob", email: "bob@example.org")
            let user = try server.send(.post, "/users", #"{"username":"ada","password":"pw","old":1}"#)
            let id = try #require(user.id)
            let token = hasSession ? user.token : nil
            let answer = try server.send(.put, "/users/\(id)", body, token: token, headers: Self.key)
            found.append(answer.code ?? Int64(answer.status))
            guard isInProcess else { continue }
            if answer.status == 200 { expect(answer.keys, ["updatedAt"]) }
            var row = try server.send(.get, "/users/\(id)", headers: Self.key).json?.object ?? [:]
            for name in ["objectId", "createdAt", "updatedAt", "username", "ACL"] { row[name] = nil }
            expect(JSONValue.object(row), .object(members), "\(body)")
            try expect(server.send(.put, "/users/nosuch", #"{"a":1}"#, headers: Self.key).code, 101)
        }
        expect(found, results)
    }

    @Test(arguments: ["password", "logout"])
    func `a running server on the same database sees that the administrator has ended all sessions`(
        action: String
    ) throws {
        let served = try TestServer()
        let local = try TestServer(in: served.folder) { $0.isInProcess = true }
        let user = try served.signUp("ada")
        let id = try #require(user.id)
        let other = try #require(try served.signUp("bob").token)
        let end = #"{"user":"\#(id)"}"#
        try expect(served.send(.post, "/logout", end, headers: Self.key).line, "200 {}")
        try expect(local.send(.post, "/logout", end).line, "200 {}", "no master key")
        try expect(served.send(.get, "/users/me", token: user.token).status, 200)
        let answer =
            action == "password"
            ? try local.send(.put, "/users/\(id)", #"{"password":"new"}"#, headers: Self.key)
            : try local.send(.post, "/logout", end, headers: Self.key)
        expect(answer.token, nil)
        try expect(served.send(.get, "/users/me", token: user.token).code, 209)
        try expect(served.send(.get, "/users/me", token: other).status, 200)
        try expect(served.logIn("ada", password: "new").status, action == "password" ? 200 : 404)
    }

    @Test func `an in-process list names the users with exactly this username or address`() throws {
        let server = try TestServer { $0.isInProcess = true }
        try server.signUp("ada", email: "ada@example.org")
        try server.signUp("ada@example.org")
        let names = try ["ada", "ada@example.org", "Ada", ""].map { name in
            try server.send(.get, "/users?named=\(name.percentEncoded)").json?["results"]?.array?
                .compactMap { $0["username"]?.string } ?? []
        }
        expect(names, [["ada"], ["ada@example.org", "ada"], [], []])
        try expect(TestServer(in: server.folder).send(.get, "/users?named=ada").code, 102)
    }

    /// Columns: `emailVerified`; whether an e-mail is sent, and whether the signup starts a session.
    @Test(arguments: [("true", false, true), ("false", true, false), ("null", true, false)])
    func `only the process of the server sets emailVerified, and a verified address gets no e-mail`(
        value: String, isMailed: Bool, hasSession: Bool
    ) throws {
        let body = #"{"username":"ada","password":"pw","email":"ada@example.org","emailVerified":\#(value)}"#
        try expect(TestServer().send(.post, "/users", body).code, 119)
        let mail = MemoryMail()
        let server = try TestServer {
            ($0.mail, $0.isInProcess, $0.requiresVerifiedEmail) = (mail, true, true)
        }
        let user = try server.send(.post, "/users", body)
        expect([user.status == 201, user.token != nil, !mail.all.isEmpty], [true, hasSession, isMailed])
        let row = try server.send(.get, "/users/\(user.id ?? "")", headers: Self.key)
        expect(row.json?["emailVerified"], .bool(value == "true"))
        let count = mail.all.count
        let change = #"{"email":"new@example.org","emailVerified":\#(value)}"#
        try expect(server.send(.put, "/users/\(user.id ?? "")", change, headers: Self.key).status, 200)
        expect(mail.all.count - count, isMailed ? 1 : 0)
    }

    @Test func `only the process of the server sets and lists password hashes`() throws {
        let hash = try #require(PasswordHash.derive("pw", cost: .minimum))
        let body = #"{"username":"ada","_hashed_password":"\#(hash)"}"#
        let served = try TestServer()
        try expect(served.send(.post, "/users", body, headers: Self.key).code, 201)
        let full = body.replacing("{", with: #"{"password":"x","#)
        try expect(served.send(.post, "/users", full, headers: Self.key).code, 105)
        let local = try TestServer(in: served.folder) { $0.isInProcess = true }
        try expect(local.send(.post, "/users", body).status, 201)
        try expect(served.logIn("ada", password: "pw").status, 200)
        let list = "/users?after=&limit=9"
        let rows = try ["", "&hashes=1"].map { try local.send(.get, list + $0).json?["results"]?.array?.first }
        expect(rows.map { $0?["_hashed_password"] }, [nil, .string(hash)])
        try expect(served.send(.get, list + "&hashes=1", headers: Self.key).code, 102)
    }
}
