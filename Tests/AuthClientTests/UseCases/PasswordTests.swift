import AuthClient
import AuthModel
import CommandTestSupport
import Testing

@Suite struct PasswordTests {
    static let change = "backend: changePassword 'correct horse' 'battery staple' r:0123456789abcdef0123456789abcdef"
    static let current = Secret("correct horse")
    static let new = Secret("battery staple")

    @Test func `makes sure of its place, asks the server, keeps the session it gives`() throws {
        let fixture = ClientFixture(.changePassword(.success(()), replacement: .new), stored: .ada)
        #expect(try ChangePassword(fixture.client).run(from: Self.current, to: Self.new) == .new)
        #expect(fixture.store.current == .sample(session: .new))
        #expect(fixture.steps == ["store: prepare", Self.change, "store: update new"])
    }

    @Test func `keeps the session where the server gives no other`() throws {
        let fixture = ClientFixture(.changePassword(.success(())), stored: .ada)
        #expect(try ChangePassword(fixture.client).run(from: Self.current, to: Self.new) == .ada)
        #expect(fixture.store.current == .ada)
        #expect(fixture.steps == ["store: prepare", Self.change])
    }

    @Test func `keeps the session when the current password is wrong`() throws {
        let refusal = AuthError(.wrongPassword, "wrong user name or password")
        let fixture = ClientFixture(.changePassword(.failure(refusal)), stored: .ada)
        let error = try failure { _ = try ChangePassword(fixture.client).run(from: Self.current, to: Self.new) }
        #expect(error.reason == .wrongPassword)
        #expect(error.outcome == .rejected)
        #expect(error.message == "cannot change the password: wrong user name or password")
        #expect(fixture.store.current == .ada)
    }

    @Test(arguments: ["", "short", "sevenn7"])
    func `sends no new password that is too weak`(password: String) throws {
        let fixture = ClientFixture(stored: .ada)
        let error = try failure { _ = try ChangePassword(fixture.client).run(from: Self.current, to: Secret(password)) }
        #expect(error.reason == .weakPassword)
        #expect(error.outcome == .invalid)
        #expect(error.message == "cannot change the password: the new password must have at least 8 characters")
        #expect(error.fields == [FieldFault("password", "must have at least 8 characters")])
        #expect(fixture.steps == [])
    }

    @Test func `leaves it to the server what is weak if its kind checks itself`() throws {
        let weak = AuthError(.weakPassword, "the server finds the password too weak")
        let fixture = ClientFixture(.changePassword(.failure(weak)), stored: .ada, checks: false)
        let error = try failure { _ = try ChangePassword(fixture.client).run(from: Self.current, to: Secret("x")) }
        #expect(error.message == "cannot change the password: the server finds the password too weak")
    }

    @Test func `asks no server when the new session could not be kept`() throws {
        let fixture = ClientFixture(stored: .ada)
        fixture.store.fail(.prepare, with: .noSpace)
        #expect(
            try failure { _ = try ChangePassword(fixture.client).run(from: Self.current, to: Self.new) } == .noSpace)
        #expect(fixture.steps == ["store: prepare"])
    }

    @Test func `says that the password is changed when the store fails after that`() throws {
        let fixture = ClientFixture(.changePassword(.success(()), replacement: .new), stored: .ada)
        fixture.store.fail(.update, with: .noSpace)
        let error = try failure { _ = try ChangePassword(fixture.client).run(from: Self.current, to: Self.new) }
        #expect(error.outcome == .storage)
        #expect(
            error.message == "the password was changed, but the new session could not be kept: no room in the folder")
        #expect(error.hints == ["once that is fixed, log in with the new password: authctl login"])
    }

    @Test func `works on the environment's session, and warns that it is dead then`() throws {
        let fixture = ClientFixture(
            .changePassword(.success(()), replacement: .new), stored: .ada, environmentToken: "env")
        #expect(try ChangePassword(fixture.client).run(from: Self.current, to: Self.new) == .new)
        #expect(fixture.store.current == .ada)
        #expect(
            fixture.steps == [
                "backend: changePassword 'correct horse' 'battery staple' env",
                "warning: the session from the environment is dead now; log in again for a new one",
            ])
    }

    @Test func `warns of nothing where the environment's session goes on`() throws {
        let fixture = ClientFixture(.changePassword(.success(())), environmentToken: "env")
        #expect(try ChangePassword(fixture.client).run(from: Self.current, to: Self.new).token == Secret("env"))
        #expect(fixture.steps == ["backend: changePassword 'correct horse' 'battery staple' env"])
    }

    @Test func `says that the session is dead if the server says so`() throws {
        let fixture = ClientFixture(.changePassword(.failure(.dead)), stored: .ada)
        let error = try failure { _ = try ChangePassword(fixture.client).run(from: Self.current, to: Self.new) }
        #expect(error.message == "cannot change the password: the session is dead")
        #expect(error.hints == ["log in again: authctl login"])
        #expect(fixture.store.current == .ada)
    }

    /// Its words are those of the backend. Where logging in again is refused, nothing is renewed and made once more.
    @Test(arguments: [AuthError.Reason.serverFault, .sessionRevoked, .brokenAnswer])
    func `says that the password is changed when the server only fails after that`(reason: AuthError.Reason) throws {
        var refusal = AuthError(reason, "the password was changed, but logging in again failed: it failed")
        refusal.isAfterSuccess = true
        refusal.server = ServerDetail(status: 200)
        let fixture = ClientFixture(
            .changePassword(.failure(refusal)),
            stored: .sample(session: Session(token: Secret("t"), refreshToken: Secret("r"))))
        let error = try failure { _ = try ChangePassword(fixture.client).run(from: Self.current, to: Self.new) }
        #expect(error.message == refusal.message)
        #expect(error.hints == ["log in with the new password: authctl login"])
        #expect(fixture.steps.last == "backend: changePassword 'correct horse' 'battery staple' t")
    }

    @Test func `needs somebody who is logged in to change a password`() throws {
        let error = try failure { _ = try ChangePassword(ClientFixture().client).run(from: Self.current, to: Self.new) }
        #expect(error.reason == .noSession)
    }

    @Test func `needs a backend that can do it`() throws {
        let client = ClientFixture(stored: .ada, isPlain: true).client
        let attempts: [(String, () throws -> Void)] = [
            ("change passwords", { _ = try ChangePassword(client).run(from: Self.current, to: Self.new) }),
            ("reset passwords", { try ResetPassword(client).run(email: "ada@example.org") }),
            ("verify e-mails", { _ = try SendVerification(client).run(email: nil) }),
            ("log in with a token", { _ = try LogIn(client).withToken(Secret("new")) }),
            ("make anonymous accounts", { _ = try LogIn(client).anonymously() }),
        ]
        for (what, attempt) in attempts {
            let error = try failure(attempt)
            #expect(error.reason == .unsupported)
            #expect(error.message == "backend 'local' cannot \(what)")
        }
    }

    @Test func `has the mail for a new password sent to somebody who is not logged in`() throws {
        let fixture = ClientFixture(.resetPassword(.success(())))
        try ResetPassword(fixture.client).run(email: "ada@example.org")
        #expect(fixture.steps == ["backend: resetPassword ada@example.org"])
    }

    @Test func `says whose password could not be reset`() throws {
        let fixture = ClientFixture(.resetPassword(.failure(AuthError(.notFound, "the server knows no such thing"))))
        let error = try failure { try ResetPassword(fixture.client).run(email: "eve@example.org") }
        #expect(error.reason == .notFound)
        #expect(
            error.message == "cannot reset the password of 'eve@example.org': the server knows no such thing")
    }
}
