import Expectations
import Foundation
import JSON
import Transport

/// Rules for headers, bodies and paths that apply to all routes.
@Suite struct ProtocolTests {
    @Test(arguments: [
        (HTTPRequest.Method.get, "/nosuchendpoint", "Cannot GET /parse/nosuchendpoint"),
        (.get, "/", "Cannot GET /parse/"),
        (.put, "/login", "Cannot PUT /parse/login"),
        (.get, "/logout", "Cannot GET /parse/logout"),
        (.post, "/users/me", "Cannot POST /parse/users/me"),
        (.get, "/sessions/", "Cannot GET /parse/sessions/"),
        (.get, "/a/<b>?x=1", "Cannot GET /parse/a/&lt;b&gt;"),
        (.get, "x/users/me", "Cannot GET /parsex/users/me"),
    ])
    func `a request without a matching route gets an HTML page with status 404`(
        method: HTTPRequest.Method, path: String, text: String
    ) throws {
        let answer = try TestServer().send(method, path)
        expect(answer.status, 404)
        expect(answer.response.headers["Content-Type"], "text/html; charset=utf-8")
        expect(answer.response.headers["Content-Security-Policy"], "default-src 'none'")
        #expect(answer.text.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"))
        #expect(answer.text.hasSuffix("<body>\n<pre>\(text)</pre>\n</body>\n</html>\n"))
    }

    @Test(arguments: [#"{"username":"broken","#, #""hello""#, "null", "5", #"{"a":}"#, "username=a&password=b"])
    func `the error for a malformed JSON body or a JSON scalar does not quote the body`(body: String) throws {
        let answer = try TestServer().send(.post, "/users", body)
        #expect(answer.status == 400 && answer.keys == ["error"])
        #expect(!answer.text.contains("broken") && !answer.text.contains("hello") && !answer.text.contains("pass"))
    }

    @Test func `a request body over 1 MiB is rejected`() throws {
        let server = try TestServer()
        let frame = #"{"username":"u","password":""}"#
        let password = String(repeating: "p", count: (1 << 20) - frame.utf8.count)
        let most = #"{"username":"u","password":"\#(password)"}"#
        try expect(server.send(.post, "/users", most + " ").line, #"413 {"error":"request entity too large"}"#)
        try expect(server.send(.post, "/users", most).status, 201)
    }

    @Test func `text with too many combining marks is rejected in bodies, forms, paths and queries`() throws {
        let server = try TestServer()
        let marks = String(repeating: "\u{301}", count: 101)
        try expect(server.send(.post, "/login", #"{"username":"a\#(marks)","password":"pw"}"#).status, 400)
        try expect(server.send(.get, "/users/a\(marks.percentEncoded)").status, 404)
        try expect(server.send(.get, "/login?username=a\(marks.percentEncoded)&password=pw").status, 404)
        let form = HTTPRequest(
            .post, "local:/parse/login",
            headers: ["Content-Type": "application/x-www-form-urlencoded", "X-Parse-Application-Id": "test-app"],
            body: Array("username=a\(marks.percentEncoded)&password=pw".utf8))
        try expect(server.transport.send(form).status, 400)
    }

    @Test func `a deeply nested JSON body is rejected`() throws {
        let body = String(repeating: #"{"a":"#, count: 100_000)
        try expect(TestServer().send(.post, "/users", body).status, 400)
    }
}
