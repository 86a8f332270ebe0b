import AuthClient
import AuthModel
import CommandTestSupport
import Testing

@Suite struct LogInTests {
    static let success = FakeBackend.Step.logIn(.success(.session(NewSession(user: .ada, session: .new))))
    static let old = StoredSession.sample(session: .sample("old"))

    @Test func `makes sure of its place, asks the server, keeps the session`() throws {
        let fixture = ClientFixture(Self.success)
        let result = try LogIn(fixture.client).withPassword(.ada)
        #expect(result.session == .new)
        #expect(result.user == .ada)
        #expect(fixture.store.current == .sample(session: .new, method: .password))
        #expect(fixture.steps == ["store: prepare", "backend: logIn ada", "store: save new"])
    }

    @Test func `asks no server when a session could not be kept`() throws {
        let fixture = ClientFixture()
        fixture.store.fail(.prepare, with: .noSpace)
        #expect(try failure { _ = try LogIn(fixture.client).withPassword(.ada) } == .noSpace)
        #expect(fixture.steps == ["store: prepare"])
    }

    @Test func `asks no server when the session kept so far cannot be read`() throws {
        let fixture = ClientFixture()
        let corrupt = AuthError(.corrupt, "damaged")
        fixture.store.fail(.load, with: corrupt)
        #expect(try failure { _ = try LogIn(fixture.client).withPassword(.ada) } == corrupt)
        #expect(fixture.steps == [])
    }

    @Test func `does not end a session made elsewhere that cannot be kept`() throws {
        let fixture = ClientFixture(.logInToken(.success(NewSession(user: .ada, session: .new))))
        fixture.store.fail(.save, with: .noSpace)
        let error = try failure { _ = try LogIn(fixture.client).withToken(Secret("new")) }
        #expect(error.reason == .noSpace)
        #expect(error.message == "the token is good, but its session could not be kept: no room in the folder")
        #expect(fixture.steps == ["store: prepare", "backend: logIn with new", "store: save new"])
    }

