import AuthClient
import AuthModel
import CommandTestSupport
import Testing

/// Taking a Facebook identity away from an account that may have no other way in.
@Suite struct UnlinkFacebookTests {
    static let token = FacebookCredential(.given(.accessToken(Secret("EAAB"))))
    static let unlinked = FakeBackend.Step.unlinkFacebook(
        .success(LinkFacebookTests.change(from: .linked(id: "1003"), to: .none)))

    private static func status(
        _ link: FacebookLink = .linked(id: "1003"), hasOtherWayIn: Bool? = nil, email: String? = "ada@example.org"
    ) -> FakeBackend.Step {
        var user = LinkFacebookTests.linkedUser
        user.email = email
        return .facebookStatus(.success(FacebookStatus(user: user, link: link, hasOtherWayIn: hasOtherWayIn)))
    }

    private static func stored(_ method: AuthMethod?) -> StoredSession {
        .sample(user: LinkFacebookTests.linkedUser, method: method)
    }

    @Test(arguments: [
        (AuthMethod.password as AuthMethod?, nil as Bool?), (.password, true), (.facebook, true), (nil, true),
        (.anonymous, true),
    ])
    func `is done where there is another way to log in`(method: AuthMethod?, hasOtherWayIn: Bool?) throws {
        let fixture = ClientFixture.withFacebook(
            Self.status(hasOtherWayIn: hasOtherWayIn), Self.unlinked, stored: Self.stored(method))
        let result = try UnlinkFacebook(fixture.client).run(force: false)
        #expect(result == FacebookResult(change: LinkFacebookTests.change(from: .linked(id: "1003"), to: .none)))
        #expect(!fixture.steps.contains { $0.hasPrefix("warning") })
        #expect(fixture.store.current == .sample(method: method))
    }

