import AuthModel
import CommandTestSupport
import Foundation
import Testing
import Transport

@testable import AuthBackends

/// Log-ins with a token, and of somebody who does not say who they are.
@Suite struct ParseOtherLogInTests {
    static let anonymousRequest = """
        POST https://a.example/parse/users
        X-Parse-Application-Id: app
        Content-Type: application/json
        X-Parse-Revocable-Session: 1

        {"authData":{"anonymous":{"id":"0707"}}}
        """

    @Test func `asks whose session a token is`() throws {
        let backend = ParseBackend.replaying(
            Exchange(Exchange.currentUserRequest, 200, #"{"objectId":"1","username":"ada"}"#))
        let logIn = NewSession(user: User(id: "1", username: "ada", providers: []), session: .abc)
        #expect(try backend.logIn(token: Secret("r:abc")) == Reply(logIn))
    }

    @Test func `looks the session of a token up for its id and its times, where that is cheap`() throws {
        let row =
            #"{"objectId":"s1","createdAt":"2026-01-02T03:04:05Z","#
            + #""expiresAt":{"__type":"Date","iso":"2027-01-02T03:04:05Z"}}"#
        let backend = ParseBackend.replaying(
            asksForSession: true, Exchange(Exchange.currentUserRequest, 200, #"{"objectId":"1"}"#),
            Exchange(Exchange.currentSessionRequest, 200, row))
        #expect(
            try backend.logIn(token: Secret("r:abc")).value.session
                == Session(token: Secret("r:abc"), id: "s1", createdAt: .sampleStart, expiresAt: .sampleEnd))
    }

    @Test(arguments: [
        (400, #"{"code":209,"error":"Invalid session token"}"#, AuthError.Reason.tokenRefused),
        (500, #"{"code":1,"message":"Internal server error."}"#, .serverFault),
        (429, "", .rateLimited),
        (404, "<html>", .wrongEndpoint),
        (200, "<html>", .brokenAnswer),
    ])
    func `takes a token for refused only if the server says so`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        let backend = ParseBackend.replaying(Exchange(Exchange.currentUserRequest, status, answer))
        #expect(try failure { _ = try backend.logIn(token: Secret("r:abc")) }.reason == reason)
    }

    @Test func `makes an account for an identity, and asks how the server calls it`() throws {
        let backend = ParseBackend.replaying(
            Exchange(Self.anonymousRequest, 201, #"{"objectId":"1","sessionToken":"r:abc"}"#),
            Exchange(
                Exchange.currentUserRequest, 200,
                #"{"objectId":"1","username":"x7","authData":{"anonymous":{"id":"0707"}}}"#))
        let user = User(id: "1", username: "x7", providers: ["anonymous"])
        let logIn = NewSession(user: user, session: .abc, createdAccount: true)
        #expect(try backend.logInAnonymously(identity: "0707") == Reply(logIn))
    }

    /// Without this session there would be no way back into the account.
    @Test func `keeps the session of the account although its name could not be asked for`() throws {
        let backend = ParseBackend.replaying(
            Exchange(
                Self.anonymousRequest, 201,
                #"{"objectId":"1","createdAt":"2026-01-02T03:04:05Z","sessionToken":"r:abc"}"#),
            Exchange(Exchange.currentUserRequest, 503, ""))
        let logIn = try backend.logInAnonymously(identity: "0707").value
        #expect(logIn.user == User(id: "1", createdAt: .sampleStart, providers: ["anonymous"]))
        #expect(logIn.session == .abc)
        #expect(logIn.createdAccount == true)
    }

    @Test(arguments: [#"{"objectId":"1"}"#, #"{"objectId":"1","sessionToken":""}"#])
    func `takes an account without a token for no answer`(answer: String) throws {
        let backend = ParseBackend.replaying(Exchange(Self.anonymousRequest, 201, answer))
        #expect(try failure { _ = try backend.logInAnonymously(identity: "0707") }.reason == .brokenAnswer)
    }

    @Test func `says that a server makes no anonymous accounts`() throws {
        let backend = ParseBackend.replaying(
            Exchange(Self.anonymousRequest, 400, #"{"code":252,"error":"This authentication method is unsupported."}"#))
        #expect(try failure { _ = try backend.logInAnonymously(identity: "0707") }.reason == .unsupported)
    }
}
