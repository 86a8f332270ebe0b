import CommandTestSupport

@testable import AuthClient

/// What holds for the identities of every provider.
///
/// `Facebook` has the tests of what only Facebook does: the device login, the app and the user of a token, and
/// permissions.
@Suite struct IdentityContract {
    struct Sample: Sendable, CustomTestStringConvertible {
        let source: any IdentitySource
        /// The credential as `FakeBackend` records it.
        let call: String

        var provider: IdentityProvider { source.provider }
        var testDescription: String { provider.name }

        func linked(_ ids: String...) -> User {
            var user = User.ada
            user.identities = ids.map { Identity(provider: provider.name, id: $0) }
            return user
        }

        func change(from before: IdentityLink, to after: IdentityLink) -> IdentityChange {
            IdentityChange(before: before, after: after, user: after == .none ? .ada : linked("1003"))
        }

        /// Compares the error, whose text names no particular provider or proof, with the section of the running test.
        func expect(_ error: AuthError, _ situation: String? = nil) {
            let options = source.options.joined(separator: " ")
            let text = error.snapshot().replacing(
                "--provider \(provider.name) \(options)", with: "--provider NAME PROOF"
            )
            .replacing("link \(provider.name) \(options)", with: "link NAME PROOF")
            .replacing(provider.title, with: "PROVIDER")
            MessageFile("use-cases/identities").expect(text, situation)
        }
    }

