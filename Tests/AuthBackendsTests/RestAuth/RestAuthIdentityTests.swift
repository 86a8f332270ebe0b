import CommandTestSupport

@testable import AuthBackends

/// Facebook logins, link status, and unlinking.
@Suite struct RestAuthIdentityTests {
    static let one = #"[{"id":3,"provider":"facebook","uid":"1001","last_login":null}]"#
    static let two =
        #"[{"id":3,"provider":"facebook","uid":"1001"},{"id":9,"provider":"google","uid":"g"},"#
        + #"{"id":4,"provider":"facebook","uid":"1002"}]"#
    static let tokenBody = #"{"access_token":"fb-token"}"#
    static let identity = IdentityCredential(.facebook, .accessToken(Secret("fb-token")))

    static func list(_ answer: String, _ status: Int = 200) -> Exchange {
        .get("socialaccounts/", as: "Token 0a1b", status, answer)
    }

    @Test func `a rest-auth Facebook login sends only the access token`() throws {
        let backend = RestAuthBackend.replaying(.post("facebook/", Self.tokenBody, 200, RestAuthSample.key), .keyUser)
        // The site does not report whether it created the account.
        let logIn = NewSession(user: .seven, session: .key, createdAccount: nil)
        try expect(backend.logIn(Self.identity), Reply(.session(logIn)))
    }

    @Test func `a rest-auth Facebook login uses the login path set in the profile`() throws {
        let backend = RestAuthBackend.replaying(
            paths: ["socialLoginPath.facebook": "social/fb/"],
            .post("social/fb/", Self.tokenBody, 200, RestAuthSample.pair), .restAuthJWTUser)
        let logIn = NewSession(user: .seven, session: .restAuthJWT, createdAccount: nil)
        try expect(backend.logIn(Self.identity), Reply(.session(logIn)))
    }

