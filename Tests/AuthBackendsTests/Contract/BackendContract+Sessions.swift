import CommandTestSupport
import Platform

@testable import AuthBackends

extension BackendContract {
    private static func run(_ test: ContractCase, answering step: Int, _ answer: ContractBackend.Answer) throws
        -> ContractResult
    {
        let response = HTTPResponse(status: answer.status, body: Array(answer.body.utf8))
        return try test.run(ContractTransport(test, failing: step, [.success(response)]))
    }

    // MARK: - Rejection

    @Test(arguments: ContractCase.withSession)
    func `a session that the server rejects is reported as revoked, except by a logout`(test: ContractCase) throws {
        for answer in test.backend.rejectedSession {
            let error = try failure { _ = try Self.run(test, answering: 0, answer) }
            expect(error.reason, .sessionRevoked)
            #expect(error.reason.meansInvalidSession)
        }
    }

    @Test(arguments: cases(.logInWithToken))
    func `a login with a rejected session token fails with the error token-refused`(test: ContractCase) throws {
        for answer in test.backend.rejectedSession {
            try expect(failure { _ = try Self.run(test, answering: 0, answer) }.reason, .tokenRefused)
        }
    }

    @Test(arguments: cases(.logOut))
    func `a logout revokes the session`(test: ContractCase) throws {
        #expect(try test.run(ContractTransport(test)).value as? Revocation == .yes)
    }

