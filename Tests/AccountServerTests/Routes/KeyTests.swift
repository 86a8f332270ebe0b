import Expectations
import Foundation
import JSON
import Platform
import Transport

@testable import AccountServer

@Suite struct KeyTests {
    private static func basic(_ text: String) -> String { "Basic " + Data(text.utf8).base64EncodedString() }

    /// Headers, and whether a server with the client key `key` accepts them.
    @Test(
        arguments: [
            (["X-Parse-REST-API-Key": "key"], true), (["X-Parse-Javascript-Key": "key"], true),
            (["X-Parse-Client-Key": "key"], true), (["X-Parse-Windows-Key": "key"], true),
            (["x-parse-rest-api-key": "key"], true),
            (["X-Parse-REST-API-Key": "bad", "X-Parse-Client-Key": "key"], true),
            ([:], false), (["X-Parse-REST-API-Key": "Key"], false), (["X-Parse-REST-API-Key": ""], false),
            (["X-Parse-REST-API-Key": "keykey"], false), (["X-Parse-REST-API-Key": "ke"], false),
            (["X-Parse-Master-Key": "key"], false), (["X-Parse-Application-Id": "key"], false),
            (["Authorization": basic("test-app:javascript-key=key")], true),
            (["Authorization": basic("test-app:javascript-key=key"), "X-Parse-Application-Id": "x"], true),
            (["Authorization": basic("other:javascript-key=key")], true),
            (["Authorization": basic("test-app:key")], false), (["Authorization": basic("test-app")], false),
            (["Authorization": "Basic !!"], false), (["Authorization": "Bearer key"], false),
        ] as [(HTTPHeaders, Bool)])
    func `a client key is accepted in an X-Parse key header or in Basic authentication`(
        headers: HTTPHeaders, isOpen: Bool
    ) throws {
        let server = try TestServer { $0.clientKey = Secret("key") }
        let answer = try server.send(.get, "/users/me", headers: headers)
        expect(answer.line, (isOpen ? Self.invalid : #"403 {"error":"unauthorized"}"#))
    }

    private static let invalid = #"400 {"code":209,"error":"Invalid session token"}"#

    /// `JavaScriptClientTests` tests more requests that browsers send.
    @Test(arguments: [("key", "test-app", 200), ("bad", "test-app", 403), ("key", "bad", 403)])
    func `a browser request may send app id, client key and token in the body`(key: String, app: String, status: Int)
        throws
    {
        let server = try TestServer { $0.clientKey = Secret("key") }
        func send(_ path: String, _ members: String, _ key: String = "key", _ app: String = "test-app") throws -> Answer
        {
            let body = #"{"_ApplicationId":"\#(app)","_JavaScriptKey":"\#(key)"\#(members)}"#
            let request = HTTPRequest(
                .post, "local:/parse\(path)", headers: ["Content-Type": "text/plain"], body: Array(body.utf8))
            return Answer(try server.transport.send(request))
        }
        let signup = try send("/users", #","username":"ada","password":"pw""#)
        let token = #","_SessionToken":"\#(try #require(signup.token))""#
        try expect(send("/users/me", #","_method":"GET"\#(token)"#, key, app).status, status)
        try expect(send("/users/me", token).status, 404, "without a method override, the request is a POST")
        let id = try #require(signup.id)
        try expect(send("/users/\(id)", #","_method":"DELETE"\#(token)"#).line, "200 {}")
    }

    @Test func `the session token in a body is ignored if a header contains the application id`() throws {
        let server = try TestServer()
        let token = try #require(try server.signUp("a").token)
        let body = #"{"_method":"GET","_ApplicationId":"test-app","_SessionToken":"\#(token)"}"#
        try expect(server.send(.post, "/users/me", body).code, 209)
    }

    @Test(arguments: [
        ("application/x-www-form-urlencoded", "username=form+user&password=p%26w&username=second", 201),
        ("application/x-www-form-urlencoded; charset=UTF-8", "username=form+user&password=p%26w", 201),
        ("application/json; charset=utf-8", #"{"username":"form user","password":"p&w"}"#, 201),
        ("application/json;charset=\"UTF-8\"", #"{"username":"form user","password":"p&w"}"#, 201),
        ("application/json; charset=iso-8859-1", #"{"username":"form user","password":"p&w"}"#, 415),
        ("text/plain; charset=utf-16", #"{"username":"form user","password":"p&w"}"#, 415),
    ])
    func `a request body is parsed according to its Content-Type and must be UTF-8`(
        type: String, body: String, status: Int
    ) throws {
        let server = try TestServer()
        let answer = try server.send(.post, "/users", body, headers: ["Content-Type": type])
        expect(answer.status, status)
        if status == 201 { try expect(server.logIn("form user", password: "p&w").status, 200) }
    }

    @Test func `a health check and an OPTIONS request need no application id`() throws {
        let server = try TestServer { $0.clientKey = Secret("key") }
        func send(_ method: HTTPRequest.Method, _ path: String) throws -> Answer {
            Answer(try server.transport.send(HTTPRequest(method, path)))
        }
        try expect(send(.get, "local:/parse/health").line, #"200 {"status":"ok"}"#)
        let options = try send(.options, "local:/parse/users")
        expect(options.line, "200 OK")
        expect(options.response.headers["Access-Control-Allow-Origin"], nil, "the listener sets this header")
        try expect(send(.get, "local:/elsewhere").status, 404)
    }

    @Test func `a HEAD response has no body, and a GET with a matching If-None-Match gets status 304`() throws {
        let server = try TestServer()
        let token = try server.signUp("a").token
        let get = try server.send(.get, "/users/me", token: token)
        let head = try server.send(.head, "/users/me", token: token)
        #expect(head.status == 200 && head.response.body.isEmpty)
        expect(head.response.headers["Content-Length"], "\(get.response.body.count)")
        expect(head.response.headers["ETag"], get.response.headers["ETag"])
        let again: HTTPHeaders = ["If-None-Match": get.response.headers["ETag"] ?? ""]
        try expect(server.send(.get, "/users/me", token: token, headers: again).line, "304 ")
        try expect(server.send(.get, "/users/me", token: token, headers: ["If-None-Match": "W/\"x\""]).status, 200)
    }

    @Test func `a request to a route that requires the master key is rejected`() throws {
        let server = try TestServer()
        for path in ["/serverInfo", "/schemas/_User"] {
            try expect(server.send(.get, path).line, #"403 {"error":"unauthorized: master key is required"}"#)
        }
        try expect(server.send(.post, "/loginAs", #"{"userId":"x"}"#).code, 119)
        try server.signUp("alice")
        try expect(server.send(.post, "/loginAs", #"{"username":"alice"}"#).code, 119)
    }

    @Test func `the classes of the server are described without a key`() throws {
        let classes = try #require(try TestServer().send(.get, "/schemas").json?["results"]?.array)
        expect(classes.map { $0["className"]?.string }, ["_User", "_Session"])
        expect(classes[0]["fields"]?["email"], ["type": "String"])
        expect(classes[1]["fields"]?["user"], ["type": "Pointer", "targetClass": "_User"])
    }

    @Test func `a request with a master key to a route that requires it learns that the server has none`() throws {
        let server = try TestServer()
        for (method, path) in [(HTTPRequest.Method.get, "/serverInfo"), (.get, "/schemas"), (.post, "/loginAs")] {
            let answer = try server.send(method, path, headers: ["X-Parse-Master-Key": "test-app"])
            #expect(answer.status == 403 && answer.code == 108)
        }
    }

    @Test func `an in-process loginAs request needs no password; its session has the authProvider masterkey`() throws {
        let server = try TestServer { $0.isInProcess = true }
        try server.signUp("alice")
        let token = try server.send(.post, "/loginAs", #"{"username":"alice"}"#).token
        let session = try server.send(.get, "/sessions/me", token: token)
        expect(session.json?["createdWith"], ["action": "login", "authProvider": "masterkey"])
        try expect(server.send(.get, "/users/me", token: token).json?["username"], "alice")
        for name in ["Alice", "bob", ""] {
            try expect(server.send(.post, "/loginAs", #"{"username":"\#(name)"}"#).code, 101)
        }
    }

    @Test func `only an in-process request with a master key reads and deletes any user by id`() throws {
        for isInProcess in [true, false] {
            let server = try TestServer { $0.isInProcess = isInProcess }
            let id = try #require(try server.signUp("alice").json?["objectId"]?.string)
            let headers: HTTPHeaders = ["X-Parse-Master-Key": "local"]
            try expect(server.send(.get, "/users/\(id)").code, 101)
            let user = try server.send(.get, "/users/\(id)", headers: headers)
            #expect(isInProcess ? user.json?["username"] == "alice" : user.code == 101)
            let deletion = try server.send(.delete, "/users/\(id)", headers: headers)
            #expect(isInProcess ? deletion.status == 200 : deletion.code == 206)
            if isInProcess { try expect(server.send(.delete, "/users/\(id)", headers: headers).code, 101) }
        }
    }
}
