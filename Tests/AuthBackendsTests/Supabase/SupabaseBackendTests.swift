import CommandTestSupport
import Platform

@testable import AuthBackends

/// What `BackendContract` and the recorded responses cannot show. A fake runs in `EndToEndTests/Supabase`.
@Suite struct SupabaseBackendTests {
    typealias Answer = AnswerScript.Answer

    /// Runs a call that must send exactly these requests. Returns the requests.
    @discardableResult
    func run(
        _ answers: [Answer], server: String = "https://a.example", path: String = "/auth/v1",
        call: (SupabaseBackend) throws -> Void
    ) throws -> [HTTPRequest] {
        let script = AnswerScript(answers) {
            String($0.dropFirst("https://a.example/".count)).replacing("auth/v1/", with: "")
        }
        try call(
            SupabaseBackend(
                endpoints: SupabaseEndpoints(server: server, path: path, apiKey: Secret("sb_publishable_1")),
                server: .replaying(script, base: server)))
        expect(script.rest, [])
        return script.requests
    }

    static func bodies(_ requests: [HTTPRequest]) -> [String] {
        requests.map { String(decoding: $0.body ?? [], as: UTF8.self) }
    }

    private static let session = Session.restAuthJWT
    private static let ok = SupabaseSample.session()
    private static let me = Answer("GET user", SupabaseSample.user())
    private static let end = Answer("POST logout?scope=local", 204, "")
    private static let idToken = "POST token?grant_type=id_token"
    private static let proof = IdentityCredential(.google, nonce: "n1", .idToken(Secret("i")))
    static let account = NewAccount(username: nil, email: "ada@example.org", password: Secret("long enough"))

    // MARK: - Connection

    @Test(arguments: [
        ("https://a.example", "/auth/v1", "https://a.example/auth/v1/user"),
        ("https://a.example/auth/v1", "/auth/v1", "https://a.example/auth/v1/user"),
        ("https://a.example", "/", "https://a.example/user"),
        ("https://a.example/x", "/gotrue/", "https://a.example/x/gotrue/user"),
    ])
    func `the setting authPath is added to the URL of the project, unless the URL ends with it`(
        server: String, path: String, url: String
    ) {
        let request = SupabaseEndpoints(server: server, path: path, apiKey: nil).user(Secret("t")).request
        expect(request.url, url)
        #expect(request.headers["X-Supabase-Api-Version"] == "2024-01-01" && request.headers["apikey"] == nil)
    }

    /// Source: Supabase's documentation, "Understanding API keys"; the exchanges `admin/…`.
    @Test func `a new secret key is sent as apikey alone, and a legacy one also as the bearer token`() {
        let endpoints = SupabaseEndpoints(server: "https://a.example", path: "/", apiKey: Secret("public"))
        let new = endpoints.user(id: "1", Secret("sb_secret_1")).request.headers
        #expect(new["apikey"] == "sb_secret_1" && new["Authorization"] == nil)
        let legacy = endpoints.user(id: "1", Secret(SupabaseSample.token)).request.headers
        expect(legacy["apikey"], SupabaseSample.token)
        expect(legacy["Authorization"], "Bearer \(SupabaseSample.token)")
    }

    @Test func `a hosted project without a publishable key is a usage error before any request`() {
        let stack = HTTPStack(ReplayingTransport(), masker: Masker(), clock: .fixed(.sampleNow), pause: { _ in })
        let site = Site(Connection(backend: "supabase", server: "https://ref.supabase.co"))
        let error = #expect(throws: AuthError.self) { try BackendRegistry.standard.makeBackend(for: site, stack) }
        #expect(error?.reason == .usage && error?.message.contains("publishable key") == true)
    }

