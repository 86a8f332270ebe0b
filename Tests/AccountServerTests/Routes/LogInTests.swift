import Expectations
import Foundation
import JSON
import Platform
import Synchronization
import Transport

@testable import AccountServer

@Suite struct LogInTests {
    @Test func `a login returns the user and a new session token`() throws {
        let server = try TestServer()
        let first = try server.signUp("alice", email: "alice@example.com")
        let answer = try server.logIn("alice")
        expect(answer.status, 200)
        expect(answer.keys, ["objectId", "createdAt", "updatedAt", "username", "email", "ACL", "sessionToken"])
        let id = try #require(first.id)
        #expect(answer.text.contains(#""ACL":{"\#(id)":{"read":true,"write":true}}"#))
        #expect(answer.token != first.token)
        #expect(try server.logIn("alice").token != answer.token)
    }

    @Test(arguments: [
        ("ALICE", "Alice"), ("alice", "Alice"), ("ALICE@example.com", "alice@example.com"), ("Alice", nil),
        ("alice@example.com", nil), ("bob", nil),
    ])
    func `only a rejected in-process login reports the stored spelling of a name typed in the wrong case`(
        name: String, similar: String?
    )
        throws
    {
        for isInProcess in [true, false] {
            let server = try TestServer { $0.isInProcess = isInProcess }
            try server.signUp("Alice", email: "alice@example.com")
            let answer = try server.logIn(name, password: "wrong")
            expect(answer.code, 101)
            expect(answer.json?["similarName"]?.string, (isInProcess ? similar : nil))
            let isKnown = ["Alice", "alice@example.com"].contains(name)
            expect(answer.json?["passwordAlone"]?.bool, (isInProcess && isKnown ? true : nil))
        }
    }

    @Test func `a signup without enough memory for the password hash throws outOfMemory`() throws {
        // One hash needs 4 TiB of memory.
        let server = try TestServer(cost: PasswordCost(memory: 1 << 32, passes: 1))
        let error = try #require(throws: TransportError.self) { try server.signUp("alice") }
        expect(error.kind, .outOfMemory)
    }

    /// The errors are recorded from Parse Server 8.2.2. `ExchangeTests` tests more rejected logins.
    @Test(arguments: [
        (#"{"username":"alice","email":"bob@example.com","password":"pw"}"#, wrong),
        (#"{"username":{"$regex":"^a"},"password":"pw"}"#, wrong),
        (#"{"username":["alice"],"password":"pw"}"#, wrong),
        (#"{"username":"alice","email":{"$gt":""},"password":"pw"}"#, wrong),
        (#"{"username":"alice\u0000","password":"pw"}"#, wrong),
        (#"{"username":"","password":"x"}"#, #"400 {"code":200,"error":"username/email is required."}"#),
        (#"{"username":"alice","password":null}"#, #"400 {"code":201,"error":"password is required."}"#),
    ])
    func `a rejected login has the error message of Parse Server`(body: String, expected: String) throws {
        let server = try TestServer()
        try server.signUp("alice", email: "alice@example.com")
        try expect(server.send(.post, "/login", body).line, expected)
    }

    /// If no second factor is configured, Parse Server 8.2.2 rejects `mfa` like an unknown provider: error code 252.
    @Test(arguments: [
        (#"{"username":"alice","password":"pw","authData":{"mfa":{"token":"1"}}}"#, unsupported),
        (#"{"username":"alice","password":"wrong","authData":{"mfa":{"token":"1"}}}"#, wrong),
        (#"{"username":"alice","password":"pw","authData":{"mfa":null}}"#, nil),
        (#"{"username":"alice","password":"pw","authData":null}"#, nil),
    ])
    func `a login checks the password before it rejects a second-factor code`(body: String, expected: String?) throws {
        let server = try TestServer()
        try server.signUp("alice")
        let answer = try server.send(.post, "/login", body)
        #expect(expected == nil ? answer.status == 200 : answer.line == expected)
    }

    private static let unsupported = #"400 {"code":252,"error":"This authentication method is unsupported."}"#
    private static let wrong = #"404 {"code":101,"error":"Invalid username/password."}"#

    @Test func `a login name matches a username before it matches the e-mail address of another user`() throws {
        let server = try TestServer()
        try server.signUp("first", email: "shared@example.com")
        try server.signUp("shared@example.com")
        try expect(server.logIn("shared@example.com").json?["username"], "shared@example.com")
    }

    @Test func `a logout revokes only the session of the request, and a second logout is rejected`() throws {
        let server = try TestServer()
        let token = try server.signUp("a").token
        let other = try server.logIn("a").token
        try expect(server.send(.post, "/logout", "{}", token: token).line, "200 {}")
        try expect(server.send(.post, "/logout", token: token).code, 209)
        try expect(server.send(.get, "/users/me", token: token).code, 209)
        try expect(server.send(.get, "/users/me", token: other).status, 200)
        try expect(server.send(.post, "/logout").line, "200 {}")
    }

    @Test func `a session expires one year after its creation`() throws {
        let time = Mutex(TestServer.start)
        let server = try TestServer(clock: WallClock { time.withLock { $0 } })
        let token = try server.signUp("a").token
        let year = Duration.seconds(8760 * 3600)
        time.withLock { $0 = TestServer.start.adding(year - .seconds(1)) }
        try expect(server.send(.get, "/users/me", token: token).status, 200)
        time.withLock { $0 = TestServer.start.adding(year) }
        let expired = #"400 {"code":209,"error":"Session token is expired."}"#
        for path in ["/users/me", "/sessions", "/sessions/me", "/sessions/x"] {
            try expect(server.send(.get, path, token: token).line, expired)
        }
        try expect(server.send(.delete, "/sessions/x", token: token).line, expired)
        try expect(server.send(.post, "/logout", token: token).line, expired)
        try expect(server.logIn("a").status, 200)
    }

    @Test func `a login deletes the sessions that expired at least one day ago`() throws {
        let time = SharedTime()
        let server = try TestServer(clock: WallClock { time.now }) { $0.sessionLifetime = .seconds(60) }
        let first = try server.signUp("a").token
        func sessions() throws -> Int64 {
            try AccountDatabase.open(server.folder.database(), busyTimeout: .seconds(1))
                .integer("SELECT count(*) FROM sessions")
        }
        time.advance(by: .seconds(60 + 24 * 3600 - 1))
        _ = try server.signUp("b")
        try expect(sessions(), 2)
        try expect(
            server.send(.get, "/users/me", token: first).line, #"400 {"code":209,"error":"Session token is expired."}"#)
        time.advance(by: .seconds(1))
        _ = try server.logIn("a")
        try expect(sessions(), 2)
        try expect(server.send(.get, "/users/me", token: first).code, 209)
    }
}
