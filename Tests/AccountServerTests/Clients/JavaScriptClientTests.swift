import AccountServer
import Expectations
import JSON
import Transport

@Suite struct JavaScriptClientTests {
    private let server: TestServer
    /// The client that is logged in as `ada`.
    private var client: JavaScriptClient
    private let id: String

    init() throws {
        server = try TestServer()
        client = JavaScriptClient(server)
        let signUp = try client.signUp("ada", ["email": "ada@example.org", "age": 30, "prefs": ["a": 1]])
        id = try #require(signUp.id)
    }

    @Test func `Parse's JavaScript SDK can sign up, log in, use a session token and get the current user`() throws {
        try expect(client.send("GET", "health").line, #"200 {"status":"ok"}"#)
        let login: JSONObject = ["username": "ada", "password": "hunter2hunter"]
        for method in ["POST", "GET"] {
            let answer = try client.send(method, "login", login)
            #expect(answer.id == id && answer.json?["age"] == 30 && answer.token != nil)
        }
        try expect(client.send("GET", "verifyPassword", login).code, 209, "the login replaced the session")
        var other = JavaScriptClient(
            server, installation: "other", token: try client.send("POST", "login", login).token)
        try expect(other.send("GET", "verifyPassword", login).id, id)
        let me = try other.send("GET", "users/me")
        #expect(me.id == id && me.token == other.token && me.json?["className"] == "_User")
        other.token = "r:00000000000000000000000000000000"
        try expect(other.send("GET", "users/me").line, #"400 {"code":209,"error":"Invalid session token"}"#)
    }

    @Test func `Parse's JavaScript SDK can query users`() throws {
        func names(_ filter: JSONObject, _ rest: JSONObject = [:]) throws -> [String] {
            try client.find("_User", filter, rest).map { $0["username"]?.string ?? "" }
        }
        try expect(names(["objectId": .string(id)], ["limit": 1]), ["ada"])
        try expect(names(["username": ["$in": ["ada", "bob"]]]), ["ada"])
        try expect(names(["prefs.a": 1], ["order": "-createdAt"]), ["ada"])
        try expect(names(["$or": [["username": ["$regex": "^\\Qad\\E"]], ["age": ["$gt": 99]]]]), ["ada"])
        try expect(names(["objectId": ["$gt": .string(id)]], ["limit": 100, "order": "objectId"]), [])
        let count = try client.send("GET", "classes/_User", ["where": ["age": 30], "limit": 0, "count": 1])
        expect(count.line, #"200 {"results":[],"count":1}"#)
        let keys = try client.find("_User", [:], ["keys": "username"])
        expect(keys.first?.object?.names, ["username", "objectId", "createdAt", "updatedAt", "ACL"])
        try expect(client.send("GET", "classes/_User", ["where": ["email": "ada@example.org"]]).code, 119)
    }

    @Test func `Parse's JavaScript SDK can list and delete sessions and get the current session`() throws {
        let body: JSONObject = ["username": "ada", "password": "hunter2hunter"]
        let second = try #require(try JavaScriptClient(server, installation: "phone").send("POST", "login", body).token)
        let pointer: JSONValue = ["__type": "Pointer", "className": "_User", "objectId": .string(id)]
        let rows = try client.find("_Session", ["user": pointer], ["order": "createdAt", "include": "user"])
        expect(rows.map { $0["sessionToken"] }, [JSONValue(client.token), ""])
        expect(rows.map { $0["installationId"] }, [.string(client.installation), "phone"])
        #expect(rows.allSatisfy { $0["user"]?["username"] == "ada" })
        let current = try client.send("GET", "sessions/me")
        #expect(current.id == rows[0]["objectId"]?.string && current.token == client.token)
        try expect(client.send("PUT", "classes/_Session/\(current.id ?? "")", ["label": "tab"]).status, 200)
        let path = "classes/_Session/\(rows[1]["objectId"]?.string ?? "")"
        try expect(client.send("GET", path).json?["user"]?["objectId"], .string(id))
        try expect(client.send("DELETE", path).line, "200 {}")
        try expect(client.send("GET", path).code, 101)
        try expect(JavaScriptClient(server, token: second).send("GET", "users/me").code, 209)
    }

    @Test func `classes, functions and files get errors that say so, events are discarded, roles and config are empty`()
        throws
    {
        for method in ["GET", "POST"] { try expect(client.send(method, "classes/Game").code, 119) }
        for method in ["GET", "PUT", "DELETE"] { try expect(client.send(method, "classes/Game/x").code, 119) }
        for (method, path, code, what) in [
            ("POST", "functions/hello", 141, "functions"), ("GET", "classes/Game", 119, "classes"),
            ("POST", "files/a.txt", 130, "files"), ("DELETE", "files/a.txt", 153, "files"),
            ("GET", "files/local/a.txt", 130, "files"),
        ] {
            let text = "authctl serve has no \(what); use Parse Server"
            try expect(client.send(method, path).line, #"400 {"code":\#(code),"error":"\#(text)"}"#)
        }
        try expect(client.send("POST", "events/AppOpened", ["at": 1]).line, "200 {}")
        #expect(try client.find("_Role", ["name": "admin"]).isEmpty)
        try expect(client.send("POST", "classes/_Role", ["name": "admin"]).code, 119)
        try expect(client.send("GET", "config").line, #"200 {"params":{}}"#)
    }
}
