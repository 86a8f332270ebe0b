import AuthClient
import AuthModel
import CommandTestSupport
import Testing

/// Unlinking a Facebook identity from an account that may have no other authentication method.
@Suite struct UnlinkFacebookTests {
    static let token = FacebookSource(.given(.accessToken(Secret("EAAB"))))
    static let unlinked = Step.unlink(
        .success(LinkFacebookTests.change(from: .linked(id: "1003"), to: .none)))

    private static func status(
        _ link: IdentityLink = .linked(id: "1003"), hasPassword: Bool? = nil, email: String? = "ada@example.org"
    ) -> Step {
        var user = LinkFacebookTests.linkedUser
        user.email = email
        return .identities(
            .success(IdentityStatus(user: user, link: link, hasPassword: hasPassword)))
    }

    private static func stored(_ method: AuthMethod?) -> StoredSession {
        .sample(user: LinkFacebookTests.linkedUser, method: method)
    }

    @Test(arguments: [
        (AuthMethod.password as AuthMethod?, nil as Bool?), (.password, true), (.identity(.facebook), true),
        (nil, true),
        (.anonymous, true),
    ])
    func `an unlink succeeds if another authentication method is left`(method: AuthMethod?, hasPassword: Bool?)
        throws
    {
        let fixture = ClientFixture.withFacebook(
            Self.status(hasPassword: hasPassword), Self.unlinked, stored: Self.stored(method))
        let change = try Unlink(fixture.client).run(.facebook, force: false)
        #expect(change == LinkFacebookTests.change(from: .linked(id: "1003"), to: .none))
        #expect(!fixture.steps.contains("warning"))
        #expect(fixture.store.current == .sample(method: method))
    }

    @Test(arguments: [
        (AuthMethod.identity(.facebook) as AuthMethod?, nil as Bool?), (.identity(.facebook), false),
        (.password, false), (nil, false),
        (nil, nil), (.anonymous, nil), (.anonymous, false),
    ])
    func `an unlink is rejected if the account may have no other authentication method`(
        method: AuthMethod?, hasPassword: Bool?
    ) throws {
        let fixture = ClientFixture.withFacebook(
            Self.status(hasPassword: hasPassword), stored: Self.stored(method))
        let error = try failure { _ = try Unlink(fixture.client).run(.facebook, force: false) }
        error.expectMessage(
            in: "use-cases/unlink-facebook",
            hasPassword == nil ? "the server does not say" : "the server says so")
    }

    @Test func `the hint about a rejected unlink has a placeholder for an unknown e-mail address`() throws {
        let fixture = ClientFixture.withFacebook(Self.status(email: nil), stored: Self.stored(.identity(.facebook)))
        let error = try failure { _ = try Unlink(fixture.client).run(.facebook, force: false) }
        error.expectMessage(in: "use-cases/unlink-facebook")
    }

