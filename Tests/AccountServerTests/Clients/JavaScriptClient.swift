import AccountServer
import Foundation
import JSON
import Transport

/// Sends requests like Parse's SDK for JavaScript: always POST with Content-Type text/plain. The body also contains the
/// application id, the installation id, the intended method in `_method` if it is not POST, and the session token after
/// a login. Source: Parse-SDK-JS, `RESTController.ts`.
struct JavaScriptClient {
    let server: TestServer
    let installation: String
    var token: String?

    init(_ server: TestServer, installation: String = "6af41f89-0d93-43f4-87c1-8df353a8c1cf", token: String? = nil) {
        self.server = server
        self.installation = installation
        self.token = token
    }

    func send(_ method: String, _ path: String, _ fields: JSONObject = [:]) throws -> Answer {
        var body = fields
        if method != "POST" { body["_method"] = .string(method) }
        body["_ApplicationId"] = "test-app"
        body["_ClientVersion"] = "js6.1.1"
        body["_InstallationId"] = .string(installation)
        body["_SessionToken"] = token.map(JSONValue.string)
        return Answer(
            try server.transport.send(
                HTTPRequest(
                    .post, "local:/parse/\(path)", headers: ["Content-Type": "text/plain"],
                    body: JSONValue.object(body).bytes)))
    }

    /// The rows that a query returns; if the query fails, only the status and body of the response.
    func find(_ className: String, _ filter: JSONObject, _ rest: JSONObject = [:]) throws -> [JSONValue] {
        var query: JSONObject = ["where": .object(filter)]
        query.members += rest.members
        let answer = try send("GET", "classes/\(className)", query)
        return answer.json?["results"]?.array ?? [.string(answer.line)]
    }

    mutating func signUp(_ username: String, _ fields: JSONObject = [:]) throws -> Answer {
        var body: JSONObject = ["username": .string(username), "password": "hunter2hunter"]
        body.members += fields.members
        let answer = try send("POST", "users", body)
        token = answer.token ?? token
        return answer
    }
}
