import Expectations
import Foundation
import JSON
import Platform
import Transport

@testable import AccountServer

@Suite struct FacebookTests {
    /// In the fake Graph API, `tok-alice` is a token of user 1001, and `tok-bob` of user 1002, for the app `fb-app-1`.
    private struct World {
        let server: TestServer
        let graph = FakeGraph()

        init(appIDs: [String] = ["fb-app-1"], secret: String? = nil) throws {
            let graph = graph
            server = try TestServer {
                $0.facebook = FacebookSettings(
                    appIDs: appIDs, appSecret: secret.map { Secret($0) }, graphURL: "http://graph.test",
                    transport: graph)
            }
        }

        func signUp(_ facebook: String) throws -> Answer {
            try server.send(.post, "/users", #"{"authData":{"facebook":\#(facebook)}}"#)
        }
    }

    private let alice = #"{"id":"1001","access_token":"tok-alice","expiration_date":"2030-01-01T00:00:00.000Z"}"#

    @Test func `the Graph API is queried for the app and user of a token, and no URL contains the token`() throws {
        let world = try World()
        try expect(world.signUp(alice).status, 201)
        expect(world.graph.asked, ["http://graph.test/app", "http://graph.test/me?fields=id"])
        expect(world.graph.headers.map { $0["Authorization"] }, ["Bearer tok-alice", "Bearer tok-alice"])
    }

    /// The expected proof is the output of `openssl dgst -sha256 -hmac fb-secret` for the input `tok-alice`.
    @Test func `a Graph API request contains the appsecret_proof if an app secret is set`() throws {
        let world = try World(secret: "fb-secret")
        try expect(world.signUp(alice).status, 201)
        let proof = "appsecret_proof=1b7340af159ee91edec773d6b75ce1e2a1e1e2848ddcfe2872b108bc77ce6327"
        expect(world.graph.asked, ["http://graph.test/app?\(proof)", "http://graph.test/me?fields=id&\(proof)"])
    }

