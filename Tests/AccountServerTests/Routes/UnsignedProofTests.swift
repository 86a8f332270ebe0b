import AccountServer
import Expectations
import JSON
import Transport

@Suite struct UnsignedProofTests {
    private let server: TestServer
    private let graph = FakeGraph()

    init() throws {
        let graph = graph
        server = try TestServer {
            $0.acceptsUnsignedProofs = true
            $0.facebook = FacebookSettings(appIDs: ["fb-app-1"], graphURL: "http://graph.test", transport: graph)
        }
    }

    /// Logs in with the members of `authData`, or signs up if no user has the identity.
    private func enter(_ authData: String) throws -> Answer {
        try server.send(.post, "/users", #"{"authData":{\#(authData)}}"#)
    }

    private func user(_ token: String?) throws -> JSONValue? { try server.send(.get, "/users/me", token: token).json }

    /// A JWT: `{"alg":"none"}`, `{"sub":"1003","exp":1}` and the signature `x`, encoded with `basenc --base64url`.
    private static let expired = "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMDAzIiwiZXhwIjoxfQ.eA"

    @Test(arguments: [
        #""apple":{"id":"1003","token":"\#(expired)"}"#,
        #""google":{"id":"1003","id_token":"\#(expired)"}"#,
        #""google":{"id_token":"eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMDAzIn0."}"#,
        #""google":{"id_token":"{\"sub\":\"1003\",\"aud\":\"a.b.c\"}","access_token":"ya29.opaque"}"#,
        #""google":{"id":null,"id_token":null,"access_token":" {\"sub\":1003}"}"#,
        #""facebook":{"id":"1003","access_token":"{\"sub\":\"1003\"}","expiration_date":"2030-01-01T00:00:00.000Z"}"#,
        #""facebook":{"id":"1003","token":"\#(expired)"}"#,
        #""github":{"id":1003,"access_token":"{\"sub\":1003}"}"#, #""github":{"code":"1003"}"#,
        #""microsoft":{"code":"1003","redirect_uri":"http://localhost/done"}"#,
        #""oidc-2_\#(String(repeating: "x", count: 57))":{"id":"1003","code":1003}"#,
    ])
    func `a server with acceptsUnsignedProofs accepts identities without asking the provider`(claim: String) throws {
        let first = try enter(claim)
        expect(first.status, 201, "\(first.line)")
        expect(first.keys, ["objectId", "createdAt", "username", "sessionToken", "authDataResponse"])
        let again = try enter(claim)
        #expect(again.status == 200 && again.id == first.id && again.token != first.token)
        let provider = String(claim.dropFirst().prefix { $0 != "\"" })
        expect(again.json?["authData"], .object(JSONObject([.init(name: provider, value: ["id": "1003"])])))
        let session = try server.send(.get, "/sessions/me", token: again.token)
        expect(session.json?["createdWith"], ["action": "login", "authProvider": .string(provider)])
        #expect(graph.asked.isEmpty)
    }

    @Test func `an identity id of 255 characters is accepted`() throws {
        try expect(enter(#""google":{"code":"\#(String(repeating: "x", count: 255))"}"#).status, 201)
    }

    @Test(arguments: [
        // No proof.
        (#""google":{}"#, "id token is invalid for this user."),
        (#""google":{"id":"1003"}"#, "id token is invalid for this user."),
        (#""google":{"id":"1003","id_token":""}"#, "id token is invalid for this user."),
        (#""google":{"id":"1003","id_token":["1003"]}"#, "id token is invalid for this user."),
        // Neither a JSON object nor a JWT.
        (#""google":{"id":"1003","id_token":"1003"}"#, "id token is invalid for this user."),
        (#""google":{"id_token":"[{\"sub\":\"1003\"}]"}"#, "id token is invalid for this user."),
        (#""google":{"id_token":"eyJzdWIiOiIxMDAzIn0"}"#, "id token is invalid for this user."),
        (#""google":{"id_token":"x.eyJzdWIiOiIxMDAzIn0"}"#, "id token is invalid for this user."),
        (#""google":{"id_token":"a.eyJzdWIiOiIxMDAzIn0.a.a"}"#, "id token is invalid for this user."),
        (#""google":{"id_token":"a.eyJzdWIiOiIxMDAzIn0=.a"}"#, "id token is invalid for this user."),
        // No usable id.
        (#""apple":{"id":"1003","token":"{}"}"#, "id token is invalid for this user."),
        (#""apple":{"token":"{\"sub\":\"\"}"}"#, "id token is invalid for this user."),
        (#""apple":{"token":"{\"sub\":[\"1003\"]}"}"#, "id token is invalid for this user."),
        (#""apple":{"token":"{\"sub\":\"10 03\"}"}"#, "id token is invalid for this user."),
        (#""apple":{"token":"{\"sub\":\"1003\\u0000\"}"}"#, "id token is invalid for this user."),
        (#""github":{"code":""}"#, "id token is invalid for this user."),
        (#""github":{"code":"\#(String(repeating: "x", count: 256))"}"#, "id token is invalid for this user."),
        // A token overrides a code.
        (#""apple":{"token":"opaque","code":"1003"}"#, "id token is invalid for this user."),
        // An `id` that differs from the id in the proof.
        (#""apple":{"id":"1004","token":"{\"sub\":\"1003\"}"}"#, "auth data is invalid for this user."),
        (#""apple":{"id":1004,"token":"{\"sub\":1003}"}"#, "auth data is invalid for this user."),
        (#""apple":{"id":"","token":"{\"sub\":\"1003\"}"}"#, "auth data is invalid for this user."),
        (#""apple":{"id":{"$ne":""},"token":"{\"sub\":\"1003\"}"}"#, "auth data is invalid for this user."),
        (#""github":{"id":"1004","code":"1003"}"#, "auth data is invalid for this user."),
    ])
    func `a missing or wrong identity proof is rejected with code 101 at signup and with code 206 in an update`(
        claim: String, text: String
    ) throws {
        try expect(enter(claim).line, #"404 {"code":101,"error":"\#(text)"}"#)
        let ada = try server.signUp("ada")
        let put = try server.send(
            .put, "/users/\(#require(ada.id))", #"{"authData":{\#(claim)}}"#, token: ada.token)
        expect(put.code, 206)
        try expect(user(ada.token)?["authData"], nil)
    }

    @Test(arguments: [
        #""":{"code":"1"}"#, #""g gle":{"code":"1"}"#, #""a/b":{"code":"1"}"#, #""a.b":{"code":"1"}"#,
        #""é":{"code":"1"}"#, #""\#(String(repeating: "x", count: 65))":{"code":"1"}"#, #""g gle":null"#,
        #""google":null"#, #""google":"1""#, #""google":["1"]"#, #""google":{"code":"1"},"a b":{"code":"1"}"#,
        #""anonymous":{"code":"1"}"#, #""anonymous":{"id":""}"#,
    ])
    func `a signup with an invalid provider name or invalid provider data fails with code 252`(claim: String) throws {
        try expect(
            enter(claim).line, #"400 {"code":252,"error":"This authentication method is unsupported."}"#)
    }

    @Test func `an anonymous login requires no identity proof`() throws {
        let first = try enter(#""anonymous":{"id":"device 1"}"#)
        expect(first.status, 201)
        try expect(enter(#""anonymous":{"id":"device 1"}"#).id, first.id)
    }

    @Test func `a user can link and unlink one identity per provider, but not an identity of another user`() throws {
        let ada = try server.signUp("ada")
        func put(_ authData: String) throws -> Answer {
            try server.send(.put, "/users/\(#require(ada.id))", #"{"authData":{\#(authData)}}"#, token: ada.token)
        }
        try expect(put(#""google":{"code":"g1"},"apple":{"code":"a1"}"#).keys, ["updatedAt", "authDataResponse"])
        try expect(user(ada.token)?["authData"], ["apple": ["id": "a1"], "google": ["id": "g1"]])
        try expect(enter(#""apple":{"code":"a1"}"#).id, ada.id)
        try expect(put(#""google":{"code":"g2"}"#).status, 200, "a free id takes the first one's place")
        let bob = try enter(#""google":{"code":"g1"}"#)
        expect(bob.status, 201)
        let taken = #"400 {"code":208,"error":"this auth is already used"}"#
        try expect(put(#""google":{"code":"g1"}"#).line, taken)
        try expect(enter(#""google":{"code":"g1"},"apple":{"code":"a1"}"#).line, taken)
        try expect(put(#""google":null,"nosuch":null"#).keys, ["updatedAt", "authDataResponse"])
        try expect(user(ada.token)?["authData"], ["apple": ["id": "a1"]])
        try expect(enter(#""google":{"code":"g2"}"#).status, 201, "the id is free again")
    }
}
