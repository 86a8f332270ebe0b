import AccountServer
import JSON
import Testing
import Transport

/// What an app does with Parse's SDK for JavaScript, in the requests that the SDK sends for it.
@Suite struct JavaScriptClientTests {
    private let server: TestServer
    private let mail = MemoryMail()
    /// The client of `ada`.
    private var client: JavaScriptClient
    private let id: String

    init() throws {
        let mail = mail
        server = try TestServer {
            $0.mail = mail
            $0.facebook = FacebookSettings(appIDs: ["fb-app-1"], graphURL: "http://graph.test", transport: FakeGraph())
        }
        client = JavaScriptClient(server)
        let signUp = try client.signUp("ada", ["email": "ada@example.org", "age": 30, "prefs": ["a": 1]])
        id = try #require(signUp.id)
    }

    private var user: String { "classes/_User/\(id)" }

    @Test func `signup, login, become and the current user`() throws {
        #expect(try client.send("GET", "health").line == #"200 {"status":"ok"}"#)
        let login: JSONObject = ["username": "ada", "password": "hunter2hunter"]
        for method in ["POST", "GET"] {
            let answer = try client.send(method, "login", login)
            #expect(answer.id == id && answer.json?["age"] == 30 && answer.token != nil)
        }
        #expect(try client.send("GET", "verifyPassword", login).code == 209, "the login replaced the session")
        var other = JavaScriptClient(
            server, installation: "other", token: try client.send("POST", "login", login).token)
        #expect(try other.send("GET", "verifyPassword", login).id == id)
        let me = try other.send("GET", "users/me")
        #expect(me.id == id && me.token == other.token && me.json?["className"] == "_User")
        other.token = "r:00000000000000000000000000000000"
        #expect(try other.send("GET", "users/me").line == #"400 {"code":209,"error":"Invalid session token"}"#)
    }

    @Test func `custom fields and operations on them`() throws {
        func put(_ fields: JSONObject) throws -> JSONValue? { try client.send("PUT", user, fields).json }
        #expect(try put(["color": "red", "prefs": ["a": 1, "b": 2]])?["updatedAt"] != nil)
        let changes: JSONObject = [
            "age": ["__op": "Increment", "amount": 2], "tags": ["__op": "Add", "objects": ["x"]],
            "color": ["__op": "Delete"],
        ]
        let changed = try put(changes)
        #expect(changed?["age"] == 32 && changed?["tags"] == ["x"])
        let born: JSONValue = ["__type": "Date", "iso": "1970-01-01T00:00:00.000Z"]
        let friend: JSONValue = ["__type": "Pointer", "className": "_User", "objectId": .string(id)]
        #expect(try put(["born": born, "friend": friend])?["updatedAt"] != nil)
        let fetched = try client.send("GET", user, ["include": "friend"])
        #expect(fetched.json?["prefs"] == ["a": 1, "b": 2] && fetched.json?["born"] == born)
        #expect(fetched.json?["friend"] == friend && fetched.json?["color"] == nil && fetched.token == client.token)
    }

    @Test func `queries of users`() throws {
        func names(_ filter: JSONObject, _ rest: JSONObject = [:]) throws -> [String] {
            try client.find("_User", filter, rest).map { $0["username"]?.string ?? "" }
        }
        #expect(try names(["objectId": .string(id)], ["limit": 1]) == ["ada"])
        #expect(try names(["username": ["$in": ["ada", "bob"]]]) == ["ada"])
        #expect(try names(["prefs.a": 1], ["order": "-createdAt"]) == ["ada"])
        #expect(try names(["$or": [["username": ["$regex": "^\\Qad\\E"]], ["age": ["$gt": 99]]]]) == ["ada"])
        #expect(try names(["objectId": ["$gt": .string(id)]], ["limit": 100, "order": "objectId"]) == [])
        let count = try client.send("GET", "classes/_User", ["where": ["age": 30], "limit": 0, "count": 1])
        #expect(count.line == #"200 {"results":[],"count":1}"#)
        let keys = try client.find("_User", [:], ["keys": "username"])
        #expect(keys.first?.object?.names == ["username", "objectId", "createdAt", "updatedAt", "ACL"])
        #expect(try client.send("GET", "classes/_User", ["where": ["email": "ada@example.org"]]).code == 119)
    }

    @Test func `a user with a public ACL is read by another user and not changed by it`() throws {
        let list: JSONValue = ["*": ["read": true], .init(id): ["read": true, "write": true]]
        #expect(try client.send("PUT", user, ["ACL": list]).status == 200)
        var bob = JavaScriptClient(server, installation: "bob")
        _ = try bob.signUp("bob")
        for reader in [bob, JavaScriptClient(server)] {
            let shown = try reader.send("GET", user)
            #expect(shown.json?["username"] == "ada" && shown.json?["email"] == nil && shown.token == nil)
            #expect(try reader.send("PUT", user, ["age": 1]).code == 206)
            #expect(try reader.send("DELETE", user).code == 206)
        }
    }

