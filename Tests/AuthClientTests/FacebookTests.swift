import AuthClient
import AuthModel
import CommandTestSupport
import Testing

@Suite struct FacebookTests {
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
        #expect(try fixture.client.facebookLink() == .linked(id: "1003"))
        #expect(fixture.store.current == .sample(user: Self.linkedUser))
        #expect(fixture.steps == ["backend: facebookStatus \(Self.token)", "store: update \(Self.token)"])
    }

    @Test func `says that the session is dead if the server says so`() throws {
        let fixture = ClientFixture(.facebookStatus(.failure(.dead)), stored: .ada)
        let error = try failure { _ = try fixture.client.facebookLink() }
        #expect(error.reason == .sessionRevoked)
        #expect(error.message == "cannot tell whether a Facebook identity is linked: the session is dead")
        #expect(error.hint == "log in again: authctl login")
    }

    // MARK: - Linking

    @Test func `links an identity, and keeps that of the user`() throws {
        let change = Self.change(from: .none, to: .linked(id: "1003"))
        let fixture = ClientFixture.withFacebook(.linkFacebook(.success(change)), stored: .ada)
        #expect(try fixture.client.linkFacebook(Self.identity, fills: false) == FacebookResult(change: change))
        #expect(fixture.store.current == .sample(user: Self.linkedUser))
        #expect(
            fixture.steps == [
                "store: prepare", "store: prepare", "backend: linkFacebook 1003 EAAB \(Self.token)",
                "store: update \(Self.token)",
            ])
    }

    @Test func `notes which identity was replaced`() throws {
        let change = Self.change(from: .linked(id: "7"), to: .linked(id: "1003"))
        let fixture = ClientFixture.withFacebook(.linkFacebook(.success(change)), stored: .ada)
        _ = try fixture.client.linkFacebook(Self.identity, fills: false)
        #expect(
            fixture.steps.last
                == "note: the account was linked with Facebook identity '7' before; that link is gone")
    }

    @Test(arguments: [FacebookLink.none, .linked(id: nil), .linked(id: "1003")])
    func `notes nothing where none was replaced`(before: FacebookLink) throws {
        let change = Self.change(from: before, to: .linked(id: "1003"))
        let fixture = ClientFixture.withFacebook(
            .linkFacebook(.success(change)), stored: .sample(user: Self.linkedUser))
        _ = try fixture.client.linkFacebook(Self.identity, fills: false)
        #expect(fixture.steps == ["store: prepare", "store: prepare", "backend: linkFacebook 1003 EAAB \(Self.token)"])
    }

    @Test func `stores the session that a link brings before anything else`() throws {
        let change = Self.change(from: .none, to: .linked(id: "1003"))
        let fixture = ClientFixture.withFacebook(.linkFacebook(.success(change), replacement: .new), stored: .ada)
        _ = try fixture.client.linkFacebook(Self.identity, fills: false)
        #expect(fixture.store.current == .sample(session: .new, user: Self.linkedUser))
    }

    @Test func `works with a session from the environment, and leaves the stored one alone`() throws {
        let change = Self.change(from: .none, to: .linked(id: "1003"))
        let fixture = ClientFixture.withFacebook(.linkFacebook(.success(change)), stored: .ada, environmentToken: "env")
        _ = try fixture.client.linkFacebook(Self.identity, fills: false)
        #expect(fixture.store.current == .ada)
        #expect(fixture.steps == ["backend: linkFacebook 1003 EAAB env"])
    }

    @Test(arguments: [
        ("1003" as String?, " --facebook-id 1003"), (nil, ""), ("1 3", " --facebook-id '1 3'"),
    ])
    func `hints at a log-in with an identity that is another account's`(id: String?, words: String) throws {
        let taken = AuthError(.identityTaken, "that Facebook identity belongs to another account")
        let fixture = ClientFixture.withFacebook(
            .linkFacebook(.failure(taken)), stored: .sample(profile: "ci"),
            profile: Setting("ci", from: .option("--profile")))
        let error = try failure {
            _ = try fixture.client.linkFacebook(
                FacebookCredential(.given(.accessToken(Secret("EAAB"))), id: id), fills: false)
        }
        #expect(error.outcome.exitCode == 6)
        #expect(
            error.message
                == "cannot link the Facebook identity: that Facebook identity belongs to another account")
        #expect(
            error.hint
                == "is it yours? log in with it: authctl login -p ci --facebook --token-file FILE\(words)")
    }

    // MARK: - Unlinking

    @Test func `unlinks, and keeps that of the user`() throws {
        let change = Self.change(from: .linked(id: "1003"), to: .none)
        let fixture = ClientFixture.withFacebook(
            .unlinkFacebook(.success(change)), stored: .sample(user: Self.linkedUser))
        #expect(try fixture.client.unlinkFacebook(force: true) == FacebookResult(change: change))
        #expect(fixture.store.current == .ada)
    }

    @Test func `says that it could not unlink`() throws {
        let fixture = ClientFixture.withFacebook(.unlinkFacebook(.failure(.fault)), stored: .ada)
        let error = try failure { _ = try fixture.client.unlinkFacebook(force: true) }
        #expect(error.message == "cannot unlink the Facebook identity: the server failed")
    }

    // MARK: - Logging in

    @Test(arguments: [true, false])
    func `logs in with an identity and keeps the session`(isNew: Bool) throws {
        let logIn = LogIn(user: Self.linkedUser, session: .new, createdAccount: isNew)
        let fixture = ClientFixture.withFacebook(.logInFacebook(.success(logIn)))
        let result = try fixture.client.logIn(facebook: Self.identity, fills: false)
        #expect(result.createdAccount == isNew)
        #expect(fixture.store.current == .sample(session: .new, user: Self.linkedUser, way: .facebook))
        #expect(
            fixture.steps == [
                "store: prepare", "store: prepare", "backend: logIn by Facebook 1003 EAAB", "store: save new",
            ])
    }

    @Test func `keeps the old session when the token is refused`() throws {
        let refusal = AuthError(.tokenRefused, "the server does not accept the Facebook token")
        let fixture = ClientFixture.withFacebook(.logInFacebook(.failure(refusal)), stored: .ada)
        let error = try failure { _ = try fixture.client.logIn(facebook: Self.identity, fills: false) }
        #expect(error.outcome.exitCode == 4)
        #expect(error.message == "cannot log in with Facebook: the server does not accept the Facebook token")
        #expect(fixture.store.current == .ada)
    }

    @Test func `ends a session that it could not keep`() throws {
        let fixture = ClientFixture.withFacebook(
            .logInFacebook(.success(LogIn(user: Self.linkedUser, session: .new))), .logOut(.success(.yes)))
        fixture.store.fail(.save, with: .noSpace)
        let error = try failure { _ = try fixture.client.logIn(facebook: Self.identity, fills: false) }
        #expect(error.reason == .noSpace)
        #expect(fixture.steps.last == "backend: logOut new")
    }

    // MARK: - Without

    @Test func `needs a session for anything but a log-in`() throws {
        #expect(try failure { _ = try ClientFixture().client.facebookLink() }.reason == .noSession)
        #expect(
            try failure { _ = try ClientFixture().client.linkFacebook(Self.identity, fills: false) }.reason
                == .noSession)
        #expect(try failure { _ = try ClientFixture().client.unlinkFacebook(force: true) }.reason == .noSession)
    }

    @Test func `asks nothing of a backend that knows no Facebook`() throws {
        let client = ClientFixture(stored: .ada, isPlain: true).client
        for error in [
            try failure { _ = try client.facebookLink() },
            try failure { _ = try client.linkFacebook(Self.identity, fills: false) },
            try failure { _ = try client.unlinkFacebook(force: true) },
            try failure { _ = try client.logIn(facebook: Self.identity, fills: false) },
        ] {
            #expect(error.reason == .unsupported)
        }
    }
}
