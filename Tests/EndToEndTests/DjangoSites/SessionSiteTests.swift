import Foundation
import TestSupport

/// Sessions on allauth sites: lists, revocation and storage state.
@Suite(.mostlyWaits, .serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct SessionSiteTests {
    @Test func `allauth lists the sessions of all devices and revokes them by id, with --others and --all`() throws {
        let server = try SharedSites.server("none", .allauth)
        let world = try Sandbox(visiting: server)
        let (phone, tablet) = (try Sandbox(visiting: server), try Sandbox(visiting: server))
        try world.join("ada")
        for other in [phone, tablet] { try #require(try other.logIn("ada").exitCode == 0) }
        let list = try world.run("sessions", "--json").document()
        expect(list.flag("complete"), true)
        let items = try list.objects("items")
        expect(items.map { $0.flag("current") }, [false, false, true])
        for item in items {
            #expect(item.string("id").flatMap { Int($0) } != nil)
            expect(item.string("device")?.hasPrefix("authctl/"), true)
            expect(item.string("address"), "127.0.0.1")
            expect(item.string("createdAt")?.hasSuffix("Z"), true)
            expect(item.string("lastSeenAt")?.hasSuffix("Z"), true)
        }
        let id = try #require(try phone.sessionIDs("site").first)
        let one = try world.run("sessions", "revoke", id, "--json")
        try expect(one.document().strings("revoked"), [id])
        try expect(phone.run("whoami").exitCode, 4)
        try world.run("sessions", "revoke", id, "--json").refusal(7, "not-found")
        try expect(world.run("sessions", "revoke", "--others", "--json").document().strings("revoked")?.count, 1)
        try expect(tablet.run("whoami").exitCode, 4)
        try expect(world.run("whoami").exitCode, 0)
        try phone.logIn("ada")
        try expect(world.run("sessions", "revoke", "--all").exitCode, 0)
        try expect(world.run("whoami").exitCode, 3)
        try expect(phone.run("whoami").exitCode, 4)
    }

    @Test func `storage-state writes a mode 0600 file whose cookie authenticates to allauth's browser API`() throws {
        let server = try SharedSites.server("none", .allauth)
        let world = try Sandbox(visiting: server, as: "page")
        let origin = server.url.replacing("/_allauth/app/v1", with: "")
        let file = "\(world.root)/state.json"
        try world.write("", to: file)
        expect(chmod(file, 0o644), 0)
        try expect(world.run("storage-state", origin, "--file", file).stdout, "")
        expect(world.mode(file), 0o600)
        let token = try world.storedPair().access
        #expect(try world.text(file).contains(#""value":"\#(token)""#))
        func status(_ cookie: String) throws -> String {
            let url = "\(origin)/_allauth/browser/v1/auth/session"
            let words = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "-b", cookie, url]
            return try world.start(words, program: ["/usr/bin/curl"]).wait().stdout
        }
        try expect(status("sessionid=\(token)"), "200")
        try expect(status("sessionid=other"), "401")
    }

    @Test func `storage-state prints the JWT cookies of dj-rest-auth, which authenticate to the site`() throws {
        let server = try SharedSites.server("jwt-cookie")
        let world = try Sandbox(visiting: server, as: "page")
        try world.logIn("page")
        let origin = try #require(server.url.firstMatch(of: #/^https?://[^/]+/#)).output
        let state = try world.run("storage-state", String(origin)).document()
        let cookies = try state.objects("cookies").map { ($0.string("name") ?? "", $0.string("value") ?? "") }
        let pair = try world.storedPair()
        expect(cookies.map(\.1), [pair.access, try #require(pair.refresh)])
        try expect(state.objects("cookies").map { $0.string("path") }, ["/", "/dj-rest-auth/token/"])
        try expect(state.objects("cookies").map { $0.string("sameSite") }, ["Strict", "Strict"])
        for (value, expected) in [(pair.access, "200"), ("other", "401")] {
            let words = [
                "-s", "-o", "/dev/null", "-w", "%{http_code}", "-b", "\(cookies[0].0)=\(value)", "\(server.url)/user/",
            ]
            try expect(world.start(words, program: ["/usr/bin/curl"]).wait().stdout, expected)
        }
    }

    @Test func `authctl lists and revokes only the current session on an allauth site without session lists`() throws {
        let world = try Sandbox(visiting: SharedSites.server("nosessions", .allauth), as: "ada")
        let list = try world.run("sessions", "--json").document()
        expect(list.flag("complete"), false)
        try expect(list.objects("items").map { $0.string("id") }, ["current"])
        try world.run("sessions", "revoke", "--all", "--json").refusal(10, "unsupported")
        try expect(world.run("sessions", "revoke", "current").exitCode, 0)
        try expect(world.run("whoami").exitCode, 3)
    }
}