    @Test(arguments: cases(.logOut))
    func `a logout of a revoked session succeeds`(test: ContractCase) throws {
        // With JWTs, a rest-auth logout sends only the refresh token, so the server can reject only that token.
        let answers =
            test.backend.name == ContractBackend.restAuthJWT.name
            ? [try #require(test.backend.rejectedRefreshToken)] : test.backend.rejectedSession
        for answer in answers {
            let result = try Self.run(test, answering: 0, answer)
            #expect(result.value as? Revocation == .already)
        }
    }

    @Test(arguments: ContractCase.withPassword)
    func `a login with a wrong password is rejected`(test: ContractCase) throws {
        let error = try failure { _ = try Self.run(test, answering: 0, test.backend.rejectedPassword) }
        expect(error.reason, .wrongPassword)
        expect(error.outcome.exitCode, 4)
    }

    @Test(arguments: cases(.changePassword, .verifyPassword))
    func `a password change or check with a wrong password is rejected and changes nothing`(test: ContractCase) throws {
        let (step, answer) = test.backend.rejectedCurrentPassword
        let response = HTTPResponse(status: answer.status, body: Array(answer.body.utf8))
        let transport = ContractTransport(test, failing: step, [.success(response)])
        try expect(failure { _ = try test.run(transport) }.reason, .wrongPassword)
        expect(transport.received.count, step + 1)
    }

    // MARK: - Expiry

    @Test(arguments: ContractBackend.refreshing)
    func `a refresh without a refresh token sends no request and reports an expired session`(
        contract: ContractBackend
    ) throws {
        let transport = ContractTransport(Self.cases[0])
        let backend = try #require(contract.make(transport, Masker()) as? any SessionRefreshing)
        try expect(failure { _ = try backend.refresh(Session(token: Secret("0a1b"))) }.reason, .sessionExpired)
        #expect(transport.received.isEmpty)
    }

    @Test(arguments: cases(.refresh))
    func `a rejected refresh token makes the session invalid`(test: ContractCase) throws {
        let answer = try #require(test.backend.rejectedRefreshToken)
        #expect(try failure { _ = try Self.run(test, answering: 0, answer) }.reason.meansInvalidSession)
    }

    @Test(arguments: cases(.refresh))
    func `a refreshed session has new tokens and a new expiry, and keeps its id and start time`(
        test: ContractCase
    ) throws {
        let old = test.session
        let new = try #require(try test.run(ContractTransport(test)).session)
        #expect(new.token != old.token)
        if old.refreshToken != nil {
            #expect(new.refreshToken != nil && new.refreshToken != old.refreshToken)
            #expect(new.id == old.id && new.createdAt == old.createdAt)
        }
        #expect(try #require(new.expiresAt) > .sampleNow)
    }

    // MARK: - Logins

    @Test(arguments: cases(.secondFactor))
    func `a login to an account without a second factor ignores the one-time code`(test: ContractCase) throws {
        let steps = try #require(test.backend.steps(.logIn, "ada"))
        let login = ContractCase(backend: test.backend, operation: .secondFactor, steps: steps)
        expect(test.backend.name(of: try login.run(ContractTransport(login)).user), "ada")
    }

    @Test(arguments: cases(.logInWithToken).filter { $0.session.isJWT })
    func `a token login with a JWT returns a session with the JWT's times and no refresh token`(
        test: ContractCase
    ) throws {
        let session = try #require(try test.run(ContractTransport(test)).session)
        expect(session.createdAt?.seconds, 1_700_000_000)
        expect(session.expiresAt?.seconds, 1_700_000_300)
        expect(session.refreshToken, nil)
    }

    // MARK: - Replaced sessions

    @Test(arguments: cases(.changePassword))
    func `a password change returns a new session if and only if the server issues one`(test: ContractCase) throws {
        let replacement = try test.run(ContractTransport(test)).session
        expect(replacement?.token.reveal(), test.backend.tokenAfterPasswordChange)
    }

    /// Any response of allauth may contain a new session. The server has then revoked the old session.
    @Test(arguments: ContractCase.withSession.filter { $0.backend.name == ContractBackend.allauth.name })
    func `a new session in any allauth response replaces the old session and authenticates the next request`(
        test: ContractCase
    ) throws {
        for (index, step) in test.steps.enumerated() where step.request != "GET config" {
            var body = try #require(try JSONValue(parsing: Array(step.body.utf8)).object)
            body["meta"] = ["is_authenticated": true, "session_token": "s3ssion-9"]
            let response = HTTPResponse(status: 200, body: JSONValue.object(body).bytes)
            let transport = ContractTransport(test, failing: index, [.success(response)])
            let replacement = try test.run(transport).session
            let isReplacedAgain = test.steps.dropFirst(index + 1).contains { $0.body.contains("session_token") }
            let token = isReplacedAgain ? test.backend.tokenAfterPasswordChange : "s3ssion-9"
            expect(replacement?.token.reveal(), token, "\(step.request)")
            #expect(replacement?.id == test.session.id && replacement?.createdAt == test.session.createdAt)
            let tokens = transport.received.dropFirst(index + 1).compactMap { $0.headers["X-Session-Token"] }
            #expect(tokens.allSatisfy { $0 == "s3ssion-9" }, "\(step.request)")
        }
    }

    /// A Django site may know a user by several names.
    @Test(arguments: ContractCase.withPassword.filter { !ListPagesTests.sites.map(\.name).contains($0.backend.name) })
    func `a login response with a different user's account is invalid and gives no session`(test: ContractCase) throws {
        let steps = try #require(test.backend.steps(test.operation, "eve"))
        let foreign = ContractCase(
            backend: test.backend, operation: test.operation, steps: steps + test.backend.stepsAfterForeignLogin)
        let transport = ContractTransport(foreign)
        let error = try failure { _ = try foreign.run(transport) }
        expect(error.reason, .invalidResponse)
        #expect(transport.isDone)
    }

    @Test(arguments: ContractCase.withPassword)
    func `a login succeeds even if the server returns the username in a different case`(test: ContractCase) throws {
        let steps = try #require(test.backend.steps(test.operation, "ADA"))
        let test = ContractCase(backend: test.backend, operation: test.operation, steps: steps)
        expect(test.backend.name(of: try test.run(ContractTransport(test)).user), "ADA")
    }
}
