import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

/// What an answer with a good status must hold.
@Suite struct ParseAnswerTests {
    static let promising: [Operation] = [
        .signUp, .logIn, .secondFactor, .logInWithFacebook, .currentUser, .logInWithToken, .listSessions,
    ]

    @Test(arguments: promising, ["", " ", "<html>", "[]", "null", "5", "{", #""text""#, "{}", #"{"status":"ok"}"#])
    func `is none without what was asked for`(call: Operation, body: String) throws {
        #expect(try fault(200, body, call).reason == .brokenAnswer)
    }

    @Test(arguments: promising)
    func `is good with it`(call: Operation) throws {
        let body = #"{"objectId":"1","sessionToken":"r:abc"}"#
        let response = HTTPResponse(status: 201, body: Array(body.utf8))
        #expect(try ParseErrors.check(response, call)["objectId"]?.string == "1")
    }

    @Test(arguments: [
        Operation.logOut, .revokeSession, .requestPasswordReset, .updateUser, .linkFacebook, .unlinkFacebook,
        .changePassword,
    ])
    func `needs no body where nothing of it matters`(call: Operation) throws {
        #expect(try ParseErrors.check(HTTPResponse(status: 204), call) == [:])
        let object = HTTPResponse(status: 200, body: Array(#"{"a":1}"#.utf8))
        #expect(try ParseErrors.check(object, call) == ["a": 1])
        #expect(try fault(200, "<html>", call).reason == .brokenAnswer)
        #expect(try fault(200, "[]", call).reason == .brokenAnswer)
    }

    // MARK: - Tokens

    static let unusable = [
        "5", "true", "[]", "{}", #""""#, #""r:a b""#, #""r:\r\nX-Evil: 1""#, #""r:\u0000""#, #""r:\u007f""#, #""r:é""#,
        #""r: ""#, "\"\(String(repeating: "r", count: 8193))\"",
    ]

    @Test(arguments: unusable, [Operation.logIn, .secondFactor, .signUp, .logInWithFacebook, .updateUser])
    func `holds no session that no header could carry`(token: String, call: Operation) throws {
        let error = try fault(200, #"{"objectId":"1","sessionToken":\#(token)}"#, call)
        #expect(error.reason == .brokenAnswer)
    }

    @Test(arguments: ["r", "r:0123456789abcdef", "~!#", String(repeating: "r", count: 8192)])
    func `holds any session that a header can carry`(token: String) throws {
        #expect(ParsePayloads.token(["sessionToken": .string(token)]) == Secret(token))
    }

    @Test(arguments: [#"{"objectId":"1"}"#, #"{"objectId":"1","sessionToken":null}"#])
    func `holds no session after a log-in that brings no token`(body: String) throws {
        for call in [Operation.logIn, .secondFactor] {
            #expect(try fault(200, body, call).reason == .brokenAnswer)
        }
    }

    /// Where the caller keeps the session it has, the token is not looked at.
    @Test func `is not refused for a token that nobody takes`() throws {
        let body = #"{"objectId":"1","sessionToken":5}"#
        let response = HTTPResponse(status: 200, body: Array(body.utf8))
        #expect(try ParseErrors.check(response, .currentUser)["sessionToken"] == 5)
    }

    @Test func `may name the user as no server does, without a crash`() throws {
        let body = #"{"objectId":5,"username":[1],"email":{},"createdAt":7,"authData":[],"sessionToken":"r:abc"}"#
        let backend = ParseBackend.replaying(Exchange(Exchange.logInRequest, 200, body))
        guard case .session(let logIn) = try backend.logIn(.ada).value else {
            Issue.record("there is no session")
            return
        }
        #expect(logIn == NewSession(user: User(providers: []), session: .abc))
    }

    // MARK: - Pages

    @Test(arguments: [
        ("<!DOCTYPE html>\n<html>\n<head><title>Hotel \u{1B}[31m WiFi</title>", "", "Hotel [31m WiFi"),
        ("\n\n<body onload='x'><p>Log in\tfirst</p>\nmore", "text/html", "Log in first"),
        ("Please log in\r\nto the network", "text/plain; charset=utf-8", "Please log in"),
        (
            "<\(String(repeating: "x", count: 300))>\(String(repeating: "y", count: 300))", "",
            String(repeating: "y", count: 200)
        ),
    ])
    func `that is a page is told by its first words`(page: String, type: String, line: String) throws {
        let response = HTTPResponse(status: 200, headers: ["Content-Type": type], body: Array(page.utf8))
        let error = try failure { _ = try ParseErrors.check(response, .logIn) }
        #expect(error.message == "the server's answer is a page, not JSON: \"\(line)\"")
    }

    @Test(arguments: [
        (#"{"sessionToken":"r:secret","#, "text/html"), (#"{"a":1} {"sessionToken":"r:secret"}"#, "text/plain"),
        (#""r:secret"#, "text/plain"), ("\u{FEFF}{\"sessionToken\":\"r:secret\"", "text/plain"),
        ("for(;;);{\"sessionToken\":\"r:secret\"}", "text/plain"), ("ok r:secret", "application/json"),
        ("<html></html>", "text/html"), ("<html", "text/html"), ("  ", "text/html"),
    ])
    func `that may be cut-off JSON is not shown: it could hold a session`(body: String, type: String) throws {
        let response = HTTPResponse(status: 200, headers: ["Content-Type": type], body: Array(body.utf8))
        let error = try failure { _ = try ParseErrors.check(response, .logIn) }
        #expect(error.message == "the server's answer is no JSON object")
    }

    @Test func `that is no text is not shown`() throws {
        let response = HTTPResponse(status: 200, body: Array([0x3C, 0xFF, 0xFE, 0x41]))
        #expect(
            try failure { _ = try ParseErrors.check(response, .logIn) }.message
                == "the server's answer is no JSON object")
    }

    private func fault(_ status: Int, _ body: String, _ call: Operation) throws -> AuthError {
        try failure {
            _ = try ParseErrors.check(
                HTTPResponse(status: status, body: Array(body.utf8)), call)
        }
    }
}