    @Test(arguments: [
        (AuthMethod.facebook as AuthMethod?, nil as Bool?, "may be"), (.facebook, false, "is"),
        (.password, false, "is"),
        (nil, false, "is"), (nil, nil, "may be"), (.anonymous, nil, "may be"), (.anonymous, false, "is"),
    ])
    func `is refused where it may be the last way`(method: AuthMethod?, hasOtherWayIn: Bool?, verb: String) throws {
        let fixture = ClientFixture.withFacebook(
            Self.status(hasOtherWayIn: hasOtherWayIn), stored: Self.stored(method))
        let error = try failure { _ = try UnlinkFacebook(fixture.client).run(force: false) }
        #expect(error.reason == .forbidden)
        #expect(error.outcome.exitCode == 5)
        #expect(
            error.message
                == "cannot unlink the Facebook identity: it \(verb) the last way to log in to the account")
        #expect(
            error.hints == [
                "set a password first: authctl password reset ada@example.org",
                "unlink it all the same, with --force",
            ])
    }

    @Test func `names no address that is not known`() throws {
        let fixture = ClientFixture.withFacebook(Self.status(email: nil), stored: Self.stored(.facebook))
        let error = try failure { _ = try UnlinkFacebook(fixture.client).run(force: false) }
        #expect(error.hints.first == "set a password first: authctl password reset ADDRESS")
    }

    @Test func `is refused with a session of the environment: nobody knows how it was got`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.status(), stored: Self.stored(.password), environmentToken: "env")
        #expect(try failure { _ = try UnlinkFacebook(fixture.client).run(force: false) }.reason == .forbidden)
        #expect(fixture.steps == ["backend: facebookStatus env"])
    }

    @Test func `is not refused where nothing is linked`() throws {
        let nothing = FakeBackend.Step.unlinkFacebook(
            .success(LinkFacebookTests.change(from: .none, to: .none)))
        let fixture = ClientFixture.withFacebook(
            Self.status(.none, hasOtherWayIn: false), nothing, stored: Self.stored(.facebook))
        #expect(try !UnlinkFacebook(fixture.client).run(force: false).change.hasChanged)
    }

    @Test func `by force asks nothing before`() throws {
        let fixture = ClientFixture.withFacebook(Self.unlinked, stored: Self.stored(.facebook))
        _ = try UnlinkFacebook(fixture.client).run(force: true)
        #expect(
            fixture.steps == [
                "store: prepare", "backend: unlinkFacebook \(Exchange.adaToken)", "store: update \(Exchange.adaToken)",
            ])
    }

    // MARK: - Withdrawing

    private static func owner(_ id: String) -> FakeFacebook.Step { .profile(.success(FacebookProfile(id: id))) }

    @Test func `withdraws the permissions after the link is gone`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.status(), Self.unlinked,
            facebook: [Self.owner("1003"), .appID(.success("1000")), .withdraw(.success(()))],
            known: FacebookIdentificationTests.app, stored: Self.stored(.password))
        #expect(try UnlinkFacebook(fixture.client).run(force: false, withdrawing: Self.token).isWithdrawn)
        #expect(
            fixture.steps == [
                "store: prepare", "backend: facebookStatus \(Exchange.adaToken)", "facebook: profile of EAAB",
                "facebook: app of EAAB", "backend: unlinkFacebook \(Exchange.adaToken)",
                "store: update \(Exchange.adaToken)", "facebook: withdraw by EAAB",
            ])
    }

    private static func refused(_ subcode: Int64?) -> AuthError {
        AuthError(
            .tokenRefused, "Facebook refuses the token",
            server: ServerDetail(status: 400, code: .integer(190), subcode: subcode))
    }

    @Test func `counts what was withdrawn before as withdrawn`() throws {
        for (facebook, known) in [
            ([FakeFacebook.Step.profile(.failure(Self.refused(458)))], [:]),
            ([Self.owner("1003"), .appID(.failure(Self.refused(458)))], FacebookIdentificationTests.app),
        ] {
            let fixture = ClientFixture.withFacebook(
                Self.status(), Self.unlinked, facebook: facebook, known: known, stored: Self.stored(.password))
            let result = try UnlinkFacebook(fixture.client).run(force: false, withdrawing: Self.token)
            #expect(result.isWithdrawn && result.wasWithdrawn)
            #expect(result.change.hasChanged)
            #expect(!fixture.steps.contains { $0.hasPrefix("facebook: withdraw") })
        }
    }

    @Test(arguments: [nil as Int64?, 460, 463])
    func `leaves the link where the token is refused otherwise`(subcode: Int64?) throws {
        let fixture = ClientFixture.withFacebook(
            Self.status(), facebook: [.profile(.failure(Self.refused(subcode)))], stored: Self.stored(.password))
        let error = try failure { _ = try UnlinkFacebook(fixture.client).run(force: false, withdrawing: Self.token) }
        #expect(error == Self.refused(subcode).explaining("cannot unlink the Facebook identity"))
    }

    @Test(arguments: ["1003", "7"])
    func `withdraws the permissions of any user who is linked`(id: String) throws {
        let fixture = ClientFixture.withFacebook(
            Self.status(.linked(ids: ["1003", "7"])), Self.unlinked,
            facebook: [Self.owner(id), .withdraw(.success(()))], stored: Self.stored(.password))
        #expect(try UnlinkFacebook(fixture.client).run(force: false, withdrawing: Self.token).isWithdrawn)
    }

    @Test func `names all who are linked where the token is of nobody among them`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.status(.linked(ids: ["1003", "7"])), facebook: [Self.owner("8")], stored: Self.stored(.password))
        let error = try failure { _ = try UnlinkFacebook(fixture.client).run(force: false, withdrawing: Self.token) }
        #expect(
            error.message
                == "cannot unlink the Facebook identity: the token is of Facebook user '8', and linked is '1003', '7'")
    }

    @Test func `unlinks nobody else who logs in while Facebook is asked`() throws {
        let eve = StoredSession.sample(session: .new, user: User(id: "eve", username: "eve"), method: .password)
        let fixture = ClientFixture.withFacebook(
            Self.status(), .currentUser(.success(eve.user)), facebook: [Self.owner("1003")],
            stored: Self.stored(.password))
        fixture.journal.during("facebook: profile of EAAB") { [store = fixture.store] in store.put(eve) }
        let error = try failure { _ = try UnlinkFacebook(fixture.client).run(force: false, withdrawing: Self.token) }
        #expect(error.reason == .cancelled)
        #expect(fixture.store.current == eve)
    }

    @Test(arguments: [true, false])
    func `withdraws nobody else's permissions, and leaves the link then`(force: Bool) throws {
        let fixture = ClientFixture.withFacebook(
            Self.status(), facebook: [Self.owner("7")], stored: Self.stored(.password))
        let error = try failure { _ = try UnlinkFacebook(fixture.client).run(force: force, withdrawing: Self.token) }
        #expect(error.reason == .tokenRefused)
        #expect(
            error.message
                == "cannot unlink the Facebook identity: the token is of Facebook user '7', and linked is '1003'")
        #expect(error.hints == ["log in to Facebook as the user who is linked"])
    }

    @Test func `withdraws nothing with an ID token`() throws {
        let claims = FacebookClaims(appIDs: [], profile: FacebookProfile(id: "1003"))
        let fixture = ClientFixture.withFacebook(
            Self.status(), facebook: [.claims(.success(claims))], stored: Self.stored(.password))
        let credential = FacebookCredential(.given(.idToken(Secret("a.b.c"))))
        let error = try failure { _ = try UnlinkFacebook(fixture.client).run(force: true, withdrawing: credential) }
        #expect(error.outcome.exitCode == 2)
        #expect(error.message == "permissions are withdrawn with an access token, not with an ID token")
    }

    @Test(arguments: [
        (
            AuthError.Reason.connect,
            "the identity is unlinked, but the app's permissions at Facebook were not withdrawn: no route"
        ),
        (
            .outcomeUnknown,
            "the identity is unlinked; whether the app's permissions at Facebook were withdrawn is not known: no route"
        ),
    ])
    func `says what is true now when the permissions could not be withdrawn`(
        reason: AuthError.Reason, message: String
    ) throws {
        let fixture = ClientFixture.withFacebook(
            Self.status(), Self.unlinked,
            facebook: [Self.owner("1003"), .withdraw(.failure(AuthError(reason, "no route")))],
            stored: Self.stored(.password))
        let error = try failure { _ = try UnlinkFacebook(fixture.client).run(force: false, withdrawing: Self.token) }
        #expect(error.reason == reason)
        #expect(error.message == message)
        #expect(fixture.store.current == .sample(method: .password))
    }
}