    @Test func `replaces the session kept before with a note, and does not end it`() throws {
        let fixture = ClientFixture(Self.success, stored: Self.old)
        _ = try LogIn(fixture.client).withPassword(.ada)
        #expect(
            fixture.steps.suffix(2) == [
                "store: save new",
                "note: the session kept before ('ada') was replaced; it was not ended at the server",
            ])
    }

    @Test func `says nothing of a replaced session with the same token`() throws {
        let fixture = ClientFixture(Self.success, stored: .sample(session: .new))
        _ = try LogIn(fixture.client).withPassword(.ada)
        #expect(fixture.steps.last == "store: save new")
    }

    @Test func `tells when a short session came without what would renew it`() throws {
        let short = Session.sample("new", expiresAt: .sampleNow.adding(.seconds(300)))
        let fixture = ClientFixture(.logIn(.success(.session(NewSession(user: .ada, session: short)))))
        _ = try LogIn(fixture.client).withPassword(.ada)
        let end = short.expiresAt?.text ?? ""
        #expect(fixture.steps.last == "note: this session ends at \(end): it came without what would renew it")
    }

    @Test func `keeps the old session when the server refuses`() throws {
        let refusal = AuthError(.wrongPassword, "wrong user name or password")
        let fixture = ClientFixture(.logIn(.failure(refusal)), stored: Self.old)
        let error = try failure { _ = try LogIn(fixture.client).withPassword(.ada) }
        #expect(error.reason == .wrongPassword)
        #expect(error.message == "cannot log in as 'ada': wrong user name or password")
        #expect(
            error.hints == [
                "create an account: authctl signup ada", "reset the password: authctl password reset ADDRESS",
            ])
        #expect(fixture.store.current == Self.old)
    }

    @Test func `a name that begins with a dash stands behind the end of the options`() throws {
        let fixture = ClientFixture(
            .logIn(.failure(AuthError(.wrongPassword, "wrong"))))
        let error = try failure {
            _ = try LogIn(fixture.client).withPassword(Credentials(login: "-a b'c", password: Secret("x")))
        }
        #expect(
            error.hints == [
                "create an account: authctl signup -- -a b'c", "reset the password: authctl password reset ADDRESS",
            ])
    }

    @Test func `hints at a reset of the password by the address that was given`() throws {
        let fixture = ClientFixture(.logIn(.failure(AuthError(.wrongPassword, "wrong"))))
        let error = try failure {
            _ = try LogIn(fixture.client).withPassword(Credentials(login: "ada@example.org", password: Secret("x")))
        }
        #expect(
            error.hints == [
                "create an account: authctl signup USERNAME --email ada@example.org",
                "reset the password: authctl password reset ada@example.org",
            ])
    }

    @Test func `a reset of the password is not offered by a backend without resets`() throws {
        let fixture = ClientFixture(.logIn(.failure(AuthError(.wrongPassword, "wrong"))), isPlain: true)
        let error = try failure { _ = try LogIn(fixture.client).withPassword(.ada) }
        #expect(error.hints == ["create an account: authctl signup ada"])
    }

    @Test func `hints at no account when something else went wrong`() throws {
        let fixture = ClientFixture(.logIn(.failure(.fault)))
        let error = try failure { _ = try LogIn(fixture.client).withPassword(.ada) }
        #expect(error.hints == [])
        #expect(error.message == "cannot log in as 'ada': the server failed")
    }

    @Test(arguments: [
        (Result<Revocation, AuthError>.success(.yes), "and was ended again"),
        (.success(.already), "and was ended again"),
        (.success(.unsupported), "and is still alive at the server"),
        (.success(.unknown), "and is still alive at the server"),
        (.failure(.fault), "and is still alive at the server"),
    ])
    func `ends a session that it could not keep, and says what became of it`(
        ending: Result<Revocation, AuthError>, text: String
    ) throws {
        let fixture = ClientFixture(Self.success, .logOut(ending))
        fixture.store.fail(.save, with: .noSpace)
        let error = try failure { _ = try LogIn(fixture.client).withPassword(.ada) }
        #expect(error.reason == .noSpace)
        #expect(
            error.message
                == "the log-in as 'ada' succeeded, but its session could not be kept \(text): no room in the folder")
        #expect(error.hints == ["once that is fixed, log in: authctl login ada"])
        #expect(fixture.steps.last == "backend: logOut new")
    }

    @Test(arguments: [(false, "and is still alive at the server"), (true, "and was ended again")])
    func `ends a session of all devices only if the account is new`(isNew: Bool, text: String) throws {
        let logIn = FakeBackend.Step.logIn(
            .success(.session(NewSession(user: .ada, session: .new, createdAccount: isNew))))
        let fixture = ClientFixture(
            script: isNew ? [logIn, .logOut(.success(.yes))] : [logIn], isShared: true)
        fixture.store.fail(.save, with: .noSpace)
        let error = try failure { _ = try LogIn(fixture.client).withPassword(.ada) }
        #expect(
            error.message
                == "the log-in as 'ada' succeeded, but its session could not be kept \(text): no room in the folder")
    }

    @Test func `warns of a session in the environment, and keeps the new one all the same`() throws {
        let fixture = ClientFixture(Self.success, environmentToken: "env")
        _ = try LogIn(fixture.client).withPassword(.ada)
        #expect(
            fixture.steps.contains(
                "warning: the session (from AUTHCTL_TOKEN) outranks the stored one; this command works on the stored one"
            ))
        #expect(fixture.store.current?.session == .new)
    }

    @Test func `warns when others could read the files`() throws {
        let fixture = ClientFixture(Self.success)
        fixture.store.beLoose()
        _ = try LogIn(fixture.client).withPassword(.ada)
        #expect(
            fixture.steps.last == "warning: other users could read the session files until now; they are closed again")
    }

    @Test func `keeps nothing while something is pending`() throws {
        let fixture = ClientFixture(.logIn(.success(.pending(.emailVerification, .ada))), stored: Self.old)
        let result = try LogIn(fixture.client).withPassword(.ada)
        #expect(result.pending == .emailVerification)
        #expect(result.session == nil)
        #expect(fixture.store.current == Self.old)
    }
}
