import TestSupport
import Testing

/// Session lists and passwords at a site with allauth's headless API.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct AllauthSessionTests {
    private let site: AllauthSite
    private let phone: AllauthSite
    private let tablet: AllauthSite

    init() throws {
        site = try AllauthSite("none")
        phone = try site.another()
        tablet = try site.another()
    }

    /// Signs up at the site, then logs in on the phone and on the tablet.
    private func join(_ name: String) throws {
        try site.join(name)
        for other in [phone, tablet] { try #require(try other.logIn(name).exitCode == 0) }
    }

    @Test func `the session list at allauth shows device, address and times and marks the current one`() throws {
        try join("ada")
        let list = try site.world.run("sessions", "--json")
        #expect(list.exitCode == 0)
        #expect(try list.document().flag("complete") == true)
        let items = try list.document().objects("items")
        #expect(items.map { $0.flag("current") } == [false, false, true])
        for item in items {
            #expect(item.string("id").flatMap { Int($0) } != nil)
            #expect(item.string("device")?.hasPrefix("authctl/") == true)
            #expect(item.string("address") == "127.0.0.1")
            #expect(item.string("createdAt")?.hasSuffix("Z") == true)
            #expect(item.string("lastSeenAt")?.hasSuffix("Z") == true)
            #expect(item.isNull("expiresAt"))
        }
        let text = try site.world.run("sessions").stdout
        #expect(text.split(separator: "\n").count == 4)
        #expect(text.contains(/\n\* +\d+ .*authctl\/[0-9.]+ +127\.0\.0\.1/))
        #expect(!list.everything.contains(try site.token))
    }

    @Test func `sessions at allauth are revoked by id, as others or all`() throws {
        try join("bea")
        let ids = try site.world.sessionIDs("site")
        let phoneID = try #require(try phone.world.sessionIDs("site").first)
        let one = try site.world.run("sessions", "revoke", phoneID, "--json")
        #expect(one.exitCode == 0)
        #expect(try one.document().strings("revoked") == [phoneID])
        #expect(try one.document().flag("forgotten") == false)
        #expect(try phone.world.run("whoami").exitCode == 4)
        #expect(try tablet.world.run("whoami").exitCode == 0)

        try site.world.run("sessions", "revoke", phoneID, "--json").refusal(7, "not-found")
        for unknown in ["99999", "x"] {
            let text = try site.world.run("sessions", "revoke", ids[0], unknown)
            #expect(text.exitCode == 7)
            #expect(text.stderr.contains("'\(unknown)'"))
        }
        #expect(try site.world.run("sessions", "revoke").exitCode == 2)
        #expect(
            try site.world.run("sessions", "revoke", "--others", "--json").document().strings("revoked")?.count == 1)
        #expect(try tablet.world.run("whoami").exitCode == 4)
        #expect(try site.world.run("whoami").exitCode == 0)

        try phone.logIn("bea")
        let all = try site.world.run("sessions", "revoke", "--all")
        #expect(all.exitCode == 0)
        #expect(try site.world.run("whoami").exitCode == 3)
        #expect(try phone.world.run("whoami").exitCode == 4)
    }

    @Test func `a site without session list shows and revokes the current session only`() throws {
        let plain = try AllauthSite("nosessions")
        try plain.join("dora")
        let list = try plain.world.run("sessions", "--json").document()
        #expect(list.flag("complete") == false)
        #expect(try list.objects("items").map { $0.string("id") } == ["current"])
        #expect(try plain.world.run("sessions", "revoke", "--all", "--json").exitCode == 10)
        #expect(try plain.world.run("whoami").exitCode == 0)
        #expect(try plain.world.run("sessions", "revoke", "current").exitCode == 0)
        #expect(try plain.world.run("whoami").exitCode == 3)
        try plain.logIn("dora")
        #expect(try plain.world.run("whoami").exitCode == 0)
        #expect(try plain.world.run("logout").exitCode == 0)
    }
}

// MARK: - Passwords

extension AllauthSessionTests {
    @Test func `a changed password at allauth starts a new session and revokes the others`() throws {
        try join("edda")
        let old = try site.token
        let change = try site.changePassword(from: Sandbox.password, to: Sandbox.newPassword)
        #expect(change.exitCode == 0)
        #expect(try site.token != old)
        #expect(try site.server.session(old).status == 410)
        #expect(try site.world.run("whoami").exitCode == 0)
        #expect(try phone.world.run("whoami").exitCode == 4)
        try site.logIn("edda", "--json").refusal(4, "wrong-password")
        #expect(try site.logIn("edda", password: Sandbox.newPassword).exitCode == 0)
    }

    @Test func `a mail resets the password of an account at allauth`() throws {
        try site.join("gina")
        let reset = try site.world.run("password", "reset", "gina@example.com")
        #expect(reset.exitCode == 0)
        #expect(reset.stdout.contains("gina@example.com"))
        let key = try #require(try site.mail(to: "gina@example.com").resetKey)
        let body = #"{"key":"\#(key)","password":"\#(Sandbox.newPassword)"}"#
        #expect(try site.server.post("auth/password/reset", body).status == 401)
        #expect(try site.logIn("gina", password: Sandbox.newPassword).exitCode == 0)

        let count = site.server.mails.count
        let unknown = try site.world.run("password", "reset", "nobody@example.com", "--json")
        #expect(try unknown.document().flag("sent") == true)
        #expect(try site.world.run("password", "reset", "nobody").exitCode == 7)
        // An unknown address gets a mail, too: it says that there is no account.
        #expect(site.server.mails.dropFirst(count).allSatisfy { $0.text.hasPrefix("To: nobody@example.com\n") })
    }
}

extension DjangoServer.Mail {
    /// The key in the link of a password-reset mail.
    fileprivate var resetKey: String? { text.firstMatch(of: /site\.test\/reset\/(\S+)/).map { String($0.1) } }
}
