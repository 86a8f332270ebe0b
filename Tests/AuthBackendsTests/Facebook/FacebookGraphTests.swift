import CommandTestSupport
import Platform

@testable import AuthBackends

extension FacebookGraph {
    /// A Graph client that must send exactly the expected requests.
    static func replaying(_ exchanges: Exchange..., masking secret: String = "") -> FacebookGraph {
        let transport = ReplayingTransport()
        for exchange in exchanges { transport.expect(exchange) }
        let masker = Masker()
        masker.register(secret)
        return FacebookGraph(version: Exchange.graphVersion, transport: transport, masker: masker)
    }
}

extension FacebookApp {
    static let sample = FacebookApp(id: "1000", clientToken: Secret("0c1d2e3f"))
}

/// The requests to Facebook's Graph API, and how the client reads the responses.
@Suite struct FacebookGraphTests {
    static let token = Secret("EAAB")
    static let me = "me?fields=id,name,first_name,last_name,email"

    static func begun(_ answer: String, scope: String = "public_profile%2Cemail", _ status: Int = 200) -> Exchange {
        .graphForm("device/login", "access_token=1000%7C0c1d2e3f&scope=\(scope)", status, answer)
    }

    static func begin(_ answer: String) throws -> DeviceCode {
        try FacebookGraph.replaying(begun(answer))
            .beginDeviceLogin(.sample, permissions: ["public_profile", "email"])
    }

