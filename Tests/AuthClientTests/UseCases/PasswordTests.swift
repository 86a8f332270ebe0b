import AuthClient
import AuthModel
import CommandTestSupport
import Testing

@Suite struct PasswordTests {
    static let change = "backend: changePassword 'correct horse' 'battery staple' r:0123456789abcdef0123456789abcdef"
    static let current = Secret("correct horse")
    static let new = Secret("battery staple")

    @Test func `a password change checks the session file, asks the server and saves the new session`() throws {
        let fixture = ClientFixture(.changePassword(.success(()), replacement: .new), stored: .ada)
        #expect(try ChangePassword(fixture.client).run(from: Self.current, to: Self.new) == .new)
        #expect(fixture.store.current == .sample(session: .new))
        #expect(fixture.steps == ["store: prepare", Self.change, "store: update new"])
    }

    @Test func `a password change without a new session keeps the saved one`() throws {
        let fixture = ClientFixture(.changePassword(.success(())), stored: .ada)
        #expect(try ChangePassword(fixture.client).run(from: Self.current, to: Self.new) == .ada)
        #expect(fixture.store.current == .ada)
        #expect(fixture.steps == ["store: prepare", Self.change])
    }

    @Test func `a wrong current password keeps the saved session`() throws {
        let rejection = AuthError(.wrongPassword, "wrong username or password")
        let fixture = ClientFixture(.changePassword(.failure(rejection)), stored: .ada)
        let error = try failure { _ = try ChangePassword(fixture.client).run(from: Self.current, to: Self.new) }
        error.expectMessage(in: "use-cases/password")
        #expect(fixture.store.current == .ada)
    }

    @Test(arguments: ["", "short", "sevenn7"])
    func `a weak new password is rejected before any request`(password: String) throws {
        let fixture = ClientFixture(stored: .ada)
        let error = try failure { _ = try ChangePassword(fixture.client).run(from: Self.current, to: Secret(password)) }
        #expect(error.reason == .weakPassword)
        #expect(error.outcome == .invalid)
        #expect(error.fields.map(\.field) == ["password"])
        if password == "short" { error.expectMessage(in: "use-cases/password") }
        #expect(fixture.steps == [])
    }

    @Test func `a backend that checks passwords itself decides which are weak`() throws {
        let weak = AuthError(.weakPassword, "the password is too common")
        let fixture = ClientFixture(.changePassword(.failure(weak)), stored: .ada, checks: false)
        let error = try failure { _ = try ChangePassword(fixture.client).run(from: Self.current, to: Secret("x")) }
        error.expectMessage(in: "use-cases/password")
    }

    @Test func `a password change sends nothing if the new session cannot be saved`() throws {
        let fixture = ClientFixture(stored: .ada)
        fixture.store.fail(.prepare, with: .noSpace)
        #expect(
            try failure { _ = try ChangePassword(fixture.client).run(from: Self.current, to: Self.new) } == .noSpace)
        #expect(fixture.steps == ["store: prepare"])
    }

    @Test func `a password change whose new session cannot be saved says that the password is changed`() throws {
        let fixture = ClientFixture(.changePassword(.success(()), replacement: .new), stored: .ada)
        fixture.store.fail(.update, with: .noSpace)
        let error = try failure { _ = try ChangePassword(fixture.client).run(from: Self.current, to: Self.new) }
        error.expectMessage(in: "use-cases/password")
    }

    @Test func `a password change with a session from the environment warns that the session is revoked`() throws {
        let fixture = ClientFixture(
            .changePassword(.success(()), replacement: .new), stored: .ada, environmentToken: "env")
        #expect(try ChangePassword(fixture.client).run(from: Self.current, to: Self.new) == .new)
        #expect(fixture.store.current == .ada)
        #expect(
            fixture.steps == ["backend: changePassword 'correct horse' 'battery staple' env", "warning"])
        fixture.expectNotices(in: "use-cases/password")
    }

    @Test func `a password change that keeps the environment's session prints no warning`() throws {
        let fixture = ClientFixture(.changePassword(.success(())), environmentToken: "env")
        #expect(try ChangePassword(fixture.client).run(from: Self.current, to: Self.new).token == Secret("env"))
        #expect(fixture.steps == ["backend: changePassword 'correct horse' 'battery staple' env"])
    }

    @Test func `a revoked session fails a password change with a hint to log in`() throws {
        let fixture = ClientFixture(.changePassword(.failure(.revoked)), stored: .ada)
        let error = try failure { _ = try ChangePassword(fixture.client).run(from: Self.current, to: Self.new) }
        error.expectMessage(in: "use-cases/password")
        #expect(fixture.store.current == .ada)
    }

    /// The backend's message is shown. The session is not refreshed, and the request is not retried.
    @Test(arguments: [AuthError.Reason.serverFault, .sessionRevoked, .invalidResponse])
    func `a password change whose login fails says that the password is changed`(reason: AuthError.Reason) throws {
        var rejection = AuthError(reason, "the password is changed, but the login failed")
        rejection.isAfterSuccess = true
        rejection.server = ServerDetail(status: 200)
        let fixture = ClientFixture(
            .changePassword(.failure(rejection)),
            stored: .sample(session: Session(token: Secret("t"), refreshToken: Secret("r"))))
        let error = try failure { _ = try ChangePassword(fixture.client).run(from: Self.current, to: Self.new) }
        #expect(error.message == rejection.message)
        if reason == .serverFault { error.expectMessage(in: "use-cases/password") }
        #expect(fixture.steps.last == "backend: changePassword 'correct horse' 'battery staple' t")
    }

    @Test func `a password change requires a session`() throws {
        let error = try failure { _ = try ChangePassword(ClientFixture().client).run(from: Self.current, to: Self.new) }
        #expect(error.reason == .noSession)
    }

    @Test func `an ability that the backend lacks is named`() throws {
        let client = ClientFixture(stored: .ada, isPlain: true).client
        let attempts: [(String, () throws -> Void)] = [
            ("change passwords", { _ = try ChangePassword(client).run(from: Self.current, to: Self.new) }),
            ("reset passwords", { _ = try ResetPassword(client).run(email: "ada@example.org") }),
            ("verify e-mail addresses", { _ = try SendVerification(client).run(email: nil) }),
            ("log in with a token", { _ = try LogIn(client).withToken(Secret("new")) }),
            ("log in anonymously", { _ = try LogIn(client).anonymously() }),
        ]
        for (ability, attempt) in attempts {
            let error = try failure(attempt)
            error.expectMessage(in: "use-cases/abilities", ability)
        }
    }

    @Test func `a password reset needs no session`() throws {
        let fixture = ClientFixture(.resetPassword(.success(())))
        #expect(try !ResetPassword(fixture.client).run(email: "ada@example.org"))
        #expect(fixture.steps == ["backend: resetPassword ada@example.org"])
    }

    @Test func `a failed password reset names the address`() throws {
        let fixture = ClientFixture(.resetPassword(.failure(AuthError(.notFound, "not found"))))
        let error = try failure { _ = try ResetPassword(fixture.client).run(email: "eve@example.org") }
        error.expectMessage(in: "use-cases/password")
    }
}
