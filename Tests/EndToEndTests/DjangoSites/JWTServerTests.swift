import Foundation
import TestSupport
import Testing

/// Interrupted refreshes, wrong clocks and JWTs with false claims.
@Suite struct JWTServerTests {
    private static let refreshed = ScriptedSite.token(number: 2)
    private static let refresh = ScriptedServer.Answer.json(ScriptedSite.pair(refreshed, "refresh-2"))

    // MARK: - Interrupted refreshes

    @Test func `a process killed before its refresh leaves no lock`() throws {
        let site = try ScriptedSite(access: ScriptedSite.token(), ["token/refresh/": [[.stall], Self.refresh]])
        try kill(refreshing: site)
        let next = try site.world.start(["whoami"]).wait(atMost: .seconds(5))
        #expect(next.exitCode == 0)
        #expect(next.stdout.hasPrefix("ada "))
        #expect(try site.world.storedPair() == (Self.refreshed, "refresh-2"))
        #expect(site.refreshes == 2)
    }

    @Test func `a process killed after its refresh leads to a hint to log in`() throws {
        let site = try ScriptedSite(
            access: ScriptedSite.token(), ["token/refresh/": [[.stall], ScriptedSite.blacklisted]])
        try kill(refreshing: site)
        let next = try site.world.start(["token", "--json"]).wait(atMost: .seconds(5))
        #expect(next.exitCode == 4)
        #expect(try next.error().string("reason") == "session-expired")
        #expect(try next.error().string("hint")?.hasSuffix("authctl login") == true)
        #expect(try site.world.start(["login", "ada", "--password-stdin"], input: .password).wait().exitCode == 0)
    }

    @discardableResult
    private func kill(refreshing site: ScriptedSite) throws -> [UInt8] {
        try site.world.letSessionRunOut("site")
        let before = try site.world.bytes(site.world.siteFile)
        let whoami = try site.world.start(["whoami"])
        #expect(site.waitFor("POST token/refresh/"))
        whoami.send(SIGKILL)
        #expect(whoami.wait().signal == SIGKILL)
        #expect(try site.world.bytes(site.world.siteFile) == before)
        return before
    }

    @Test func `a refresh without a response is not repeated and has an unknown outcome`() throws {
        let site = try ScriptedSite(access: ScriptedSite.token(), ["token/refresh/": [[.close]]])
        try site.world.letSessionRunOut("site")
        let before = try site.world.bytes(site.world.siteFile)
        let whoami = try site.world.run("whoami", "--json")
        #expect(whoami.exitCode == 8)
        #expect(try whoami.document().object("error").string("reason") == "outcome-unknown")
        #expect(site.refreshes == 1)
        #expect(try site.world.bytes(site.world.siteFile) == before)
    }

    @Test(arguments: ["500 Internal Server Error", "503 Service Unavailable"])
    func `a server error during a refresh does not reject the session`(status: String) throws {
        let site = try ScriptedSite(access: ScriptedSite.token(), ["token/refresh/": [.answer(status), Self.refresh]])
        try site.world.letSessionRunOut("site")
        let before = try site.world.bytes(site.world.siteFile)
        let token = try site.world.run("token", "--json")
        #expect(token.exitCode == 9)
        #expect(try token.error().string("reason") == "server-fault")
        #expect(try site.world.bytes(site.world.siteFile) == before)
        #expect(try site.world.run("token").stdout == "\(Self.refreshed)\n")
    }

    @Test func `an unreachable server keeps the session`() throws {
        var site: ScriptedSite? = try ScriptedSite(access: ScriptedSite.token())
        let world = try #require(site?.world)
        site = nil
        try world.letSessionRunOut("site")
        let before = try world.bytes(world.siteFile)
        for words in [["whoami"], ["token"], ["sessions"], ["exec", "--", "true"]] {
            let result = try world.start(words).wait()
            #expect(result.exitCode == 8, "\(words): \(result.stderr)")
        }
        let whoami = try world.run("whoami", "--json").document()
        #expect(whoami.string("state") == "unknown")
        #expect(try whoami.object("error").string("reason") == "connect")
        #expect(try world.bytes(world.siteFile) == before)
    }

    // MARK: - Clocks

