import TestSupport
import Testing

/// The account servers that other tests talk to behave as those that were recorded.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed)) struct DjangoServerTests {
    @Test(arguments: DjangoServer.Family.restAuths)
    func `an account has one key until it logs out`(family: DjangoServer.Family) throws {
        let server = try DjangoServer(family)
        let signUp = try server.signUp()
        #expect(signUp.status == 201)
        let key = try #require(signUp.json?.string("key"))
        #expect(key.count == 40)
        #expect(try server.logIn().json?.string("key") == key)
        #expect(try server.logIn("ann@example.com").json?.string("key") == key)

        let wrong = try server.logIn(password: "wrong")
        #expect(wrong.status == 400)
        #expect(wrong.complaint == "Unable to log in with provided credentials.")
        #expect(try server.logIn(authorization: "Token 0123456789").status == 401)

        let user = try server.ask("GET", "user/", authorization: "Token \(key)")
        #expect(user.status == 200)
        #expect(user.json?.keys == ["pk", "username", "email", "first_name", "last_name"])
        #expect(try server.ask("POST", "logout/", authorization: "Token \(key)").status == 200)
        #expect(try server.ask("GET", "user/", authorization: "Token \(key)").status == 401)
        let path = "/\(family.rawValue)"
        #expect(server.requests.first == "POST \(path)/registration/ 201")
        #expect(server.requests.last == "GET \(path)/user/ 401")
        #expect(server.requests.count == 8)
    }

    @Test(arguments: DjangoServer.Family.restAuths)
    func `a mail resets the password, and leaves the key alive`(family: DjangoServer.Family) throws {
        let server = try DjangoServer(family)
        let key = try #require(try server.signUp().json?.string("key"))
        #expect(try server.post("password/reset/", #"{"email":"eve@example.com"}"#).status == 200)
        #expect(server.mails.isEmpty)
        #expect(try server.post("password/reset/", #"{"email":"ann@example.com"}"#).status == 200)
        let reset = try #require(server.mails.last?.reset)
        let passwords = #""new_password1":"quite another one","new_password2":"quite another one""#
        let body = #"{"uid":"\#(reset.uid)","token":"\#(reset.token)",\#(passwords)}"#
        #expect(try server.post("password/reset/confirm/", body).status == 200)
        let again = try server.post("password/reset/confirm/", body)
        #expect(again.status == 400)
        #expect(again.json?.strings("token") == ["Invalid value"])
        #expect(try server.logIn().status == 400)
        #expect(try server.logIn(password: "quite another one").json?.string("key") == key)
        #expect(try server.ask("GET", "user/", authorization: "Token \(key)").status == 200)
    }

    @Test(arguments: DjangoServer.Family.restAuths)
    func `accounts change behind the server's back`(family: DjangoServer.Family) throws {
        let server = try DjangoServer(family)
        let key = try #require(try server.signUp().json?.string("key"))
        try server.change("deactivate", "ann")
        let inactive = try server.ask("GET", "user/", authorization: "Token \(key)")
        #expect(inactive.status == 401)
        #expect(inactive.detail == "User inactive or deleted.")
        #expect(try server.logIn().complaint == "Unable to log in with provided credentials.")
        try server.change("activate", "ann")
        #expect(try server.logIn().status == 200)
        try server.change("drop-password", "ann")
        #expect(try server.logIn().status == 400)
        try server.change("delete", "ann")
        #expect(try server.ask("GET", "user/", authorization: "Token \(key)").detail == "Invalid token.")
        #expect(throws: (any Error).self) { try server.change("delete", "ann") }
    }

    @Test(arguments: DjangoServer.Family.restAuths)
    func `mandatory: an address is verified by the key of a mail`(family: DjangoServer.Family) throws {
        let server = try DjangoServer(family, "mandatory")
        let passwords = #""password1":"\#(Sandbox.password)","password2":"\#(Sandbox.password)""#
        let signUp = try server.post("registration/", #"{"email":"ann@example.com",\#(passwords)}"#)
        #expect(signUp.status == 201)
        #expect(signUp.json?.keys == ["detail"])
        #expect(try server.logIn("ann@example.com").complaint == "E-mail is not verified.")
        #expect(try server.logIn("ann").complaint == #"Must include "email" and "password"."#)

        let resend = try server.post("registration/resend-email/", #"{"email":"ann@example.com"}"#)
        #expect(resend.status == (family == .restAuth ? 404 : 200))
        #expect(resend.isPage == (family == .restAuth))
        #expect(server.mails.count == (family == .restAuth ? 1 : 2))

        let unknown = try server.post("registration/verify-email/", #"{"key":"unknown"}"#)
        #expect(unknown.status == 404)
        #expect(unknown.detail == "Not found.")
        let key = try #require(server.mails.last?.verificationKey)
        let body = #"{"key":"\#(key)"}"#
        let verified = try server.post("registration/verify-email/", body)
        #expect(verified.status == 200)
        #expect(verified.detail == "ok")
        #expect(try server.post("registration/verify-email/", body).status == (family == .restAuth ? 200 : 404))
        #expect(try server.logIn("ann@example.com").json?.keys == ["key"])
        try server.change("drop-addresses", "ann")
        #expect(try server.logIn("ann@example.com").status == (family == .restAuth ? 500 : 400))
    }

    @Test(arguments: DjangoServer.Family.restAuths)
    func `strict: the old password is asked for, and no cookies are set`(family: DjangoServer.Family) throws {
        let server = try DjangoServer(family, "strict")
        #expect(
            try server.signUp("ann").json?.strings("username") == ["Ensure this field has at least 5 characters."])
        #expect(try server.signUp("annabel").status == 201)
        let logIn = try server.logIn("annabel", options: ["--dump-header", "-"])
        #expect(!logIn.body.contains("Set-Cookie"))
        let key = try #require(try server.logIn("annabel").json?.string("key"))
        let passwords = #""new_password1":"quite another one","new_password2":"quite another one""#
        let missing = try server.post("password/change/", "{\(passwords)}", authorization: "Token \(key)")
        #expect(missing.json?.strings("old_password") == ["This field is required."])
        let wrong = try server.post(
            "password/change/", #"{"old_password":"x",\#(passwords)}"#, authorization: "Token \(key)")
        #expect(wrong.status == 400)
        #expect(wrong.json?.keys == ["old_password"])
        let right = #"{"old_password":"\#(Sandbox.password)",\#(passwords)}"#
        #expect(try server.post("password/change/", right, authorization: "Token \(key)").status == 200)
        #expect(try server.ask("GET", "logout/", authorization: "Token \(key)").status == 200)
    }

    @Test func `session: django-rest-auth hands out a key that it does not take`() throws {
        let server = try DjangoServer(.restAuth, "session")
        let key = try #require(try server.signUp().json?.string("key"))
        let user = try server.ask("GET", "user/", authorization: "Token \(key)")
        #expect(user.status == 403)
        #expect(user.detail == "Authentication credentials were not provided.")
    }

    @Test func `session: dj-rest-auth answers with cookies alone`() throws {
        let server = try DjangoServer(.djRestAuth, "session")
        #expect(try server.signUp().status == 204)
        let logIn = try server.logIn(options: ["--dump-header", "-"])
        #expect(logIn.status == 204)
        #expect(logIn.body.contains(/Set-Cookie: +sessionid=/))
        #expect(try server.ask("GET", "user/").status == 403)
    }

    @Test(arguments: DjangoServer.Family.restAuths)
    func `mailfail: an account is made although the answer is a page of an error`(
        family: DjangoServer.Family
    ) throws {
        let server = try DjangoServer(family, "mailfail")
        let first = try server.signUp()
        #expect(first.status == 500)
        #expect(first.isPage)
        let second = try server.signUp()
        #expect(second.status == 400)
        #expect(second.json?.keys.contains("username") == true)
        #expect(server.log.contains("ConnectionRefusedError"))
    }

    @Test(arguments: DjangoServer.Family.restAuths)
    func `throttle: the fourth request of a minute is refused`(family: DjangoServer.Family) throws {
        let server = try DjangoServer(family, "throttle")
        for _ in 0..<3 { #expect(try server.logIn().status == 400) }
        let refused = try server.logIn(options: ["--dump-header", "-"])
        #expect(refused.status == 429)
        #expect(refused.body.contains(/Retry-After: \d+/))
        #expect(refused.body.contains("Request was throttled. Expected available in "))
    }

    @Test(arguments: DjangoServer.Family.restAuths)
    func `german: speaks English where that is asked for`(family: DjangoServer.Family) throws {
        let server = try DjangoServer(family, "german")
        let english = try server.logIn(options: ["-H", "Accept-Language: en"])
        #expect(english.complaint == "Unable to log in with provided credentials.")
        let german = try server.logIn()
        #expect(german.status == 400)
        #expect(german.complaint != english.complaint)
    }

    @Test(arguments: DjangoServer.Family.restAuths)
    func `facebook: a taken identity is answered with the key of the other account`(
        family: DjangoServer.Family
    ) throws {
        let server = try DjangoServer(family, "facebook", hasFacebook: true)
        let ann = try server.post("facebook/", #"{"access_token":"tok-ann"}"#)
        #expect(ann.status == 200)
        let key = try #require(ann.json?.string("key"))
        #expect(
            try server.ask("GET", "user/", authorization: "Token \(key)").json?.string("email")
                == "ann.face@example.com")
        for token in ["tok-bad", "tok-expired", "tok-500"] {
            let answer = try server.post("facebook/", #"{"access_token":"\#(token)"}"#)
            #expect(answer.status == 400)
            #expect(answer.complaint == "Incorrect value")
        }
        for token in ["tok-html", "tok-drop"] {
            let answer = try server.post("facebook/", #"{"access_token":"\#(token)"}"#)
            #expect(answer.status == 500)
            #expect(answer.isPage)
        }
        #expect(try server.post("facebook/", #"{"access_token":"tok-noemail"}"#).status == 200)

        let own = try #require(try server.signUp("local").json?.string("key"))
        let taken = try server.post("facebook/", #"{"access_token":"tok-taken"}"#)
        #expect(taken.complaint == "User is already registered with this e-mail address.")
        let authorization = "Token \(own)"
        let foreign = try server.post(
            "facebook/connect/", #"{"access_token":"tok-ann"}"#, authorization: authorization)
        #expect(foreign.status == 200)
        #expect(foreign.json?.string("key") == key)
        #expect(try server.ask("GET", "socialaccounts/", authorization: authorization).body == "[]")
        let linked = try server.post(
            "facebook/connect/", #"{"access_token":"tok-bob"}"#, authorization: authorization)
        #expect(linked.json?.string("key") == own)
        let list = try server.ask("GET", "socialaccounts/", authorization: authorization).body
        #expect(list.contains(#""uid":"1002""#))
        let id = try #require(list.firstMatch(of: /"id":(\d+)/)?.1)
        let gone = try server.post("socialaccounts/\(id)/disconnect/", "{}", authorization: authorization)
        #expect(gone.status == 200)
        #expect(gone.body == "{}")
    }

    @Test func `facebook-broken: django-rest-auth as released takes no token at all`() throws {
        let server = try DjangoServer(.restAuth, "facebook-broken", hasFacebook: true)
        let answer = try server.post("facebook/", #"{"access_token":"tok-ann"}"#)
        #expect(answer.status == 400)
        #expect(answer.complaint == "View is not defined, pass it as a context variable")
    }

    @Test(arguments: DjangoServer.Family.restAuths)
    func `the routes of Facebook may be elsewhere`(family: DjangoServer.Family) throws {
        let server = try DjangoServer(family, hasFacebook: true, environment: ["SITE_SOCIAL": "elsewhere"])
        #expect(try server.post("facebook/", #"{"access_token":"tok-ann"}"#).status == 404)
        let key = try #require(
            try server.post("social/fb/", #"{"access_token":"tok-ann"}"#).json?.string("key"))
        let link = try server.post(
            "social/fb/link/", #"{"access_token":"tok-bob"}"#, authorization: "Token \(key)")
        #expect(link.json?.string("key") == key)
        #expect(try server.ask("GET", "social/list/", authorization: "Token \(key)").body.contains("1002"))
    }
}
