import CommandTestSupport
import Platform

@testable import AuthBackends

/// What `BackendContract` and the recorded responses cannot show. Real servers run in `EndToEndTests/PocketBase`.
@Suite struct PocketBaseBackendTests {
    static let users = "/api/collections/users"
    private static let session = Session(token: Secret(PocketBaseSample.token))
    private static let login = #"{"token":"\#(PocketBaseSample.token)","record":{"id":"u1","email":"ada@example.org"}}"#
    private static let methods = Answer(
        "GET \(users)/auth-methods",
        #"{"password":{"identityFields":["email"],"enabled":false},"oauth2":{"enabled":true,"providers":[{"name":"oidc"}]}}"#
    )
    private static let me = Answer("POST \(users)/auth-refresh", login)
    private static let dead = Answer("POST \(users)/auth-refresh", 401, PocketBaseSample.unauthorized)
    private static let denial = PocketBaseSample.error(403, "The request doesn't satisfy the collection requirements.")

    typealias Answer = AnswerScript.Answer

    /// Runs a call that must send exactly these requests. Returns the bodies of the requests.
    @discardableResult
    func run(_ answers: Answer..., call: (PocketBaseBackend) throws -> Void) throws -> [String] {
        try run(answers, call: call)
    }

    @discardableResult
    func run(_ answers: [Answer], call: (PocketBaseBackend) throws -> Void) throws -> [String] {
        let script = AnswerScript(answers) { url in
            String(url.dropFirst("https://a.example".count).prefix { $0 != "?" })
        }
        try call(
            PocketBaseBackend(
                endpoints: PocketBaseEndpoints(base: "https://a.example", collection: "users"),
                server: .replaying(script, base: "https://a.example")))
        expect(script.rest, [])
        return script.bodies
    }

    /// The server treats an invalid token like none.
    @Test(arguments: [(me, AuthError.Reason.forbidden), (dead, .sessionRevoked)])
    func `a denied change of the account is a dead session only if the server rejects its refresh`(
        check: Answer, reason: AuthError.Reason
    ) throws {
        let missing = PocketBaseSample.error(404, "The requested resource wasn't found.")
        try run(Answer("PATCH \(Self.users)/records/u1", 404, missing), check) { backend throws in
            let error = try failure {
                _ = try backend.update(UserChange(fields: ["a": 1]), of: User(id: "u1"), Self.session)
            }
            expect(error.reason, reason)
        }
    }

    @Test func `a login that a rule denies is unsupported if the collection has no passwords`() throws {
        let credentials = Credentials(login: "ada@example.org", password: Secret("a"))
        try run(Answer("POST \(Self.users)/auth-with-password", 403, Self.denial), Self.methods) { backend throws in
            try expect(failure { _ = try backend.logIn(credentials) }.reason, .unsupported)
        }
    }

    // MARK: - Signup