    @Test(arguments: [-5, 5])
    func `a server whose clock is hours off gives sessions of the right length`(hours: Int) throws {
        let site = try ScriptedSite(access: ScriptedSite.token(hoursAhead: hours))
        for words in [["whoami"], ["token"], ["whoami"]] { #expect(try site.world.start(words).wait().exitCode == 0) }
        #expect(site.asked == ["POST login/", "GET user/", "GET user/"])
    }

    @Test func `tokens that always look expired cost one refresh per command`() throws {
        let old = ScriptedSite.token(#"{"exp":1577836800}"#)
        let next = ScriptedSite.token(#"{"exp":1577836801}"#)
        let site = try ScriptedSite(
            access: old, ["token/refresh/": [.json(ScriptedSite.pair(next, "refresh-2"))]])
        for (count, words) in [["whoami"], ["token"], ["exec", "--", "true"], ["sessions"]].enumerated() {
            #expect(try site.world.start(words).wait().exitCode == 0, "\(words)")
            #expect(site.refreshes == count + 1)
        }
        #expect(try site.world.storedPair() == (next, "refresh-2"))
    }

    @Test func `a server that rejects a refreshed token gets no third request`() throws {
        let site = try ScriptedSite(
            access: ScriptedSite.token(), ["token/refresh/": [Self.refresh], "user/": [ScriptedSite.notValid]])
        let whoami = try site.world.run("whoami", "--json")
        #expect(whoami.exitCode == 4)
        #expect(try whoami.document().string("state") == "rejected")
        #expect(site.asked == ["POST login/", "GET user/", "POST token/refresh/", "GET user/"])
        #expect(try site.world.storedPair() == (Self.refreshed, "refresh-2"))
    }

    // MARK: - Claims

    @Test(arguments: ["none", "HS256"])
    func `the user comes from the server and not from the JWT`(algorithm: String) throws {
        let now = Int(Date().timeIntervalSince1970)
        let token = ScriptedSite.token(
            #"{"exp":\#(now + 300),"iat":\#(now),"user_id":0,"username":"root","email":"root@example.com"}"#,
            header: #"{"alg":"\#(algorithm)"}"#)
        let site = try ScriptedSite(access: token)
        for words in [["whoami"], ["whoami", "--offline"], ["exec", "--", "printenv", "AUTHCTL_USERNAME"]] {
            let result = try site.world.start(words).wait()
            #expect(result.stdout.hasPrefix("ada"), "\(words)")
            #expect(!result.everything.contains("root"))
        }
        #expect(try site.world.run("login", "--token-stdin", input: "\(token)\n").stdout.contains("ada"))
    }

    @Test(arguments: ["1000000000000000000", "9223372036854775807", "1e300", "99999999999999999999999", "253402300800"])
    func `an expiry beyond the calendar is shown as its last second`(end: String) throws {
        let site = try ScriptedSite(access: ScriptedSite.token(#"{"exp":\#(end),"iat":1577836800}"#))
        let whoami = try site.world.run("whoami", "--json")
        #expect(whoami.exitCode == 0, "\(whoami.stderr)")
        let shown = try whoami.document().object("session").string("expiresAt")
        #expect(shown == "9999-12-31T23:59:59Z" || shown == nil)
        for words in [["whoami"], ["token"], ["token", "--json"], ["sessions"], ["sessions", "--json"]] {
            #expect(try site.world.start(words).wait().exitCode == 0, "\(words)")
        }
        #expect(site.refreshes == 0)
    }

    @Test(arguments: [
        #"{"exp":"soon"}"#, #"{"exp":null}"#, #"{"exp":{}}"#, "{}", "[]", "no JSON", #"{"exp":-9223372036854775808}"#,
        #"{"exp":-1e300,"iat":1e300}"#, #"{"exp":9223372036854775807,"iat":-9223372036854775808}"#,
    ])
    func `a malformed JWT is used as an opaque token`(content: String) throws {
        let token = ScriptedSite.token(content)
        let site = try ScriptedSite(
            access: token, ["token/refresh/": [.json(ScriptedSite.pair(token, "refresh-2"))]])
        for words in [["whoami"], ["whoami", "--json"], ["sessions"], ["token"], ["logout", "--offline"]] {
            let result = try site.world.start(words).wait()
            #expect(result.exitCode == 0, "\(words): \(result.stderr)")
            if words == ["token"] { #expect(result.stdout == "\(token)\n") }
        }
        #expect(site.refreshes <= 4)
    }

    @Test(arguments: [#""a.b.c""#, #""...""#, #""""#, "5", "null", #""line\nbreak""#])
    func `an invalid token in a response causes no crash`(token: String) throws {
        let server = try ScriptedServer([
            "/dj-rest-auth/login/": [.json(#"{"access":\#(token),"refresh":"r","user":\#(ScriptedSite.ada)}"#)],
            "/dj-rest-auth/user/": [.json(ScriptedSite.ada)],
        ])
        let world = try Sandbox(visiting: server.url("/dj-rest-auth"))
        let login = try world.start(["login", "ada", "--password-stdin", "--json"], input: .password).wait()
        #expect(login.signal == nil)
        #expect([0, 8, 10].contains(login.exitCode), "\(login.stderr)")
    }
}
