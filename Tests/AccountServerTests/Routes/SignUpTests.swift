import Expectations
import JSON

@Suite struct SignUpTests {
    @Test func `a signup returns the object id, the creation time and a valid session token`() throws {
        let server = try TestServer()
        let answer = try server.signUp("ada", email: "ada@example.com")
        expect(answer.status, 201)
        expect(answer.keys, ["objectId", "createdAt", "sessionToken"])
        expect(answer.json?["createdAt"], "2026-01-02T03:04:05.678Z")
        let id = try #require(answer.id)
        expect(answer.response.headers["Location"], "local:/parse/users/\(id)")
        expect(answer.response.headers["Content-Type"], "application/json; charset=utf-8")
        #expect(id.utf8.count == 10 && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
        let token = try #require(answer.token)
        #expect(token.hasPrefix("r:") && token.utf8.count == 34 && token.dropFirst(2).allSatisfy(\.isHexDigit))
        try expect(server.send(.get, "/users/me", token: token).id, id)
    }

    /// The errors are recorded from Parse Server 8.2.2. `ExchangeTests` tests more rejected signups.
    @Test(arguments: [
        (#"{"username":{"$ne":""},"password":"pw"}"#, #"{"code":200,"error":"bad or missing username"}"#),
        (#"{"username":"u"}"#, #"{"code":201,"error":"password is required"}"#),
        (
            #"{"username":"TAKEN","password":"pw"}"#,
            #"{"code":202,"error":"Account already exists for this username."}"#
        ),
        (
            #"{"username":"u","password":"pw","email":"Taken@Example.com"}"#,
            #"{"code":203,"error":"Account already exists for this email address."}"#
        ),
        (
            #"{"username":"u","password":"pw","email":"a@b\nBcc: c"}"#,
            #"{"code":125,"error":"Email address format is invalid."}"#
        ),
        (
            #"{"username":"u","password":"pw","email":{"$gt":""}}"#,
            #"{"code":111,"error":"schema mismatch for _User.email; expected String but got Object"}"#
        ),
        (
            #"{"username":"u","password":"pw","ACL":"x"}"#,
            #"{"code":111,"error":"schema mismatch for _User.ACL; expected ACL but got String"}"#
        ),
        (
            #"{"username":"u","password":"pw","objectId":"role:x"}"#,
            #"{"code":105,"error":"objectId is an invalid field name."}"#
        ),
        (
            #"{"username":"u","password":"pw","emailVerified":true}"#,
            #"{"code":119,"error":"Clients aren't allowed to manually update email verification."}"#
        ),
        (
            #"{"authData":{"nosuch":{"id":"1"}},"username":"u","password":"pw"}"#,
            #"{"code":252,"error":"This authentication method is unsupported."}"#
        ),
    ])
    func `a rejected signup has the error message of Parse Server`(body: String, expected: String) throws {
        let server = try TestServer()
        try server.signUp("taken", email: "taken@example.com")
        try expect(server.send(.post, "/users", body).line, "400 " + expected)
    }

    @Test(arguments: ["  padded  ", "new\nline", "Žofie 用户 😀", "' OR 1=1 --", "__proto__", "constructor", "a@b"])
    func `a username may contain spaces, newlines and non-ASCII text and is stored unchanged`(name: String) throws {
        let server = try TestServer()
        try expect(server.signUp(name, password: "пароль 🔑").status, 201)
        try expect(server.logIn(name, password: "пароль 🔑").json?["username"], .string(name))
        try expect(server.signUp(name).code, 202)
    }

    @Test func `a long username and a long password are not truncated`() throws {
        let server = try TestServer()
        let name = String(repeating: "u", count: 70_000)
        let password = String(repeating: "p", count: 100_000)
        try expect(server.signUp(name, password: password).status, 201)
        try expect(server.logIn(name, password: password).status, 200)
        try expect(server.logIn(name, password: password + "p").code, 101)
    }

    /// Differs from Parse Server on PostgreSQL, which responds to a NUL with status 500 and the text of its SQL query.
    @Test func `a signup with a NUL in the username or the e-mail address is rejected`() throws {
        let server = try TestServer()
        #expect(try server.send(.post, "/users", #"{"username":"a\u0000b","password":"pw"}"#).line.hasPrefix("400 "))
        let body = #"{"username":"a","password":"pw","email":"a\u0000@b"}"#
        try expect(server.send(.post, "/users", body).code, 125)
    }

    @Test func `custom fields of a signup are stored and returned unchanged, whatever their JSON type`() throws {
        let server = try TestServer()
        let fields =
            #""age":30,"born":{"__type":"Date","iso":"2000-01-02T03:04:05.678Z"},"none":null,"#
            + #""prefs":{"theme":"dark"},"tags":["a",1.5],"vip":true"#
        try expect(server.send(.post, "/users", #"{"username":"u","password":"pw",\#(fields)}"#).status, 201)
        let answer = try server.logIn("u")
        #expect(answer.text.contains(fields))
        #expect(
            answer.keys == [
                "objectId", "createdAt", "updatedAt", "username", "age", "born", "none", "prefs", "tags", "vip", "ACL",
                "sessionToken",
            ])
    }

    @Test func `a signup ignores read-only fields and request members such as _ClientVersion`() throws {
        let server = try TestServer()
        let body =
            #"{"username":"u","password":"pw","_ClientVersion":"js4.3.1","_RevocableSession":"1","__type":"Object","#
            + #""sessionToken":"r:mine","createdAt":"2001-01-01T00:00:00.000Z","updatedAt":null,"objectId":""}"#
        let answer = try server.send(.post, "/users", body)
        #expect(answer.status == 201 && answer.token != "r:mine")
        let login = try server.logIn("u")
        expect(login.keys, ["objectId", "createdAt", "updatedAt", "username", "ACL", "sessionToken"])
        expect(login.json?["createdAt"], "2026-01-02T03:04:05.678Z")
    }

    /// Source: Parse Server, `SchemaController.enforceFieldExists`. The recordings show no rejected field name, because
    /// the recorded servers ran a hook that drops fields with invalid names.
    @Test(arguments: [
        "bad-name", "_secret", "_hashed_password", "_auth_data_facebook", "1st", "length", "className", ".a", "a.0",
        "username.x", "authData.facebook", "é",
    ])
    func `a signup with an invalid field name is rejected and creates no account`(name: String) throws {
        let server = try TestServer()
        let answer = try server.send(.post, "/users", #"{"username":"u","password":"pw","\#(name)":1}"#)
        expect(answer.line, #"400 {"code":105,"error":"Invalid field name: \#(name)."}"#)
        try expect(server.logIn("u").code, 101)
    }

    @Test func `a signup stores its ACL and adds read and write access for the user`() throws {
        let server = try TestServer()
        let answer = try server.send(.post, "/users", #"{"username":"u","password":"pw","ACL":{"*":{"read":true}}}"#)
        let id = try #require(answer.id)
        let expected = #""ACL":{"*":{"read":true},"\#(id)":{"read":true,"write":true}}"#
        #expect(try server.logIn("u").text.contains(expected))
    }
}
