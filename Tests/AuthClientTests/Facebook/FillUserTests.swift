import AuthClient
import AuthModel
import CommandTestSupport
import Testing

/// Empty fields of an account, filled with what Facebook tells.
@Suite struct FillUserTests {
    static let credential = FacebookCredential(.given(.accessToken(Secret("EAAB"))))
    static let told = FakeFacebook.Step.profile(
        .success(FacebookProfile(id: "1003", name: "Ada L", email: "ada@example.org")))
    static let profile = "facebook: profile of EAAB"

    static let empty = user(email: nil, name: nil)
    static let withEmail = user(email: "ada@example.org", name: nil)
    static let full = user(email: "ada@example.org", name: "Ada L")

    private static func user(email: String?, name: String?) -> User {
        User(
            id: "g7y9tkhB7O", username: "ada", email: email, createdAt: .sampleStart, providers: ["facebook"],
            fields: name.map { ["name": .string($0)] } ?? [:])
    }

    private static func loggedIn(isNew: Bool?) -> FakeBackend.Step {
        .logInFacebook(.success(NewSession(user: empty, session: .new, createdAccount: isNew)))
    }

    private static func filling(_ fixture: ClientFixture) -> [String] {
        fixture.steps.filter { $0.hasPrefix("backend: fill") || $0.hasPrefix("warning") || $0.hasPrefix("note") }
    }

