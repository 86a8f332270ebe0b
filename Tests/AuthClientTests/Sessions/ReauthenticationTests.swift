import CommandTestSupport

@testable import AuthClient

/// Requests that a server carries out only after a recent proof of the password.
@Suite struct ReauthenticationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The responses before the request.
        var earlier: [Step] = []
        let refused: Step
        let accepted: Step
        /// The responses after the request.
        var later: [Step] = []
        let run: @Sendable (Client) throws -> Void
    }

    private static let needed = AuthError(.reauthenticationRequired, "the server requires reauthentication")
    private static let change = IdentityChange(before: .none, after: .none, user: .ada)

    static let cases = [
        Case(
            testDescription: "account update", earlier: [.currentUser(.success(.ada))],
            refused: .update(.failure(needed)), accepted: .update(.success(UpdateAccountTests.changed)),
            later: [.currentUser(.success(UpdateAccountTests.changed))],
            run: { _ = try UpdateAccount($0).run(UpdateAccountTests.change) }),
        Case(
            testDescription: "account delete", earlier: [.currentUser(.success(.ada))],
            refused: .deleteAccount(.failure(needed)), accepted: .deleteAccount(.success(())),
            run: { _ = try DeleteAccount($0).run { _ in } }),
        Case(
            testDescription: "unlink", refused: .unlink(.failure(needed)), accepted: .unlink(.success(change)),
            run: { _ = try Unlink($0).run(.google, force: true) }),
        Case(
            testDescription: "verify-email", refused: .verify(.failure(needed)),
            accepted: .verify(.success(.done)), run: { _ = try VerifyEmail($0).run(key: "MPDF") }),
    ]

    @Test(arguments: cases)
    func `a request that needs a recent proof of the password is sent again after the proof`(test: Case) throws {
        let fixture = ClientFixture.waiting(
            script: test.earlier + [test.refused, .prove(.success(()), replacement: .new), test.accepted]
                + test.later,
            stored: .sample(connection: .site))
        var client = fixture.client
        client.sessions.password = { () throws(AuthError) in Secret("secret") }
        try test.run(client)
        let proof = try #require(fixture.requests.firstIndex(of: "prove ada \(UpdateAccountTests.token)"))
        let (first, second) = (fixture.requests[proof - 1], fixture.requests[proof + 1])
        expect(second, first.replacing(UpdateAccountTests.token, with: "new"))
    }

    @Test(arguments: cases)
    func `without a password, a request that needs its proof fails and names the options`(test: Case) throws {
        for takesPassword in [true, false] {
            let fixture = ClientFixture.waiting(
                script: test.earlier + [test.refused], stored: .sample(connection: .site))
            var client = fixture.client
            if takesPassword { client.sessions.password = { () throws(AuthError) in nil } }
            let error = try failure { try test.run(client) }
            expect(error.reason, .reauthenticationRequired)
            expect((error.nextSteps.first?.sentence.contains("--password-stdin") == true), takesPassword)
        }
    }

    @Test func `a wrong password ends a request that needs its proof`() throws {
        let test = Self.cases[2]
        let fixture = ClientFixture.waiting(
            script: [test.refused, .prove(.failure(AuthError(.wrongPassword, "wrong password")))],
            stored: .sample(connection: .site))
        var client = fixture.client
        client.sessions.password = { () throws(AuthError) in Secret("secret") }
        try expect(failure { try test.run(client) }.reason, .wrongPassword)
    }
}
