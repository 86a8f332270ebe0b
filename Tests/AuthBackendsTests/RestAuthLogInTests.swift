import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

@Suite struct RestAuthLogInTests {
    static let byName = #"{"username":"ada","password":"secret"}"#
    static let byEither = #"{"username":"ada@home","email":"ada@home","password":"secret"}"#
    static let emailFault = #"{"email":["Enter a valid email address."]}"#

    @Test func `takes a key, and asks whose it is`() throws {
        let backend = RestAuthBackend.replaying(.post("login/", Self.byName, 200, RestAuthSample.key), .keyUser)
        #expect(try backend.logIn(.typed("ada")) == Reply(.session(NewSession(user: .seven, session: .key))))
    }

    @Test func `takes web tokens, and whose they are from beside them`() throws {
        let backend = RestAuthBackend.replaying(.post("login/", Self.byName, 200, RestAuthSample.pair))
        #expect(try backend.logIn(.typed("ada")) == Reply(.session(NewSession(user: .seven, session: .webTokens))))
    }

    @Test func `asks whose web tokens are that come alone: what they say of themselves proves nothing`() throws {
        let answer = #"{"access":"\#(RestAuthSample.otherAccess)","refresh":""}"#
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byName, 200, answer),
            .get("user/", as: "Bearer \(RestAuthSample.otherAccess)", 200, RestAuthSample.user))
        let logIn = try #require(try backend.logIn(.typed("ada")).value.session)
        #expect(logIn.user == .seven)
        #expect(logIn.session.refreshToken == nil)
    }

    @Test func `gives what has the sign of an address for name and e-mail: sites look at one of them`() throws {
        let backend = RestAuthBackend.replaying(.post("login/", Self.byEither, 200, RestAuthSample.pair))
        #expect(throws: Never.self) { try backend.logIn(.typed("ada@home")) }
    }

    @Test func `gives a user name that is no address once more, alone`() throws {
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byEither, 400, Self.emailFault),
            .post("login/", #"{"username":"ada@home","password":"secret"}"#, 200, RestAuthSample.pair))
        #expect(throws: Never.self) { try backend.logIn(.typed("ada@home")) }
    }

    @Test func `asks only once with a wrong password, or with a name that is no address`() throws {
        let wrong = #"{"non_field_errors":["Unable to log in with provided credentials."]}"#
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byEither, 400, wrong), .post("login/", Self.byName, 400, Self.emailFault))
        #expect(try failure { _ = try backend.logIn(.typed("ada@home")) }.reason == .wrongPassword)
        #expect(try failure { _ = try backend.logIn(.typed("ada")) }.reason == .invalidFields)
    }

    @Test(arguments: [
        ("a+b", "a+b"), ("a&b=c", "a&b=c"), ("100%41", "100%41"), (" two  spaces ", " two  spaces "),
        ("👩‍🚀é", "👩‍🚀é"), (#"quo"te\"#, #"quo\"te\\"#),
    ])
    func `sends what was typed`(typed: String, inJSON: String) throws {
        let body = #"{"username":"\#(inJSON)","password":"\#(inJSON)"}"#
        let backend = RestAuthBackend.replaying(.post("login/", body, 200, RestAuthSample.pair))
        #expect(throws: Never.self) { try backend.logIn(.typed(typed, typed)) }
    }

    @Test(arguments: [500, 502, 404, 429])
    func `is logged in although the user could not be asked for`(status: Int) throws {
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byName, 200, RestAuthSample.key),
            .get("user/", as: "Token 0a1b", status, "<html>"))
        let logIn = NewSession(user: User(username: "ada"), session: .key)
        #expect(try backend.logIn(.typed("ada")) == Reply(.session(logIn)))
    }

    @Test(arguments: [
        (401, #"{"detail":"Invalid token."}"#),
        (403, #"{"detail":"Authentication credentials were not provided."}"#),
    ])
    func `says that a site does not accept the key that it gave`(status: Int, answer: String) throws {
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byName, 200, RestAuthSample.key),
            .get("user/", as: "Token 0a1b", status, answer))
        let error = try failure { _ = try backend.logIn(.typed("ada")) }
        #expect(error.reason == .unsupported)
        #expect(error.message == "the site gives a token, but does not accept it")
    }

    @Test(arguments: [(204, ""), (200, #"{"detail":"Logged in."}"#), (200, "{}"), (200, RestAuthSample.user)])
    func `says that a site keeps its sessions in cookies`(status: Int, answer: String) throws {
        let backend = RestAuthBackend.replaying(.post("login/", Self.byName, status, answer))
        #expect(try failure { _ = try backend.logIn(.typed("ada")) }.reason == .unsupported)
    }

    @Test(arguments: [
        #"{"key":""}"#, #"{"key":"a b"}"#, #"{"key":"a\r\nX: y"}"#, #"{"key":7}"#, #"{"access":null}"#,
        #"{"mfa_required":true}"#, #"["0a1b"]"#, "<html>", "{",
    ])
    func `takes no session that cannot be one`(answer: String) throws {
        let backend = RestAuthBackend.replaying(.post("login/", Self.byName, 200, answer))
        #expect(try failure { _ = try backend.logIn(.typed("ada")) }.reason == .brokenAnswer)
    }

    @Test func `does not call the password wrong where a log-in wants a log-in`() throws {
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byName, 401, #"{"detail":"Authentication credentials were not provided."}"#),
            .post("login/", Self.byName, 401, #"{"detail":"No active account found with the given credentials"}"#))
        #expect(try failure { _ = try backend.logIn(.typed("ada")) }.reason == .forbidden)
        #expect(try failure { _ = try backend.logIn(.typed("ada")) }.reason == .wrongPassword)
    }
}
