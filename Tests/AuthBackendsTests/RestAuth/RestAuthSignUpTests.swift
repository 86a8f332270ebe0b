import CommandTestSupport

@testable import AuthBackends

@Suite struct RestAuthSignUpTests {
    static let body = #"{"username":"ada","email":"ada@example.org","password1":"secret","password2":"secret"}"#
    static let account = NewAccount(username: "ada", email: "ada@example.org", password: Secret("secret"))
    static let known = User(username: "ada", email: "ada@example.org")

    @Test(arguments: [(200, RestAuthSample.pair), (201, RestAuthSample.pair)])
    func `a rest-auth signup accepts a response with JWTs and the user`(status: Int, answer: String) throws {
        let backend = RestAuthBackend.replaying(.post("registration/", Self.body, status, answer), .restAuthJWTUser)
        let logIn = NewSession(user: .seven, session: .restAuthJWT, createdAccount: true)
        try expect(backend.signUp(Self.account), Reply(.session(logIn)))
    }

    @Test func `a rest-auth signup response with only a detail text means pending e-mail verification`() throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/", Self.body, 201, #"{"detail":"Verification e-mail sent."}"#))
        try expect(backend.signUp(Self.account), Reply(.waits(.emailVerification, Self.known)))
    }

    @Test(arguments: [
        (204, "", known), (201, "", known), (201, "{}", known),
        (201, RestAuthSample.user, .seven), (201, #"{"user":\#(RestAuthSample.user)}"#, .seven),
        (200, #"{"mfa_required":true,"ephemeral_token":"e"}"#, known),
    ])
    func `a rest-auth signup response without a session means that the account was created`(
        status: Int, answer: String, user: User
    ) throws {
        let backend = RestAuthBackend.replaying(.post("registration/", Self.body, status, answer))
        try expect(backend.signUp(Self.account), Reply(.created(user)))
    }

    @Test(arguments: ["", "{}"])
    func `a rest-auth signup response with status 200 and no content is an invalid response`(answer: String) throws {
        let backend = RestAuthBackend.replaying(.post("registration/", Self.body, 200, answer))
        try failure { try backend.signUp(Self.account) }.expectMessage(in: "backends/rest-auth")
    }

    @Test func `a rest-auth signup reports the account as created even if the site rejects the issued key`() throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/", Self.body, 201, RestAuthSample.key),
            .get("user/", as: "Token 0a1b", 401, #"{"detail":"Authentication credentials were not provided."}"#))
        try expect(backend.signUp(Self.account), Reply(.created(Self.known)))
    }

    @Test func `a rest-auth signup without a username sends no username`() throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/", #"{"email":"a@b.example","password1":"s","password2":"s"}"#, 204, ""))
        let account = NewAccount(username: nil, email: "a@b.example", password: Secret("s"))
        try expect(backend.signUp(account), Reply(.created(User(email: "a@b.example"))))
    }

    @Test func `extra fields of a rest-auth signup cannot replace the username and the password`() throws {
        let body = #"{"age":36,"password1":"secret","username":"ada","password2":"secret"}"#
        let backend = RestAuthBackend.replaying(.post("registration/", body, 204, ""))
        let account = NewAccount(
            username: "ada", password: Secret("secret"), fields: ["age": 36, "password1": "x", "username": "y"])
        #expect(throws: Never.self) { try backend.signUp(account) }
    }

    @Test func `a rest-auth signup and its verification use the registration path set in the profile`() throws {
        let backend = RestAuthBackend.replaying(
            paths: ["registrationPath": "join/"],
            .post("join/", #"{"username":"ada","password1":"s","password2":"s"}"#, 204, ""),
            .post("join/resend-email/", #"{"email":"a@b.example"}"#, 200, #"{"detail":"ok"}"#),
            .post("join/verify-email/", #"{"key":"k"}"#, 200, #"{"detail":"ok"}"#))
        _ = try backend.signUp(NewAccount(username: "ada", password: Secret("s")))
        _ = try backend.sendVerification(email: "a@b.example", as: .anonymous)
        _ = try backend.verify("k", VerificationProof())
    }

    /// Source: the exchange `D18e/registration` of dj-rest-auth 7.2.0 with a serializer that raises `NotFound`.
    @Test func `a signup that the view itself rejects with 404 has invalid fields and shows the site's text`() throws {
        let answer = #"{"detail":"No such invitation."}"#
        let backend = RestAuthBackend.replaying(
            .post("registration/", Self.body, 404, answer), .get("registration/", 405, "{}"))
        try failure { try backend.signUp(Self.account) }.expectMessage(in: "backends/rest-auth")
        let missing = RestAuthBackend.replaying(
            .post("registration/", Self.body, 404, answer), .get("registration/", 404, answer))
        try expect(failure { _ = try missing.signUp(Self.account) }.reason, .unsupported)
    }

    @Test(arguments: [(404, "<html>"), (404, ""), (404, "{}"), (200, "<html>"), (401, "{}"), (405, "")])
    func `a missing signup view is reported as a wrong endpoint only if the login view is missing too`(
        status: Int, answer: String
    ) throws {
        let isMissing = status == 404 && answer != "{}"
        let backend = RestAuthBackend.replaying(
            atSite: false,
            [.post("registration/", Self.body, 404, "<html>"), .get("login/", status, answer)]
                + (isMissing ? [.get("user/", 404, answer)] : []))
        let error = try failure { _ = try backend.signUp(Self.account) }
        expect(error.reason, (isMissing ? .wrongEndpoint : .unsupported))
    }

    @Test func `a missing signup view is reported as unsupported if the request for the login view fails`() throws {
        let refused = TransportError(.connect, "cannot connect")
        let request = "GET https://a.example/auth/login/\nAccept: application/json\nAccept-Language: en"
        let backend = RestAuthBackend.replaying(
            atSite: false, [.post("registration/", Self.body, 404, "<html>"), Exchange(request, refused)])
        try expect(failure { _ = try backend.signUp(Self.account) }.reason, .unsupported)
    }
}
