import CommandTestSupport

@testable import AuthClient

@Suite struct FinishPasswordResetTests {
    @Test(arguments: [
        (
            "https://app.example:3000/reset/1/2",
            "note: the link leads to https://app.example:3000, and the server is https://a.example"
        ),
        ("myapp://reset/1/2", "note: the link leads to myapp://reset, and the server is https://a.example"),
        ("https://A.example:443/reset/1/2", ""), ("0f3a", ""),
    ])
    func `a password reset notes the origins of the link and the server if they differ`(
        pasted: String, note: String
    ) throws {
        let fixture = ClientFixture.withFrontEnd(.finishReset(.success(nil)))
        let reset = FinishPasswordReset(fixture.client)
        try reset.check(MailKey(pasted))
        _ = try reset.run(key: MailKey(pasted), to: Secret("new"), of: nil)
        expect(fixture.notices, note)
        expect(fixture.requests.last, "resetPassword \(pasted) 'new' ")
    }

    @Test(arguments: [
        ("https://app.example/1/2", true), ("myapp://reset/1/2", true), ("http://127.0.0.1:8080/1/2", false),
    ])
    func `a local password reset notes the origin of a non-loopback link`(pasted: String, isNoted: Bool) throws {
        let fixture = ClientFixture()
        try FinishPasswordReset(fixture.client).check(MailKey(pasted))
        let origin = pasted.dropLast(4)
        let note = "note: the link leads to \(origin), and the accounts are on this machine"
        expect(fixture.notices, (isNoted ? note : ""))
    }

    @Test(arguments: [nil, "https://other.example"] as [String?])
    func `a reset link with credentials or an origin other than linkOrigin is rejected`(origin: String?) throws {
        let fixture = ClientFixture.withFrontEnd(linkOrigin: origin)
        let link = origin == nil ? "https://ada:pw@a.example/1/2" : "https://app.example/1/2"
        let error = try failure { try FinishPasswordReset(fixture.client).check(MailKey(link)) }
        error.expectMessage(in: "use-cases/password-reset", origin ?? "credentials")
    }

    @Test func `a reset link with the origin linkOrigin is accepted without a note`() throws {
        let fixture = ClientFixture.withFrontEnd(
            .finishReset(.success(nil)), linkOrigin: "https://APP.example")
        let key: MailKey = "https://app.example/1/2"
        try FinishPasswordReset(fixture.client).check(key)
        _ = try FinishPasswordReset(fixture.client).run(key: key, to: Secret("new"), of: nil)
        expect(fixture.requests, ["resetPassword \(key.text) 'new' "])
    }

    @Test func `a reset does not note that it replaced the saved session of the same user`() throws {
        let fixture = ClientFixture(
            .finishReset(.success(.session(NewSession(user: .ada, session: .new)))),
            stored: .sample(session: .sample("old")))
        _ = try FinishPasswordReset(fixture.client).run(key: "0f3a", to: Secret("new horse"), of: nil)
        expect(fixture.notices, "")
        expect(fixture.store.current?.session, .new)
    }

    // MARK: - Codes

    @Test func `each reset code is sent with the token of the reset request until the server accepts a code`() throws {
        let fixture = ClientFixture(
            .resetPassword(.success(Secret("p1"))),
            .finishReset(.failure(AuthError(.wrongCode, "wrong"))), .finishReset(.success(nil)),
            .finishReset(.failure(AuthError(.notFound, "unknown"))))
        #expect(try fixture.client.resetPassword(email: "ada@example.org"))
        expect(fixture.client.sessions.pending.stepToComplete(), nil)
        let reset = FinishPasswordReset(fixture.client)
        _ = try failure { _ = try reset.run(key: "M", to: Secret("new horse"), of: nil) }
        _ = try reset.run(key: "MPDF", to: Secret("new horse"), of: nil)
        _ = try failure { _ = try reset.run(key: "MPDF", to: Secret("new horse"), of: nil) }
        let sent = ["M 'new horse' p1", "MPDF 'new horse' p1", "MPDF 'new horse' "].map { "resetPassword \($0)" }
        expect(fixture.requests.suffix(3), sent)
    }

    @Test func `a reset request that sends a link deletes the token of an earlier request that sent a code`() throws {
        let fixture = ClientFixture(
            .resetPassword(.success(Secret("p1"))), .resetPassword(.success(nil)))
        for holdsCode in [true, false] {
            try expect(fixture.client.resetPassword(email: "ada@example.org"), holdsCode)
        }
        expect(fixture.pending, nil)
    }
}