    static func progress(_ status: Int, _ answer: String) throws -> DeviceLoginProgress {
        let code = try begin(
            #"{"code":"c0de/+","user_code":"AB12","verification_uri":"https://m.facebook.com/device"}"#)
        let form = "access_token=1000%7C0c1d2e3f&code=c0de%2F%2B"
        return try FacebookGraph.replaying(.graphForm("device/login_status", form, status, answer))
            .progress(of: code, .sample)
    }

    // MARK: - Device codes

    @Test func `a Facebook device login sends the app id and the client token only in the body`() throws {
        let code = try Self.begin(
            #"{"code":"c0de","user_code":"AB12-CD34","verification_uri":"https://www.facebook.com/device","#
                + #""expires_in":420,"interval":5}"#)
        expect(
            code,
            DeviceCode(
                secret: Secret("c0de"), userCode: "AB12-CD34", verificationURL: "https://www.facebook.com/device",
                completeURL: "https://www.facebook.com/device?user_code=AB12-CD34", lifetime: .seconds(420),
                interval: .seconds(5)))
    }

    @Test(arguments: [
        (#","expires_in":300,"interval":7"#, 300 as Int64, 7 as Int64), ("", 420, 5),
        (#","expires_in":0,"interval":0"#, 420, 5), (#","expires_in":-1,"interval":"soon""#, 420, 5),
        (#","expires_in":9223372036854775807,"interval":5"#, 86_400, 5),
        (#","expires_in":420,"interval":9223372036854775807"#, 420, 86_400),
    ])
    func `the lifetime and the polling interval of a Facebook device code have defaults and a limit`(
        times: String, lifetime: Int64, interval: Int64
    ) throws {
        let code = try Self.begin(
            #"{"code":"c","user_code":"u","verification_uri":"https://m.facebook.com/"\#(times)}"#)
        expect(code.lifetime, .seconds(lifetime))
        expect(code.interval, .seconds(interval))
    }

    @Test func `a user code is percent-encoded in the URL of the device-login page`() throws {
        let code = try Self.begin(
            #"{"code":"c","user_code":"A B&1","verification_uri":"https://m.facebook.com/device?l=en"}"#)
        expect(code.completeURL, "https://m.facebook.com/device?l=en&user_code=A%20B%261")
    }

    @Test func `a user code that is a JSON number is read as text`() throws {
        let code = try Self.begin(#"{"code":"c","user_code":1234,"verification_uri":"https://m.facebook.com/"}"#)
        expect(code.userCode, "1234")
        expect(code.completeURL, "https://m.facebook.com/?user_code=1234")
    }

    @Test func `the permissions of a Facebook device login are sent comma-separated`() throws {
        let answer = #"{"code":"c","user_code":"u","verification_uri":"https://m.facebook.com/"}"#
        let graph = FacebookGraph.replaying(Self.begun(answer, scope: "public_profile%2Cuser_birthday"))
        _ = try graph.beginDeviceLogin(.sample, permissions: ["public_profile", "user_birthday"])
    }

    @Test(arguments: [
        "{}", #"{"code":"c","user_code":"u"}"#, #"{"code":"c","verification_uri":"https://m.facebook.com/"}"#,
        #"{"user_code":"u","verification_uri":"https://m.facebook.com/"}"#,
        #"{"code":"","user_code":"u","verification_uri":"https://m.facebook.com/"}"#,
        #"{"code":"c","user_code":"","verification_uri":"https://m.facebook.com/"}"#,
        #"{"code":5,"user_code":"u","verification_uri":"https://m.facebook.com/"}"#,
        #"{"code":"c","user_code":true,"verification_uri":"https://m.facebook.com/"}"#,
        #"{"code":"c","user_code":"u","verification_uri":""}"#,
        #"{"code":"c","user_code":"u","verification_uri":"http://a.example/"}"#,
        #"{"code":"c","user_code":"u","verification_uri":"file:///a"}"#,
        #"{"code":"c","user_code":"u","verification_uri":"a.example"}"#,
        #"{"code":"c","user_code":"u","verification_uri":"https://m.facebook.com/#x"}"#,
    ])
    func `a device-login response without a usable code and URL is invalid`(answer: String) throws {
        try failure { try Self.begin(answer) }.expectMessage(in: "backends/facebook")
    }

    @Test(arguments: [
        ("https://www.facebook.com/device", true), ("https://www.facebook.com:443/device", true),
        ("https://facebook.com/device", true),
        ("https://FACEBOOK.com", true),
        ("https://m.facebook.com/device?l=en", true), ("https://facebook.com.evil.example/device", false),
        ("https://evil-facebook.com/device", false), ("https://facebook.com@evil.example/", false),
        ("https://ada@www.facebook.com/device", false), ("https://www.facebook.com:8443/device", false),
        ("https://evil.example\\\\@www.facebook.com/", false), ("https://www.facebook.com./device", false),
        ("https://evil.example/?www.facebook.com", false), ("https://evil.example/.facebook.com", false),
    ])
    func `the URL of a device login must be on facebook.com, unless a custom Graph URL is set`(
        page: String, isAccepted: Bool
    ) throws {
        let answer = #"{"code":"c","user_code":"u","verification_uri":"\#(page)"}"#
        if isAccepted {
            _ = try Self.begin(answer)
        } else {
            try expect(failure { _ = try Self.begin(answer) }.reason, .invalidResponse)
        }
        let base = "https://graph.example"
        let form = "access_token=1000%7C0c1d2e3f&scope=public_profile%2Cemail"
        let graph = FacebookGraph(
            url: base, version: Exchange.graphVersion,
            transport: ReplayingTransport(.graphForm("device/login", form, at: base, 200, answer)))
        _ = try graph.beginDeviceLogin(.sample, permissions: ["public_profile", "email"])
    }

    // MARK: - Progress of a device login

    @Test(arguments: [
        (#"{"code":31,"error_subcode":1349174}"#, DeviceLoginProgress.pending),
        (#"{"code":17,"error_subcode":1349172}"#, .slowDown), (#"{"error_subcode":1349173}"#, .declined),
        (#"{"code":463,"error_subcode":1349152}"#, .expired),
        (#"{"code":190,"error_subcode":1349174}"#, .pending),
    ])
    func `only the error subcode determines a device login's progress`(refusal: String, progress: DeviceLoginProgress)
        throws
    {
        for status in [400, 401, 403, 200, 500] {
            try expect(Self.progress(status, #"{"error":\#(refusal)}"#), progress)
        }
    }

    @Test(arguments: [
        #"{"access_token":"EAAB","expires_in":5183999,"data_access_expiration_time":1798859045}"#,
        #"{"access_token":"EAAB","expires_in":"5183999"}"#, #"{"access_token":"EAAB","expires_in":0}"#,
        #"{"access_token":"EAAB"}"#,
    ])
    func `a device login is complete when the response has an access token`(answer: String) throws {
        try expect(Self.progress(200, answer), .done(token: Self.token))
    }

    @Test(arguments: ["{}", #"{"access_token":""}"#, #"{"access_token":5}"#, #"{"access_token":"E\u0000B"}"#])
    func `a login response without error or token is invalid and uses up the device code`(answer: String) throws {
        let error = try failure { _ = try Self.progress(200, answer) }
        #expect(error.isAfterSuccess)
        error.expectMessage(in: "backends/facebook")
    }

    @Test(arguments: [
        (17, AuthError.Reason.rateLimited), (31, .forbidden), (463, .forbidden), (190, .badAppKey), (1, .serverFault),
    ])
    func `a Facebook error without a known subcode ends the device login`(code: Int, reason: AuthError.Reason) throws {
        try expect(failure { _ = try Self.progress(400, #"{"error":{"code":\#(code)}}"#) }.reason, reason)
    }

    // MARK: - Tokens

    @Test(arguments: [#"{"id":"1000","name":"Shop"}"#, #"{"id":1000}"#])
    func `the app id of a Facebook token is requested with that token`(answer: String) throws {
        try expect(FacebookGraph.replaying(.graph("GET", "app?fields=id", 200, answer)).appID(of: Self.token), "1000")
    }

    @Test(arguments: [
        (
            #"{"id":"1003","name":"Ada L","first_name":"Ada","last_name":"L","email":"ada@example.org"}"#,
            IdentityProfile(id: "1003", name: "Ada L", firstName: "Ada", lastName: "L", email: "ada@example.org")
        ),
        (#"{"id":1003}"#, IdentityProfile(id: "1003")),
        (#"{"id":"1003","name":"","email":null,"first_name":5}"#, IdentityProfile(id: "1003")),
    ])
    func `the Facebook profile is requested with the user's token`(answer: String, profile: IdentityProfile) throws {
        try expect(FacebookGraph.replaying(.facebookUser(answer)).profile(of: Self.token), profile)
    }

    @Test(arguments: ["{}", #"{"id":null}"#, #"{"id":""}"#, #"{"id":true}"#])
    func `a Graph API response without an id is invalid`(answer: String) throws {
        let app = FacebookGraph.replaying(.graph("GET", "app?fields=id", 200, answer))
        let user = FacebookGraph.replaying(.facebookUser(answer))
        for (subject, error) in [
            ("app", try failure { _ = try app.appID(of: Self.token) }),
            ("user", try failure { _ = try user.profile(of: Self.token) }),
        ] {
            error.expectMessage(in: "backends/facebook", subject)
        }
    }

    @Test(arguments: [#""1 003""#, #""10\n03""#, #""1003\u0000""#, #""\u0661""#])
    func `a Facebook user id that is not visible ASCII makes the response invalid`(id: String) throws {
        let user = FacebookGraph.replaying(.facebookUser(#"{"id":\#(id)}"#))
        try expect(failure { _ = try user.profile(of: Self.token) }.reason, .invalidResponse)
    }

    // MARK: - Revoking permissions

    private static func revoke(_ status: Int, _ answer: String) throws {
        try FacebookGraph.replaying(.graph("DELETE", "me/permissions", status, answer)).revokePermissions(token)
    }

    @Test(arguments: ["true", #"{"success":true}"#, #" {"success": true, "x": 1}"#])
    func `Facebook permissions count as revoked when Facebook confirms the revocation`(answer: String) throws {
        #expect(throws: Never.self) { try Self.revoke(200, answer) }
    }

    @Test(arguments: ["false", #"{"success":false}"#, #"{"success":"true"}"#, "{}", "", "<html>", #""true""#])
    func `a revocation of Facebook permissions reports an unexpected response as invalid`(answer: String) throws {
        let error = try failure { try Self.revoke(200, answer) }
        let isJSON = !["", "<html>"].contains(answer) && answer.hasPrefix("{")
        error.expectMessage(in: "backends/facebook", isJSON ? "without success" : "of another form")
    }

    @Test func `a revocation of Facebook permissions fails if Facebook rejects the token`() throws {
        let answer = #"{"error":{"code":190,"error_subcode":458}}"#
        try expect(failure { try Self.revoke(400, answer) }.reason, .tokenRefused)
    }

    @Test func `a lost response leaves the outcome of a revocation of Facebook permissions uncertain`() throws {
        let request = Exchange.graph("DELETE", "me/permissions", 200, "").request
        let graph = FacebookGraph.replaying(
            Exchange(request, TransportError(.timeout, "it took too long", wasSent: true)))
        try failure { try graph.revokePermissions(Self.token) }.expectMessage(in: "backends/facebook")
    }

    @Test func `the error about a failed connection to the Graph API is reported unchanged`() throws {
        let request = Exchange.facebookUser().request
        let graph = FacebookGraph.replaying(Exchange(request, TransportError(.tls, "no trust", hint: "fix it")))
        try expect(
            failure { _ = try graph.profile(of: Self.token) }, AuthError(.tls, "no trust", next: "fix it"))
    }
}
