import CommandTestSupport

@testable import AuthBackends

@Suite struct RestAuthRefreshTests {
    static let access = RestAuthSample.jwt(#"{"exp":1700000900,"iat":1700000300}"#)
    static let next = RestAuthSample.jwt(#"{"token_type":"refresh","exp":1700090000,"iat":1700000300,"jti":"2"}"#)
    /// A session with an expired access token.
    static let old = Session(
        token: Secret(RestAuthSample.access), refreshToken: Secret(RestAuthSample.refresh), createdAt: .sampleStart,
        expiresAt: .sampleStart)

    private func exchange(_ status: Int, _ answer: String, headers: HTTPHeaders = [:]) -> Exchange {
        .post("token/refresh/", RestAuthLogOutTests.refreshBody, status, answer, headers: headers)
    }

    /// Source of the cookies: dj-rest-auth 7.2.0 with `JWT_AUTH_HTTPONLY`.
    private static let cookies = HTTPHeaders([
        .init(name: "Set-Cookie", value: "auth=\(access); HttpOnly; Max-Age=300; Path=/; SameSite=Lax"),
        .init(name: "Set-Cookie", value: "refresh=\(next); HttpOnly; Max-Age=86400; Path=/; SameSite=Lax"),
    ])

    private func session(_ refreshToken: String?) -> Session {
        Session(
            token: Secret(Self.access), refreshToken: refreshToken.map { Secret($0) }, createdAt: .sampleStart,
            expiresAt: .sampleNow.adding(.seconds(600)))
    }

    @Test(
        arguments: [
            (#"{"access":"\#(access)","refresh":"\#(next)"}"#, [:]),
            (#"{"data":{"access_token":"\#(access)","refresh_token":"\#(next)"}}"#, [:]),
            (#"{"access":"\#(access)","access_expiration":"2026-11-20T18:00:00Z"}"#, cookies),
        ] as [(String, HTTPHeaders)])
    func `a rest-auth refresh returns the new refresh token from the body or from a cookie`(
        answer: String, headers: HTTPHeaders
    ) throws {
        let refreshed = try RestAuthBackend.replaying(exchange(200, answer, headers: headers)).refresh(Self.old)
        var expected = session(Self.next)
        if headers != [:] {
            expected.refreshCookie = Cookie("refresh", Secret(""), domain: "a.example")
            expected.accessCookie = Cookie("auth", Secret(""), domain: "a.example")
        }
        expect(refreshed, expected)
    }

    /// With `/`, the browser would send the cookie of the login beside that of the first refresh, and the second refresh
    /// would have the old token. Source of the cookies: dj-rest-auth 7.2 with `JWT_AUTH_REFRESH_COOKIE_PATH`.
    @Test func `the browser gets the cookies of rest-auth with the attributes that the last response showed`() throws {
        let cookies = HTTPHeaders([
            .init(name: "Set-Cookie", value: "auth=\(Self.access); Path=/; SameSite=Strict"),
            .init(
                name: "Set-Cookie",
                value: "refresh=\(Self.next); Domain=A.example; HttpOnly; Path=/auth/token; SameSite=None; Secure"),
        ])
        let answer = #"{"access":"\#(Self.access)","refresh":"\#(Self.next)"}"#
        let backend = RestAuthBackend.replaying(exchange(200, answer, headers: cookies))
        var old = Self.old
        old.refreshCookie = Cookie("earlier", Secret(""), domain: "a.example")
        let session = try backend.refresh(old)
        let origin = try #require(URLParts("https://a.example"))
        let end = try #require(session.expiresAt).seconds
        let state = backend.browserState(of: session, User(), for: BrowserPage(origin: origin, command: []))
        expect(
            state?.cookies.map(\.json.text) ?? [],
            [
                #"{"name":"auth","value":"\#(Self.access)","domain":"a.example","path":"/","expires":\#(end),"#
                    + #""httpOnly":false,"secure":false,"sameSite":"Strict"}"#,
                #"{"name":"refresh","value":"\#(Self.next)","domain":".a.example","path":"/auth/token","expires":-1,"#
                    + #""httpOnly":true,"secure":true,"sameSite":"None"}"#,
            ])
    }

    @Test func `a rest-auth refresh without a new refresh token keeps the old one`() throws {
        let answer = #"{"access":"\#(Self.access)","refresh":""}"#
        try expect(RestAuthBackend.replaying(exchange(200, answer)).refresh(Self.old), session(RestAuthSample.refresh))
    }

    @Test(arguments: [
        (200, "{}", false), (404, "<h1>Not Found</h1>", false), (401, "", false),
        (401, #"{"detail":"Token is expired","code":"token_not_valid"}"#, true),
        (400, #"{"non_field_errors":["Jeton sur liste noire"]}"#, true), (400, "<html>", false),
        (400, #"{"errors":[{"code":"invalid","detail":"Token is blacklisted","attr":"non_field_errors"}]}"#, true),
    ])
    func `a rest-auth refresh token counts as revoked only if token/verify/ reports it expired or blacklisted`(
        status: Int, answer: String, isRevoked: Bool
    ) throws {
        let backend = RestAuthBackend.replaying(
            .post("token/verify/", #"{"token":"\#(RestAuthSample.refresh)"}"#, status, answer))
        expect(backend.isRevoked(Secret(RestAuthSample.refresh), within: .seconds(5)), isRevoked)
    }

    @Test(arguments: ["{}", #"{"access":""}"#])
    func `a rest-auth refresh response without an access token is invalid`(answer: String) throws {
        let backend = RestAuthBackend.replaying(exchange(200, answer))
        try expect(failure { _ = try backend.refresh(Self.old) }.reason, .invalidResponse)
    }
}
