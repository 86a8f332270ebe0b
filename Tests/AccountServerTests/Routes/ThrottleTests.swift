import Expectations
import JSON
import Platform
import Transport

@testable import AccountServer

/// The limits for wrong passwords, signups and e-mails.
@Suite struct ThrottleTests {
    /// A server with the user `ada` at `ada@example.com`. By default, it has the limits of `authctl serve`.
    private struct World {
        let time = SharedTime()
        let mail = MemoryMail()
        let server: TestServer

        init(_ limits: ThrottleLimits = .standard) throws {
            let (time, mail) = (time, mail)
            server = try TestServer(clock: WallClock { time.now }) {
                $0.throttle = Throttle(limits)
                $0.mail = mail
            }
            try server.signUp("ada", email: "ada@example.com")
        }

        func fail(_ count: Int, _ name: String = "ada") throws -> [String] {
            try (0..<count).map { try server.logIn(name, password: "wrong-\($0)").line }
        }
    }

    private static let wrong = #"404 {"code":101,"error":"Invalid username/password."}"#

    private static func locked(_ minutes: Int = 5) -> String {
        #"404 {"code":101,"error":"Your account is locked due to multiple failed login attempts. "#
            + #"Please try again after \#(minutes) minute(s)"}"#
    }

    @Test func `five wrong passwords lock the account with the lockout message of Parse Server`() throws {
        let world = try World()
        try expect(world.fail(7), Array(repeating: Self.wrong, count: 5) + [Self.locked(), Self.locked()])
        try expect(world.server.logIn("ada").line, Self.locked(), "the right password, too")
        world.time.advance(by: .seconds(61))
        try expect(world.server.logIn("ada").line, Self.locked(4), "the rest of the lock")
    }