    @Test(arguments: ["a b", "é", "a\\nX-Field: b", "a\\u0000", "\(String(repeating: "a", count: 65_537))"])
    func `a Facebook token that is not a valid header value is rejected, not sent to Facebook`(token: String) throws {
        let world = try World()
        try expect(world.signUp(#"{"id":"1","access_token":"\#(token)"}"#).code, 101)
        #expect(world.graph.asked.isEmpty)
    }

    @Test(arguments: [
        (#"{"id":"1001","access_token":"tok-bogus"}"#, ["fb-app-1"], 404, 101),
        (#"{"id":"1001","access_token":"tok-bob"}"#, ["fb-app-1"], 404, 101),
        (#"{"id":"100","access_token":"tok-alice"}"#, ["fb-app-1"], 404, 101),
        (#"{"id":"1005","access_token":"tok-otherapp"}"#, ["fb-app-1"], 404, 101),
        (#"{"id":"1006","access_token":"tok-longerapp"}"#, ["fb-app-1"], 404, 101),
        (#"{"id":"1007","access_token":"tok-shorterapp"}"#, ["fb-app-1"], 404, 101),
        (#"{"id":"1001","access_token":"tok-alice"}"#, [], 400, 252),
        (#"{"id":"1001","access_token":"tok-alice"}"#, [""], 404, 101),
        (#"{"access_token":"tok-alice"}"#, ["fb-app-1"], 404, 101),
        (#"{"id":"","access_token":"tok-alice"}"#, ["fb-app-1"], 404, 101),
        (#"{"id":{"$ne":""},"access_token":"tok-alice"}"#, ["fb-app-1"], 404, 101),
        (#"{"id":"1001"}"#, ["fb-app-1"], 400, 141),
        (#"{"id":"1001","access_token":{"$ne":""}}"#, ["fb-app-1"], 400, 141),
        (#"{"id":"1001","token":"a.b.c"}"#, ["fb-app-1"], 404, 101),
        (#"{"id":"1005","access_token":"tok-otherapp"}"#, ["fb-app-1", "fb-app-3"], 404, 101),
        (#"{"id":"1006","access_token":"tok-longerapp"}"#, ["fb-app-1,fb-app-10"], 404, 101),
        (#"{"id":"10010","access_token":"tok-alice"}"#, ["fb-app-1"], 404, 101),
        (#"{"id":" 1001","access_token":"tok-alice"}"#, ["fb-app-1"], 404, 101),
        (#"{"id":"1001","access_token":"tok-expired"}"#, ["fb-app-1"], 404, 101),
        (#"{"id":"1001","access_token":"tok-nameless"}"#, ["fb-app-1"], 404, 101),
        (#"{"id":"1","access_token":"tok-numbered"}"#, ["1"], 404, 101),
        (#"{"id":"1001","access_token":"tok-nulled"}"#, ["fb-app-1"], 404, 101),
        (#"{"id":"1001","access_token":"tok-listed"}"#, ["fb-app-1"], 404, 101),
        (#"{"id":"1001","access_token":"tok-blank"}"#, ["fb-app-1", ""], 404, 101),
        (#"{"id":"1001","access_token":"tok-true"}"#, ["fb-app-1"], 404, 101),
        (#"{"id":"1001","access_token":"tok-array"}"#, ["fb-app-1"], 404, 101),
        (#"{"id":"1001","access_token":"tok-wrapped"}"#, ["fb-app-1"], 404, 101),
        (#"{"id":"1001","access_token":"tok-twice"}"#, ["fb-app-1"], 400, 141),
        (#"{"id":"1001","access_token":"tok-failing"}"#, ["fb-app-1"], 400, 141),
        (#"{"id":"1001","access_token":"tok-busy"}"#, ["fb-app-1"], 400, 141),
        (#"{"id":"1001","access_token":"tok-limited"}"#, ["fb-app-1"], 400, 141),
        (#"{"id":"1001","access_token":"tok-paged"}"#, ["fb-app-1"], 400, 141),
        (#"{"id":"1001","access_token":"tok-counted"}"#, ["fb-app-1"], 400, 141),
        (#"{"id":"1001","access_token":"tok-passing"}"#, ["fb-app-1"], 400, 141),
        (#"{"id":"1001","access_token":"tok-down"}"#, ["fb-app-1"], 400, 141),
        (#"{"id":"1001","access_token":"tok-unreachable"}"#, ["fb-app-1"], 400, 141),
        ("{}", ["fb-app-1"], 404, 101), ("5", ["fb-app-1"], 400, 252),
    ])
    func `a Facebook id without a valid token is rejected`(
        facebook: String, appIDs: [String], status: Int, code: Int64
    ) throws {
        let world = try World(appIDs: appIDs)
        let answer = try world.signUp(facebook)
        #expect(answer.status == status && answer.code == code, "\(answer.line)")
        // An identity that makes a signup fail with code 101 makes a user update fail with code 206.
        let user = try world.server.signUp("ada")
        let body = #"{"authData":{"facebook":\#(facebook)}}"#
        let put = try world.server.send(.put, "/users/\(#require(user.id))", body, token: user.token)
        #expect(put.status == 400 && put.code == (code == 101 ? 206 : code), "\(put.line)")
        try expect(world.server.send(.get, "/users/me", token: user.token).json?["authData"], nil)
    }

    @Test(arguments: [
        // Providers that the server does not know.
        (#""google":{"id":"1","access_token":"t"}"#, 400, 252), (#""myapp":{"id":"1"}"#, 400, 252),
        // A known provider without an id.
        (#""anonymous":{}"#, 400, 252), (#""anonymous":true"#, 400, 252),
    ])
    func `a signup with a valid Facebook identity and an invalid second identity is rejected`(
        second: String, status: Int, code: Int64
    ) throws {
        let world = try World()
        for members in [#""facebook":\#(alice),\#(second)"#, #"\#(second),"facebook":\#(alice)"#] {
            let answer = try world.server.send(.post, "/users", #"{"authData":{\#(members)}}"#)
            #expect(answer.status == status && answer.code == code, "\(answer.line)")
        }
        #expect(world.graph.asked.isEmpty)
    }

    @Test func `a Facebook id without a valid token is rejected even if authData has a known anonymous id`() throws {
        let world = try World()
        let body = #"{"authData":{"anonymous":{"id":"device-1"}}}"#
        try expect(world.server.send(.post, "/users", body).status, 201)
        let both = #"{"authData":{"anonymous":{"id":"device-1"},"facebook":{"id":"1001","access_token":"tok-bob"}}}"#
        try expect(world.server.send(.post, "/users", both).code, 101)
        try expect(world.signUp(alice).status, 201, "the id is still free")
    }

    @Test func `a Facebook token of any allowed app is accepted`() throws {
        let world = try World(appIDs: ["fb-app-2", "fb-app-1"])
        try expect(world.signUp(alice).status, 201)
        try expect(world.signUp(#"{"id":"1005","access_token":"tok-otherapp"}"#).status, 201)
    }

    @Test func `a repeated Facebook login returns the same user, and the Facebook token is not stored`() throws {
        let world = try World()
        let first = try world.signUp(alice)
        let again = try world.server.send(
            .post, "/users", #"{"username":"mine","password":"pw","authData":{"facebook":\#(alice)}}"#)
        #expect(again.status == 200 && again.id == first.id)
        expect(again.json?["authData"], ["facebook": ["id": "1001"]])
        try expect(world.server.logIn("mine").code, 101)
        let names = try FileManager.default.contentsOfDirectory(atPath: world.server.folder.path)
        #expect(names.contains("accounts.db"))
        for name in names {
            try expect(world.server.folder.bytes(name).range(of: Data("tok-alice".utf8)), nil)
        }
    }

    @Test func `a Facebook token is checked at graph.facebook.com by default`() throws {
        let world = try World()
        let routes = try ParseRoutes(
            serving: ServerSettings(
                database: world.server.folder.database(), baseURL: "local:/parse", applicationID: "test-app",
                facebook: FacebookSettings(appIDs: ["fb-app-1"], transport: world.graph)))
        _ = try routes.run(.test(.post, "/users", #"{"authData":{"facebook":\#(alice)}}"#))
        expect(world.graph.asked, ["https://graph.facebook.com/app"])
    }
}
