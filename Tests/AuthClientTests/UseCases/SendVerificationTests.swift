import CommandTestSupport

@testable import AuthClient

@Suite struct SendVerificationTests {
    @Test(arguments: [true, false])
    func `a verification e-mail to a given address requires no session`(wasSent: Bool) throws {
        let fixture = ClientFixture(.sendVerification(.success(wasSent)))
        let result = try SendVerification(fixture.client).run(email: "eve@example.org")
        expect(result, VerificationMail(email: "eve@example.org", wasSent: wasSent))
        expect(fixture.requests, ["sendVerification eve@example.org"])
    }

    @Test(arguments: [true, false])
    func `a verification e-mail without a given address goes to the address of the saved user`(wasSent: Bool) throws {
        let fixture = ClientFixture(.sendVerification(.success(wasSent)), stored: .ada)
        let result = try SendVerification(fixture.client).run(email: nil)
        expect(result, VerificationMail(email: "ada@example.org", wasSent: wasSent))
        expect(fixture.requests, ["sendVerification ada@example.org"])
    }

    @Test func `an e-mail verification with a code requires no session`() throws {
        let fixture = ClientFixture(.verify(.success(.done)))
        try expect(VerifyEmail(fixture.client).run(key: "0f3a"), .done)
        expect(fixture.requests, ["verify 0f3a"])
    }

    private static let unclear = AuthError(
        .invalidResponse, "the page does not say whether the link is valid", server: ServerDetail(status: 303))

    @Test(
        arguments: [
            ("https://a.example/?token=T", true, nil), ("https://a.example/?token=T&username=ada", true, nil),
            ("https://a.example/?token=T", false, .notFound), ("https://a.example/?token=T", nil, .invalidResponse),
            ("https://a.example/?token=T&username=bob", true, .invalidResponse),
        ] as [(String, Bool?, AuthError.Reason?)])
    func `if the page does not tell, the server is asked whether the address of the current user is verified`(
        link: String, isVerified: Bool?, reason: AuthError.Reason?
    ) throws {
        let user = User(id: "u1", username: "ada", email: "ada@example.org", emailVerified: isVerified)
        let fixture = ClientFixture(
            .verify(.failure(Self.unclear)), .currentUser(.success(user)), stored: .sample(user: user))
        guard let reason else {
            try expect(VerifyEmail(fixture.client).run(key: MailKey(link)), .done)
            return
        }
        let error = try failure { try VerifyEmail(fixture.client).run(key: MailKey(link)) }
        expect(error.reason, reason)
        error.expectMessage(in: "use-cases/verify-email", "\(link) \(isVerified.map { "\($0)" } ?? "unknown")")
    }

    @Test func `without a session, the error of an unclear page says that the address may be verified`() throws {
        let fixture = ClientFixture(.verify(.failure(Self.unclear)))
        try failure { try VerifyEmail(fixture.client).run(key: "https://a.example/?token=T") }
            .expectMessage(in: "use-cases/verify-email")
    }

    @Test func `a verification e-mail without a given address requires a session or a pending signup`() throws {
        try expect(failure { _ = try SendVerification(ClientFixture().client).run(email: nil) }.reason, .noSession)
    }

    @Test(arguments: [
        ClientFixture(stored: .sample(user: User(username: "ada"))),
        ClientFixture(stored: .ada, environmentToken: "env"),
    ])
    func `a verification e-mail needs a given address if the user's address is unknown`(fixture: ClientFixture) throws {
        try failure { try SendVerification(fixture.client).run(email: nil) }.expectMessage(in: "use-cases/verify-email")
        expect(fixture.requests, [])
    }

    @Test func `the error about a failed verification e-mail names the address`() throws {
        let fixture = ClientFixture(
            .sendVerification(.failure(AuthError(.notFound, "not found"))), stored: .ada)
        try failure { try SendVerification(fixture.client).run(email: nil) }.expectMessage(in: "use-cases/verify-email")
    }
}