    /// Source: the exchanges `otp/…`; for phone numbers, Supabase's documentation, "Phone Login".
    @Test(arguments: [
        ("ada@example.org", "123456", #""email":"ada@example.org""#, #""type":"email","token":"123456""#),
        ("+15555550177", "123456", #""phone":"+15555550177""#, #""type":"sms","token":"123456""#),
        (
            "ada@example.org", "https://ref.supabase.co/auth/v1/verify?token=abc&type=magiclink",
            #""email":"ada@example.org""#,
            #""type":"magiclink","token_hash":"abc""#
        ),
    ])
    func `a login without a password creates no account, and its code needs the address`(
        address: String, code: String, member: String, sent: String
    ) throws {
        let answers = [Answer("POST otp", "{}"), Answer("POST verify", Self.ok), Answer("POST otp", "{}")]
        let requests = try run(answers) { backend throws in
            let token = try #require(try backend.request(Pending(.logInCode), of: address).token)
            try expect(backend.resume(token, code: Secret(code)).value.session().user.id, "u1")
            var account = NewAccount(username: address, password: nil)
            account.fields = ["name": "Ada"]
            guard case .waits(let pending, _) = try backend.signUp(account).value else {
                throw BackendError(.internal, "no pending login")
            }
            #expect(pending.step == .logInCode && pending.createdAccount == nil)
        }
        let bodies = Self.bodies(requests)
        expect(bodies[0], "{\(member),\"create_user\":false}")
        expect(bodies[1], code.count > 6 ? "{\(sent)}" : "{\(member),\(sent)}")
        expect(bodies[2], "{\(member),\"create_user\":true,\"data\":{\"name\":\"Ada\"}}")
    }

    /// Source: the gateway's and the platform's documentation; Data API: PostgREST, "Errors".
    @Test(arguments: [
        (401, #"{"message":"No API key found in request","hint":"x"}"#, AuthError.Reason.badAppKey),
        (401, #"{"message":"Invalid API key","hint":"x"}"#, .badAppKey), (401, "Unauthorized", .badAppKey),
        (401, "<html>Log in</html>", .forbidden), (401, "{}", .forbidden), (540, "<html>", .serverFault),
        (540, "", .serverFault), (402, #"{"message":"Service is restricted"}"#, .serverFault),
        (404, "404 page not found\n", .wrongEndpoint),
        (403, #"{"code":"hook_failed","message":"x"}"#, .forbidden),
        (418, #"{"code":"new","message":"x"}"#, .invalidFields),
    ])
    func `an error of the gateway or with an unknown code is read by its status`(
        status: Int, body: String, reason: AuthError.Reason
    ) throws {
        try run([Answer("GET user", status, body)]) { backend throws in
            let error = try failure { _ = try backend.currentUser(Self.session) }
            expect(error.reason, reason)
            if status == 418 { #expect(error.message.contains("(code new)")) }
            if [402, 540].contains(status) { #expect(!error.isRetryable && error.nextSteps.count == 1) }
            if status == 402 { #expect(error.message.contains("\"Service is restricted\"")) }
        }
    }

    @Test(arguments: ["Invalid API key", "Legacy API keys are disabled"])
    func `a refused key is told in the gateway's words, and names legacy keys unless they are disabled`(
        text: String
    ) throws {
        let refusal = #"{"message":"\#(text)"}"#
        let answers = [Answer("GET user", 401, refusal), Answer("GET admin/users?page=1&per_page=1", 401, refusal)]
        try run(answers) { backend throws in
            for error in [
                try failure { _ = try backend.currentUser(Self.session) },
                try failure { try backend.check(adminKey: Secret("k")) },
            ] {
                #expect(error.message.hasSuffix("\"\(text)\""))
                expect(error.nextSteps[0].sentence.contains("legacy"), (text == "Invalid API key"))
            }
        }
    }

    /// Sources: the exchange `live/signup-phone-taken`; for the texts of 2.151, runs of that version.
    @Test(arguments: [
        ("signup", 422, "user_already_exists", "x", AuthError.Reason.phoneTaken, "the phone number is already taken"),
        (
            "token?grant_type=password", 400, "phone_not_confirmed", "Phone not confirmed", .emailUnverified,
            "the phone number is not verified yet"
        ),
        ("otp", 400, "sms_send_failed", "sms frequency limit reached", .rateLimited, "too many requests"),
        ("otp", 422, "sms_send_failed", "no such host", .invalidFields, #"the request was rejected (code "#),
    ])
    func `errors about a phone number name it, and tell a limit on messages`(
        path: String, status: Int, code: String, text: String, reason: AuthError.Reason, message: String
    ) throws {
        let (phone, password) = ("+4915700000001", Secret("a"))
        try run([Answer("POST \(path)", status, SupabaseSample.error(code, text))]) { backend throws in
            let error = try failure {
                switch path {
                case "signup": _ = try backend.signUp(NewAccount(username: nil, phone: phone, password: password))
                case "otp": _ = try backend.resetPassword(email: phone)
                default: _ = try backend.logIn(Credentials(login: phone, password: password)).value.session()
                }
            }
            #expect(error.reason == reason && error.message.hasPrefix(message))
        }
    }

    @Test func `an expired token at the Data API is an expired session`() throws {
        let expired = Answer("GET rest/v1/x", 401, #"{"code":"PGRST303","message":"JWT expired"}"#)
        try run([expired]) { backend throws in
            let answer = try backend.send(
                HTTPRequest(.get, "https://a.example/rest/v1/x"), below: nil, with: Self.session)
            expect(answer.value.error?.reason, .sessionExpired)
        }
    }

    /// Source: PostgREST, "Pagination".
    @Test func `the Data API is read by offset until an empty page, and only with an order`() throws {
        try run([]) { backend throws in
            let url = "https://a.example/rest/v1/notes"
            try expect(failure { _ = try backend.firstPage(of: HTTPRequest(.get, url), below: nil) }.reason, .usage)
            let first = try backend.firstPage(of: HTTPRequest(.get, "\(url)?order=id"), below: nil)
            expect(first.url, "\(url)?order=id&limit=1000")
            let list = try JSONList(parsing: Array("[1,2]".utf8))
            let next = try #require(try backend.page(after: list, to: first, below: nil))
            expect(next.url, "\(url)?order=id&limit=1000&offset=2")
            try expect(backend.page(after: JSONList(parsing: Array("[]".utf8)), to: next, below: nil), nil)
            let other = HTTPRequest(.get, "https://a.example/functions/v1/f")
            try expect(backend.firstPage(of: other, below: nil), other)
        }
    }

    /// Source: PostgREST, "Prefer", `return=representation`.
    @Test(arguments: [("PATCH", true), ("DELETE", true), ("POST", false), ("PUT", false), ("GET", false)])
    func `a change at the Data API can ask for the changed rows`(method: String, asks: Bool) throws {
        try run([]) { backend throws in
            for (path, isData) in [("rest/v1/notes", true), ("functions/v1/f", false)] {
                let request = HTTPRequest(HTTPRequest.Method(rawValue: method), "https://a.example/\(path)")
                let showing = try backend.showingChangedRows(of: request, below: nil)
                expect(showing.headers["Prefer"], (asks && isData ? "return=representation" : nil))
                try expect(backend.showingChangedRows(of: request, below: "https://a.example"), request)
                let counting = backend.countingChangedRows(of: showing)?.headers["Prefer"]
                expect(counting, (asks && isData ? "return=minimal,count=exact" : nil))
            }
        }
    }

    /// Source: supabase-js, `fetchWithAuth`.
    @Test func `a visitor sends a legacy key also as the bearer token`() {
        let key = RestAuthSample.jwt(#"{"role":"anon"}"#)
        for (key, bearer) in [("sb_publishable_1", nil), (key, "Bearer \(key)")] {
            let headers = SupabaseEndpoints(server: "https://a", path: "/", apiKey: Secret(key)).visitor
            #expect(headers["apikey"] == key && headers["Authorization"] == bearer)
        }
    }

    @Test(arguments: [
        ("jwt expired", AuthError.Reason.sessionExpired), (#"\"exp\" claim timestamp check failed"#, .sessionExpired),
        ("signature verification failed", .tokenRefused),
        ("new row violates row-level security policy", .invalidFields),
    ])
    func `Storage rejects a token with the status of a denial`(message: String, reason: AuthError.Reason) throws {
        let error = #"{"statusCode":"403","error":"Unauthorized","message":"\#(message)"}"#
        try run([Answer("GET storage/v1/x", 400, error)]) { backend throws in
            let request = HTTPRequest(.get, "https://a.example/storage/v1/x")
            try expect(backend.send(request, below: nil, with: Self.session).value.error?.reason, reason)
        }
    }

    // MARK: - Signup and login

    /// Source: the exchanges `confirm/signup…`.
    @Test(arguments: [
        (#","created_at":"2026-01-01T00:00:00.1Z","confirmation_sent_at":"2026-01-01T00:00:01.1Z""#, true),
        (#","created_at":"2026-01-01T00:00:00.1Z","confirmation_sent_at":"2026-01-01T00:00:01.2Z""#, false),
        (#","created_at":"2026-01-01T00:00:00.1Z""#, nil), ("", nil),
    ])
    func `a signup that waits has created the account unless it is older than its confirmation`(
        times: String, created: Bool?
    ) throws {
        try run([Answer("POST signup", SupabaseSample.user("ada", times))]) { backend throws in
            guard case .waits(let pending, _) = try backend.signUp(Self.account).value else {
                Issue.record("not pending")
                return
            }
            #expect(pending.createdAccount == created && pending.mayHaveExisted == (created != true))
        }
    }

    @Test func `a made-up user without identities is a taken e-mail`() throws {
        try run([Answer("POST signup", #"{"id":"x","role":"","identities":[]}"#)]) { backend throws in
            let error = try failure { _ = try backend.signUp(Self.account) }
            #expect(error.reason == .emailTaken && error.fields.map(\.field) == ["email"])
        }
    }

    @Test(arguments: [
        NewAccount(username: "ada", email: "ada@example.org", password: Secret("a")),
        NewAccount(username: "ada", password: Secret("a")),
        NewAccount(username: nil, email: "ada@example.org", phone: "+4912345", password: Secret("a")),
    ])
    func `an account with a username, or with two addresses, is not sent`(account: NewAccount) throws {
        try run([]) { backend throws in
            try expect(failure { _ = try backend.signUp(account) }.reason, .invalidFields)
        }
    }

    /// Source: Supabase's documentation, "Phone login".
    @Test(arguments: ["+4912345678", "4912345678"])
    func `a phone number is sent as the phone`(number: String) throws {
        let waiting = #"{"id":"u1","phone":"4912345678","identities":[{"provider":"phone"}]}"#
        let sent = try run([Answer("POST signup", waiting), Answer("POST token?grant_type=password", Self.ok)]) {
            backend throws in
            let account = NewAccount(username: number, password: Secret("a"), fields: ["x": 1])
            guard case .waits(let pending, let user) = try backend.signUp(account).value else { return }
            #expect(pending.step == .phoneVerification && user.displayName == "4912345678")
            _ = try backend.logIn(Credentials(login: number, password: Secret("a")))
        }
        #expect(
            Self.bodies(sent) == [
                #"{"phone":"\#(number)","password":"a","data":{"x":1}}"#, #"{"phone":"\#(number)","password":"a"}"#,
            ])
    }

    @Test func `a password of more than 72 bytes is too weak without a request`() throws {
        try run([]) { backend throws in
            let account = NewAccount(username: nil, email: "a@b", password: Secret(String(repeating: "ä", count: 37)))
            try expect(failure { _ = try backend.signUp(account) }.reason, .weakPassword)
        }
    }

    @Test func `a login without the code of a factor warns of the first level`() throws {
        let user = SupabaseSample.user("ada", #","factors":[{"id":"f","status":"verified","factor_type":"totp"}]"#)
        let answer = #"{"weak_password":{"reasons":["length"]},"# + SupabaseSample.session(user).dropFirst()
        try run([Answer("POST token?grant_type=password", answer)]) { backend throws in
            let credentials = Credentials(login: "Ada@example.org", password: Secret("a"))
            guard case .session(let new) = try backend.logIn(credentials).value else { return }
            #expect(new.warnings.count == 2 && new.warnings.last?.contains("first level") == true)
        }
    }

    @Test func `a wrong code of a factor ends the session of the first level`() throws {
        let user = SupabaseSample.user("ada", #","factors":[{"id":"f","status":"verified","factor_type":"totp"}]"#)
        try run([
            Answer("POST token?grant_type=password", SupabaseSample.session(user)),
            Answer("POST factors/f/challenge", #"{"id":"c"}"#),
            Answer("POST factors/f/verify", 422, SupabaseSample.error("mfa_verification_failed")), Self.end,
        ]) { backend throws in
            let credentials = Credentials(login: "ada@example.org", password: Secret("a"))
            try expect(failure { _ = try backend.logIn(credentials, code: Secret("1")) }.reason, .wrongCode)
        }
    }

    // MARK: - Sessions

    @Test func `a logout refreshes an expired session first, because the server would not end it`() throws {
        var session = Self.session
        session.expiresAt = .sampleNow
        let sent = try run([Answer("POST token?grant_type=refresh_token", Self.ok), Self.end]) { backend throws in
            try expect(backend.logOut(session).value, .yes)
        }
        expect(sent.last?.headers["Authorization"], "Bearer \(SupabaseSample.token)")
    }

    /// Source: Supabase, "JWT Signing Keys"; the exchange `open/me-wrong-signature`.
    @Test func `a logout refreshes a session whose access token is rejected, because the signing key may be new`()
        throws
    {
        let refused = Answer("POST logout?scope=local", 403, #"{"code":"bad_jwt","message":"signature is invalid"}"#)
        let refresh = "POST token?grant_type=refresh_token"
        let gone = #"{"code":"refresh_token_not_found","message":"Refresh Token Not Found"}"#
        try run([refused, Answer(refresh, Self.ok), Self.end]) { backend throws in
            try expect(backend.logOut(Self.session).value, .yes)
        }
        let sent = try run([refused, Answer(refresh, 400, gone)]) { backend throws in
            try expect(backend.logOut(Self.session).value, .already)
        }
        expect(sent.last?.mostTries, 2, "a refresh without a response is sent once more")
    }

    @Test(arguments: [(true, "others"), (false, "global")])
    func `sessions are revoked together by their scope`(exceptCurrent: Bool, scope: String) throws {
        let sent = try run([Answer("POST logout?scope=\(scope)", 204, "")]) { backend throws in
            _ = try backend.endSessions(exceptCurrent: exceptCurrent, of: Self.session)
        }
        expect(sent.last?.isIdempotent, exceptCurrent, "a repeated request would report the end of the session")
    }

    @Test func `the browser entry is named after the host and contains the session`() throws {
        try run([Self.me]) { backend throws in
            let stored = try #require(try backend.browserState(of: Self.session, User(), for: Self.page)).localStorage
            expect(stored.map(\.name), ["sb-a-auth-token"])
            let entry = try JSONValue(parsing: Array(stored[0].value.reveal().utf8))
            #expect(entry["expires_in"] == 300 && entry["token_type"] == "bearer")
            #expect(entry["refresh_token"]?.string == RestAuthSample.refresh && entry["user"]?["id"] == "u1")
        }
    }

    private static let page = BrowserPage(origin: URLParts("https://shop.example")!, command: [])

    /// Source: @supabase/ssr, `cookies.ts` and `utils/chunker.ts`.
    @Test(arguments: [(1500, 1), (2400, 2), (6000, 3)])
    func `the browser gets the cookies of Supabase's server client, in parts of 3180 characters`(
        length: Int, count: Int
    ) throws {
        let user = SupabaseSample.user().replacing("u1", with: String(repeating: "é", count: length / 2))
        try run([Answer("GET user", user)]) { backend throws in
            let state = try #require(try backend.browserState(of: Self.session, User(), for: Self.page))
            let names = (0..<count).map { count == 1 ? "sb-a-auth-token" : "sb-a-auth-token.\($0)" }
            expect(state.cookies.map(\.name), names)
            let sizes = state.cookies.map { $0.value.reveal().utf8.count }
            #expect(sizes.dropLast().allSatisfy { $0 == 3180 } && sizes.last ?? 0 <= 3180)
            #expect(state.cookies.allSatisfy { $0.domain == "shop.example" && !$0.isHTTPOnly && $0.path == "/" })
            let value = state.cookies.map { $0.value.reveal() }.joined()
            #expect(value.hasPrefix("base64-"))
            let text = [UInt8](base64: value.dropFirst(7), isForURLs: true).map { String(decoding: $0, as: UTF8.self) }
            expect(text, state.localStorage.first?.value.reveal())
        }
    }

    // MARK: - Passwords

    @Test func `a password change proves the current password by a login, and ends its session`() throws {
        let sent = try run([
            Self.me, Answer("POST token?grant_type=password", Self.ok), Self.end,
            Answer("PUT user", SupabaseSample.user()),
        ]) { backend throws in
            _ = try backend.changePassword(
                PasswordChange(from: Secret("old"), to: Secret("new"), code: Secret("1")), of: Self.session)
        }
        expect(Self.bodies(sent)[3], #"{"password":"new","nonce":"1","current_password":"old"}"#)
        expect(sent[2].headers["Authorization"], "Bearer \(SupabaseSample.token)")
    }

    @Test(arguments: [(200, "has sent it"), (429, "could not be requested")])
    func `a password change that needs a code requests it`(status: Int, words: String) throws {
        try run([
            Answer("PUT user", 400, SupabaseSample.error("reauthentication_needed")),
            Answer(
                "GET reauthenticate", status, status == 200 ? "{}" : SupabaseSample.error("over_email_send_rate_limit")),
        ]) { backend throws in
            let error = try failure {
                _ = try backend.changePassword(PasswordChange(from: nil, to: Secret("new")), of: Self.session)
            }
            #expect(error.reason == .reauthenticationRequired && error.message.contains(words))
            expect(error.nextSteps.first?.command, ["password", "change", "--otp", "CODE"])
        }
    }

    @Test func `after a weak password, the same key sets another one without another verification`() throws {
        let link = MailKey("https://app.example/reset?token_hash=h1&type=recovery")
        var pending: Pending?
        try run([
            Answer("POST verify", Self.ok), Answer("PUT user", 422, SupabaseSample.error("weak_password")),
        ]) { backend throws in
            pending = try backend.resetPassword(key: link, to: Secret("x"), of: nil, pending: nil)?.pending
        }
        #expect(pending?.error.reason == .weakPassword && pending?.error.nextSteps.count == 1)
        let token = try #require(pending?.token)
        try run([Answer("PUT user", SupabaseSample.user())]) { backend throws in
            let new = try backend.resetPassword(key: link, to: Secret("y"), of: nil, pending: token)?.session()
            expect(new?.session.refreshToken?.reveal(), SupabaseSample.refreshToken)
        }
        let other = MailKey("https://app.example/reset?token_hash=h2&type=recovery")
        try run([Answer("POST verify", Self.ok), Answer("PUT user", SupabaseSample.user())]) { backend throws in
            _ = try backend.resetPassword(key: other, to: Secret("y"), of: nil, pending: token)
        }
    }

    // MARK: - E-mails

    private static let late = Answer("POST verify", 403, SupabaseSample.error("otp_expired"))
    private static let good = Answer("POST verify", ok)

    @Test(arguments: [
        ("https://a.example/auth/v1/verify?token=h&type=signup", [good], [#"{"type":"signup","token_hash":"h"}"#]),
        ("https://app.example/c#token_hash=pkce_h&type=email", [good], [#"{"type":"email","token_hash":"pkce_h"}"#]),
        ("0a1b2c3d4e5f", [good], [#"{"type":"email","token_hash":"0a1b2c3d4e5f"}"#]),
        (
            "123456", [late, good],
            [
                #"{"email":"ada@example.org","type":"email","token":"123456"}"#,
                #"{"email":"ada@example.org","type":"email_change","token":"123456"}"#,
            ]
        ),
    ])
    func `a link or hash is sent as the hash, and a code with the address`(
        key: String, answers: [Answer], bodies: [String]
    ) throws {
        let sent = try run(answers) { backend throws in
            let result = try backend.verify(MailKey(key), VerificationProof(address: "ada@example.org")).value
            if case .session = result {} else { Issue.record("\(result)") }
        }
        expect(Self.bodies(sent), bodies)
    }

    @Test(arguments: [
        ("123456", AuthError.Reason.usage), ("https://a.example/verify?token=h&type=recovery", .usage),
        ("https://app.example/#access_token=t&refresh_token=r", .usage), ("https://app.example/", .usage),
        ("https://app.example/#error=access_denied&error_code=otp_expired", .wrongCode),
    ])
    func `a code without its address, or a link for another purpose, is not sent`(
        key: String, reason: AuthError.Reason
    ) throws {
        try run([]) { backend throws in
            try expect(failure { _ = try backend.verify(MailKey(key), VerificationProof()) }.reason, reason)
        }
    }

    /// Source: the exchange `confirm/email-change-first`.
    @Test func `the first of two confirmations of a new e-mail starts no session`() throws {
        let key = MailKey("https://a.example/verify?token=h&type=email_change")
        try run([Answer("POST verify", #"{"code":"200","msg":"Confirmation link accepted."}"#)]) { backend throws in
            try expect(backend.verify(key, VerificationProof()).value, .otherAddressMissing)
        }
    }

    @Test func `an update sends fields as metadata, and null for removed ones`() throws {
        let change = UserChange(email: "b@example.org", fields: ["a": 1], unset: ["b"])
        let sent = try run([Answer("PUT user", SupabaseSample.user())]) { backend throws in
            _ = try backend.update(change, of: User(), Self.session)
            for change in [UserChange(username: "x"), UserChange(unset: ["email"]), UserChange(fields: ["sub": "1"])] {
                #expect(throws: BackendError.self) { try backend.check(change) }
            }
        }
        expect(Self.bodies(sent), [#"{"email":"b@example.org","data":{"a":1,"b":null}}"#])
    }

    // MARK: - Identities

    private static let keys = Answer("GET .well-known/jwks.json", #"{"keys":[]}"#)

    /// Source: the exchange `detect/jwks@2.151.0`.
    @Test func `no identity is linked at a version that would log in instead`() throws {
        try run([Self.me, Answer("GET .well-known/jwks.json", 404, "404 page not found\n")]) { backend throws in
            try expect(failure { _ = try backend.link(Self.proof, to: Self.session) }.reason, .unsupported)
        }
    }

    /// Source: the exchange `open/link-id-token@2.151.0`.
    @Test func `a link that answers with another account ends that session`() throws {
        let other = SupabaseSample.session(SupabaseSample.user("eve", id: "u2"))
        let sent = try run([Self.me, Self.keys, Answer(Self.idToken, other), Self.end]) { backend throws in
            let error = try failure { _ = try backend.link(Self.proof, to: Self.session) }
            #expect(error.reason == .identityTaken && error.message.contains("may have created"))
        }
        expect(Self.bodies(sent)[2], #"{"provider":"google","id_token":"i","nonce":"n1","link_identity":true}"#)
        expect(sent[2].headers["Authorization"], "Bearer \(RestAuthSample.access)")
    }

    @Test(arguments: [("Identity is already linked", true), ("Identity is already linked to another user", false)])
    func `only an identity that is the account's own counts as linked before`(text: String, isOwn: Bool) throws {
        let taken = Answer(Self.idToken, 422, SupabaseSample.error("identity_already_exists", text))
        let facebook = IdentityCredential(.facebook, .idToken(Secret("i")))
        try run([Self.me, Self.keys, taken]) { backend throws in
            if isOwn {
                try expect(backend.link(facebook, to: Self.session).value.hasChanged, false)
            } else {
                try expect(failure { _ = try backend.link(facebook, to: Self.session) }.reason, .identityTaken)
            }
        }
    }

    @Test func `a login accepts a code with its verifier, and no access token alone`() throws {
        let sent = try run([Answer("POST token?grant_type=pkce", Self.ok)]) { backend throws in
            let code = IdentityCredential(.google, .code(Secret("c"), redirectURI: nil, verifier: Secret("v")))
            try expect(backend.logIn(code).value.session().createdAccount, nil)
            let token = IdentityCredential(.google, .accessToken(Secret("t")))
            try expect(failure { _ = try backend.logIn(token) }.reason, .unsupported)
        }
        expect(Self.bodies(sent), [#"{"auth_code":"c","code_verifier":"v"}"#])
    }

    // MARK: - Administrator

    static func page(_ number: Int, total: Int? = nil, size: Int = 100, _ users: String...) -> Answer {
        Answer(
            "GET admin/users?page=\(number)&per_page=\(size)&filter=ada%40example.org",
            #"{"users":[\#(users.joined(separator: ","))]}"#, total.map { ["X-Total-Count": String($0)] } ?? [:])
    }

    /// The request for the link would create an account. Older versions ignore the filter.
    @Test func `an impersonation looks the user up on all pages, and fails before the link if there is none`() throws {
        let key = Secret("sb_secret_1")
        let eve = SupabaseSample.user("eve", id: "u2")
        try run([Self.page(1, eve), Self.page(2)]) { backend throws in
            try expect(failure { _ = try backend.logIn(as: "ada@example.org", adminKey: key) }.reason, .notFound)
        }
        let repeating = [100, 1000, 10_000].flatMap { [Self.page(1, size: $0, eve), Self.page(2, size: $0, eve)] }
        try run(repeating) { backend throws in
            let error = try failure { _ = try backend.logIn(as: "ada@example.org", adminKey: key) }
            expect(error.reason, .invalidResponse)
        }
        let link = Answer("POST admin/generate_link", #"{"hashed_token":"h","verification_type":"signup"}"#)
        let pages = [Self.page(1, total: 2, eve), Self.page(2, total: 2, SupabaseSample.user())]
        let sent = try run(pages + [link, Self.good]) { backend throws in
            let new = try backend.logIn(as: "ada@example.org", adminKey: key).value
            #expect(new.user.id == "u1" && new.warnings.count == 1)
        }
        expect(Self.bodies(sent)[3], #"{"type":"signup","token_hash":"h"}"#)
    }
}
