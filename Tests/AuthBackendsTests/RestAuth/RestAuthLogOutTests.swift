import CommandTestSupport

@testable import AuthBackends

@Suite struct RestAuthLogOutTests {
    static let refreshBody = #"{"refresh":"\#(RestAuthSample.refresh)"}"#

    @Test(arguments: [
        (401, #"{"detail":"Invalid token."}"#, Revocation.already),
        (401, #"{"detail":"User inactive or deleted."}"#, .already),
        (401, #"{"detail":"User not found","code":"user_not_found"}"#, .already),
        (403, #"{"detail":"Authentication credentials were not provided."}"#, .already),
        (400, #"{"detail":"You should be logged in to logout. Check whether the token is passed."}"#, .already),
    ])
    func `a rest-auth logout reports an invalid key as already revoked`(
        status: Int, answer: String, expected: Revocation
    ) throws {
        let backend = RestAuthBackend.replaying(.post("logout/", "{}", as: "Token 0a1b", status, answer))
        try expect(backend.logOut(.key), Reply(expected))
    }

    /// A site without a view that tells whether a refresh token is valid.
    static let unverifiable = Exchange.post(
        "token/verify/", #"{"token":"\#(RestAuthSample.refresh)"}"#, 404, "<html>")
    static let confirmations = [#"{"detail":"Successfully logged out."}"#, "{}", "", #"{"detail":"Déconnecté."}"#]
    static let denied = #"{"detail":"Ungültiges Token"}"#

    /// django-rest-knox and other models of several keys: the view confirms the logout, and the key stays valid.
    @Test(arguments: confirmations) func `a confirmed rest-auth logout is believed if the key is refused afterwards`(
        confirmation: String
    ) throws {
        for (status, answer, expected) in [
            (401, #"{"detail":"Invalid token."}"#, Revocation.yes), (403, Self.denied, .yes),
            (200, RestAuthSample.user, .unsupported),
        ] {
            let backend = RestAuthBackend.replaying(
                atSite: true,
                [
                    .post("logout/", "{}", as: "Token 0a1b", confirmation.isEmpty ? 204 : 200, confirmation),
                    .get("user/", as: "Token 0a1b", status, answer),
                ] + (status == 403 ? [.get("user/", as: "Token 0", status, answer)] : []))
            try expect(backend.logOut(.key), Reply(expected))
        }
    }

    @Test(arguments: confirmations) func `a confirmed rest-auth JWT logout is believed if another one is refused`(
        confirmation: String
    ) throws {
        let status = confirmation.isEmpty ? 204 : 200
        for (next, answer, expected) in [
            (401, #"{"detail":"Jeton sur liste noire"}"#, Revocation.yes), (status, confirmation, .unsupported),
        ] {
            let backend = RestAuthBackend.replaying(
                .post("logout/", Self.refreshBody, status, confirmation),
                .post("logout/", Self.refreshBody, next, answer))
            try expect(backend.logOut(.restAuthJWT), Reply(expected))
        }
    }

    @Test(arguments: [(400, Revocation?.some(.yes)), (200, nil), (404, nil)])
    func `if another rest-auth JWT logout fails, token/verify/ tells whether the refresh token is dead`(
        status: Int, expected: Revocation?
    ) throws {
        let backend = RestAuthBackend.replaying(
            .post("logout/", Self.refreshBody, 200, "{}"), .post("logout/", Self.refreshBody, 500, "{}"),
            .post("token/verify/", #"{"token":"\#(RestAuthSample.refresh)"}"#, status, #"{"detail":"x"}"#))
        // `try?`: without a proof, the logout fails.
        expect((try? backend.logOut(.restAuthJWT).value), expected)
    }

    @Test func `a rest-auth logout sends a refresh token that came in a cookie also as this cookie`() throws {
        var session = Session.restAuthJWT
        session.refreshCookie = Cookie("my-refresh", Secret(""), domain: "a.example")
        let request = RestAuthEndpoints(base: "https://a.example").logOut(session).request
        expect(request.headers["Cookie"], "my-refresh=\(RestAuthSample.refresh)")
        session.refreshCookie = nil
        expect(RestAuthEndpoints(base: "https://a.example").logOut(session).request.headers["Cookie"], nil)
    }

    @Test func `a 403 response to a rest-auth logout means a dead key if an invalid key gets the same message`() throws
    {
        for (other, reason) in [(Self.denied, AuthError.Reason?.none), (#"{"detail":"x"}"#, .forbidden)] {
            let backend = RestAuthBackend.replaying(
                .post("logout/", "{}", as: "Token 0a1b", 403, Self.denied), .get("user/", as: "Token 0", 403, other))
            guard let reason else {
                try expect(backend.logOut(.key), Reply(.already))
                continue
            }
            try expect(failure { _ = try backend.logOut(.key) }.reason, reason)
        }
    }

    /// The access token is not sent, because an expired access token would make the request fail.
    @Test(arguments: [
        (401, #"{"detail":"Token is blacklisted"}"#, Revocation.already),
        (401, #"{"detail":"Token is invalid"}"#, .already),
        (401, #"{"detail":"User not found","code":"user_not_found"}"#, .already),
    ])
    func `a rest-auth JWT logout sends only the refresh token`(status: Int, answer: String, expected: Revocation) throws
    {
        let backend = RestAuthBackend.replaying(.post("logout/", Self.refreshBody, status, answer))
        try expect(backend.logOut(.restAuthJWT), Reply(expected))
    }

    /// Source: dj-rest-auth 7.2.0 with `JWT_AUTH_HTTPONLY`, after a signup, whose response sets no cookie.
    @Test(arguments: [(400, Revocation.unsupported), (200, .yes)])
    func `a logout without the name of the refresh token's cookie learns it by a refresh`(
        status: Int, expected: Revocation
    ) throws {
        let missing = #"{"detail":"Refresh token was not included in cookie data."}"#
        var exchanges = [
            Exchange.post("logout/", Self.refreshBody, 401, missing),
            .post(
                "token/refresh/", Self.refreshBody, status, #"{"access":"\#(RestAuthSample.access)"}"#,
                headers: ["Set-Cookie": "my-refresh=\(RestAuthSample.refresh); HttpOnly"]),
        ]
        if status == 200 {
            exchanges += [(200, "{}"), (401, #"{"detail":"Token is blacklisted"}"#)].map { status, answer in
                .post("logout/", Self.refreshBody, status, answer, cookie: "my-refresh=\(RestAuthSample.refresh)")
            }
        }
        try expect(RestAuthBackend.replaying(atSite: true, exchanges).logOut(.restAuthJWT), Reply(expected))
    }

    @Test(arguments: [
        (#"{"message":"Unauthorized"}"#, AuthError.Reason.forbidden),
        (#"{"detail":"Authentication credentials were not provided."}"#, .invalidResponse),
    ])
    func `a rest-auth JWT logout fails if a 401 response does not show whether the refresh token is valid`(
        answer: String, reason: AuthError.Reason
    ) throws {
        let backend = RestAuthBackend.replaying(
            atSite: true,
            [.post("logout/", Self.refreshBody, 401, answer)]
                + (reason == .forbidden
                    ? [] : [.post("token/refresh/", Self.refreshBody, 400, "{}"), Self.unverifiable]))
        let error = try failure { _ = try backend.logOut(.restAuthJWT) }
        expect(error.reason, reason)
        error.expectMessage(in: "backends/rest-auth", reason.rawValue)
    }

    @Test func `the error about an inconclusive rest-auth JWT logout has the HTTP status of the response`() throws {
        let body = #"{"detail":"Authentication credentials were not provided."}"#
        let backend = RestAuthBackend.replaying(.post("logout/", Self.refreshBody, 403, body), Self.unverifiable)
        try expect(failure { _ = try backend.logOut(.restAuthJWT) }.server?.status, 403)
    }

    @Test func `a rest-auth JWT session without a refresh token cannot be revoked`() throws {
        try expect(RestAuthBackend.replaying().logOut(.jwtWithoutRefreshToken), Reply(.unsupported))
    }

    @Test func `a rest-auth key is shared by all devices of a user, but a JWT session is not`() {
        let backend = RestAuthBackend.replaying()
        #expect(backend.isShared(.key))
        #expect(!backend.isShared(Session(token: Secret("0a1b"), expiresAt: .sampleNow)), "a key of django-rest-knox")
        #expect(!backend.isShared(.restAuthJWT))
    }
}