    @Test func `a link fills what is empty, and keeps the user as the server knows them then`() throws {
        let fixture = ClientFixture.withFacebook(
            FacebookIdentificationTests.linked, .currentUser(.success(Self.empty)), .fill(.success(Self.withEmail)),
            .fill(.success(Self.full)), facebook: [Self.told], stored: .ada)
        let result = try LinkFacebook(fixture.client).run(Self.credential, fills: true)
        #expect(result.filled == ["email", "name"])
        #expect(
            Self.filling(fixture) == [
                #"backend: fill {"email":"ada@example.org"} \#(Exchange.adaToken)"#,
                #"backend: fill {"name":"Ada L"} \#(Exchange.adaToken)"#,
            ])
        #expect(fixture.store.current == .sample(user: Self.full))
    }

    @Test func `a link leaves what is filled`() throws {
        let fixture = ClientFixture.withFacebook(
            FacebookIdentificationTests.linked, .currentUser(.success(Self.full)), facebook: [Self.told], stored: .ada)
        #expect(try LinkFacebook(fixture.client).run(Self.credential, fills: true).filled == [])
    }

    @Test func `a session that the filling brings is kept`() throws {
        let fixture = ClientFixture.withFacebook(
            FacebookIdentificationTests.linked, .currentUser(.success(Self.withEmail)),
            .fill(.success(Self.full), replacement: .new), facebook: [Self.told], stored: .ada)
        #expect(try LinkFacebook(fixture.client).run(Self.credential, fills: true).filled == ["name"])
        #expect(fixture.store.current == .sample(session: .new, user: Self.full))
    }

    @Test func `what was filled is no failure where the session that it brings cannot be kept`() throws {
        let fixture = ClientFixture.withFacebook(
            FacebookIdentificationTests.linked, .currentUser(.success(Self.withEmail)),
            .fill(.success(Self.full), replacement: .new), facebook: [Self.told], stored: .ada)
        fixture.store.fail(.update, with: .noSpace)
        _ = try LinkFacebook(fixture.client).run(Self.credential, fills: true)
        #expect(
            Self.filling(fixture).contains(
                "warning: 'name' went to the server, but the new session could not be kept: no room in the folder; "
                    + "once that is fixed, log in again: authctl login"))
    }

    @Test func `what cannot be filled is warned of, and the rest is filled`() throws {
        let fixture = ClientFixture.withFacebook(
            FacebookIdentificationTests.linked, .currentUser(.success(Self.empty)),
            .fill(.failure(AuthError(.emailTaken, "an account has that e-mail"))),
            .fill(.success(Self.user(email: nil, name: "Ada L"))), facebook: [Self.told], stored: .ada)
        #expect(try LinkFacebook(fixture.client).run(Self.credential, fills: true).filled == ["name"])
        #expect(Self.filling(fixture)[1] == "warning: 'email' could not be filled in: an account has that e-mail")
    }

    @Test func `a user who cannot be read is warned of`() throws {
        let fixture = ClientFixture.withFacebook(
            FacebookIdentificationTests.linked, .currentUser(.failure(.fault)), facebook: [Self.told], stored: .ada)
        #expect(try LinkFacebook(fixture.client).run(Self.credential, fills: true).filled == [])
        #expect(
            fixture.steps.last == "warning: the empty fields of the user were not filled in: the server failed")
    }

    @Test func `what the server does not show yet is noted, and not called filled`() throws {
        let fixture = ClientFixture.withFacebook(
            FacebookIdentificationTests.linked, .currentUser(.success(Self.user(email: nil, name: "Ada L"))),
            .fill(.success(Self.user(email: nil, name: "Ada L"))), facebook: [Self.told], stored: .ada)
        #expect(try LinkFacebook(fixture.client).run(Self.credential, fills: true).filled == [])
        #expect(
            fixture.steps.contains(
                "note: 'email' went to the server, which may first want to see that it is the user's: look for a mail"))
    }

    // MARK: - At a log-in

    @Test func `a log-in fills an account that it made`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.loggedIn(isNew: true), .currentUser(.success(Self.withEmail)), .fill(.success(Self.full)),
            facebook: [Self.told])
        let result = try LogInWithFacebook(fixture.client).run(Self.credential, fills: true)
        #expect(result.filled == ["name"])
        #expect(result.user == Self.full)
        #expect(fixture.store.current == .sample(session: .new, user: Self.full, method: .facebook))
    }

    @Test func `a log-in leaves an account that was there before`() throws {
        let fixture = ClientFixture.withFacebook(Self.loggedIn(isNew: false), facebook: [Self.told])
        #expect(try LogInWithFacebook(fixture.client).run(Self.credential, fills: true).filled == [])
        #expect(fixture.steps.last == "store: save new")
    }

    @Test func `a log-in fills any account where the server does not say which are new`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.loggedIn(isNew: nil), .currentUser(.success(Self.withEmail)), .fill(.success(Self.full)),
            facebook: [Self.told])
        #expect(try LogInWithFacebook(fixture.client).run(Self.credential, fills: true).filled == ["name"])
    }

    @Test func `a log-in fills with its own session, never with that of the environment`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.loggedIn(isNew: true), .currentUser(.success(Self.withEmail)), .fill(.success(Self.full)),
            facebook: [Self.told], environmentToken: "env")
        _ = try LogInWithFacebook(fixture.client).run(Self.credential, fills: true)
        #expect(fixture.steps.contains("backend: currentUser new"))
        #expect(fixture.steps.contains(#"backend: fill {"name":"Ada L"} new"#))
        #expect(!fixture.steps.contains { $0.hasSuffix(" env") })
    }

    @Test func `a log-in that cannot fill has succeeded all the same`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.loggedIn(isNew: true), .currentUser(.success(Self.withEmail)), .fill(.failure(.fault)),
            facebook: [Self.told])
        #expect(try LogInWithFacebook(fixture.client).run(Self.credential, fills: true).filled == [])
        #expect(Self.filling(fixture).last == "warning: 'name' could not be filled in: the server failed")
        #expect(fixture.store.current?.session == .new)
    }

    @Test func `nothing is asked of a server that cannot be told more`() throws {
        for error in [
            try failure { _ = try LogInWithFacebook(Self.unfilling().client).run(Self.credential, fills: true) },
            try failure { _ = try LinkFacebook(Self.unfilling().client).run(Self.credential, fills: true) },
        ] {
            #expect(error.outcome.exitCode == 10)
            #expect(error.message == "backend 'local' cannot fill in what a user left empty")
        }
    }

    private static func unfilling() -> ClientFixture {
        .withFacebook(stored: .ada, making: WaitingBackend.init)
    }
}