    @Test(arguments: [
        ("/login", #"{"username":"ada","password":"pw"}"#), ("/login", #"{"username":"ADA","password":"pw"}"#),
        ("/login", #"{"username":" a d\ta\u200b","password":"pw"}"#),
        ("/login", #"{"username":"ada@example.com","password":"pw"}"#),
        ("/login", #"{"email":"ada@example.com","password":"pw"}"#),
        ("/login", #"{"email":"ADA@example.com","password":"pw"}"#),
        ("/login", #"{"username":"ada","email":"ada@example.com","password":"pw"}"#),
        ("/login", #"{"username":"ada","email":"other@example.com","password":"pw"}"#),
        ("/login?x=1", #"{"username":"ada","password":"pw"}"#), ("/login?username=ada&password=pw", "{}"),
        ("/login", #"{"_method":"GET","username":"ada","password":"pw"}"#),
        ("/%6Cogin", #"{"username":"ada","password":"pw"}"#),
        ("/verifyPassword", #"{"username":"ada","password":"pw"}"#),
        (
            "/batch",
            #"{"requests":[{"method":"POST","path":"/parse/login","body":{"username":"ada","password":"pw"}}]}"#
        ),
    ])
    func `an account lock applies to every spelling of the login name and to every login route`(
        path: String, body: String
    ) throws {
        let world = try World()
        _ = try world.fail(5)
        let answer = try world.server.send(.post, path, body, headers: ["X-Forwarded-For": "192.0.2.7"])
        #expect(answer.text.contains("Your account is locked"), "\(answer.line)")
    }

    @Test func `failed logins with any spelling of the username or with the e-mail address count together`() throws {
        let world = try World()
        for name in ["ada", "ADA", "ada@example.com", "a da", "ada\u{200B}"] {
            try expect(world.server.logIn(name, password: "wrong").line, Self.wrong)
        }
        try expect(world.server.logIn("ada").line, Self.locked())
    }

    @Test func `an unknown username is locked like the username of an account`() throws {
        let world = try World()
        try expect(world.fail(7, "nobody"), world.fail(7, "ada"))
        try expect(world.server.logIn("NO body").line, Self.locked())
    }

    @Test(arguments: ["/login", "/verifyPassword"])
    func `a login with an unknown username computes a password hash like a login with a wrong password`(path: String)
        throws
    {
        let server = try TestServer()
        try server.signUp("ada")
        let routes = try ParseRoutes(
            serving: ServerSettings(
                database: server.folder.database(), baseURL: "local:/parse", applicationID: "test-app",
                passwordCost: .minimum))
        let (known, unknown) = try (
            routes.run(.test(.post, path, #"{"username":"ada","password":"wrong"}"#)),
            routes.run(.test(.post, path, #"{"username":"eve","password":"wrong"}"#))
        )
        #expect(known.hashes == 1 && unknown.hashes == 1)
        expect(known.answer.response, unknown.answer.response)
    }

    @Test func `an account lock affects neither sessions nor other accounts`() throws {
        let world = try World()
        try world.server.signUp("bob")
        let token = try #require(try world.server.logIn("ada").token)
        _ = try world.fail(4)
        try expect(world.server.logIn("bob").status, 200)
        try expect(world.fail(2), [Self.wrong, Self.locked()], "the login of bob did not reset the counter of ada")
        try expect(world.server.send(.get, "/users/me", token: token).status, 200)
        try expect(world.server.logIn("bob").status, 200)
    }

    @Test func `an account lock expires, and one new failure does not lock the account again`() throws {
        let world = try World()
        _ = try world.fail(6)
        world.time.advance(by: .seconds(299))
        try expect(world.server.logIn("ada").line, Self.locked(1))
        world.time.advance(by: .seconds(1))
        try expect(world.fail(1), [Self.wrong])
        try expect(world.server.logIn("ada").status, 200)
    }

    @Test func `a password reset does not end an account lock`() throws {
        let world = try World()
        _ = try world.fail(5)
        _ = try world.server.send(.post, "/requestPasswordReset", #"{"email":"ada@example.com"}"#)
        let token = try #require(world.mail.lastToken("request_password_reset"))
        let body = #"{"token":"\#(token)","new_password":"new"}"#
        try expect(world.server.send(.post, "/apps/test-app/request_password_reset", body).status, 200)
        try expect(world.server.logIn("ada", password: "new").line, Self.locked())
        world.time.advance(by: .seconds(300))
        try expect(world.server.logIn("ada", password: "new").status, 200)
    }

    @Test func `a successful login resets the counter of failed logins`() throws {
        let world = try World()
        for _ in 0..<3 {
            try expect(world.fail(4), Array(repeating: Self.wrong, count: 4))
            try expect(world.server.logIn("ada").status, 200)
        }
    }

    @Test func `only five of fifty parallel logins with a wrong password are checked`() throws {
        let server = try World().server
        let lines = atOnce(50) { try server.logIn("ada", password: "wrong-\($0)").line }
        expect(lines.count { $0 == Self.wrong }, 5)
        expect(lines.count { $0 == Self.locked() }, 45)
    }

    @Test func `fifty parallel logins with the right password succeed after four wrong passwords`() throws {
        let world = try World()
        try expect(world.fail(4), Array(repeating: Self.wrong, count: 4))
        let statuses = atOnce(50) { _ in "\(try world.server.logIn("ada").status)" }
        expect(statuses, Array(repeating: "200", count: 50))
    }

    @Test func `a password that cannot be compared is not counted as wrong`() {
        let throttle = Throttle(.standard)
        for _ in 0..<10 {
            expect(throttle.beginCheck(of: "ada", .fixed(TestServer.start)), nil)
            throttle.endCheck(of: "ada", nil, at: TestServer.start)
        }
    }

    @Test func `a username equal to another user's e-mail address does not block the login by that address`() throws {
        let world = try World()
        try world.server.signUp("ada@example.com", password: "evil")
        try expect(world.server.logIn("ada@example.com").json?["username"], "ada")
        try expect(world.server.logIn("ada@example.com", password: "evil").json?["username"], "ada@example.com")
        try expect(world.fail(6, "ada@example.com"), Array(repeating: Self.wrong, count: 5) + [Self.locked()])
        world.time.advance(by: .seconds(300))
        for _ in 0..<5 {
            _ = try world.server.send(
                .post, "/login", #"{"username":"ada@example.com","email":"x@example.com","password":"x"}"#)
        }
        try expect(world.server.logIn("ada@example.com", password: "evil").line, Self.locked())
        try expect(world.server.logIn("ada@example.com").json?["username"], "ada")
    }

    @Test(arguments: ["ADA", " ada", "ada ", "a\u{00A0}da", "ad\u{200B}a", "ada\u{FEFF}", "\u{2060}ada", "a\u{00AD}da"])
    func `a signup with a lookalike of an existing username or e-mail is rejected as taken`(name: String) throws {
        let server = try TestServer()
        try server.signUp("ada", email: "ada@example.com")
        try expect(server.signUp(name).code, 202)
        try expect(server.signUp("bob", email: "\(name)@example.com").code, 203)
    }

    @Test func `a signup over the limit for its username or for all signups is rejected with status 429`() throws {
        let world = try World(ThrottleLimits(signUps: .init(each: 2, total: 4)))
        let limited = #"429 {"code":100,"error":"Too many requests."}"#
        try expect(world.server.signUp("ADA").code, 202)
        let third = try world.server.signUp(" ada ")
        expect(third.line, limited)
        expect(third.response.headers["Retry-After"], "301")
        try expect(world.server.signUp("bob").status, 201)
        try expect(world.server.send(.post, "/users", #"{"authData":{"anonymous":{"id":"d1"}}}"#).status, 201)
        try expect(world.server.send(.post, "/users", #"{"authData":{"anonymous":{"id":"d2"}}}"#).line, limited)
        try expect(world.server.send(.post, "/users", #"{"authData":{"anonymous":{"id":"d1"}}}"#).status, 200)
        world.time.advance(by: .seconds(300))
        try expect(world.server.signUp("carol").status, 201)
    }

    @Test(arguments: ["/requestPasswordReset", "/verificationEmailRequest"])
    func `e-mail requests for an address are limited whether or not an account has the address`(path: String) throws {
        let world = try World(ThrottleLimits(mails: .init(each: 2, total: 5)))
        func statuses(_ address: String) throws -> [Int] {
            try (0..<3).map { _ in try world.server.send(.post, path, #"{"email":"\#(address)"}"#).status }
        }
        try expect(statuses("ada@example.com").last, 429)
        try expect(statuses("nobody@example.com").last, 429)
        expect(world.mail.all.count, 2)
        try expect(statuses("third@example.com")[1], 429)
        world.time.advance(by: .seconds(300))
        try expect(statuses("ada@example.com")[0], 200)
    }

    @Test func `an ephemeral server limits failed logins, but not signups and e-mails`() throws {
        let world = try World(.loginsOnly)
        for index in 0..<250 { try expect(world.server.signUp("user-\(index)").status, 201) }
        for _ in 0..<15 {
            let body = #"{"email":"ada@example.com"}"#
            try expect(world.server.send(.post, "/requestPasswordReset", body).status, 200)
        }
        try expect(world.fail(6).last, Self.locked())
    }
}
