import CommandTestSupport

@testable import AuthctlCommands

/// The method and the header fields that the user sets with `api -X` and `api -H`.
@Suite struct RequestHeaderTests {
    @Test(arguments: [
        ("get", "GET"), ("PATCH", "PATCH"), ("X-Purge", "X-PURGE"), ("M!#$%&'*+-.^_`|~9", "M!#$%&'*+-.^_`|~9"),
    ])
    func `a request method may contain all characters of an HTTP token and is converted to upper case`(
        text: String, method: String
    ) throws {
        try expect(RequestMethod.parse(text), method)
    }

    @Test(arguments: ["", "GET /", "GE T", "G\r\nX", "GET:", "gét", "(GET)", "CONNECT", "trace"])
    func `a request method that is CONNECT, TRACE or not an HTTP token is rejected`(text: String) throws {
        let error = try #require(throws: AuthError.self) { try RequestMethod.parse(text) }
        expect(error.reason, .usage)
    }

    @Test(arguments: [
        ("Accept: text/csv", "Accept", "text/csv"), ("X-A:b", "X-A", "b"), ("X-A:", "X-A", ""), ("X-A:  \t", "X-A", ""),
        ("X-A: b: c", "X-A", "b: c"), ("x-a: ä\tb ", "x-a", "ä\tb "),
        ("X-Parse-Installation-Id: 1", "X-Parse-Installation-Id", "1"),
        ("If-None-Match: \"x\"", "If-None-Match", "\"x\""), ("Content-Type: text/plain", "Content-Type", "text/plain"),
    ])
    func `a header field is split into a name and a value`(text: String, name: String, value: String) throws {
        try expect(RequestHeader.parse(text), HTTPHeaders.Field(name: name, value: value))
    }

    @Test(arguments: [
        ("", false), ("X-A", false), (": b", false), ("X A: b", false), (" X-A: b", false), ("X-A : b", false),
        ("X-A\r\n: b", false), ("Ä: b", false), ("X-A: c4nary\r\nX-B: c", true), ("X-A: c4nary\nc", true),
        ("X-A: c4nary\u{0}", true), ("X-A: \u{1B}c4nary", true),
    ])
    func `the error about a malformed header field omits its value`(text: String, hasName: Bool) throws {
        let error = try #require(throws: AuthError.self) { try RequestHeader.parse(text) }
        expect(error.reason, .usage)
        expect(error.message.contains("'X-A'"), hasName)
        #expect(!error.message.contains("c4nary"))
    }

    @Test(arguments: [
        "Authorization", "authorization", "Cookie", "X-Session-Token", "X-Parse-Session-Token",
        "X-Parse-Application-Id",
        "X-Parse-REST-API-Key", "X-Parse-Master-Key", "X-Parse-Maintenance-Key", "X-Parse-JavaScript-Key",
        "X-Parse-Client-Key", "X-Parse-Windows-Key", "X-Parse-Read-Only-Master-Key", "X-Kii-AppID", "X-Kii-AppKey",
        "Proxy-Authorization", "Host", "X_Parse_Master_Key", "Content_Length", "x-kii_appkey", "Content-Length",
        "Transfer-Encoding", "Connection", "Upgrade", "Expect",
    ])
    func `a header field reserved for authctl or for the HTTP client is rejected`(name: String) throws {
        let error = try #require(throws: AuthError.self) { try RequestHeader.parse("\(name): c4nary") }
        expect(error.reason, .usage)
        #expect(error.message.contains("'\(name)'"))
        #expect(!error.message.contains("c4nary"))
    }

    @Test(arguments: [
        ("X_Parse_Master-Key", "to act as a user, log in with the master key"),
        (
            "X-Parse-Maintenance-Key",
            "remove the header: authctl sends no key that grants more rights than the user has"
        ),
        ("X-Parse-JavaScript-Key", "to use another client key, add --client-key-file FILE"),
        ("X_Parse_Application_Id", "to use another application, add --app-id ID"),
        ("Authorization", "to use another session, set AUTHCTL_TOKEN"),
    ])
    func `the error about a reserved header field states what to do instead`(name: String, step: String) throws {
        let error = try #require(throws: AuthError.self) { try RequestHeader.parse("\(name): c4nary") }
        expect(error.nextSteps.map(\.sentence), [step])
    }
}