    @Test func `an unlink with a session from the environment ignores the login method of the saved session`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.status(), stored: Self.stored(.password), environmentToken: "env")
        #expect(try failure { _ = try Unlink(fixture.client).run(.facebook, force: false) }.reason == .forbidden)
        #expect(fixture.steps == ["backend: identities env"])
    }

    @Test func `an unlink without a linked identity succeeds`() throws {
        let nothing = Step.unlink(
            .success(LinkFacebookTests.change(from: .none, to: .none)))
        let fixture = ClientFixture.withFacebook(
            Self.status(.none, hasPassword: false), nothing, stored: Self.stored(.identity(.facebook)))
        #expect(try Unlink(fixture.client).run(.facebook, force: false).hasChanged == false)
    }

    @Test func `an unlink with --force sends no status request`() throws {
        let fixture = ClientFixture.withFacebook(Self.unlinked, stored: Self.stored(.identity(.facebook)))
        _ = try Unlink(fixture.client).run(.facebook, force: true)
        #expect(
            fixture.steps == [
                "store: prepare", "backend: unlink facebook \(Exchange.adaToken)", "store: update \(Exchange.adaToken)",
            ])
    }

    // MARK: - Revoking permissions

    private static func owner(_ id: String) -> Step { .profile(.success(IdentityProfile(id: id))) }

    @Test func `an unlink revokes the Facebook permissions after it removes the link`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.status(), Self.unlinked,
            facebook: [Self.owner("1003"), .appID(.success("1000")), .revoke(.success(()))],
            known: FacebookIdentificationTests.app, stored: Self.stored(.password))
        #expect(try UnlinkFacebook(fixture.client).run(force: false, revokingWith: Self.token).wasRevoked == false)
        #expect(
            fixture.steps == [
                "store: prepare", "backend: identities \(Exchange.adaToken)", "facebook: profile of EAAB",
                "facebook: app of EAAB", "backend: unlink facebook \(Exchange.adaToken)",
                "store: update \(Exchange.adaToken)", "facebook: revoke by EAAB",
            ])
    }

    private static func rejection(_ subcode: Int64?) -> AuthError {
        AuthError(
            .tokenRefused, "Facebook rejected the token",
            server: ServerDetail(status: 400, code: .integer(190), subcode: subcode))
    }

    @Test func `Facebook permissions that were revoked earlier count as revoked`() throws {
        for (facebook, known) in [
            ([Step.profile(.failure(Self.rejection(458)))], [:]),
            ([Self.owner("1003"), .appID(.failure(Self.rejection(458)))], FacebookIdentificationTests.app),
        ] {
            let fixture = ClientFixture.withFacebook(
                Self.status(), Self.unlinked, facebook: facebook, known: known, stored: Self.stored(.password))
            let result = try UnlinkFacebook(fixture.client).run(force: false, revokingWith: Self.token)
            #expect(result.wasRevoked)
            #expect(result.change.hasChanged == true)
            #expect(!fixture.steps.contains { $0.hasPrefix("facebook: revoke") })
        }
    }

    @Test(arguments: [nil as Int64?, 460, 463])
    func `an unlink keeps the link if Facebook rejects the token as expired or invalid`(subcode: Int64?) throws {
        let fixture = ClientFixture.withFacebook(
            Self.status(), facebook: [.profile(.failure(Self.rejection(subcode)))], stored: Self.stored(.password))
        let error = try failure { _ = try UnlinkFacebook(fixture.client).run(force: false, revokingWith: Self.token) }
        #expect(error.reason == .tokenRefused)
        #expect(error.server?.subcode == subcode)
        #expect(!fixture.steps.contains { $0.hasPrefix("backend: unlink") })
    }

    @Test(arguments: ["1003", "7"])
    func `an unlink accepts the token of any linked user and revokes that user's permissions`(id: String) throws {
        let fixture = ClientFixture.withFacebook(
            Self.status(.linked(ids: ["1003", "7"])), Self.unlinked,
            facebook: [Self.owner(id), .revoke(.success(()))], stored: Self.stored(.password))
        #expect(try UnlinkFacebook(fixture.client).run(force: false, revokingWith: Self.token).wasRevoked == false)
    }

    @Test func `an unlink with a token of a user who is not linked fails and names all linked users`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.status(.linked(ids: ["1003", "7"])), facebook: [Self.owner("8")], stored: Self.stored(.password))
        let error = try failure { _ = try UnlinkFacebook(fixture.client).run(force: false, revokingWith: Self.token) }
        error.expectMessage(in: "use-cases/unlink-facebook")
    }

    @Test func `no identity is unlinked if another user logs in during the requests to Facebook`() throws {
        let eve = StoredSession.sample(session: .new, user: User(id: "eve", username: "eve"), method: .password)
        let fixture = ClientFixture.withFacebook(
            Self.status(), .currentUser(.success(eve.user)), facebook: [Self.owner("1003")],
            stored: Self.stored(.password))
        fixture.journal.during("facebook: profile of EAAB") { [store = fixture.store] in store.put(eve) }
        let error = try failure { _ = try UnlinkFacebook(fixture.client).run(force: false, revokingWith: Self.token) }
        #expect(error.reason == .cancelled)
        #expect(fixture.store.current == eve)
    }

    @Test(arguments: [true, false])
    func `an unlink with a token of a different Facebook user revokes nothing and keeps the link`(force: Bool) throws {
        let fixture = ClientFixture.withFacebook(
            Self.status(), facebook: [Self.owner("7")], stored: Self.stored(.password))
        let error = try failure { _ = try UnlinkFacebook(fixture.client).run(force: force, revokingWith: Self.token) }
        error.expectMessage(in: "use-cases/unlink-facebook")
    }

    @Test func `an unlink with an ID token is rejected and revokes no permissions`() throws {
        let fixture = ClientFixture.withFacebook(Self.status(), stored: Self.stored(.password))
        let source = FacebookSource(.given(FacebookIdentificationTests.idToken))
        let error = try failure { _ = try UnlinkFacebook(fixture.client).run(force: true, revokingWith: source) }
        error.expectMessage(in: "use-cases/unlink-facebook")
    }

    @Test(arguments: [
        (AuthError.Reason.connect, "the request failed"), (.outcomeUnknown, "the outcome is unknown"),
    ])
    func `the error about a failed revocation of permissions states that the identity is unlinked`(
        reason: AuthError.Reason, situation: String
    ) throws {
        let fixture = ClientFixture.withFacebook(
            Self.status(), Self.unlinked,
            facebook: [Self.owner("1003"), .revoke(.failure(AuthError(reason, "no route")))],
            stored: Self.stored(.password))
        let error = try failure { _ = try UnlinkFacebook(fixture.client).run(force: false, revokingWith: Self.token) }
        error.expectMessage(in: "use-cases/unlink-facebook", situation)
        #expect(fixture.store.current == .sample(method: .password))
    }
}
