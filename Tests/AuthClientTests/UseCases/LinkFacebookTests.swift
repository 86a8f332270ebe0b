import AuthClient
import AuthModel
import CommandTestSupport
import Testing

@Suite struct LinkFacebookTests {
    static let identity = FacebookCredential(.given(.accessToken(Secret("EAAB"))), id: "1003")
    static let token = Exchange.adaToken
    static let linkedUser = User(
        id: "g7y9tkhB7O", username: "ada", email: "ada@example.org", createdAt: .sampleStart, providers: ["facebook"])

    static func change(from before: FacebookLink, to link: FacebookLink) -> FacebookChange {
        FacebookChange(
            before: before, status: FacebookStatus(user: link == .none ? .ada : linkedUser, link: link))
    }

    // MARK: - Status

    @Test func `tells what is linked, and keeps what it learned of the user`() throws {
        let status = FacebookStatus(user: Self.linkedUser, link: .linked(id: "1003"))
        let fixture = ClientFixture(.facebookStatus(.success(status)), stored: .ada)
        #expect(try LinkFacebook(fixture.client).status() == .linked(id: "1003"))
        #expect(fixture.store.current == .sample(user: Self.linkedUser))
        #expect(fixture.steps == ["backend: facebookStatus \(Self.token)", "store: update \(Self.token)"])
    }

    @Test func `says that the session is dead if the server says so`() throws {
        let fixture = ClientFixture(.facebookStatus(.failure(.dead)), stored: .ada)
        let error = try failure { _ = try LinkFacebook(fixture.client).status() }
        #expect(error.reason == .sessionRevoked)
        #expect(error.message == "cannot tell whether a Facebook identity is linked: the session is dead")
        #expect(error.hints == ["log in again: authctl login"])
    }

    // MARK: - Linking