    /// Source: the exchange `D17/both` of dj-rest-auth 7.2.0: the view for Google requires both members.
    @Test func `a rest-auth login with only an ID token of Google sends it as both tokens`() throws {
        let backend = RestAuthBackend.replaying(
            .post("google/", #"{"access_token":"id-token","id_token":"id-token"}"#, 200, RestAuthSample.key), .keyUser)
        let proof = IdentityCredential(.google, .idToken(Secret("id-token")))
        #expect(throws: Never.self) { try backend.logIn(proof) }
    }

    @Test(arguments: [
        ("[]", [], nil), (one, ["facebook 1001"], nil), (two, ["facebook 1001", "google g", "facebook 1002"], true),
        (#"{"count":1,"next":null,"results":\#(one)}"#, ["facebook 1001"], nil),
        (#"[{"id":9,"provider":"google","uid":"g"}]"#, ["google g"], true),
    ])
    func `a rest-auth link status lists all identities and shows whether a provider besides Facebook is linked`(
        answer: String, identities: [String], hasOther: Bool?
    ) throws {
        let backend = RestAuthBackend.replaying(Self.list(answer), .keyUser)
        let status = try backend.identities(of: .key).value
        expect(status.user.identities?.map { "\($0.provider) \($0.id ?? "")" }, identities)
        expect(status.hasLoginMethod(besides: .facebook), hasOther)
    }

    @Test func `a rest-auth unlink disconnects every linked Facebook identity`() throws {
        let backend = RestAuthBackend.replaying(
            .keyUser, Self.list(Self.two),
            .post("socialaccounts/3/disconnect/", "{}", as: "Token 0a1b", 200, "{}"),
            .post("socialaccounts/4/disconnect/", "{}", as: "Token 0a1b", 404, #"{"detail":"Not found."}"#))
        let change = try backend.unlink(.facebook, from: .key).value
        expect(change.before, .linked(ids: ["1001", "1002"]))
        expect(change.after, .none)
        expect(change.user.identities, [Identity(provider: "google", id: "g")])
    }

    @Test func `a server error during a rest-auth unlink is reported as a server fault`() throws {
        let backend = RestAuthBackend.replaying(
            .keyUser, Self.list(Self.one),
            .post("socialaccounts/3/disconnect/", "{}", as: "Token 0a1b", 500, "<html>"))
        try failure { try backend.unlink(.facebook, from: .key) }.expectMessage(in: "backends/rest-auth")
    }

    @Test func `the id of a rest-auth identity is percent-encoded as one path segment`() throws {
        let backend = RestAuthBackend.replaying(
            .keyUser, Self.list(#"[{"id":"../logout/?","provider":"facebook","uid":"1"}]"#),
            .post("socialaccounts/..%2Flogout%2F%3F/disconnect/", "{}", as: "Token 0a1b", 200, "{}"))
        #expect(throws: Never.self) { try backend.unlink(.facebook, from: .key) }
    }

    @Test func `a Facebook ID token is unsupported on rest-auth and is not sent`() throws {
        let identity = IdentityCredential(.facebook, id: "1003", .idToken(Secret("a.b.c")))
        for error in [
            try failure { _ = try RestAuthBackend.replaying().logIn(identity) },
            try failure { _ = try RestAuthBackend.replaying().link(identity, to: .key) },
        ] {
            error.expectMessage(in: "backends/rest-auth")
        }
    }
}

/// The response to a link request logs in the owner of the identity, who may be a user other than the caller.
@Suite struct RestAuthIdentityLinkTests {
    static let foreign = #"{"key":"foreign-key"}"#
    static let identity = IdentityCredential(.facebook, .accessToken(Secret("fb-token")))

    private func connect(_ status: Int = 200, _ answer: String = RestAuthSample.key) -> Exchange {
        .post("facebook/connect/", RestAuthIdentityTests.tokenBody, as: "Token 0a1b", status, answer)
    }

    private func link(
        _ backend: RestAuthBackend, _ identity: IdentityCredential = identity, to session: Session = .key
    ) throws -> IdentityChange {
        let reply = try backend.link(identity, to: session)
        expect(reply.replacement, nil)
        return reply.value
    }

    private func status(_ ids: String...) -> IdentityStatus {
        IdentityStatus(user: .seven, link: .linked(ids: ids))
    }

    @Test func `linking Facebook on rest-auth uses the profile's link path and requires no identity list`() throws {
        let backend = RestAuthBackend.replaying(
            paths: ["socialConnectPath.facebook": "fb/link/"], .keyUser, RestAuthIdentityTests.list("<html>", 404),
            .post("fb/link/", RestAuthIdentityTests.tokenBody, as: "Token 0a1b", 200, RestAuthSample.key))
        let change = try link(backend, IdentityCredential(.facebook, id: "1001", .accessToken(Secret("fb-token"))))
        expect(change.after, .linked(id: "1001"))
    }

    @Test func `the JWTs in the response to a rest-auth Facebook link are revoked`() throws {
        let list = Exchange.get(
            "socialaccounts/", as: "Bearer \(RestAuthSample.access)", 200, RestAuthIdentityTests.one)
        let given = #"{"access":"\#(RestAuthSample.otherAccess)","refresh":"\#(RestAuthSample.otherRefresh)","#
        let change = try link(
            .replaying(
                .restAuthJWTUser, list,
                .post(
                    "facebook/connect/", RestAuthIdentityTests.tokenBody, as: "Bearer \(RestAuthSample.access)", 200,
                    given + #""user":\#(RestAuthSample.user)}"#),
                .post("logout/", #"{"refresh":"\#(RestAuthSample.otherRefresh)"}"#, 200, "{}"), list),
            to: .restAuthJWT)
        expect(change.hasChanged, false)
    }

    @Test func `a different user's key in the response to a link means that the identity is taken`() throws {
        let error = try failure {
            _ = try link(.replaying(.keyUser, RestAuthIdentityTests.list("[]"), connect(200, Self.foreign)))
        }
        #expect(!error.allTexts.contains("foreign-key"))
        error.expectMessage(in: "backends/rest-auth")
    }

    @Test func `a different user's JWTs in the response to a link are revoked, and the identity is taken`() throws {
        let error = try failure { _ = try linkWithJWTs(answer: RestAuthSample.otherPair) }
        expect(error.reason, .identityTaken)
        for secret in [RestAuthSample.otherAccess, RestAuthSample.otherRefresh] {
            #expect(!error.allTexts.contains(secret))
        }
    }

    /// A 401 response to the request for the user rejects the JWT from the link response, not the saved session.
    @Test(arguments: [
        (200, RestAuthSample.otherUser, AuthError.Reason.identityTaken),
        (401, #"{"detail":"Token is blacklisted","code":"token_not_valid"}"#, .invalidResponse),
        (401, #"{"detail":"User is inactive","code":"user_inactive"}"#, .invalidResponse),
        (500, "<html>", .invalidResponse),
        (200, #"{"email":"eve@example.org"}"#, .invalidResponse),
    ])
    func `if a link response has JWTs but no user, the backend requests the user and then revokes the JWTs`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        let given = #"{"access":"\#(RestAuthSample.otherAccess)","refresh":"\#(RestAuthSample.otherRefresh)"}"#
        let owner = Exchange.get("user/", as: "Bearer \(RestAuthSample.otherAccess)", status, answer)
        try expect(failure { _ = try linkWithJWTs(answer: given, owner) }.reason, reason)
    }

    private func linkWithJWTs(answer: String, _ question: Exchange? = nil) throws -> IdentityChange {
        let bearer = "Bearer \(RestAuthSample.access)"
        let transport = ReplayingTransport(
            .restAuthJWTUser, .get("socialaccounts/", as: bearer, 200, "[]"),
            .post("facebook/connect/", RestAuthIdentityTests.tokenBody, as: bearer, 200, answer))
        if let question { transport.expect(question) }
        transport.expect(.post("logout/", #"{"refresh":"\#(RestAuthSample.otherRefresh)"}"#, 200, "{}"))
        let backend = RestAuthBackend(
            endpoints: RestAuthEndpoints(base: "https://a.example/auth"),
            server: .replaying(transport, base: "https://a.example/auth"))
        return try link(backend, to: .restAuthJWT)
    }

    @Test(arguments: [(204, ""), (200, "{}"), (200, #"{"detail":"ok"}"#)])
    func `a link response that does not name the owner of the identity is an invalid response`(
        status: Int, answer: String
    ) throws {
        try failure {
            try link(.replaying(.keyUser, RestAuthIdentityTests.list("[]"), connect(status, answer)))
        }.expectMessage(in: "backends/rest-auth")
    }
}
