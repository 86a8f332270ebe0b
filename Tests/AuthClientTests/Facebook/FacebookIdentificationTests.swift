import AuthClient
import CommandTestSupport

/// The client checks the app and the user of a Facebook token before it sends the token to the server.
@Suite struct FacebookIdentificationTests {
    static let token = IdentityProof.accessToken(Secret("EAAB"))
    static let idToken = IdentityProof.idToken(
        Secret(#"{"sub":"1003","aud":["5","1000"],"name":"Ada L"}"#))
    static let app = ["facebookAppId": "1000"]
    static let appAndToken = ["facebookAppId": "1000", "facebookClientToken": "abc"]
    static let ada = IdentityProfile(id: "1003", name: "Ada L")
    static let noRoute = AuthError(.connect, "no route")
    static let sample = IdentityContract.all[0]
    static let linkedUser = sample.linked("1003")
    static let loggedIn = Step.logInIdentity(.success(.session(NewSession(user: linkedUser, session: .new))))
    static let linked = Step.link(.success(sample.change(from: .none, to: .linked(id: "1003"))))

    private static func given(_ proof: IdentityProof, id: String? = nil) -> FacebookSource {
        FacebookSource(.given(proof), id: id)
    }

    /// The recorded steps, without the steps of the session store.
    private static func asked(_ fixture: ClientFixture) -> [String] {
        fixture.steps.filter { !$0.hasPrefix("store: ") }
    }

    // MARK: - Which app

    @Test func `a token of a different Facebook app is rejected before any request to the server`() throws {
        for isLogIn in [true, false] {
            let fixture = ClientFixture.withFacebook(
                facebook: [.appID(.success("2000"))], known: Self.app, stored: .ada)
            let credential = Self.given(Self.token, id: "1003")
            try failure {
                if isLogIn {
                    _ = try LogInWithIdentity(fixture.client).run(credential)
                } else {
                    _ = try Link(fixture.client).run(credential)
                }
            }.expectMessage(in: "use-cases/facebook-login", isLogIn ? "login" : "link")
            expect(Self.asked(fixture), ["facebook: app of EAAB"])
        }
    }

    @Test func `a token that Facebook rejects is not sent to the server`() throws {
        let rejection = AuthError(.tokenRefused, "Facebook rejected the token")
        let fixture = ClientFixture.withFacebook(facebook: [.appID(.failure(rejection))], known: Self.app)
        let error = try failure {
            _ = try LogInWithIdentity(fixture.client).run(Self.given(Self.token, id: "1003"))
        }
        expect(error.reason, .tokenRefused)
        expect(Self.asked(fixture), ["facebook: app of EAAB"])
    }

    @Test func `a Facebook login warns if it cannot find out the token's app, and continues`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.loggedIn, facebook: [.appID(.failure(Self.noRoute))], known: Self.app)
        _ = try LogInWithIdentity(fixture.client).run(Self.given(Self.token, id: "1003"))
        expect(Self.asked(fixture), ["facebook: app of EAAB", "warning", "backend: logIn by facebook 1003 EAAB"])
        fixture.expectNotices(in: "use-cases/facebook-login")
    }

    @Test func `a Facebook login does not look up the token's app if no app id is set`() throws {
        let fixture = ClientFixture.withFacebook(Self.loggedIn)
        _ = try LogInWithIdentity(fixture.client).run(Self.given(Self.token))
        expect(Self.asked(fixture), ["backend: logIn by facebook EAAB"])
    }

    @Test func `a Facebook login to local accounts requires the Facebook app id`() throws {
        let fixture = ClientFixture.withFacebook(takesServer: false)
        let error = try failure { _ = try LogInWithIdentity(fixture.client).run(Self.given(Self.token)) }
        error.expectMessage(in: "use-cases/facebook-login")
        expect(Self.asked(fixture), [])
    }

    // MARK: - Which user

