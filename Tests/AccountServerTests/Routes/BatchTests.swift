import Expectations
import JSON
import Platform
import SQLite
import Transport

@testable import AccountServer

@Suite struct BatchTests {
    private let ada: SignedUp

    init() throws { ada = try SignedUp("") }

    private func send(_ requests: String, token: String? = nil, rest: String = "") throws -> Answer {
        try ada.server.send(.post, "/batch", #"{"requests":\#(requests)\#(rest)}"#, token: token ?? ada.token)
    }

    private static func request(_ method: String, _ path: String, _ body: String? = nil) -> String {
        #"{"method":"\#(method)","path":"/parse\#(path)""# + (body.map { #","body":\#($0)"# } ?? "") + "}"
    }

    @Test func `a batch returns one result for each request, in order`() throws {
        let requests = [
            Self.request("GET", "/users/me"), Self.request("POST", "/users", #"{"username":"bob","password":"pw"}"#),
            Self.request("POST", "/users", #"{"username":"ada","password":"pw"}"#),
            Self.request("PUT", "/classes/_User/\(ada.id)", #"{"age":3}"#), Self.request("DELETE", "/sessions/none"),
            Self.request("POST", "/login", #"{"username":"bob","password":"pw"}"#), Self.request("GET", "/serverInfo"),
        ]
        let answer = try send("[" + requests.joined(separator: ",") + "]")
        let results = try #require(answer.json?.array)
        #expect(answer.status == 200 && results.count == requests.count)
        #expect(results[0]["success"]?["username"] == "ada" && results[1]["success"]?["sessionToken"] != nil)
        expect(results[2], ["error": ["code": 202, "error": "Account already exists for this username."]])
        expect(results[3], ["success": ["updatedAt": "2026-01-02T03:04:05.678Z"]])
        expect(results[4], ["error": ["code": 101, "error": "Object not found for delete."]])
        expect(results[5]["success"]?["username"], "bob")
        expect(results[6], ["error": ["error": "unauthorized: master key is required"]])
        try expect(send("[]").line, "200 []")
    }

    @Test func `a batch continues after one of its requests revokes the caller's session`() throws {
        let other = try #require(try ada.server.logIn("ada").token)
        let ids = try [ada.token, other].map { try ada.server.send(.get, "/sessions/me", token: $0).id ?? "" }
        let requests = ids.map { Self.request("DELETE", "/classes/_Session/\($0)", "{}") }
        try expect(send("[\(requests.joined(separator: ","))]").line, #"200 [{"success":{}},{"success":{}}]"#)
        try expect(ada.me().code, 209)
    }

    @Test(arguments: [
        (#"{"method":"GET","path":"/users/me"}"#, 107, "cannot route batch path /users/me"),
        (#"{"method":"GET","path":"/1/users/me"}"#, 107, "cannot route batch path /1/users/me"),
        (#"{"method":"GET","path":"/parse/users?limit=1"}"#, 107, "cannot route batch path /parse/users?limit=1"),
        (#"{"method":"GET","path":"/parse/nosuch"}"#, 107, "cannot route GET /nosuch"),
        (#"{"path":"/parse/users"}"#, 107, "cannot route  /users"), ("7", 107, "cannot route batch path "),
        (#"{"method":"POST","path":"/parse/batch"}"#, 107, "nested batch requests are not allowed"),
        (#"{"method":"POST","path":"/parse/%62atch"}"#, 107, "nested batch requests are not allowed"),
        (#"{"method":"POST","path":"/parse/apps/test-app/request_password_reset"}"#, 107, "cannot route POST"),
    ])
    func `a batch with a request that cannot be routed is rejected before any request runs`(
        request: String, code: Int64, text: String
    ) throws {
        let deletion = Self.request("DELETE", "/users/\(ada.id)")
        let answer = try send("[\(deletion),\(request)]")
        #expect(answer.status == 400 && answer.code == code)
        expect(answer.json?["error"]?.string?.hasPrefix(text), true)
        try expect(ada.me().status, 200)
    }

    @Test func `a malformed batch, a batch of more than 100 requests and a transaction are rejected`() throws {
        for body in ["{}", #"{"requests":"x"}"#, #"{"requests":{}}"#] {
            let answer = try ada.server.send(.post, "/batch", body)
            expect(answer.line, #"400 {"code":107,"error":"requests must be an array"}"#)
        }
        let health = Self.request("GET", "/config")
        func batch(_ count: Int) throws -> Answer {
            try send("[" + Array(repeating: health, count: count).joined(separator: ",") + "]")
        }
        try expect(batch(100).json?.array?.count, 100)
        try expect(
            batch(101).line,
            #"400 {"code":107,"error":"Batch request contains 101 sub-requests, which exceeds the limit of 100."}"#)
        try expect(send("[\(health)]", rest: #","transaction":true"#).code, 108)
        try expect(send("[\(health)]", rest: #","transaction":false"#).status, 200)
    }

    @Test func `a change by one request of a batch applies to the later requests of the batch`() throws {
        let (user, me) = ("/users/\(ada.id)", Self.request("GET", "/users/me"))
        let requests = [Self.request("PUT", user, #"{"age":5}"#), me, Self.request("DELETE", user), me]
        let results = try #require(try send("[" + requests.joined(separator: ",") + "]").json?.array)
        expect(results[1]["success"]?["age"], 5)
        expect(results[3]["error"]?["code"], 209)
    }

    @Test func `a batch without the application id or with an invalid session is rejected`() throws {
        let body = #"{"requests":[\#(Self.request("GET", "/config"))]}"#
        let bare = HTTPRequest(
            .post, "local:/parse/batch", headers: ["Content-Type": "application/json"], body: Array(body.utf8))
        try expect(ada.server.transport.send(bare).status, 403)
        try expect(send("[]", token: "r:none").code, 209)
        let anonymous = try ada.server.send(
            .post, "/batch",
            #"{"requests":[\#(Self.request("GET", "/users/me")),\#(Self.request("GET", "/sessions"))]}"#)
        expect(anonymous.json?.array?.map { $0["error"]?["code"] }, [209, 209])
    }

    @Test func `a user update in a batch does not store request members such as _method`() throws {
        let body = #"{"_method":"DELETE","_SessionToken":"r:x","age":1}"#
        #expect(try send("[\(Self.request("PUT", "/users/\(ada.id)", body))]").text.contains("updatedAt"))
        let me = try ada.me()
        #expect(me.json?["age"] == 1 && !me.text.contains("_method"))
    }
}
