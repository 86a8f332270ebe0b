import TestSupport
import Testing

/// The site with allauth's headless API that other tests talk to answers as the one that was recorded.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct AllauthServerTests {
    private static let ann =
        #"{"username":"ann","email":"ann@example.com","password":"\#(Sandbox.password)"}"#
    private static let byAddress = #"{"email":"ann@example.com","password":"\#(Sandbox.password)"}"#

    @Test func `an account has a token for each session, and a dead one is gone`() throws {
        let server = try SharedSites.server("none", .allauth)
        let signUp = try server.post("auth/signup", Self.ann)
        #expect(signUp.status == 200)
        #expect(signUp.json?.keys == ["status", "data", "meta"])
        let user = try #require(signUp.json).object("data").object("user")
        #expect(user.keys == ["id", "display", "email", "username", "has_usable_password"])
        let meta = try #require(signUp.json).object("meta")
        #expect(meta.keys == ["is_authenticated", "session_token"])
        let token = try #require(meta.string("session_token"))
        let header = ["-H", "X-Session-Token: \(token)"]

        let sessions = try server.ask("GET", "auth/sessions", options: header)
        let session = try #require(try sessions.json?.objects("data").first)
        #expect(session.keys == ["user_agent", "ip", "created_at", "is_current", "id", "last_seen_at"])
        #expect(try server.post("auth/login", Self.byAddress, options: header).status == 409)
        #expect(try server.post("auth/login", Self.byAddress).status == 200)

        let wrong = try server.post("auth/login", #"{"username":"ann","password":"wrong"}"#)
        #expect(wrong.status == 400)
        let fault = try #require(try wrong.json?.objects("errors").first)
        #expect(fault.keys == ["message", "code", "param"])
        #expect(fault.string("code") == "username_password_mismatch")

        let out = try server.ask("DELETE", "auth/session", options: header)
        #expect(out.status == 401)
        #expect(try out.json?.object("data").keys == ["flows"])
        #expect(try server.session(token).status == 410)
        #expect(try server.post("auth/login", Self.byAddress, options: header).status == 410)
        let slash = try server.ask("GET", "config/")
        #expect(slash.status == 404)
        #expect(slash.isPage)
    }

    @Test func `mandatory-code: a sign-up waits for a code with a token`() throws {
        let server = try SharedSites.server("mandatory-code", .allauth)
        let signUp = try server.post("auth/signup", Self.byAddress)
        #expect(signUp.status == 401)
        #expect(try pendingFlows(signUp) == ["verify_email"])
        let token = try #require(try signUp.json?.object("meta").string("session_token"))
        let header = ["-H", "X-Session-Token: \(token)"]
        #expect(try server.session(token).status == 401)
        #expect(try server.post("auth/email/verify/resend", "{}", options: header).status == 200)
        let bad = try server.post("auth/email/verify", #"{"key":"AAAA-AAAA"}"#, options: header)
        #expect(try bad.json?.objects("errors").first?.string("code") == "incorrect_code")
        let code = try #require(server.mails.last?.code)
        let good = try server.post("auth/email/verify", #"{"key":"\#(code)"}"#, options: header)
        #expect(good.status == 200)
        #expect(try good.json?.object("meta").string("session_token") != token)
        let reset = try server.post("auth/password/request", #"{"email":"ann@example.com"}"#)
        #expect(reset.status == 401)
        #expect(try pendingFlows(reset) == ["password_reset_by_code"])
    }

    @Test func `mandatory-code-noresend: a code is mailed once`() throws {
        let server = try SharedSites.server("mandatory-code-noresend", .allauth)
        let token = try server.post("auth/signup", Self.byAddress).json?.object("meta").string("session_token")
        let header = ["-H", "X-Session-Token: \(try #require(token))"]
        #expect(try server.post("auth/email/verify/resend", "{}", options: header).status == 409)
    }

    @Test func `jwt: a log-in gives web tokens, which refresh once`() throws {
        let server = try SharedSites.server("jwt", .allauth)
        let signUp = try server.post("auth/signup", Self.ann)
        let meta = try #require(signUp.json).object("meta")
        #expect(meta.keys == ["is_authenticated", "session_token", "access_token", "refresh_token"])
        let body = #"{"refresh_token":"\#(try #require(meta.string("refresh_token")))"}"#
        let refresh = try server.post("tokens/refresh", body)
        #expect(try refresh.json?.object("data").keys == ["access_token", "refresh_token"])
        let again = try server.post("tokens/refresh", body)
        #expect(again.status == 400)
        #expect(again.json?.keys == ["status"])
        let access = "Bearer \(try #require(meta.string("access_token")))"
        #expect(try server.ask("GET", "auth/session", authorization: access).status == 200)
    }

    @Test func `the graph stand-in tells who a token belongs to, and to which app`() throws {
        let server = try SharedSites.server("none", .allauth)
        #expect(try logIn(server, "tok-ann").status == 200)
        for token in ["tok-bad", "tok-otherapp", "tok-500", "tok-html", "tok-drop"] {
            let answer = try logIn(server, token)
            #expect(answer.status == 400)
            #expect(try answer.json?.objects("errors").first?.string("code") == "invalid_token", "\(token)")
        }
        let silent = try logIn(server, "tok-noemail")
        #expect(silent.status == 401)
        #expect(try pendingFlows(silent) == ["provider_signup"])
    }

    @Test func `an id token logs in once, and none that is wrong does`() throws {
        let server = try SharedSites.server("none", .allauth)
        let graph = try #require(server.graph)
        let token = try graph.idToken(sub: "1003")
        #expect(try logIn(server, token, as: "id_token").status == 200)
        #expect(try logIn(server, token, as: "id_token").status == 400)
        let wrong = [
            try graph.idToken(aud: "2000"), try graph.idToken(["exp": "-5"]), try graph.idToken(["iss": "elsewhere"]),
            try graph.idToken(["signature": "wrong"]), try graph.idToken(["kid": "unknown"]),
        ]
        for token in wrong { #expect(try logIn(server, token, as: "id_token").status == 400, "\(token)") }
        let keys = graph.requests.filter { $0.path.hasSuffix("/jwks/") }
        #expect(keys.count == 7)
        #expect(keys.allSatisfy { $0.status == 200 && !$0.isOfAuthctl && !$0.hasSecretInURL })
    }

    @Test(arguments: [("closed", 403), ("mailfail", 500)])
    func `a sign-up ends as it did`(mode: String, status: Int) throws {
        #expect(try SharedSites.server(mode, .allauth).post("auth/signup", Self.ann).status == status)
    }

    private func logIn(
        _ server: DjangoServer, _ token: String, as member: String = "access_token"
    ) throws -> DjangoServer.Answer {
        let credentials = #"{"client_id":"1000","\#(member)":"\#(token)"}"#
        return try server.post(
            "auth/provider/token", #"{"provider":"facebook","process":"login","token":\#(credentials)}"#)
    }

    private func pendingFlows(_ answer: DjangoServer.Answer) throws -> [String] {
        try #require(answer.json).object("data").objects("flows").filter { $0.flag("is_pending") == true }
            .compactMap { $0.string("id") }
    }
}
