import AuthClient
import CommandTestSupport

/// Empty fields of an account, filled from the Facebook profile.
@Suite struct FillUserTests {
    static let credential = FacebookSource(.given(.accessToken(Secret("EAAB"))))
    static let told = Step.profile(
        .success(IdentityProfile(id: "1003", name: "Ada L", email: "ada@example.org")))
    static let profile = "facebook: profile of EAAB"

    static let empty = user(email: nil, name: nil)
    static let withEmail = user(email: "ada@example.org", name: nil)
    static let full = user(email: "ada@example.org", name: "Ada L")

    private static func user(email: String?, name: String?) -> User {
        var user = User(
            id: "g7y9tkhB7O", username: "ada", email: email, createdAt: .sampleStart,
            identities: [Identity(provider: "facebook", id: "1003")],
            fields: name.map { ["name": .string($0)] } ?? [:])
        user.lacksEmail = email == nil
        return user
    }

    private static func loggedIn(isNew: Bool?) -> Step {
        .logInIdentity(.success(.session(NewSession(user: empty, session: .new, createdAccount: isNew))))
    }

    /// The updates that were sent.
    private static func filling(_ fixture: ClientFixture) -> [String] {
        fixture.requests.filter { $0.hasPrefix("update") }
    }

    @Test func `a Facebook link fills empty fields of the account and updates the user in the saved session`() throws {
        let fixture = ClientFixture.withFacebook(
            FacebookIdentificationTests.linked, .currentUser(.success(Self.empty)), .update(.success(Self.withEmail)),
            .update(.success(Self.full)), facebook: [Self.told], stored: .ada)
        let result = try Link(fixture.client).run(Self.credential, fills: true)
        expect(result.filled, ["email", "name"])
        #expect(
            Self.filling(fixture) == [
                #"update {"email":"ada@example.org"} \#(Exchange.adaToken)"#,
                #"update {"name":"Ada L"} \#(Exchange.adaToken)"#,
            ])
        expect(fixture.store.current, .sample(user: Self.full))
    }

    @Test func `a Facebook link keeps account fields that are set`() throws {
        let fixture = ClientFixture.withFacebook(
            FacebookIdentificationTests.linked, .currentUser(.success(Self.full)), facebook: [Self.told], stored: .ada)
        try expect(Link(fixture.client).run(Self.credential, fills: true).filled, [])
    }

    @Test func `a Facebook link saves the new session that the response to a field update contains`() throws {
        let fixture = ClientFixture.withFacebook(
            FacebookIdentificationTests.linked, .currentUser(.success(Self.withEmail)),
            .update(.success(Self.full), replacement: .new), facebook: [Self.told], stored: .ada)
        try expect(Link(fixture.client).run(Self.credential, fills: true).filled, ["name"])
        expect(fixture.store.current, .sample(session: .new, user: Self.full))
    }

    @Test func `a Facebook link warns if the new session from a field update cannot be saved`() throws {
        let fixture = ClientFixture.withFacebook(
            FacebookIdentificationTests.linked, .currentUser(.success(Self.withEmail)),
            .update(.success(Self.full), replacement: .new), facebook: [Self.told], stored: .ada)
        fixture.store.fail(.update, with: .noSpace)
        _ = try Link(fixture.client).run(Self.credential, fills: true)
        fixture.expectNotices(in: "use-cases/facebook-login")
    }

    @Test func `a Facebook link warns about a field that cannot be filled and fills the other fields`() throws {
        let fixture = ClientFixture.withFacebook(
            FacebookIdentificationTests.linked, .currentUser(.success(Self.empty)),
            .update(.failure(AuthError(.emailTaken, "an account has that e-mail address"))),
            .update(.success(Self.user(email: nil, name: "Ada L"))), facebook: [Self.told], stored: .ada)
        try expect(Link(fixture.client).run(Self.credential, fills: true).filled, ["name"])
        expect(Self.filling(fixture).count, 2)
        fixture.expectNotices(in: "use-cases/facebook-login")
    }

    @Test func `a Facebook link warns if the account cannot be read, and fills no fields`() throws {
        let fixture = ClientFixture.withFacebook(
            FacebookIdentificationTests.linked, .currentUser(.failure(.fault)), facebook: [Self.told], stored: .ada)
        try expect(Link(fixture.client).run(Self.credential, fills: true).filled, [])
        fixture.expectNotices(in: "use-cases/facebook-login")
    }

    @Test func `a Facebook link prints a note if a sent field stays empty, and does not report it as filled`() throws {
        let fixture = ClientFixture.withFacebook(
            FacebookIdentificationTests.linked, .currentUser(.success(Self.user(email: nil, name: "Ada L"))),
            .update(.success(Self.user(email: nil, name: "Ada L"))), facebook: [Self.told], stored: .ada)
        try expect(Link(fixture.client).run(Self.credential, fills: true).filled, [])
        fixture.expectNotices(in: "use-cases/facebook-login")
    }

    // MARK: - During a login

    @Test(arguments: [true, nil])
    func `a Facebook login fills empty fields of an account that it created, or may have created`(isNew: Bool?) throws {
        let fixture = ClientFixture.withFacebook(
            Self.loggedIn(isNew: isNew), .currentUser(.success(Self.withEmail)), .update(.success(Self.full)),
            facebook: [Self.told])
        let result = try LogInWithIdentity(fixture.client).run(Self.credential, fills: true)
        expect(result.filled, ["name"])
        expect(result.user, Self.full)
        expect(fixture.store.current, .sample(session: .new, user: Self.full, method: .identity(.facebook)))
    }

    @Test func `a Facebook login that fills empty fields saves the setting apiURL with the session`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.loggedIn(isNew: true), .currentUser(.success(Self.withEmail)), .update(.success(Self.full)),
            facebook: [Self.told], known: ["apiURL": "https://api.example"])
        _ = try LogInWithIdentity(fixture.client).run(Self.credential, fills: true)
        expect(fixture.store.current?.apiURL, "https://api.example")
    }

    @Test func `a Facebook login fills no fields of an existing account`() throws {
        let fixture = ClientFixture.withFacebook(Self.loggedIn(isNew: false), facebook: [Self.told])
        try expect(LogInWithIdentity(fixture.client).run(Self.credential, fills: true).filled, [])
        expect(Self.filling(fixture), [])
    }

    @Test func `a Facebook login uses its new session, not AUTHCTL_TOKEN, to fill empty fields`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.loggedIn(isNew: true), .currentUser(.success(Self.withEmail)), .update(.success(Self.full)),
            facebook: [Self.told], environmentToken: "env")
        _ = try LogInWithIdentity(fixture.client).run(Self.credential, fills: true)
        #expect(fixture.requests.contains("currentUser new"))
        #expect(fixture.requests.contains(#"update {"name":"Ada L"} new"#))
        #expect(!fixture.requests.contains { $0.hasSuffix(" env") })
    }

    @Test func `a Facebook login succeeds even if a field cannot be filled`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.loggedIn(isNew: true), .currentUser(.success(Self.withEmail)), .update(.failure(.fault)),
            facebook: [Self.told])
        try expect(LogInWithIdentity(fixture.client).run(Self.credential, fills: true).filled, [])
        #expect(fixture.notices.hasPrefix("warning: "))
        expect(fixture.store.current?.session, .new)
    }

    @Test func `filling fields in a Facebook login or link fails on a backend that cannot update the user`() throws {
        for error in [
            try failure { _ = try LogInWithIdentity(Self.unfilling().client).run(Self.credential, fills: true) },
            try failure { _ = try Link(Self.unfilling().client).run(Self.credential, fills: true) },
        ] {
            error.expectMessage(in: "use-cases/facebook-login")
        }
    }

    private static func unfilling() -> ClientFixture {
        .withFacebook(stored: .ada, making: WaitingBackend.init)
    }
}
