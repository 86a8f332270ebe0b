import Foundation
import TestSupport
import Testing

/// Facebook's responses while a device code is pending.
@Suite(.enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites, .mostlyWaits)
struct DeviceLoginStoryTests {
    /// A story, and the minimum pause before each further poll, in seconds.
    static let stories: [(story: String, pauses: [Double])] = [
        ("approve", [1]), ("slow", [2]), ("slower", [2, 4]), ("busy", [2, 2]), ("trouble", [1, 1, 1, 1, 2]),
        ("words", [1]), ("hasty", [5]), ("every-3", [3]),
    ]

    @Test func `a device login polls at Facebook's interval and survives passing errors`() throws {
        let first = try FacebookVisitor(.allauth)
        try #require(try first.world.run("login", "--facebook").exitCode == 0)
        // The device logins run in parallel.
        let running = try Self.stories.map { example in
            let visitor = try FacebookVisitor(.allauth, example.story, graph: try GraphServer())
            return (example, visitor, try visitor.world.start(["login", "--facebook"]))
        }
        for (example, visitor, login) in running {
            let finished = login.wait()
            #expect(finished.exitCode == 0, "\(example.story): \(finished.stderr)")
            #expect(finished.stdout.contains("bob"))
            let pauses = visitor.graph.pauses(between: "device/login_status")
            #expect(pauses.count == example.pauses.count, "\(example.story): \(pauses)")
            #expect(
                zip(pauses, example.pauses).allSatisfy { $0 > $1 - 0.03 }, "\(example.story): \(pauses)")
            #expect(visitor.graph.requests(for: "device/login").count == 1)
            #expect(visitor.graph.requests.allSatisfy { !$0.hasSecretInURL })
            #expect(visitor.keepsNothing)
        }
        let trouble = try #require(running.first { $0.0.story == "trouble" })
        // The warning is printed once while the error lasts.
        #expect(trouble.2.errorSoFar.components(separatedBy: "; trying again\n").count == 2)
    }

    struct End: Sendable, CustomTestStringConvertible {
        let story: String
        let exit: Int32
        let reason: String
        /// Facebook's error text, if the message quotes it.
        let quote: String?
        var testDescription: String { story }

        init(_ story: String, _ exit: Int32, _ reason: String, _ quote: String? = nil) {
            (self.story, self.exit, self.reason, self.quote) = (story, exit, reason, quote)
        }
    }

    @Test(arguments: [
        End("decline", 4, "cancelled"),
        End("expire", 8, "timeout"),
        End("run-out", 8, "timeout"),
        End("other-31", 5, "forbidden", #""Words for people about error 31.""#),
        End("poll-190-460", 5, "bad-app-key", #""Words for people about error 190, 460.""#),
        End("nosuch", 5, "bad-app-key", #""Error validating application. Invalid application ID.""#),
        End("switched-off", 5, "forbidden", #""The owner of this app has not switched on Login from Devices.""#),
        End("login-4", 9, "rate-limited", #""Words for people about error 4.""#),
        End("no-login-fault", 9, "server-fault"),
        End("no-login-page", 8, "broken-answer"),
        End("no-login-drop", 8, "connect"),
        End("codeless", 8, "broken-answer"),
        End("gives-tok-expired", 4, "token-refused"),
    ])
    func `a device login that Facebook ends sends nothing to the site`(end: End) throws {
        let visitor = try FacebookVisitor(.allauth, end.story)
        let login = try visitor.world.run("login", "--facebook", "--json")
        #expect(login.exitCode == end.exit, "\(login.stderr)")
        #expect(login.output.isEmpty)
        let last = try #require(login.errorLines.last)
        let error = try JSONDocument(line: Data("\(last)\n".utf8)).object("error")
        #expect(error.string("reason") == end.reason, "\(login.stderr)")
        if let quote = end.quote { #expect(error.string("message")?.contains(quote) == true, "\(login.stderr)") }
        #expect(!login.everything.contains("client-") && !login.everything.contains("secret-device"))
        #expect(visitor.keepsNothing)
    }

    @Test func `a device code with control characters is shown escaped`() throws {
        let visitor = try FacebookVisitor(.allauthTokens, "escapes", graph: try GraphServer())
        let link = try visitor.world.run("login", "--facebook")
        #expect(link.stderr.contains(#"AB\u{1b}[2J"#))
        #expect(!link.stderr.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
        #expect(link.errorLines.allSatisfy { $0.hasPrefix("authctl: ") })
    }

    @Test func `a device login requests additional permissions`() throws {
        let visitor = try FacebookVisitor(.djRestAuth, "at-once", graph: try GraphServer())
        let world = visitor.world
        let refused = try world.run("login", "--facebook", "--permission", "user_birthday")
        #expect(refused.exitCode == 5)
        #expect(refused.stderr.contains(#""Invalid Scopes: user_birthday.""#))
        #expect(try world.run("login", "--facebook", "--permission", "email").exitCode == 0)
        for name in ["a,b", "", "Email"] {
            #expect(try world.run("login", "--facebook", "--permission", name).exitCode == 2)
        }
        #expect(visitor.graph.requests(for: "device/login").count == 2)
    }

    @Test(arguments: [FacebookPlace.djRestAuth, .allauth])
    func `a device login names missing app settings, and the profile can hold them`(place: FacebookPlace) throws {
        let visitor = try FacebookVisitor(place, graph: try GraphServer())
        let world = visitor.world
        let bare: [String: String?] = ["AUTHCTL_FACEBOOK_APP_ID": nil, "AUTHCTL_FACEBOOK_CLIENT_TOKEN": nil]
        let missing = try world.run("login", "--facebook", "--json", environment: bare)
        let hint = try missing.refusal(2, "usage").string("hint") ?? ""
        #expect(hint.contains("AUTHCTL_FACEBOOK_CLIENT_TOKEN"))
        // Sites with allauth report their app id.
        #expect(hint.contains("AUTHCTL_FACEBOOK_APP_ID") == FacebookPlace.restAuths.contains(place))
        #expect(visitor.graph.requests.isEmpty)

        try world.write("client-gives-tok-ida\n", to: "\(world.root)/client-token")
        try world.run("profile", "set", "site", "facebookAppId", GraphServer.appID)
        try world.run("profile", "set", "site", "facebookClientTokenFile", "\(world.root)/client-token")
        try world.run("profile", "set", "site", "facebookGraphVersion", "v19.0")
        #expect(!(try world.run("profile", "show", "site").everything.contains("gives-tok-ida")))
        let login = try world.run("login", "--facebook", environment: bare)
        #expect(login.exitCode == 0, "\(login.stderr)")
        #expect(visitor.graph.requests(for: "device/login").map(\.line) == ["POST /v19.0/device/login"])
        #expect(world.mode(world.configurationFile) == 0o600)
    }

    @Test(arguments: FacebookPlace.allauths)
    func `a device login with another app than the site's fails before it requests a code`(place: FacebookPlace) throws
    {
        let visitor = try FacebookVisitor(place, graph: try GraphServer())
        let login = try visitor.world.run(
            "login", "--facebook", "--json", environment: ["AUTHCTL_FACEBOOK_APP_ID": "2000"])
        #expect(try login.refusal(2, "usage").string("message")?.contains(/'1000'.*'2000'/) == true)
        #expect(visitor.graph.requests.isEmpty)
    }

    // MARK: - At a terminal

    @Test(arguments: [
        ["link-facebook"], ["login", "--facebook"], ["link-facebook", "--json"], ["login", "--facebook", "-q"],
    ])
    func `Ctrl-C ends a device login at once`(words: [String]) throws {
        let visitor = try FacebookVisitor(.allauth, "every-60")
        let world = visitor.world
        try world.join("tim\(words.count)\(words.last?.dropFirst(2) ?? "")")
        let files = world.snapshot()
        let terminal = try PseudoTerminal()
        let settings = terminal.settingsText
        let program = try world.start(words, terminal: terminal)
        #expect(terminal.waitFor("7 minutes"))
        let start = Date()
        terminal.type("\u{3}")
        #expect(program.wait().signal == SIGINT)
        #expect(Date().timeIntervalSince(start) < 5)
        #expect(terminal.settingsText == settings)
        #expect(world.snapshot() == files)
        #expect(visitor.keepsNothing)
    }

    @Test(arguments: [SIGTERM, SIGHUP])
    func `a signal ends a device login`(signal: Int32) throws {
        let visitor = try FacebookVisitor(.allauth, "every-60")
        let login = try visitor.startWaiting(["login", "--facebook"])
        login.send(signal)
        #expect(login.wait(atMost: .seconds(5)).signal == signal)
        #expect(!visitor.world.isThere(visitor.world.siteFile))
    }
}
