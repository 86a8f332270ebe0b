import Foundation
import TestSupport
import Testing

/// Processes killed during a refresh.
@Suite struct JWTServerTests {
    private static let refreshed = ScriptedSite.token(number: 2)
    private static let refresh = ScriptedServer.Answer.json(ScriptedSite.pair(refreshed, "refresh-2"))

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

    private func kill(refreshing site: ScriptedSite) throws {
        try site.world.letSessionRunOut("site")
        let before = try site.world.bytes(site.world.siteFile)
        let whoami = try site.world.start(["whoami"])
        #expect(site.waitFor("POST token/refresh/"))
        whoami.send(SIGKILL)
        #expect(whoami.wait().signal == SIGKILL)
        #expect(try site.world.bytes(site.world.siteFile) == before)
    }
}
