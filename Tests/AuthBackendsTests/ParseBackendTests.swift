import AuthModel
import CommandTestSupport
import Foundation
import JSON
import Platform
import Testing
import Transport

@testable import AuthBackends

@Suite struct ParseBackendTests {
    @Test func `signs up with name and password, and takes the rest from the account`() throws {
        let backend = ParseBackend.replaying(
            Exchange(
                Exchange.signUpRequest, 201,
                #"{"objectId":"g7y9tkhB7O","createdAt":"2026-01-02T03:04:05.678Z","sessionToken":"r:abc"}"#))
        let user = User(
            id: "g7y9tkhB7O", username: "ada", createdAt: Instant("2026-01-02T03:04:05.678Z"), providers: [])
        let logIn = NewSession(user: user, session: .abc, createdAccount: true)
        #expect(try backend.signUp(.ada) == Reply(.session(logIn)))
    }

    @Test func `signs up with e-mail and fields, which cannot replace name and password`() throws {
        let backend = ParseBackend.replaying(
            Exchange(
                """
                POST https://a.example/parse/users
                X-Parse-Application-Id: app
                Content-Type: application/json
                X-Parse-Revocable-Session: 1

                {"age":36,"password":"secret","username":"ada","email":"ada@example.org"}
                """, 201, #"{"objectId":"1","sessionToken":"r:abc"}"#))
        let account = NewAccount(
            username: "ada", email: "ada@example.org", password: Secret("secret"),
            fields: ["age": 36, "password": "other"])
        guard case .session(let logIn) = try backend.signUp(account).value else {
            Issue.record("there is no session")
            return
        }
        #expect(logIn.user.email == "ada@example.org")
    }

    @Test(arguments: [#"{"objectId":"1"}"#, #"{"objectId":"1","sessionToken":null}"#])
    func `waits for the address to be confirmed when a signup brings no token`(answer: String) throws {
        let backend = ParseBackend.replaying(Exchange(Exchange.signUpRequest, 201, answer))
        guard case .pending(let pending, let user) = try backend.signUp(.ada).value else {
            Issue.record("there is a session")
            return
        }
        #expect(pending == .emailVerification)
        #expect(user.username == "ada")
    }

    @Test func `logs in with name and password in the body`() throws {
        let backend = ParseBackend.replaying(
            Exchange(
                Exchange.logInRequest, 200,
                #"{"objectId":"1","username":"ada","emailVerified":true,"sessionToken":"r:abc","age":36}"#))
        let user = User(id: "1", username: "ada", emailVerified: true, providers: [], fields: ["age": 36])
        #expect(try backend.logIn(.ada) == Reply(.session(NewSession(user: user, session: .abc))))
    }

    @Test func `takes a log-in without a token for no answer`() throws {
        let backend = ParseBackend.replaying(Exchange(Exchange.logInRequest, 200, #"{"objectId":"1"}"#))
        #expect(try failure { _ = try backend.logIn(.ada) }.reason == .brokenAnswer)
    }

    @Test func `looks a new session up for its id and its end, where that is cheap`() throws {
        let backend = ParseBackend.replaying(
            asksForSession: true,
            Exchange(Exchange.logInRequest, 200, #"{"objectId":"1","sessionToken":"r:abc"}"#),
            Exchange(
                Exchange.currentSessionRequest, 200,
                #"{"objectId":"s1","createdAt":"2026-01-02T03:04:05Z","#
                    + #""expiresAt":{"__type":"Date","iso":"2027-01-02T03:04:05Z"}}"#))
        let logIn = try #require(try backend.logIn(.ada).value.session)
        #expect(
            logIn.session
                == Session(
                    token: Secret("r:abc"), id: "s1", createdAt: .sampleStart, expiresAt: .sampleEnd))
    }

    @Test func `is logged in although the new session could not be looked up`() throws {
        let backend = ParseBackend.replaying(
            asksForSession: true,
            Exchange(Exchange.logInRequest, 200, #"{"objectId":"1","sessionToken":"r:abc"}"#),
            Exchange(Exchange.currentSessionRequest, 500, "{}"))
        let logIn = try #require(try backend.logIn(.ada).value.session)
        #expect(logIn.session == .abc)
    }

    @Test(arguments: [
        (#""username":"eve""#, false), (#""username":"eve","email":"eve@example.org""#, false),
        (#""username":"ada""#, true), (#""username":"ADA""#, true), (#""username":"x","email":"Ada""#, true),
        ("", true),
    ])
    func `keeps no session of another user than the one who logs in`(names: String, isGood: Bool) throws {
        let user = names.isEmpty ? "" : ",\(names)"
        let answer = #"{"objectId":"1","sessionToken":"r:abc"\#(user)}"#
        if isGood {
            let backend = ParseBackend.replaying(Exchange(Exchange.logInRequest, 200, answer))
            #expect(throws: Never.self) { try backend.logIn(.ada) }
        } else {
            let backend = ParseBackend.replaying(
                Exchange(Exchange.logInRequest, 200, answer), Exchange(Exchange.logOutRequest, 200, "{}"))
            let error = try failure { _ = try backend.logIn(.ada) }
            #expect(error.reason == .brokenAnswer)
            #expect(error.message == "the server's answer is the session of another user")
        }
    }

    @Test(arguments: [
        (200, "{}", Revocation.yes),
        (400, #"{"code":209,"error":"Invalid session token"}"#, .already),
    ])
    func `logs out`(status: Int, answer: String, expected: Revocation) throws {
        let backend = ParseBackend.replaying(Exchange(Exchange.logOutRequest, status, answer))
        #expect(try backend.logOut(.abc) == Reply(expected))
    }

    @Test func `fails to log out when the server fails`() throws {
        let backend = ParseBackend.replaying(Exchange(Exchange.logOutRequest, 500, #"{"code":1,"error":"x"}"#))
        #expect(try failure { _ = try backend.logOut(.abc) }.reason == .serverFault)
    }

    @Test func `asks whose session it is`() throws {
        let backend = ParseBackend.replaying(
            Exchange(Exchange.currentUserRequest, 200, #"{"objectId":"1","username":"ada"}"#))
        #expect(try backend.currentUser(.abc) == Reply(User(id: "1", username: "ada", providers: [])))
    }
}

/// The error with which something fails.
func failure(_ work: () throws -> Void) throws -> AuthError {
    try #require(throws: AuthError.self, performing: work)
}
