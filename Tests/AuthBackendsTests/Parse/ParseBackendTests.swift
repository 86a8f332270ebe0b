import CommandTestSupport
import Foundation
import Platform

@testable import AuthBackends

@Suite struct ParseBackendTests {
    @Test func `a Parse signup sends username and password and returns the user with the session`() throws {
        let backend = ParseBackend.replaying(
            Exchange(
                Exchange.signUpRequest, 201,
                #"{"objectId":"g7y9tkhB7O","createdAt":"2026-01-02T03:04:05.678Z","sessionToken":"r:abc"}"#))
        let user = User(
            id: "g7y9tkhB7O", username: "ada", createdAt: Instant("2026-01-02T03:04:05.678Z"))
        let logIn = NewSession(user: user, session: .abc, createdAccount: true)
        try expect(backend.signUp(.ada), Reply(.session(logIn)))
    }

    @Test func `a Parse signup answered with status 200 did not create the account`() throws {
        let body = #"{"objectId":"g7y9tkhB7O","username":"old","sessionToken":"r:abc"}"#
        let logIn = NewSession(
            user: User(id: "g7y9tkhB7O", username: "old"), session: .abc, createdAccount: false)
        let backend = ParseBackend.replaying(Exchange(Exchange.signUpRequest, 200, body))
        try expect(backend.signUp(.ada), Reply(.session(logIn)))
    }

    @Test func `extra fields of a Parse signup cannot replace the username and the password`() throws {
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
        let user = User(id: "1", username: "ada", email: "ada@example.org")
        try expect(
            backend.signUp(account), Reply(.session(NewSession(user: user, session: .abc, createdAccount: true))))
    }

    @Test(arguments: [#"{"objectId":"1"}"#, #"{"objectId":"1","sessionToken":null}"#])
    func `a Parse signup response without a session token means pending e-mail verification`(answer: String) throws {
        let backend = ParseBackend.replaying(Exchange(Exchange.signUpRequest, 201, answer))
        let user = User(id: "1", username: "ada")
        try expect(backend.signUp(.ada), Reply(.waits(.emailVerification, user)))
    }

    /// Source: Parse Server 6.3 and later with `preventSignupWithUnverifiedEmail`, `RestWrite.execute`.
    @Test func `a Parse signup rejected only for an unverified e-mail has created the account`() throws {
        let backend = ParseBackend.replaying(
            Exchange(Exchange.signUpRequest, 400, #"{"code":205,"error":"User email is not verified."}"#))
        let user = User(username: "ada")
        try expect(backend.signUp(.ada), Reply(.waits(.emailVerification, user)))
    }

    @Test func `a signup that Cloud Code rejects with code 205 has not created an account`() throws {
        let backend = ParseBackend.replaying(
            Exchange(Exchange.signUpRequest, 400, #"{"code":205,"error":"An e-mail of the company is required."}"#))
        try failure { try backend.signUp(.ada) }.expectMessage(in: "backends/parse")
    }

    @Test func `a Parse signup returns only the fields that the server reports as stored`() throws {
        var account = NewAccount.ada
        account.fields = ["nickname": "A", "bad-name": "x"]
        let request = Exchange.signUpRequest.replacing(
            #"{"username""#, with: #"{"nickname":"A","bad-name":"x","username""#)
        // The response does not show that a hook on the server has dropped the invalid field `bad-name`.
        let created = Exchange(request, 201, #"{"objectId":"1","sessionToken":"r:abc"}"#)
        let user = User(id: "1", username: "ada")
        let host = ParseBackend.replaying(created)
        try expect(host.signUp(account), Reply(.session(NewSession(user: user, session: .abc, createdAccount: true))))
        let local = ParseBackend.replaying(
            isEmbedded: true, created, Exchange(Exchange.currentSessionRequest, 200, #"{"objectId":"s1"}"#),
            Exchange(Exchange.currentUserRequest, 200, #"{"objectId":"1","username":"ada","nickname":"A"}"#))
        guard case .session(let new) = try local.signUp(account).value else {
            Issue.record("the signup has no session")
            return
        }
        expect(new.user.fields, ["nickname": "A"])
    }

    /// Source: the exchanges `conv.signup` and `conv.me`.
    @Test func `a Parse signup reads the stored username until the server has kept one with capitals`() throws {
        let exchanges = [("Ada", "ada"), ("Bob", "Bob"), ("Eve", nil)].flatMap { name, stored in
            let request = Exchange.signUpRequest.replacing("ada", with: name)
            let created = Exchange(request, 201, #"{"username":"\#(name)","objectId":"1","sessionToken":"r:abc"}"#)
            let me = stored.map { Exchange(Exchange.currentUserRequest, 200, #"{"objectId":"1","username":"\#($0)"}"#) }
            return [created, me].compactMap(\.self)
        }
        let transport = ReplayingTransport()
        for exchange in exchanges { transport.expect(exchange) }
        let backend = ParseBackend.replaying(through: transport)
        let names = try ["Ada", "Bob", "Eve"].map { name -> String? in
            guard
                case .session(let new) = try backend.signUp(
                    NewAccount(username: name, password: NewAccount.ada.password)
                ).value
            else { return "no session" }
            return new.user.username
        }
        expect(names, ["ada", "Bob", "Eve"])
    }

    @Test func `a Parse login sends the username and the password in the body`() throws {
        let backend = ParseBackend.replaying(
            Exchange(
                Exchange.logInRequest, 200,
                #"{"objectId":"1","username":"ada","emailVerified":true,"sessionToken":"r:abc","age":36}"#))
        let user = User(id: "1", username: "ada", emailVerified: true, fields: ["age": 36])
        try expect(backend.logIn(.ada), Reply(.session(NewSession(user: user, session: .abc))))
    }

    @Test func `a Parse login sends a one-time code with the password and drops the returned MFA secret`() throws {
        let member = #","authData":{"mfa":{"token":"123456"}}}"#
        let request = Exchange.logInRequest.replacing(/}$/, with: member)
        let answer =
            #"{"objectId":"1","username":"ada","authData":{"mfa":{"status":"enabled","secret":"S"}},"#
            + #""sessionToken":"r:abc"}"#
        let user = User(id: "1", username: "ada", identities: [])
        let reply = try ParseBackend.replaying(Exchange(request, 200, answer)).logIn(.ada, code: Secret("123456"))
        expect(reply, Reply(.session(NewSession(user: user, session: .abc))))
    }

    @Test func `a login to a local account requests the id and the expiry of the session`() throws {
        let backend = ParseBackend.replaying(
            isEmbedded: true,
            Exchange(Exchange.logInRequest, 200, #"{"objectId":"1","sessionToken":"r:abc"}"#),
            Exchange(
                Exchange.currentSessionRequest, 200,
                #"{"objectId":"s1","createdAt":"2026-01-02T03:04:05Z","#
                    + #""expiresAt":{"__type":"Date","iso":"2027-01-02T03:04:05Z"}}"#))
        let logIn = try #require(try backend.logIn(.ada).value.session)
        expect(logIn.session, Session(token: Secret("r:abc"), id: "s1", createdAt: .sampleStart, expiresAt: .sampleEnd))
    }

    @Test(arguments: [
        (#""username":"eve""#, false), (#""username":"eve","email":"eve@example.org""#, false),
        (#""username":"ada""#, true), (#""username":"ADA""#, true), (#""username":"x","email":"Ada""#, true),
        ("", true), (#""email":"ada@example.org""#, true),
    ])
    func `a Parse login that returns a different user is rejected, and its session is revoked`(
        names: String, isGood: Bool
    ) throws {
        let user = names.isEmpty ? "" : ",\(names)"
        let answer = #"{"objectId":"1","sessionToken":"r:abc"\#(user)}"#
        if isGood {
            let backend = ParseBackend.replaying(Exchange(Exchange.logInRequest, 200, answer))
            #expect(throws: Never.self) { try backend.logIn(.ada) }
        } else {
            let backend = ParseBackend.replaying(
                Exchange(Exchange.logInRequest, 200, answer), Exchange(Exchange.logOutRequest, 200, "{}"))
            try failure { try backend.logIn(.ada) }.expectMessage(in: "backends/parse")
        }
    }

    @Test func `a Parse login succeeds even if the server returns the e-mail address in a different case`() throws {
        let request = Exchange.logInRequest.replacing(#""ada""#, with: #""Ada@Test.example""#)
        let answer = #"{"objectId":"1","email":"ada@test.example","username":"ada","sessionToken":"r:abc"}"#
        let backend = ParseBackend.replaying(Exchange(request, 200, answer))
        let credentials = Credentials(login: "Ada@Test.example", password: Credentials.ada.password)
        try expect(backend.logIn(credentials).value.session?.user.email, "ada@test.example")
    }

    @Test func `a rejected local login reports that the account exists`() throws {
        let answer = #"{"code":101,"error":"Invalid username/password.","passwordAlone":true}"#
        let backend = ParseBackend.replaying(Exchange(Exchange.logInRequest, 404, answer))
        try expect(failure { _ = try backend.logIn(.ada) }.fact, .accountExists(named: nil))
    }

    @Test(arguments: ["Ada", "-Ada"])
    func `a rejected local login with the wrong case reports the stored spelling of the username`(name: String) throws {
        let answer = #"{"code":101,"error":"Invalid username/password.","similarName":"\#(name)"}"#
        let backend = ParseBackend.replaying(Exchange(Exchange.logInRequest, 404, answer))
        let error = try failure { _ = try backend.logIn(.ada) }
        expect(error.reason, .wrongPassword)
        expect(error.fact, .accountExists(named: name))
        error.expectMessage(in: "backends/parse", name)
    }
}

@Suite struct ParseAnonymousLoginTests {
    static let anonymousRequest = """
        POST https://a.example/parse/users
        X-Parse-Application-Id: app
        Content-Type: application/json
        X-Parse-Revocable-Session: 1

        {"authData":{"anonymous":{"id":"0707"}}}
        """

    @Test func `an anonymous Parse login returns the session and the generated username of the new account`() throws {
        let backend = ParseBackend.replaying(
            Exchange(
                Self.anonymousRequest, 201,
                #"{"objectId":"1","createdAt":"2026-01-02T03:04:05Z","username":"x7","sessionToken":"r:abc"}"#))
        let user = User(
            id: "1", username: "x7", createdAt: .sampleStart, identities: [Identity(provider: "anonymous", id: nil)])
        let logIn = NewSession(user: user, session: .abc, createdAccount: true)
        try expect(backend.logInAnonymously(identity: "0707"), Reply(logIn))
    }
}