    @Test func `a Facebook login requests the user id from Facebook if the server requires it`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.loggedIn, facebook: [.profile(.success(Self.ada)), .appID(.success("1000"))], known: Self.app,
            usesIDs: true)
        _ = try LogInWithIdentity(fixture.client).run(Self.given(Self.token))
        #expect(
            Self.asked(fixture) == [
                "facebook: profile of EAAB", "facebook: app of EAAB", "backend: logIn by facebook 1003 EAAB",
            ])
    }

    @Test func `the hint of a failed Facebook request precedes the hint to use --identity-id`() throws {
        let busy = AuthError(.serverFault, "Facebook failed", next: "try again in some minutes")
        let fixture = ClientFixture.withFacebook(
            facebook: [.profile(.failure(busy))], known: Self.app, usesIDs: true)
        let error = try failure { _ = try LogInWithIdentity(fixture.client).run(Self.given(Self.token)) }
        error.expectMessage(in: "use-cases/facebook-login")
    }

    @Test func `the error about a token that Facebook rejects does not suggest --identity-id`() throws {
        let rejection = AuthError(.tokenRefused, "Facebook rejected the token", next: "get a new one")
        let fixture = ClientFixture.withFacebook(facebook: [.profile(.failure(rejection))], usesIDs: true)
        let error = try failure { _ = try LogInWithIdentity(fixture.client).run(Self.given(Self.token)) }
        expect(error.reason, .tokenRefused)
        expect(error.hints, rejection.hints)
    }

    @Test func `a token of a Facebook user other than --identity-id is rejected`() throws {
        let fixture = ClientFixture.withFacebook(facebook: [.profile(.success(Self.ada))])
        try failure {
            try LogInWithIdentity(fixture.client).run(Self.given(Self.token, id: "7"), fills: true)
        }.expectMessage(in: "use-cases/facebook-login")
    }

    // MARK: - Tokens of Limited Login

    @Test func `the user and the apps of a Facebook ID token are read without a request to Facebook`() throws {
        let fixture = ClientFixture.withFacebook(Self.linked, known: Self.app, usesIDs: true, stored: .ada)
        _ = try Link(fixture.client).run(Self.given(Self.idToken))
        let token = Self.idToken.idToken?.reveal() ?? ""
        expect(Self.asked(fixture), ["backend: link facebook 1003 ID token \(token) \(Exchange.adaToken)"])
    }

    @Test func `an ID token for a different Facebook app is rejected`() throws {
        let fixture = ClientFixture.withFacebook(known: ["facebookAppId": "2000"])
        try failure {
            try LogInWithIdentity(fixture.client).run(Self.given(Self.idToken))
        }.expectMessage(in: "use-cases/facebook-login")
    }

    // MARK: - Another login in the meantime

    private static let eve = StoredSession.sample(session: .new, user: User(id: "eve", username: "eve"))

    @Test(arguments: [true, false])
    func `no Facebook identity is linked if another user logs in during the requests to Facebook`(fills: Bool) throws {
        let (asked, told): (Step, Step) = (
            .appID(.success("1000")), .profile(.success(Self.ada))
        )
        let fixture = ClientFixture.withFacebook(
            .currentUser(.success(Self.eve.user)),
            facebook: fills ? [told, asked] : [asked, told],
            known: Self.app, stored: .ada)
        fixture.journal.during("facebook: app of EAAB") { [store = fixture.store] in store.put(Self.eve) }
        let error = try failure { _ = try Link(fixture.client).run(IdentityContract.facebook, fills: fills) }
        expect(error.reason, .cancelled)
        if fills { error.expectMessage(in: "use-cases/facebook-login") }
        expect(fixture.requests, ["currentUser new"])
        expect(fixture.store.current, Self.eve)
    }

    @Test func `a Facebook identity is linked if the same user logs in again during the requests to Facebook`() throws {
        let fixture = ClientFixture.withFacebook(
            .currentUser(.success(.ada)), Self.linked,
            facebook: [.appID(.success("1000")), .profile(.success(Self.ada))],
            known: Self.app, stored: .ada)
        fixture.journal.during("facebook: app of EAAB") { [store = fixture.store] in
            store.put(.sample(session: .new))
        }
        _ = try Link(fixture.client).run(IdentityContract.facebook)
        #expect(fixture.requests.contains("link facebook 1003 EAAB new"))
        expect(fixture.store.current, .sample(session: .new, user: Self.linkedUser))
    }

    @Test func `a Facebook link fills fields of the linked account even if another user logs in meanwhile`() throws {
        let full = User(
            id: "g7y9tkhB7O", username: "ada", email: "ada@example.org", createdAt: .sampleStart,
            identities: [Identity(provider: "facebook", id: "1003")], fields: ["name": "Ada L"])
        let fixture = ClientFixture.withFacebook(
            Self.linked, .currentUser(.success(Self.linkedUser)), .update(.success(full)),
            facebook: [.profile(.success(Self.ada))], stored: .ada)
        fixture.journal.during("backend: link facebook 1003 EAAB \(Exchange.adaToken)") { [store = fixture.store] in
            store.put(Self.eve)
        }
        try expect(Link(fixture.client).run(IdentityContract.facebook, fills: true).filled, ["name"])
        #expect(
            fixture.requests == [
                "link facebook 1003 EAAB \(Exchange.adaToken)", "currentUser \(Exchange.adaToken)",
                #"update {"name":"Ada L"} \#(Exchange.adaToken)"#,
            ])
        expect(fixture.store.current, Self.eve)
    }
}
