import AuthModel
import CommandTestSupport
import Testing

@testable import AuthClient

@Suite struct LinkFacebookTests {
    static let identity = FacebookSource(.given(.accessToken(Secret("EAAB"))), id: "1003")
    static let token = Exchange.adaToken
    static let linkedUser = User(
        id: "g7y9tkhB7O", username: "ada", email: "ada@example.org", createdAt: .sampleStart,
        identities: [Identity(provider: "facebook", id: "1003")])

    static func change(from before: IdentityLink, to link: IdentityLink) -> IdentityChange {
        IdentityChange(
            before: before, status: IdentityStatus(user: link == .none ? .ada : linkedUser, link: link))
    }

    // MARK: - Status

    @Test func `a status request for a Facebook link returns the linked identity and saves the user`() throws {
        let status = IdentityStatus(user: Self.linkedUser, link: .linked(id: "1003"))
        let fixture = ClientFixture(.identities(.success(status)), stored: .ada)
        #expect(try Link(fixture.client).status().link(to: .facebook) == .linked(id: "1003"))
        #expect(fixture.store.current == .sample(user: Self.linkedUser))
        #expect(fixture.steps == ["backend: identities \(Self.token)", "store: update \(Self.token)"])
    }

    // MARK: - Linking

    @Test func `a Facebook link saves the user with the linked identity`() throws {
        let change = Self.change(from: .none, to: .linked(id: "1003"))
        let fixture = ClientFixture.withFacebook(.link(.success(change)), stored: .ada)
        #expect(try Link(fixture.client).run(Self.identity, fills: false) == LinkResult(change: change, filled: nil))
        #expect(fixture.store.current == .sample(user: Self.linkedUser))
        #expect(
            fixture.steps == [
                "store: prepare", "backend: link facebook 1003 EAAB \(Self.token)", "store: update \(Self.token)",
            ])
    }

    @Test(arguments: [
        (IdentityLink.none, ["1003"], false), (.linked(id: nil), ["1003"], false),
        (.linked(id: "1003"), ["1003"], false),
        (.linked(id: "7"), ["1003", "7"], false), (.linked(ids: ["7", "1003"]), ["1003", "7"], false),
        (.linked(id: "7"), ["1003"], true),
    ])
    func `only a Facebook link that replaces another identity prints a note`(
        before: IdentityLink, ids: [String], isNoted: Bool
    ) throws {
        let change = Self.change(from: before, to: .linked(ids: ids))
        let fixture = ClientFixture.withFacebook(
            .link(.success(change)), stored: .sample(user: Self.linkedUser))
        _ = try Link(fixture.client).run(Self.identity, fills: false)
        #expect(fixture.steps.contains("note") == isNoted)
    }

    @Test func `a Facebook link that cannot save its new session reports that linking succeeded`() throws {
        let change = Self.change(from: .none, to: .linked(id: "1003"))
        let fixture = ClientFixture.withFacebook(.link(.success(change), replacement: .new), stored: .ada)
        fixture.store.fail(.update, with: .noSpace)
        let error = try failure { _ = try Link(fixture.client).run(Self.identity, fills: false) }
        error.expectMessage(in: "use-cases/link-facebook")
    }

    @Test(arguments: [
        (nil, "no id"), ("1 3", "a given id with a space"),
    ])
    func `linking a Facebook identity that belongs to another account suggests a login with that identity`(
        id: String?, situation: String
    ) throws {
        let taken = AuthError(.identityTaken, "the identity belongs to another account")
        let fixture = ClientFixture.withFacebook(
            .link(.failure(taken)), stored: .sample(profile: "ci"),
            profile: Setting("ci", from: .option("--profile")))
        try failure {
            try Link(fixture.client).run(
                FacebookSource(.given(.accessToken(Secret("EAAB"))), id: id), fills: false)
        }.expectMessage(in: "use-cases/link-facebook", situation)
    }

    // MARK: - Concurrent login

    private static let eve = StoredSession.sample(session: .new, user: User(id: "eve", username: "eve"))

    @Test(arguments: [true, false])
    func `no Facebook identity is linked if another user logs in during the requests to Facebook`(fills: Bool) throws {
        let (asked, told): (Step, Step) = (
            .appID(.success("1000")), .profile(.success(FacebookIdentificationTests.ada))
        )
        let fixture = ClientFixture.withFacebook(
            .currentUser(.success(Self.eve.user)),
            facebook: fills ? [told, asked] : [asked, told],
            known: FacebookIdentificationTests.app, stored: .ada)
        fixture.journal.during("facebook: app of EAAB") { [store = fixture.store] in store.put(Self.eve) }
        let error = try failure { _ = try Link(fixture.client).run(Self.identity, fills: fills) }
        #expect(error.reason == .cancelled)
        if fills { error.expectMessage(in: "use-cases/link-facebook") }
        #expect(fixture.steps.filter { $0.hasPrefix("backend") } == ["backend: currentUser new"])
        #expect(fixture.store.current == Self.eve)
    }

    @Test func `a Facebook identity is linked if the same user logs in again during the requests to Facebook`() throws {
        let fixture = ClientFixture.withFacebook(
            .currentUser(.success(.ada)), FacebookIdentificationTests.linked,
            facebook: [.appID(.success("1000")), .profile(.success(FacebookIdentificationTests.ada))],
            known: FacebookIdentificationTests.app, stored: .ada)
        fixture.journal.during("facebook: app of EAAB") { [store = fixture.store] in
            store.put(.sample(session: .new))
        }
        _ = try Link(fixture.client).run(Self.identity, fills: false)
        #expect(fixture.steps.contains("backend: link facebook 1003 EAAB new"))
        #expect(fixture.store.current == .sample(session: .new, user: Self.linkedUser))
    }

    @Test func `a Facebook link fills fields of the linked account even if another user logs in meanwhile`() throws {
        let full = User(
            id: "g7y9tkhB7O", username: "ada", email: "ada@example.org", createdAt: .sampleStart,
            identities: [Identity(provider: "facebook", id: "1003")], fields: ["name": "Ada L"])
        let fixture = ClientFixture.withFacebook(
            FacebookIdentificationTests.linked, .currentUser(.success(Self.linkedUser)), .update(.success(full)),
            facebook: [.profile(.success(FacebookIdentificationTests.ada))], stored: .ada)
        fixture.journal.during("backend: link facebook 1003 EAAB \(Self.token)") { [store = fixture.store] in
            store.put(Self.eve)
        }
        #expect(try Link(fixture.client).run(Self.identity, fills: true).filled == ["name"])
        #expect(
            fixture.steps.filter { $0.hasPrefix("backend") } == [
                "backend: link facebook 1003 EAAB \(Self.token)", "backend: currentUser \(Self.token)",
                #"backend: update {"name":"Ada L"} \#(Self.token)"#,
            ])
        #expect(fixture.store.current == Self.eve)
    }

    // MARK: - Logging in

    @Test(arguments: [true, false])
    func `a Facebook login saves the session`(isNew: Bool) throws {
        let logIn = NewSession(user: Self.linkedUser, session: .new, createdAccount: isNew)
        let fixture = ClientFixture.withFacebook(.logInIdentity(.success(logIn)))
        let result = try LogInWithIdentity(fixture.client).run(Self.identity, fills: false)
        #expect(result.createdAccount == isNew)
        #expect(fixture.store.current == .sample(session: .new, user: Self.linkedUser, method: .identity(.facebook)))
        #expect(
            fixture.steps == [
                "store: prepare", "store: prepare", "backend: logIn by facebook 1003 EAAB", "store: save new",
            ])
    }

    @Test func `a login for which Facebook returns no e-mail suggests signing up, then linking Facebook`() throws {
        let rejection = AuthError(.invalidFields, "Facebook returned no e-mail address, and the site requires one")
        let fixture = ClientFixture.withFacebook(.logInIdentity(.failure(rejection)))
        let error = try failure { _ = try LogInWithIdentity(fixture.client).run(Self.identity, fills: false) }
        error.expectMessage(in: "use-cases/link-facebook")
    }

    @Test func `a Facebook login revokes a session that it cannot save`() throws {
        let fixture = ClientFixture.withFacebook(
            .logInIdentity(.success(NewSession(user: Self.linkedUser, session: .new))), .logOut(.success(.yes)))
        fixture.store.fail(.save, with: .noSpace)
        let error = try failure { _ = try LogInWithIdentity(fixture.client).run(Self.identity, fills: false) }
        #expect(error.reason == .noSpace)
        #expect(fixture.steps.last == "backend: logOut new")
    }
}