    @Test func `links an identity, and keeps that of the user`() throws {
        let change = Self.change(from: .none, to: .linked(id: "1003"))
        let fixture = ClientFixture.withFacebook(.linkFacebook(.success(change)), stored: .ada)
        #expect(try LinkFacebook(fixture.client).run(Self.identity, fills: false) == FacebookResult(change: change))
        #expect(fixture.store.current == .sample(user: Self.linkedUser))
        #expect(
            fixture.steps == [
                "store: prepare", "backend: linkFacebook 1003 EAAB \(Self.token)", "store: update \(Self.token)",
            ])
    }

    @Test func `notes which identity was replaced`() throws {
        let change = Self.change(from: .linked(id: "7"), to: .linked(id: "1003"))
        let fixture = ClientFixture.withFacebook(.linkFacebook(.success(change)), stored: .ada)
        _ = try LinkFacebook(fixture.client).run(Self.identity, fills: false)
        #expect(
            fixture.steps.last
                == "note: the account was linked with Facebook identity '7' before; that link is gone")
    }

    @Test(arguments: [
        (FacebookLink.none, ["1003"]), (.linked(id: nil), ["1003"]), (.linked(id: "1003"), ["1003"]),
        (.linked(id: "7"), ["1003", "7"]), (.linked(ids: ["7", "1003"]), ["1003", "7"]),
    ])
    func `notes nothing where none was replaced`(before: FacebookLink, ids: [String]) throws {
        let change = Self.change(from: before, to: .linked(ids: ids))
        let fixture = ClientFixture.withFacebook(
            .linkFacebook(.success(change)), stored: .sample(user: Self.linkedUser))
        _ = try LinkFacebook(fixture.client).run(Self.identity, fills: false)
        #expect(fixture.steps == ["store: prepare", "backend: linkFacebook 1003 EAAB \(Self.token)"])
    }

    @Test func `stores the session that a link brings before anything else`() throws {
        let change = Self.change(from: .none, to: .linked(id: "1003"))
        let fixture = ClientFixture.withFacebook(.linkFacebook(.success(change), replacement: .new), stored: .ada)
        _ = try LinkFacebook(fixture.client).run(Self.identity, fills: false)
        #expect(fixture.store.current == .sample(session: .new, user: Self.linkedUser))
    }

    @Test func `says that the link is made where the session that it brings cannot be kept`() throws {
        let change = Self.change(from: .none, to: .linked(id: "1003"))
        let fixture = ClientFixture.withFacebook(.linkFacebook(.success(change), replacement: .new), stored: .ada)
        fixture.store.fail(.update, with: .noSpace)
        let error = try failure { _ = try LinkFacebook(fixture.client).run(Self.identity, fills: false) }
        #expect(error.message == "linking succeeded, but the new session could not be kept: no room in the folder")
        #expect(error.hints == ["once that is fixed, log in again: authctl login"])
    }

    @Test func `works with a session from the environment, and leaves the stored one alone`() throws {
        let change = Self.change(from: .none, to: .linked(id: "1003"))
        let fixture = ClientFixture.withFacebook(.linkFacebook(.success(change)), stored: .ada, environmentToken: "env")
        _ = try LinkFacebook(fixture.client).run(Self.identity, fills: false)
        #expect(fixture.store.current == .ada)
        #expect(fixture.steps == ["backend: linkFacebook 1003 EAAB env"])
    }

    @Test(arguments: [
        ("1003" as String?, " --facebook-id 1003"), (nil, ""), ("1 3", " --facebook-id 1 3"),
    ])
    func `hints at a log-in with an identity that is another account's`(id: String?, words: String) throws {
        let taken = AuthError(.identityTaken, "that Facebook identity belongs to another account")
        let fixture = ClientFixture.withFacebook(
            .linkFacebook(.failure(taken)), stored: .sample(profile: "ci"),
            profile: Setting("ci", from: .option("--profile")))
        let error = try failure {
            _ = try LinkFacebook(fixture.client).run(
                FacebookCredential(.given(.accessToken(Secret("EAAB"))), id: id), fills: false)
        }
        #expect(error.outcome.exitCode == 6)
        #expect(
            error.message
                == "cannot link the Facebook identity: that Facebook identity belongs to another account")
        #expect(
            error.hints
                == ["is it yours? log in with it: authctl login --facebook --token-file FILE\(words)"])
    }

    // MARK: - Another account meanwhile

    private static let eve = StoredSession.sample(session: .new, user: User(id: "eve", username: "eve"))

    @Test(arguments: [true, false])
    func `links nobody else who logs in while Facebook is asked`(fills: Bool) throws {
        let (asked, told): (FakeFacebook.Step, FakeFacebook.Step) = (
            .appID(.success("1000")), .profile(.success(FacebookIdentificationTests.ada))
        )
        let fixture = ClientFixture.withFacebook(
            .currentUser(.success(Self.eve.user)),
            facebook: fills ? [told, asked] : [asked, told],
            known: FacebookIdentificationTests.app, stored: .ada)
        fixture.journal.during("facebook: app of EAAB") { [store = fixture.store] in store.put(Self.eve) }
        let error = try failure { _ = try LinkFacebook(fixture.client).run(Self.identity, fills: fills) }
        #expect(error.reason == .cancelled)
        #expect(
            error.message == "cannot link the Facebook identity: somebody logged in to another account meanwhile")
        #expect(error.hints == ["run the command again if that is the account you mean"])
        #expect(fixture.steps.filter { $0.hasPrefix("backend") } == ["backend: currentUser new"])
        #expect(fixture.store.current == Self.eve)
    }

    @Test func `goes on where the same account is logged in to anew while Facebook is asked`() throws {
        let fixture = ClientFixture.withFacebook(
            .currentUser(.success(.ada)), FacebookIdentificationTests.linked,
            facebook: [.appID(.success("1000")), .profile(.success(FacebookIdentificationTests.ada))],
            known: FacebookIdentificationTests.app, stored: .ada)
        fixture.journal.during("facebook: app of EAAB") { [store = fixture.store] in
            store.put(.sample(session: .new))
        }
        _ = try LinkFacebook(fixture.client).run(Self.identity, fills: false)
        #expect(fixture.steps.contains("backend: linkFacebook 1003 EAAB new"))
        #expect(fixture.store.current == .sample(session: .new, user: Self.linkedUser))
    }

    @Test func `fills the account that it linked, whoever logs in meanwhile`() throws {
        let full = User(
            id: "g7y9tkhB7O", username: "ada", email: "ada@example.org", createdAt: .sampleStart,
            providers: ["facebook"], fields: ["name": "Ada L"])
        let fixture = ClientFixture.withFacebook(
            FacebookIdentificationTests.linked, .currentUser(.success(Self.linkedUser)), .fill(.success(full)),
            facebook: [.profile(.success(FacebookIdentificationTests.ada))], stored: .ada)
        fixture.journal.during("backend: linkFacebook 1003 EAAB \(Self.token)") { [store = fixture.store] in
            store.put(Self.eve)
        }
        #expect(try LinkFacebook(fixture.client).run(Self.identity, fills: true).filled == ["name"])
        #expect(
            fixture.steps.filter { $0.hasPrefix("backend") } == [
                "backend: linkFacebook 1003 EAAB \(Self.token)", "backend: currentUser \(Self.token)",
                #"backend: fill {"name":"Ada L"} \#(Self.token)"#,
            ])
        #expect(fixture.store.current == Self.eve)
    }

    // MARK: - Unlinking

    @Test func `unlinks, and keeps that of the user`() throws {
        let change = Self.change(from: .linked(id: "1003"), to: .none)
        let fixture = ClientFixture.withFacebook(
            .unlinkFacebook(.success(change)), stored: .sample(user: Self.linkedUser))
        #expect(try UnlinkFacebook(fixture.client).run(force: true) == FacebookResult(change: change))
        #expect(fixture.store.current == .ada)
    }

    @Test func `says that it could not unlink`() throws {
        let fixture = ClientFixture.withFacebook(.unlinkFacebook(.failure(.fault)), stored: .ada)
        let error = try failure { _ = try UnlinkFacebook(fixture.client).run(force: true) }
        #expect(error.message == "cannot unlink the Facebook identity: the server failed")
    }

    // MARK: - Logging in

    @Test(arguments: [true, false])
    func `logs in with an identity and keeps the session`(isNew: Bool) throws {
        let logIn = NewSession(user: Self.linkedUser, session: .new, createdAccount: isNew)
        let fixture = ClientFixture.withFacebook(.logInFacebook(.success(logIn)))
        let result = try LogInWithFacebook(fixture.client).run(Self.identity, fills: false)
        #expect(result.createdAccount == isNew)
        #expect(fixture.store.current == .sample(session: .new, user: Self.linkedUser, method: .facebook))
        #expect(
            fixture.steps == [
                "store: prepare", "store: prepare", "backend: logIn by Facebook 1003 EAAB", "store: save new",
            ])
    }

    @Test func `keeps the old session when the token is refused`() throws {
        let refusal = AuthError(.tokenRefused, "the server does not accept the Facebook token")
        let fixture = ClientFixture.withFacebook(.logInFacebook(.failure(refusal)), stored: .ada)
        let error = try failure { _ = try LogInWithFacebook(fixture.client).run(Self.identity, fills: false) }
        #expect(error.outcome.exitCode == 4)
        #expect(error.message == "cannot log in with Facebook: the server does not accept the Facebook token")
        #expect(fixture.store.current == .ada)
    }

    @Test func `says how to get an account where Facebook tells no address`() throws {
        let refusal = AuthError(.invalidFields, "Facebook tells no address, and the site wants one")
        let fixture = ClientFixture.withFacebook(.logInFacebook(.failure(refusal)))
        let error = try failure { _ = try LogInWithFacebook(fixture.client).run(Self.identity, fills: false) }
        #expect(
            error.hints == [
                "make an account with an address, then link it: authctl link-facebook --token-file FILE "
                    + "--facebook-id 1003"
            ])
    }

    @Test func `ends a session that it could not keep`() throws {
        let fixture = ClientFixture.withFacebook(
            .logInFacebook(.success(NewSession(user: Self.linkedUser, session: .new))), .logOut(.success(.yes)))
        fixture.store.fail(.save, with: .noSpace)
        let error = try failure { _ = try LogInWithFacebook(fixture.client).run(Self.identity, fills: false) }
        #expect(error.reason == .noSpace)
        #expect(fixture.steps.last == "backend: logOut new")
    }

    // MARK: - Without

    @Test func `needs a session for anything but a log-in`() throws {
        #expect(try failure { _ = try LinkFacebook(ClientFixture().client).status() }.reason == .noSession)
        #expect(
            try failure { _ = try LinkFacebook(ClientFixture().client).run(Self.identity, fills: false) }.reason
                == .noSession)
        #expect(try failure { _ = try UnlinkFacebook(ClientFixture().client).run(force: true) }.reason == .noSession)
    }

    @Test func `asks nothing of a backend that knows no Facebook`() throws {
        let client = ClientFixture(stored: .ada, isPlain: true).client
        for error in [
            try failure { _ = try LinkFacebook(client).status() },
            try failure { _ = try LinkFacebook(client).run(Self.identity, fills: false) },
            try failure { _ = try UnlinkFacebook(client).run(force: true) },
            try failure { _ = try LogInWithFacebook(client).run(Self.identity, fills: false) },
        ] {
            #expect(error.reason == .unsupported)
        }
    }
}