    @Test func `the list of sessions, the current one and another`() throws {
        let body: JSONObject = ["username": "ada", "password": "hunter2hunter"]
        let second = try #require(try JavaScriptClient(server, installation: "phone").send("POST", "login", body).token)
        let pointer: JSONValue = ["__type": "Pointer", "className": "_User", "objectId": .string(id)]
        let rows = try client.find("_Session", ["user": pointer], ["order": "createdAt", "include": "user"])
        #expect(rows.map { $0["sessionToken"] } == [JSONValue(client.token), ""])
        #expect(rows.map { $0["installationId"] } == [.string(client.installation), "phone"])
        #expect(rows.allSatisfy { $0["user"]?["username"] == "ada" })
        let current = try client.send("GET", "sessions/me")
        #expect(current.id == rows[0]["objectId"]?.string && current.token == client.token)
        #expect(try client.send("PUT", "classes/_Session/\(current.id ?? "")", ["label": "tab"]).status == 200)
        let path = "classes/_Session/\(rows[1]["objectId"]?.string ?? "")"
        #expect(try client.send("GET", path).json?["user"]?["objectId"] == .string(id))
        #expect(try client.send("DELETE", path).line == "200 {}")
        #expect(try client.send("GET", path).code == 101)
        #expect(try JavaScriptClient(server, token: second).send("GET", "users/me").code == 209)
    }

