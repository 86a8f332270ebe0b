import CommandTestSupport
import Platform

@testable import AuthBackends

/// The required members of a successful response.
@Suite struct ParseResponseTests {
    static let promising: [Operation] = [
        .signUp, .logIn, .secondFactor, .logInWithIdentity, .currentUser, .logInWithToken, .listSessions,
    ]

    @Test(arguments: promising, ["", " ", "<html>", "[]", "null", "5", "{", #""text""#, "{}", #"{"status":"ok"}"#])
    func `a Parse success response without the expected content is invalid`(call: Operation, body: String) throws {
        try expect(fault(200, body, call).reason, .invalidResponse)
    }

    @Test(arguments: promising)
    func `a Parse response with the expected content is accepted`(call: Operation) throws {
        let body = #"{"objectId":"1","sessionToken":"r:abc"}"#
        let response = HTTPResponse(status: 201, body: Array(body.utf8))
        try expect(ParseErrors.check(response, call)["objectId"]?.string, "1")
    }

    @Test(arguments: [
        Operation.logOut, .revokeSession, .requestPasswordReset, .updateUser, .linkIdentity, .unlinkIdentity,
        .changePassword,
    ])
    func `a Parse response may be empty if the operation needs no content`(call: Operation) throws {
        try expect(ParseErrors.check(HTTPResponse(status: 204), call), [:])
        let object = HTTPResponse(status: 200, body: Array(#"{"a":1}"#.utf8))
        try expect(ParseErrors.check(object, call), ["a": 1])
        try expect(fault(200, "<html>", call).reason, .invalidResponse)
        try expect(fault(200, "[]", call).reason, .invalidResponse)
    }

    // MARK: - Tokens

    static let unusable = [
        "5", "true", "[]", "{}", #""""#, #""r:a b""#, #""r:\r\nX-Evil: 1""#, #""r:\u0000""#, #""r:\u007f""#, #""r:é""#,
        #""r: ""#, "\"\(String(repeating: "r", count: 65_537))\"",
    ]

    @Test(arguments: unusable, [Operation.logIn, .secondFactor, .signUp, .logInWithIdentity, .updateUser])
    func `a Parse token that cannot be a header value invalidates the response`(token: String, call: Operation) throws {
        let error = try fault(200, #"{"objectId":"1","sessionToken":\#(token)}"#, call)
        expect(error.reason, .invalidResponse)
    }

    @Test(arguments: ["r", "r:0123456789abcdef", "~!#", String(repeating: "r", count: 65_536)])
    func `a Parse session token of up to 64 KiB of visible ASCII is accepted`(token: String) throws {
        expect(ParsePayloads.token(["sessionToken": .string(token)], Masker()), Secret(token))
    }

    /// A request for the current user issues no session, so its response is not searched for a token.
    @Test func `a malformed token in the response to a request for the current user is ignored`() throws {
        let body = #"{"objectId":"1","sessionToken":5}"#
        let response = HTTPResponse(status: 200, body: Array(body.utf8))
        try expect(ParseErrors.check(response, .currentUser)["sessionToken"], 5)
    }

    @Test func `values of the wrong type in a Parse login response are left out of the user`() throws {
        let body = #"{"objectId":5,"username":[1],"email":{},"createdAt":7,"authData":[],"sessionToken":"r:abc"}"#
        let backend = ParseBackend.replaying(Exchange(Exchange.logInRequest, 200, body))
        let logIn = try #require(try backend.logIn(.ada).value.session)
        expect(logIn, NewSession(user: User(), session: .abc))
    }

    private func fault(_ status: Int, _ body: String, _ call: Operation) throws -> AuthError {
        try failure {
            _ = try ParseErrors.check(
                HTTPResponse(status: status, body: Array(body.utf8)), call)
        }
    }
}