    @Test func `a username that is an e-mail is sent as the e-mail alone`() throws {
        let bodies = try run(Answer("POST \(Self.users)/records", #"{"id":"u1","verified":false}"#)) { backend throws in
            let account = NewAccount(username: "ada@example.org", password: Secret("a"))
            try expect(
                backend.signUp(account).value, .created(User(id: "u1", email: "ada@example.org", emailVerified: false)))
        }
        expect(bodies, [#"{"email":"ada@example.org","password":"a","passwordConfirm":"a"}"#])
    }

    @Test func `no account is created for a username in a collection without usernames`() throws {
        try run(Self.methods) { backend throws in
            let account = NewAccount(username: "ada", email: "ada@example.org", password: Secret("a"))
            let error = try failure { _ = try backend.signUp(account) }
            #expect(error.reason == .invalidFields && error.fields.map(\.field) == ["username"])
        }
    }

    /// The server would reject it without a reason. Source: the exchange `stock/signup-password-umlaut`.
    @Test func `a password of more than 72 bytes is too weak without a request`() throws {
        try run { backend throws in
            let account = NewAccount(username: nil, email: "a@b", password: Secret(String(repeating: "ä", count: 37)))
            try expect(failure { _ = try backend.signUp(account) }.reason, .weakPassword)
        }
    }

    // MARK: - Second factor, identities, sessions

    @Test func `a login with a second factor is finished by the code and the ids of the login`() throws {
        let password = Credentials(login: "ada@example.org", password: Secret("a"))
        var pending: Pending?
        try run(Answer("POST \(Self.users)/auth-with-password", 401, #"{"mfaId":"m1"}"#)) { backend throws in
            pending = try backend.logIn(password).value.pending
        }
        let waiting = try #require(pending)
        expect(waiting.step, .secondFactor)
        let bodies = try run(
            Answer("POST \(Self.users)/request-otp", #"{"otpId":"o1"}"#),
            Answer("POST \(Self.users)/auth-with-otp", Self.login)
        ) { backend throws in
            let token = try #require(try backend.request(waiting, of: "ada@example.org").token)
            try expect(backend.resume(token, code: Secret("123")).value.session().user.id, "u1")
        }
        expect(bodies, [#"{"email":"ada@example.org"}"#, #"{"otpId":"o1","password":"123","mfaId":"m1"}"#])
    }

    /// Source: the exchange `oauth2/link-taken`.
    @Test func `a link that answers with the session of another account is refused`() throws {
        let other = Self.login.replacing("u1", with: "u2")
        let rows = Answer("GET /api/collections/_externalAuths/records", #"{"items":[]}"#)
        try run(Self.me, rows, Answer("POST \(Self.users)/auth-with-oauth2", other)) { backend throws in
            let code = IdentityCredential(.google, .code(Secret("c"), redirectURI: "http://127.0.0.1/"))
            try expect(failure { _ = try backend.link(code, to: Self.session) }.reason, .identityTaken)
        }
    }

    @Test(arguments: [(nil, nil), (#","meta":{"isNew":true}"#, true), (#","meta":{"isNew":false}"#, false)])
    func `a login with an identity has created an account only if the server says so`(
        meta: String?, created: Bool?
    ) throws {
        let body = Self.login.dropLast() + (meta ?? #","meta":{}"#) + "}"
        try run(Answer("POST \(Self.users)/auth-with-oauth2", String(body))) { backend throws in
            let code = IdentityCredential(.google, .code(Secret("c"), redirectURI: "http://127.0.0.1/"))
            try expect(backend.logIn(code).value.session().createdAccount, created)
        }
    }

    @Test func `Parse's dates and places are sent to PocketBase in its own form`() throws {
        let fields: JSONObject = [
            "born": ["__type": "Date", "iso": "1999-02-11T01:02:03.456Z"],
            "place": ["__type": "GeoPoint", "latitude": 1, "longitude": 2], "kept": ["__type": "Pointer"],
        ]
        let sent = #""born":"1999-02-11T01:02:03.456Z","place":{"lon":2,"lat":1},"kept":{"__type":"Pointer"}"#
        let bodies = try run(
            Answer("POST \(Self.users)/records", #"{"id":"u1"}"#),
            Answer("PATCH \(Self.users)/records/u1", #"{"id":"u1"}"#)
        ) { backend throws in
            _ = try backend.signUp(NewAccount(username: nil, email: "a@b.c", password: Secret("p"), fields: fields))
            _ = try backend.update(UserChange(fields: fields), of: User(id: "u1"), Self.session)
        }
        expect(bodies, [#"{\#(sent),"email":"a@b.c","password":"p","passwordConfirm":"p"}"#, "{\(sent)}"])
    }

    /// Source: the exchange `admin/impersonated-refresh@0.28.4`.
    @Test func `a session that the server does not renew is valid, and has no start of its life`() throws {
        let fixed = RestAuthSample.jwt(#"{"exp":1790000000,"id":"u1","refreshable":false}"#)
        let refusal = PocketBaseSample.error(403, "The current auth token is not refreshable.")
        try run(
            Answer("POST \(Self.users)/auth-refresh", 403, refusal),
            Answer("GET \(Self.users)/records/u1", #"{"id":"u1"}"#)
        ) { backend throws in
            let new = try backend.logIn(token: Secret(fixed)).value
            #expect(new.user.id == "u1" && new.session.createdAt == nil && new.session.expiresAt != nil)
        }
    }

    @Test func `a link from an e-mail is refused by the command of another purpose, without a request`() throws {
        func link(_ type: String) -> MailKey {
            MailKey("http://127.0.0.1/_/#/auth/x/\(RestAuthSample.jwt(#"{"type":"\#(type)","newEmail":"b@c"}"#))")
        }
        try run { backend throws in
            try expect(failure { _ = try backend.verify(link("passwordReset"), VerificationProof()) }.reason, .usage)
            let reset = try failure {
                _ = try backend.resetPassword(key: link("verification"), to: Secret("a"), of: nil, pending: nil)
            }
            expect(reset.reason, .usage)
            let change = try failure { _ = try backend.verify(link("emailChange"), VerificationProof()) }
            #expect(change.reason == .reauthenticationRequired && change.fact == .wantsPassword)
        }
    }

    @Test func `the age of an account is the time of the response since its creation`() throws {
        let body = Self.login.replacing(#""id":"u1""#, with: #""id":"u1","created":"2026-01-02 03:04:05.000Z""#)
        try run(Answer("POST \(Self.users)/auth-with-password", body)) { backend throws in
            let credentials = Credentials(login: "ada@example.org", password: Secret("a"))
            guard case .session(let new) = try backend.logIn(credentials).value else { throw TestFault() }
            expect(new.accountAge, .seconds(60))
        }
    }

    private struct TestFault: Error {}
}