    @Test func `Facebook and anonymous identities are linked and unlinked`() throws {
        let facebook: JSONValue = [
            "id": "1001", "access_token": "tok-alice", "expiration_date": "2026-11-23T02:51:09.708Z",
        ]
        #expect(try client.send("PUT", user, ["authData": ["facebook": facebook]]).status == 200)
        // The SDK sends the identities that it knows with each new one.
        let known: JSONValue = ["facebook": ["id": "1001"], "anonymous": ["id": "device"]]
        #expect(try client.send("PUT", user, ["authData": known]).status == 200)
        #expect(
            try client.send("GET", user).json?["authData"] == [
                "anonymous": ["id": "device"], "facebook": ["id": "1001"],
            ])
        #expect(try client.send("PUT", user, ["authData": ["facebook": ["id": "1002"]]]).code == 141)
        #expect(try client.send("PUT", user, ["authData": ["facebook": .null, "anonymous": .null]]).status == 200)
        #expect(try client.send("GET", user).json?["authData"] == nil)
        let login: JSONObject = ["authData": ["facebook": ["id": "1002", "access_token": "tok-bob"]]]
        let first = try JavaScriptClient(server).send("POST", "users", login)
        let again = try JavaScriptClient(server).send("POST", "users", login)
        #expect(first.status == 201 && again.status == 200 && first.id == again.id && again.token != nil)
        let wrong: JSONObject = ["authData": ["facebook": ["id": "1003", "access_token": "bad"]]]
        #expect(try JavaScriptClient(server).send("POST", "users", wrong).code == 101)
    }

    /// Source: Parse-SDK-JS, `ParseUser.ts`, `linkWith`.
    @Test func `logInWith and linkWith of Google and Apple with an unsigned token`() throws {
        let server = try TestServer { $0.acceptsUnsignedProofs = true }
        func proof(_ id: String) -> JSONValue { .string(#"{"sub":"\#(id)"}"#) }
        let google: JSONValue = ["id": "g-1", "id_token": proof("g-1")]
        var client = JavaScriptClient(server)
        let first = try client.send("POST", "users", ["authData": ["google": google]])
        let again = try client.send("POST", "users", ["authData": ["google": google]])
        #expect(first.status == 201 && again.status == 200 && first.id == again.id)
        client.token = again.token
        let user = "classes/_User/\(try #require(again.id))"
        let both: JSONValue = ["google": ["id": "g-1"], "apple": ["id": "a-1", "token": proof("a-1")]]
        #expect(try client.send("PUT", user, ["authData": both]).status == 200)
        let other = JavaScriptClient(server, installation: "other")
        let login = try other.send("POST", "users", ["authData": ["apple": ["id": "a-1", "token": proof("a-1")]]])
        #expect(login.json?["authData"] == ["apple": ["id": "a-1"], "google": ["id": "g-1"]])
        #expect(try client.send("PUT", user, ["authData": ["google": .null]]).status == 200)
        #expect(try client.send("GET", user).json?["authData"] == ["apple": ["id": "a-1"]])
    }

    @Test func `an anonymous user becomes one with a name`() throws {
        var guest = JavaScriptClient(server, installation: "guest")
        let signUp = try guest.send("POST", "users", ["authData": ["anonymous": ["id": "g-1"]]])
        guest.token = signUp.token
        let upgrade: JSONObject = [
            "username": "guest", "password": "hunter2hunter", "authData": ["anonymous": .null],
        ]
        let upgraded = try guest.send("PUT", "classes/_User/\(signUp.id ?? "")", upgrade)
        #expect(upgraded.status == 200 && upgraded.token != guest.token)
        #expect(try server.logIn("guest", password: "hunter2hunter").id == signUp.id)
    }

    @Test func `saveAll and destroyAll send batches`() throws {
        func batch(_ requests: [JSONValue]) throws -> [JSONValue] {
            try client.send("POST", "batch", ["requests": .array(requests)]).json?.array ?? []
        }
        let saved = try batch([
            ["method": "POST", "body": ["username": "u1", "password": "hunter2hunter"], "path": "/parse/users"],
            ["method": "POST", "body": ["username": "ada", "password": "hunter2hunter"], "path": "/parse/users"],
            ["method": "PUT", "body": ["age": 50], "path": .string("/parse/\(user)")],
        ])
        #expect(saved[0]["success"]?["objectId"] != nil && saved[0]["success"]?["sessionToken"] != nil)
        #expect(saved[1]["error"]?["code"] == 202 && saved[2]["success"]?["updatedAt"] != nil)
        _ = try server.logIn("ada", password: "hunter2hunter")
        let rows = try client.find("_Session", [:]).compactMap { $0["objectId"]?.string }
        let deleted = try batch(
            rows.map { ["method": "DELETE", "path": .string("/parse/classes/_Session/\($0)"), "body": [:]] })
        #expect(rows.count == 2 && deleted == [["success": [:]], ["success": [:]]])
        #expect(try client.send("GET", "users/me").code == 209)
    }

    @Test func `an installation is accepted and discarded`() throws {
        let fields: JSONObject = ["deviceType": "web", "installationId": .string(client.installation)]
        let saved = try client.send("POST", "classes/_Installation", fields)
        let path = "classes/_Installation/\(try #require(saved.id))"
        #expect(try client.send("PUT", path, ["badge": 1]).status == 200)
        #expect(try client.send("GET", path).code == 101)
    }

    @Test func `e-mails for a new password and for verification`() throws {
        #expect(try client.send("POST", "requestPasswordReset", ["email": "ada@example.org"]).line == "200 {}")
        #expect(try client.send("POST", "verificationEmailRequest", ["email": "ada@example.org"]).line == "200 {}")
        #expect(mail.all.count == 2)
        #expect(try client.send("POST", "requestPasswordReset", ["email": ""]).code == 204)
        #expect(try client.send("POST", "verificationEmailRequest", ["email": "no@example.org"]).line == "200 {}")
        #expect(mail.all.count == 2)
    }

    @Test func `errors have Parse's codes`() throws {
        var other = client
        #expect(try other.signUp("ada").code == 202)
        #expect(try other.signUp("ada2", ["email": "ada@example.org"]).code == 203)
        #expect(try client.send("POST", "login", ["username": "ada", "password": "nope"]).code == 101)
        #expect(try client.send("PUT", user, ["email": "nope"]).code == 125)
        #expect(try client.send("PUT", user, ["emailVerified": true]).code == 119)
        #expect(try JavaScriptClient(server).send("PUT", user, ["age": 1]).code == 206)
        for method in ["GET", "POST"] { #expect(try client.send(method, "classes/Game").code == 119) }
        for method in ["GET", "PUT", "DELETE"] { #expect(try client.send(method, "classes/Game/x").code == 119) }
        #expect(
            try client.send("POST", "functions/hello").line
                == #"400 {"code":141,"error":"Invalid function: \"hello\""}"#)
        #expect(try client.send("POST", "events/AppOpened", ["at": 1]).line == "200 {}")
        #expect(try client.find("_Role", ["name": "admin"]).isEmpty)
        #expect(try client.send("POST", "classes/_Role", ["name": "admin"]).code == 119)
        #expect(try client.send("GET", "config").line == #"200 {"params":{}}"#)
    }

    @Test func `a new password, logout and deletion`() throws {
        var client = client
        let old = client.token
        client.token = try client.send("PUT", user, ["password": "a new password"]).token
        #expect(client.token != nil && client.token != old)
        #expect(try client.send("POST", "logout").line == "200 {}")
        #expect(try client.send("GET", "users/me").code == 209)
        client.token = try server.logIn("ada", password: "a new password").token
        #expect(try client.send("DELETE", user).line == "200 {}")
        #expect(try server.logIn("ada", password: "a new password").code == 101)
    }
}