    static let facebook = FacebookSource(.given(.accessToken(Secret("EAAB"))), id: "1003")
    static let all =
        [Sample(source: facebook, call: "facebook 1003 EAAB")]
        + [
            given(.google, .idToken(Secret(#"{"sub":"1003"}"#)), #"ID token {"sub":"1003"}"#),
            given(.apple, .idToken(Secret(#"{"sub":"1003"}"#)), #"ID token {"sub":"1003"}"#),
            given(.github, .code(Secret("c0de"), redirectURI: nil), "code c0de"),
            given(IdentityProvider("my-ldap")!, .authData(Secret("{}")), "{}"),
        ]

    private static func given(_ provider: IdentityProvider, _ proof: IdentityProof, _ text: String) -> Sample {
        Sample(
            source: IdentityCredential(provider, id: "1003", proof),
            call: "\(provider.name) 1003 \(text)")
    }

    private static let token = Exchange.adaToken

    // MARK: - Links

    @Test(arguments: all)
    func `a status request returns the linked identity and saves the user`(sample: Sample) throws {
        let fixture = ClientFixture(
            .identities(.success(IdentityStatus(user: sample.linked("1003"), hasPassword: nil))), stored: .ada)
        #expect(try Link(fixture.client).status().link(to: sample.provider) == .linked(id: "1003"))
        #expect(fixture.store.current == .sample(user: sample.linked("1003")))
    }

    @Test(arguments: all)
    func `a link sends the proof once and saves the user with the linked identity`(sample: Sample) throws {
        let change = sample.change(from: .none, to: .linked(id: "1003"))
        let fixture = ClientFixture.withFacebook(.link(.success(change)), stored: .ada)
        let linked = try Link(fixture.client).run(sample.source)
        #expect(linked.change == change && linked.filled == nil)
        #expect(fixture.store.current == .sample(user: sample.linked("1003")))
        #expect(fixture.requests == ["link \(sample.call) \(Self.token)"])
    }

    @Test(
        arguments: all,
        [
            (IdentityLink.none, ["1003"], false), (.linked(id: nil), ["1003"], false),
            (.linked(id: "1003"), ["1003"], false), (.linked(id: "7"), ["1003", "7"], false),
            (.linked(ids: ["7", "1003"]), ["1003", "7"], false), (.linked(id: "7"), ["1003"], true),
        ])
    func `only a link that replaces another identity prints a note`(
        sample: Sample, link: (before: IdentityLink, ids: [String], isNoted: Bool)
    ) throws {
        let change = sample.change(from: link.before, to: .linked(ids: link.ids))
        let fixture = ClientFixture.withFacebook(.link(.success(change)), stored: .sample(user: sample.linked("1003")))
        _ = try Link(fixture.client).run(sample.source)
        #expect(
            fixture.notices == (link.isNoted ? "note: replaced the link to \(sample.provider.title) identity '7'" : ""))
    }

    @Test(arguments: all)
    func `a link that cannot save its new session reports that linking succeeded`(sample: Sample) throws {
        let change = sample.change(from: .none, to: .linked(id: "1003"))
        let fixture = ClientFixture.withFacebook(.link(.success(change), replacement: .new), stored: .ada)
        fixture.store.fail(.update, with: .noSpace)
        sample.expect(try failure { try Link(fixture.client).run(sample.source) })
    }

    @Test(arguments: all)
    func `linking an identity of another account suggests a login with the same options`(sample: Sample) throws {
        let taken = AuthError(.identityTaken, "the identity belongs to another account")
        let fixture = ClientFixture.withFacebook(.link(.failure(taken)), stored: .ada)
        sample.expect(try failure { try Link(fixture.client).run(sample.source) })
    }

    // MARK: - Logins

    @Test(arguments: all, [true, false])
    func `a login with an identity saves the session and how it began`(sample: Sample, isNew: Bool) throws {
        let logIn = NewSession(user: sample.linked("1003"), session: .new, createdAccount: isNew)
        let fixture = ClientFixture.withFacebook(.logInIdentity(.success(.session(logIn))))
        #expect(try LogInWithIdentity(fixture.client).run(sample.source).createdAccount == isNew)
        #expect(
            fixture.store.current
                == .sample(session: .new, user: sample.linked("1003"), method: .identity(sample.provider)))
        #expect(fixture.requests == ["logIn by \(sample.call)"])
    }

    @Test(arguments: all)
    func `a login without the e-mail that the site requires suggests signing up, then linking`(sample: Sample) throws {
        let rejection = AuthError(.invalidFields, "the provider returned no e-mail address, and the site requires one")
        let fixture = ClientFixture.withFacebook(.logInIdentity(.failure(rejection)))
        sample.expect(try failure { try LogInWithIdentity(fixture.client).run(sample.source) })
    }

    @Test(arguments: all)
    func `a login with an identity revokes a session that it cannot save`(sample: Sample) throws {
        let fixture = ClientFixture.withFacebook(
            .logInIdentity(.success(.session(NewSession(user: sample.linked("1003"), session: .new)))),
            .logOut(.success(.yes)))
        fixture.store.fail(.save, with: .noSpace)
        let error = try failure { try LogInWithIdentity(fixture.client).run(sample.source) }
        #expect(error.reason == .noSpace)
        #expect(fixture.requests.last == "logOut new")
    }

    // MARK: - Second factor

    private static let code = Secret("123456")
    private static var wanted: Step {
        let error = AuthError(.secondFactorRequired, "one-time code required")
        return .logInIdentity(.success(.waiting(error, token: "p3nding")))
    }

    @Test(arguments: all, [code, nil])
    func `a login that requires a one-time code sends the given code, or prompts, and sends the proof once`(
        sample: Sample, known: Secret?
    ) throws {
        let fixture = ClientFixture.withFacebook(
            Self.wanted, .resume(.success(.session(NewSession(user: sample.linked("1003"), session: .new)))))
        _ = try LogInWithIdentity(fixture.client).run(sample.source, code: known) {
            () throws(AuthError) in Self.code
        }
        #expect(fixture.requests == ["logIn by \(sample.call)", "resume p3nding with code 123456"])
        #expect(fixture.store.current?.method == .identity(sample.provider))
    }

    @Test(arguments: all)
    func `the error about a missing one-time code suggests the option --otp`(sample: Sample) throws {
        let fixture = ClientFixture.withFacebook(Self.wanted)
        sample.expect(try failure { try LogInWithIdentity(fixture.client).run(sample.source) })
    }

    @Test(arguments: all)
    func `a login with a one-time code sends nothing to a backend without one-time codes`(sample: Sample) throws {
        let fixture = ClientFixture.withFacebook(codes: .withPassword)
        sample.expect(
            try failure { try LogInWithIdentity(fixture.client).run(sample.source, code: Self.code) })
        #expect(fixture.requests == [])
    }

    // MARK: - Unlinking

    private static func status(
        _ sample: Sample, isLinked: Bool = true, hasPassword: Bool? = nil, email: String? = "ada@example.org"
    ) -> Step {
        var user = isLinked ? sample.linked("1003") : sample.linked()
        user.email = email
        return .identities(.success(IdentityStatus(user: user, hasPassword: hasPassword)))
    }

    private static func unlinked(_ sample: Sample, from before: IdentityLink = .linked(id: "1003")) -> Step {
        .unlink(.success(sample.change(from: before, to: .none)))
    }

    @Test(
        arguments: all,
        [
            (AuthMethod.password as AuthMethod?, nil as Bool?), (.password, true), (.identity(.facebook), true),
            (.identity(.google), true), (nil, true), (.anonymous, true),
        ])
    func `an unlink succeeds if another authentication method is left`(
        sample: Sample, left: (method: AuthMethod?, hasPassword: Bool?)
    ) throws {
        let fixture = ClientFixture(
            Self.status(sample, hasPassword: left.hasPassword), Self.unlinked(sample),
            stored: .sample(user: sample.linked("1003"), method: left.method))
        #expect(
            try Unlink(fixture.client).run(sample.provider, force: false)
                == sample.change(from: .linked(id: "1003"), to: .none))
        #expect(fixture.notices == "")
        #expect(fixture.store.current == .sample(method: left.method))
    }

    @Test(
        arguments: all,
        [
            (AuthMethod.identity(.facebook) as AuthMethod?, nil as Bool?), (.identity(.google), false),
            (.password, false), (nil, false), (nil, nil), (.anonymous, nil), (.anonymous, false),
        ])
    func `an unlink is rejected if the account may have no other authentication method`(
        sample: Sample, left: (method: AuthMethod?, hasPassword: Bool?)
    ) throws {
        let fixture = ClientFixture(
            Self.status(sample, hasPassword: left.hasPassword),
            stored: .sample(user: sample.linked("1003"), method: left.method))
        sample.expect(
            try failure { try Unlink(fixture.client).run(sample.provider, force: false) },
            left.hasPassword == nil ? "the server does not say" : "the server says so")
    }

    @Test(arguments: all)
    func `the hint about a rejected unlink has a placeholder for an unknown e-mail address`(sample: Sample) throws {
        let fixture = ClientFixture(Self.status(sample, email: nil), stored: .ada)
        let error = try failure { try Unlink(fixture.client).run(sample.provider, force: false) }
        #expect(error.hints.first?.hasSuffix("authctl password reset ADDRESS") == true)
    }

    /// Source: the exchange `live/unlink-last-with-password`.
    @Test func `where a password is no identity, the last one stays until another is linked`() throws {
        let user = Self.all[1].linked("1003")
        let fixture = ClientFixture(
            .identities(.success(IdentityStatus(user: user, keepsLast: true))),
            stored: .sample(user: user, method: .password))
        let error = try failure { try Unlink(fixture.client).run(.google, force: false) }
        #expect(error.reason == .forbidden && error.nextSteps.map(\.command) == [["link", "PROVIDER"]])
    }

    @Test(arguments: all)
    func `an unlink with a session from the environment ignores the login method of the saved session`(
        sample: Sample
    ) throws {
        let fixture = ClientFixture(Self.status(sample), stored: .sample(method: .password), environmentToken: "env")
        #expect(try failure { try Unlink(fixture.client).run(sample.provider, force: false) }.reason == .forbidden)
        #expect(fixture.requests == ["identities env"])
    }

    @Test(arguments: all)
    func `an unlink without a linked identity succeeds`(sample: Sample) throws {
        let fixture = ClientFixture(
            Self.status(sample, isLinked: false, hasPassword: false), Self.unlinked(sample, from: .none), stored: .ada)
        #expect(try Unlink(fixture.client).run(sample.provider, force: false).hasChanged == false)
    }

    @Test(arguments: all)
    func `an unlink with --force sends no status request`(sample: Sample) throws {
        let fixture = ClientFixture(Self.unlinked(sample), stored: .sample(method: .identity(sample.provider)))
        _ = try Unlink(fixture.client).run(sample.provider, force: true)
        #expect(fixture.requests == ["unlink \(sample.provider.name) \(Self.token)"])
        #expect(fixture.store.current?.user == .ada)
    }
}
