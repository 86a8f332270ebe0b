import AccountServer
import Expectations
import JSON
import Transport

/// Requests in which ParseSwift differs from Parse's SDK for JavaScript: ParseSwift uses headers, HTTP methods, queries
/// in the URL and arrays of field names, and requires certain members in a response. Source: Parse-Swift, `API.swift`,
/// `Query.swift`, `ParseSession.swift`, `Responses.swift`.
@Suite struct SwiftClientTests {
    private let ada: SignedUp
    private static let headers: HTTPHeaders = [
        "X-Parse-Client-Version": "swift6.1.0", "X-Parse-Installation-Id": "ba72ad27-683b-4e9d-89b3-802acccfb59a",
        "X-Parse-Request-Id": "0d93", "Content-Type": "application/json",
    ]

    init() throws {
        ada = try SignedUp(#""age":30,"prefs":{"a":1}"#) {
            $0.facebook = FacebookSettings(appIDs: ["fb-app-1"], graphURL: "http://graph.test", transport: FakeGraph())
        }
    }

    private func send(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) throws -> Answer {
        try ada.server.send(method, path, body, token: ada.token, headers: Self.headers)
    }

    @Test func `a session in a response has all members that ParseSwift requires`() throws {
        let login = try ada.server.send(
            .post, "/login", #"{"username":"ada","password":"pw"}"#, headers: Self.headers)
        for path in ["/classes/_Session?limit=100&skip=0&where=%7B%7D", "/sessions"] {
            let rows = try ada.server.send(.get, path, token: login.token, headers: Self.headers).json?["results"]?
                .array
            let row = try #require(rows?.first { $0["sessionToken"] == JSONValue(login.token) })
            for name in ["user", "createdWith", "installationId", "expiresAt", "objectId", "createdAt", "updatedAt"] {
                #expect(row[name] != nil, "\(name)")
            }
            expect(rows?.allSatisfy { $0["sessionToken"]?.string != nil }, true)
        }
    }

    @Test func `a user query is accepted in the URL or in a body; in a body, keys and order may be arrays`() throws {
        let filter = "where=%7B%22prefs.a%22:%7B%22$eq%22:1%7D,%22username%22:%7B%22$in%22:%5B%22ada%22%5D%7D%7D"
        try expect(send(.get, "/classes/_User?limit=100&skip=0&\(filter)").json?["results"]?.array?.count, 1)
        let count = #"{"_method":"GET","count":true,"limit":0,"order":["-createdAt"],"skip":0,"where":{"age":30}}"#
        try expect(send(.post, "/classes/_User", count).line, #"200 {"results":[],"count":1}"#)
        let keys = #"{"_method":"GET","keys":["username"],"include":["user"],"where":{},"order":["age","-username"]}"#
        let row = try send(.post, "/classes/_User", keys).json?["results"]?.array?.first
        #expect(row?["username"] == "ada" && row?["age"] == nil)
        try expect(send(.post, "/classes/_User", #"{"_method":"GET","order":[5]}"#).code, 102)
    }

    @Test func `a user update that repeats the linked identities does not unlink them`() throws {
        let link = #"{"authData":{"facebook":{"access_token":"tok-alice","id":"1001"}}}"#
        try expect(send(.put, "/users/\(ada.id)", link).status, 200)
        let save =
            #"{"ACL":{"\#(ada.id)":{"read":true,"write":true}},"age":44,"authData":{"facebook":{"id":"1001"}},"#
            + #""prefs":{"a":1},"username":"ada"}"#
        try expect(send(.put, "/users/\(ada.id)", save).status, 200)
        #expect(try ada.me().json?["age"] == 44 && ada.me().json?["authData"] == ["facebook": ["id": "1001"]])
        try expect(send(.put, "/users/\(ada.id)", #"{"age":1,"authData":{"facebook":null}}"#).status, 200)
        try expect(ada.me().json?["authData"], nil)
    }

    /// Source: Parse-Swift, `ParseApple.swift`, `ParseGoogle.swift`.
    @Test func `a server that accepts unsigned proofs lets ParseSwift log in with Apple and link Google`() throws {
        let server = try TestServer { $0.acceptsUnsignedProofs = true }
        // The header {"alg":"none"} and the claims {"iss":"https://appleid.apple.com","sub":"001.a.1"}.
        let token = "eyJhbGciOiJub25lIn0.eyJpc3MiOiJodHRwczovL2FwcGxlaWQuYXBwbGUuY29tIiwic3ViIjoiMDAxLmEuMSJ9."
        let login = #"{"authData":{"apple":{"id":"001.a.1","token":"\#(token)"}}}"#
        let first = try server.send(.post, "/users", login, headers: Self.headers)
        let again = try server.send(.post, "/users", login, headers: Self.headers)
        #expect(first.status == 201 && again.status == 200 && first.id == again.id)
        let path = "/users/\(try #require(again.id))"
        let link = #"{"authData":{"google":{"access_token":"{\"sub\":\"1\"}","id":"1"}}}"#
        try expect(server.send(.put, path, link, token: again.token, headers: Self.headers).status, 200)
        let unlink = #"{"authData":{"apple":null}}"#
        try expect(server.send(.put, path, unlink, token: again.token, headers: Self.headers).status, 200)
        let user = try server.send(.get, path, token: again.token, headers: Self.headers)
        expect(user.json?["authData"], ["google": ["id": "1"]])
    }

    @Test func `a request to create or update a Parse installation succeeds, but nothing is stored`() throws {
        let fields = #""channels":["a"],"deviceType":"linux","installationId":"ba72ad27-683b-4e9d-89b3-802acccfb59a""#
        let created = try send(.post, "/installations", "{\(fields)}")
        expect(created.keys, ["objectId", "createdAt"])
        let updated = try send(.put, "/installations/\(created.id ?? "")", #"{"badge":3,\#(fields)}"#)
        expect(updated.keys, ["updatedAt"])
        try expect(send(.get, "/classes/_Installation/\(created.id ?? "")").code, 101, "it is discarded")
    }

    /// Without `no-cache`, ParseSwift on Linux uses the cached response to a PUT for a later GET of the same URL.
    @Test func `an API response has the Cache-Control value no-cache`() throws {
        for answer in [try send(.put, "/users/\(ada.id)", #"{"age":1}"#), try send(.get, "/users/\(ada.id)")] {
            expect(answer.response.headers["Cache-Control"], "no-cache")
        }
    }
}
