import AuthClient
import CommandTestSupport

@Suite struct PasswordTests {
    static let change = "changePassword 'correct horse' 'battery staple' r:0123456789abcdef0123456789abcdef"
    static let current = Secret("correct horse")
    static let new = Secret("battery staple")

    @Test func `a password change checks the session store, sends the request and saves the new session`() throws {
        let fixture = ClientFixture(.changePassword(.success(nil), replacement: .new), stored: .ada)
        try expect(ChangePassword(fixture.client).run(from: Self.current, to: Self.new), .new)
        expect(fixture.store.current, .sample(session: .new))
        expect(fixture.requests, [Self.change])
    }

    @Test func `a password change keeps the saved session if the response has no new session`() throws {
        let fixture = ClientFixture(.changePassword(.success(nil)), stored: .ada)
        try expect(ChangePassword(fixture.client).run(from: Self.current, to: Self.new), .ada)
        expect(fixture.store.current, .ada)
        expect(fixture.requests, [Self.change])
    }

    @Test func `a password change with a wrong current password keeps the saved session`() throws {
        let rejection = AuthError(.wrongPassword, "wrong username or password")
        let fixture = ClientFixture(.changePassword(.failure(rejection)), stored: .ada)
        let error = try failure { _ = try ChangePassword(fixture.client).run(from: Self.current, to: Self.new) }
        error.expectMessage(in: "use-cases/password")
        expect(fixture.store.current, .ada)
    }

    @Test(arguments: ["", "short", "sevenn7"])
    func `a weak new password is rejected before any request`(password: String) throws {
        let fixture = ClientFixture(stored: .ada)
        let error = try failure { _ = try ChangePassword(fixture.client).run(from: Self.current, to: Secret(password)) }
        expect(error.reason, .weakPassword)
        expect(error.outcome, .invalid)
        expect(error.fields.map(\.field), ["password"])
        if password == "short" { error.expectMessage(in: "use-cases/password") }
        expect(fixture.requests, [])
    }

    @Test func `a new password is not checked by the client if the backend checks passwords itself`() throws {
        let weak = AuthError(.weakPassword, "the password is too common")
        let fixture = ClientFixture(.changePassword(.failure(weak)), stored: .ada, checks: false)
        let error = try failure { _ = try ChangePassword(fixture.client).run(from: Self.current, to: Secret("x")) }
        error.expectMessage(in: "use-cases/password")
    }

    @Test func `a password change whose new session cannot be saved reports that the password is changed`() throws {
        let fixture = ClientFixture(.changePassword(.success(nil), replacement: .new), stored: .ada)
        fixture.store.fail(.update, with: .noSpace)
        let error = try failure { _ = try ChangePassword(fixture.client).run(from: Self.current, to: Self.new) }
        error.expectMessage(in: "use-cases/password")
    }

    @Test func `a password change that revokes the session in AUTHCTL_TOKEN prints a warning`() throws {
        let fixture = ClientFixture(
            .changePassword(.success(nil), replacement: .new), stored: .ada, environmentToken: "env")
        try expect(ChangePassword(fixture.client).run(from: Self.current, to: Self.new), .new)
        expect(fixture.store.current, .ada)
        expect(fixture.requests, ["changePassword 'correct horse' 'battery staple' env"])
        fixture.expectNotices(in: "use-cases/password")
    }

    @Test func `a password change prints no warning if the session in AUTHCTL_TOKEN stays valid`() throws {
        let fixture = ClientFixture(.changePassword(.success(nil)), environmentToken: "env")
        try expect(ChangePassword(fixture.client).run(from: Self.current, to: Self.new)?.token, Secret("env"))
        expect(fixture.requests, ["changePassword 'correct horse' 'battery staple' env"])
    }

    /// If the login after a password change fails, the session is not refreshed and the change is not sent again.
    @Test(arguments: [AuthError.Reason.serverFault, .sessionRevoked, .invalidResponse])
    func `a password change succeeds without a session if the login afterwards fails`(reason: AuthError.Reason) throws {
        var rejection = AuthError(reason, "the password is changed, but the login failed")
        rejection.isAfterSuccess = true
        rejection.server = ServerDetail(status: 200)
        let fixture = ClientFixture(
            .changePassword(.failure(rejection)),
            stored: .sample(session: Session(token: Secret("t"), refreshToken: Secret("r"))))
        try expect(ChangePassword(fixture.client).run(from: Self.current, to: Self.new), nil)
        expect(fixture.store.current, nil)
        if reason == .serverFault { fixture.expectNotices(in: "use-cases/password") }
        expect(fixture.requests.last, "changePassword 'correct horse' 'battery staple' t")
    }

    @Test func `an operation that the backend does not support is named in the error and sends no request`() throws {
        let fixture = ClientFixture(stored: .ada, isPlain: true)
        let client = fixture.client
        let attempts: [(String, () throws -> Void)] = [
            ("log in anonymously", { _ = try LogIn(client).anonymously() }),
            ("log in without the password", { _ = try LogIn(client).impersonating("ada") { Secret("key") } }),
            ("accept one-time codes", { _ = try LogIn(client).withPassword(.ada, code: Secret("123456")) }),
            ("delete accounts", { _ = try DeleteAccount(client).run { _ in } }),
            ("list users", { try ListUsers(client).run(limit: nil, adminKey: { nil }, receive: { _ in }) }),
        ]
        let messages = try attempts.map { ability, attempt in "\(ability): \(try failure(attempt).message)" }
        MessageFile("use-cases/abilities").expect(messages.joined(separator: "\n"))
        expect(fixture.requests, [])
    }

    @Test func `a password reset requires no session`() throws {
        let fixture = ClientFixture(.resetPassword(.success(nil)))
        #expect(try !fixture.client.resetPassword(email: "ada@example.org"))
        expect(fixture.requests, ["resetPassword ada@example.org"])
    }

    @Test func `the error about a failed password reset names the e-mail address`() throws {
        let fixture = ClientFixture(.resetPassword(.failure(AuthError(.notFound, "not found"))))
        let error = try failure { _ = try fixture.client.resetPassword(email: "eve@example.org") }
        error.expectMessage(in: "use-cases/password")
    }
}
