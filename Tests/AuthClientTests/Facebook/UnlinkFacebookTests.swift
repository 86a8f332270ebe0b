import AuthClient
import CommandTestSupport

/// Unlinking a Facebook identity and revoking the app's permissions.
@Suite struct UnlinkFacebookTests {
    static let token = FacebookSource(.given(.accessToken(Secret("EAAB"))))
    static let facebook = IdentityContract.all[0]
    static let unlinked = Step.unlink(.success(facebook.change(from: .linked(id: "1003"), to: .none)))
    static let stored = StoredSession.sample(user: facebook.linked("1003"), method: .password)

    private static func status(_ ids: String...) -> Step {
        var user = facebook.linked("1003")
        if !ids.isEmpty { user.identities = ids.map { Identity(provider: "facebook", id: $0) } }
        return .identities(.success(IdentityStatus(user: user)))
    }

    private static func owner(_ id: String) -> Step { .profile(.success(IdentityProfile(id: id))) }

    @Test func `an unlink revokes the Facebook permissions after it removes the link`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.status(), Self.unlinked,
            facebook: [Self.owner("1003"), .appID(.success("1000")), .revoke(.success(()))],
            known: FacebookIdentificationTests.app, stored: Self.stored)
        try expect(Unlink(fixture.client).run(force: false, revokingWith: Self.token).wasRevoked, false)
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
                Self.status(), Self.unlinked, facebook: facebook, known: known, stored: Self.stored)
            let result = try Unlink(fixture.client).run(force: false, revokingWith: Self.token)
            #expect(result.wasRevoked)
            expect(result.change.hasChanged, true)
            #expect(!fixture.steps.contains { $0.hasPrefix("facebook: revoke") })
        }
    }

    @Test(arguments: [nil as Int64?, 460, 463])
    func `an unlink keeps the link if Facebook rejects the token as expired or invalid`(subcode: Int64?) throws {
        let fixture = ClientFixture.withFacebook(
            Self.status(), facebook: [.profile(.failure(Self.rejection(subcode)))], stored: Self.stored)
        let error = try failure { _ = try Unlink(fixture.client).run(force: false, revokingWith: Self.token) }
        expect(error.reason, .tokenRefused)
        expect(error.server?.subcode, subcode)
        #expect(!fixture.steps.contains { $0.hasPrefix("backend: unlink") })
    }

    @Test(arguments: ["1003", "7"])
    func `an unlink accepts the token of any linked user and revokes that user's permissions`(id: String) throws {
        let fixture = ClientFixture.withFacebook(
            Self.status("1003", "7"), Self.unlinked,
            facebook: [Self.owner(id), .revoke(.success(()))], stored: Self.stored)
        try expect(Unlink(fixture.client).run(force: false, revokingWith: Self.token).wasRevoked, false)
    }

    @Test func `an unlink with a token of a user who is not linked fails and names all linked users`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.status("1003", "7"), facebook: [Self.owner("8")], stored: Self.stored)
        let error = try failure { _ = try Unlink(fixture.client).run(force: false, revokingWith: Self.token) }
        error.expectMessage(in: "use-cases/unlink-facebook")
    }

    @Test func `no identity is unlinked if another user logs in during the requests to Facebook`() throws {
        let eve = StoredSession.sample(session: .new, user: User(id: "eve", username: "eve"), method: .password)
        let fixture = ClientFixture.withFacebook(
            Self.status(), .currentUser(.success(eve.user)), facebook: [Self.owner("1003")],
            stored: Self.stored)
        fixture.journal.during("facebook: profile of EAAB") { [store = fixture.store] in store.put(eve) }
        let error = try failure { _ = try Unlink(fixture.client).run(force: false, revokingWith: Self.token) }
        expect(error.reason, .cancelled)
        expect(fixture.store.current, eve)
    }

    @Test(arguments: [true, false])
    func `an unlink with a token of a different Facebook user revokes nothing and keeps the link`(force: Bool) throws {
        let fixture = ClientFixture.withFacebook(
            Self.status(), facebook: [Self.owner("7")], stored: Self.stored)
        let error = try failure { _ = try Unlink(fixture.client).run(force: force, revokingWith: Self.token) }
        error.expectMessage(in: "use-cases/unlink-facebook")
    }

    @Test func `an unlink with an ID token is rejected and revokes no permissions`() throws {
        let fixture = ClientFixture.withFacebook(Self.status(), stored: Self.stored)
        let source = FacebookSource(.given(FacebookIdentificationTests.idToken))
        let error = try failure { _ = try Unlink(fixture.client).run(force: true, revokingWith: source) }
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
            stored: Self.stored)
        let error = try failure { _ = try Unlink(fixture.client).run(force: false, revokingWith: Self.token) }
        error.expectMessage(in: "use-cases/unlink-facebook", situation)
        expect(fixture.store.current, .sample(method: .password))
    }
}
