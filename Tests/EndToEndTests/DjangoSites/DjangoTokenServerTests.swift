import TestSupport
import Testing

/// dj-rest-auth with JWT, and with a second factor, behaves as it was recorded.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed)) struct DjangoTokenServerTests {
    @Test func `jwt: a refresh token is good for one use`() throws {
        let server = try DjangoServer(.djRestAuth, "jwt")
        let signUp = try server.signUp()
        #expect(signUp.status == 201)
        #expect(signUp.json?.keys == ["access", "refresh", "user"])
        let logIn = try #require(try server.logIn().json)
        #expect(logIn.keys == ["access", "refresh", "user"])
        #expect(try logIn.object("user").string("username") == "ann")
        let access = try #require(logIn.string("access"))
        #expect(try server.ask("GET", "user/", authorization: "Bearer \(access)").status == 200)

        let first = try #require(logIn.string("refresh"))
        let refreshed = try server.post("token/refresh/", #"{"refresh":"\#(first)"}"#)
        #expect(refreshed.status == 200)
        #expect(refreshed.json?.keys == ["access", "access_expiration", "refresh", "refresh_expiration"])
        let again = try server.post("token/refresh/", #"{"refresh":"\#(first)"}"#)
        #expect(again.status == 401)
        #expect(again.detail == "Token is blacklisted")

        let second = try #require(refreshed.json?.string("refresh"))
        #expect(try server.post("logout/", "{}").status == 401)
        #expect(try server.post("logout/", #"{"refresh":"\#(second)"}"#).status == 200)
        let over = try server.post("logout/", #"{"refresh":"\#(second)"}"#)
        #expect(over.status == 401)
        #expect(over.json?.keys == ["detail"])
        #expect(try server.ask("GET", "user/", authorization: "Bearer \(access)").status == 200)
    }

    @Test func `jwt: access tokens live as long as a test says`() throws {
        let server = try DjangoServer(.djRestAuth, "jwt", environment: ["ACCESS_SECONDS": "0"])
        let tokens = try #require(try server.signUp().json)
        let access = try #require(tokens.string("access"))
        let user = try server.ask("GET", "user/", authorization: "Bearer \(access)")
        #expect(user.status == 401)
        #expect(user.json?.string("code") == "token_not_valid")
        let refresh = try #require(tokens.string("refresh"))
        #expect(
            try server.post("logout/", #"{"refresh":"\#(refresh)"}"#, authorization: "Bearer \(access)").status == 401)
        #expect(try server.post("token/refresh/", #"{"refresh":"\#(refresh)"}"#).status == 200)
    }

    @Test func `jwt: an account is looked at each time`() throws {
        let server = try DjangoServer(.djRestAuth, "jwt")
        let tokens = try #require(try server.signUp().json)
        let access = try #require(tokens.string("access"))
        let refresh = try #require(tokens.string("refresh"))
        try server.change("deactivate", "ann")
        let inactive = try server.ask("GET", "user/", authorization: "Bearer \(access)")
        #expect(inactive.status == 401)
        #expect(inactive.json?.string("code") == "user_inactive")
        #expect(try server.post("token/refresh/", #"{"refresh":"\#(refresh)"}"#).json?.keys == ["detail"])
        try server.change("delete", "ann")
        let deleted = try server.ask("GET", "user/", authorization: "Bearer \(access)")
        #expect(deleted.json?.string("code") == "user_not_found")
    }

    @Test func `jwt-keep: a refresh token stays`() throws {
        let server = try DjangoServer(.djRestAuth, "jwt-keep")
        let refresh = try #require(try server.signUp().json?.string("refresh"))
        for _ in 0..<2 {
            let refreshed = try server.post("token/refresh/", #"{"refresh":"\#(refresh)"}"#)
            #expect(refreshed.json?.keys == ["access", "access_expiration"])
        }
    }

    @Test func `jwt-mandatory: no tokens before the address is verified`() throws {
        let server = try DjangoServer(.djRestAuth, "jwt-mandatory")
        let signUp = try server.signUp()
        #expect(signUp.status == 201)
        #expect(signUp.json?.keys == ["detail"])
        #expect(try server.logIn("ann@example.com").complaint == "E-mail is not verified.")
        let key = try #require(server.mails.last?.verificationKey)
        #expect(try server.post("registration/verify-email/", #"{"key":"\#(key)"}"#).status == 200)
        #expect(try server.logIn("ann@example.com").json?.keys == ["access", "refresh", "user"])
    }

    @Test func `jwt-noblacklist: log-out ends nothing, and says so`() throws {
        let server = try DjangoServer(.djRestAuth, "jwt-noblacklist")
        let refresh = try #require(try server.signUp().json?.string("refresh"))
        let logOut = try server.post("logout/", #"{"refresh":"\#(refresh)"}"#)
        #expect(logOut.status == 200)
        #expect(logOut.detail?.hasPrefix("Neither cookies or blacklist are enabled") == true)
        #expect(try server.post("token/refresh/", #"{"refresh":"\#(refresh)"}"#).status == 200)
    }

    @Test func `jwt-cookie: the refresh token is in a cookie alone`() throws {
        let server = try DjangoServer(.djRestAuth, "jwt-cookie")
        #expect(try server.signUp().json?.string("refresh")?.isEmpty == false)
        let logIn = try server.logIn(options: ["--dump-header", "-"])
        #expect(logIn.body.contains(/Set-Cookie: +refresh=/))
        #expect(logIn.body.contains(#""refresh":"""#))
        #expect(try server.post("logout/", "{}").detail == "Refresh token was not included in cookie data.")
    }

    @Test func `jwt-nocookie: the refresh token is nowhere after a log-in`() throws {
        let server = try DjangoServer(.djRestAuth, "jwt-nocookie")
        #expect(try server.signUp().json?.string("refresh")?.isEmpty == false)
        let logIn = try server.logIn(options: ["--dump-header", "-"])
        #expect(!logIn.body.contains(/Set-Cookie: +refresh=/))
        #expect(logIn.body.contains(#""refresh":"""#))
    }

    @Test func `facebook-jwt: a taken identity is answered with the other account`() throws {
        let server = try DjangoServer(.djRestAuth, "facebook-jwt", hasFacebook: true)
        let ann = try server.post("facebook/", #"{"access_token":"tok-ann"}"#)
        #expect(ann.json?.keys == ["access", "refresh", "user"])
        let own = try #require(try server.signUp("local").json?.string("access"))
        let foreign = try server.post(
            "facebook/connect/", #"{"access_token":"tok-ann"}"#, authorization: "Bearer \(own)")
        #expect(foreign.status == 200)
        #expect(try foreign.json?.object("user").string("email") == "ann.face@example.com")
    }

    @Test(arguments: [("mfa", "key"), ("mfa-jwt", "access")])
    func `a second factor holds a log-in up until its code comes`(mode: String, proof: String) throws {
        let server = try DjangoServer(.djRestAuth, mode, hasFacebook: true)
        let signUp = try #require(try server.signUp().json?.string(proof))
        let scheme = proof == "key" ? "Token" : "Bearer"
        #expect(
            try server.ask("GET", "mfa/status/", authorization: "\(scheme) \(signUp)").json?.flag("mfa_enabled")
                == false)
        let recoveryCodes = try server.change("totp", "ann").dropFirst()
        let logIn = try server.logIn()
        #expect(logIn.status == 200)
        #expect(logIn.json?.keys == ["ephemeral_token", "mfa_required"])
        let pending = try #require(logIn.json?.string("ephemeral_token"))

        func verify(_ code: String, with token: String) throws -> DjangoServer.Answer {
            try server.post("mfa/verify/", #"{"ephemeral_token":"\#(token)","code":"\#(code)"}"#)
        }
        #expect(try verify("0", with: pending).json?.strings("code") == ["Invalid code."])
        #expect(try verify("0", with: "x").json?.strings("ephemeral_token") == ["Invalid or expired token."])
        let code = try #require(try server.change("code", "ann").first)
        #expect(try verify(code, with: pending).json?.string(proof) != nil)
        #expect(try verify(code, with: pending).status == 400)
        let recoveryCode = try #require(recoveryCodes.first)
        #expect(try verify(recoveryCode, with: pending).json?.string(proof) != nil)
        #expect(try verify(recoveryCode, with: pending).status == 400)

        let link = try server.post(
            "facebook/connect/", #"{"access_token":"tok-ann"}"#, authorization: "\(scheme) \(signUp)")
        #expect(link.status == 200)
        #expect(try server.post("facebook/", #"{"access_token":"tok-ann"}"#).json?.string(proof) != nil)
    }
}
