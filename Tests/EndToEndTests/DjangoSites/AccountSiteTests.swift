import TestSupport

/// An account on each kind of Django site, and the site's own API.
@Suite(
    .mostlyWaits, .serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites,
    .keepsInvariants)
struct AccountSiteTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        let family: DjangoServer.Family
        let mode: String

        var testDescription: String { "\(family.rawValue), \(mode)" }
    }

    private static let kinds = [
        Kind(family: .restAuth, mode: "none"), Kind(family: .djRestAuth, mode: "none"),
        Kind(family: .djRestAuth, mode: "jwt"), Kind(family: .allauth, mode: "none"),
        Kind(family: .allauth, mode: "jwt"),
    ]

    @Test(arguments: kinds)
    func `an account on a Django site works from signup to logout`(kind: Kind) throws {
        let server = try SharedSites.server(kind.mode, kind.family)
        let backend = kind.family == .allauth ? "allauth" : "rest-auth"
        try AccountStory(world: try Sandbox(visiting: server), backend: backend, server: server.url).run()
    }

    @Test(arguments: kinds)
    func `api and curl use the session for requests to a Django site's own API`(kind: Kind) throws {
        let server = try SharedSites.server(kind.mode, kind.family)
        let world = try Sandbox(visiting: server, as: "api")
        let (list, asked) = try server.requests { try world.run("api", "/api/items/", "--paginate") }
        expect(list.stdout, (1...25).map { "{\"id\":\($0),\"owner\":\"api\"}\n" }.joined(), "\(list.stderr)")
        expect(asked, ["GET /api/items/ 200", "GET /api/items/ 200", "GET /api/items/ 200"])
        try expect(world.run("api", "/api/echo/", "-f", "a=é", "-F", "b=1.50").stdout, #"{"a":"é","b":1.50}"#)
        let slash = try world.run("api", "/api/echo", "-f", "a=b", "--json")
        expect(slash.exitCode, 8, "Django redirects to the path with a slash, and a POST is not repeated")
        let url = "\(server.url.dropLast(kind.family.path.count))/api/items/?page=3"
        for script in [
            #""$A" token --header | curl -sS --fail -H @- "\#(url)""#,
            #""$A" exec -- sh -c 'echo "$AUTHCTL_AUTH_HEADER" | curl -sS --fail -H @- "\#(url)"'"#,
        ] {
            let finished = try world.runScript(script)
            #expect(finished.stdout.contains(#""owner":"api""#), "\(finished.everything)")
        }
        guard kind.mode == "jwt" else { return }
        try world.letSessionRunOut("site")
        let (page, askedLate) = try server.requests { try world.run("api", "/api/items/?page=3") }
        expect(page.exitCode, 0, "\(page.everything)")
        expect(askedLate.count, 2)
        #expect(askedLate.first?.contains("/refresh") == true && askedLate.last == "GET /api/items/ 200")
    }
}

@Suite(.mostlyWaits, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct DetectedSiteTests {
    @Test(
        arguments: [
            (nil, "parse"), (.restAuth, "rest-auth"), (.djRestAuth, "rest-auth"), (.allauth, "allauth"),
        ] as [(DjangoServer.Family?, String)])
    func `profile add detects the backend at a URL and suggests the full URL if given only the origin`(
        site: DjangoServer.Family?, backend: String
    ) throws {
        let world = Sandbox()
        let program = try site == nil ? ServingProgram() : nil
        let url = try program?.url ?? SharedSites.server("none", #require(site)).url
        let words = ["profile", "add", "site", "--json"] + (site == nil ? ["--app-id", "local"] : []) + ["--server"]
        let named = try world.start(words + [url.split(separator: "/").prefix(2).joined(separator: "//")]).wait()
        expect(named.exitCode, 2)
        try expect(named.error().strings("hints")?.first?.contains("--server \(url)"), true, "\(named.stderr)")
        let added = try world.start(words + [url]).wait()
        try expect(added.document().object("item").string("backend"), backend, "\(added.everything)")
    }
}

/// Accounts with a second factor, on sites that use token keys, JWTs or allauth's headless API.
@Suite(.mostlyWaits, .serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct SecondFactorSiteTests {
    @Test(
        arguments: [(.djRestAuth, "mfa"), (.djRestAuth, "mfa-jwt"), (.allauth, "none")]
            as [(DjangoServer.Family, String)])
    func `an account with a second factor logs in once with each one-time or recovery code`(
        family: DjangoServer.Family, mode: String
    ) throws {
        let server = try SharedSites.server(mode, family)
        let world = try Sandbox(visiting: server, as: "ada")
        // authctl does not send the code if the account has no second factor.
        try expect(world.logIn("ada", "--otp", "000000").exitCode, 0)
        let recoveryCode = try server.change("totp", "ada")[1]
        let before = try world.bytes(world.siteFile)
        let login = try world.logIn("ada")
        expect(login.exitCode, 5)
        #expect(login.stderr.contains("authctl login --otp CODE ada\n"))
        // The server reports the second factor only to a user who knows the password.
        try world.logIn("ada", "--json", password: "not that one").refusal(4, "wrong-password")
        try expect(world.bytes(world.siteFile), before)
        #expect(!world.isThere(world.pendingFile))

        let oneTimeCode = try #require(try server.change("code", "ada").first)
        for code in [oneTimeCode, recoveryCode] {
            let login = try world.logIn("ada", "--otp", code, "--json")
            try expect(login.document().object("user").string("username"), "ada", "\(login.stderr)")
            let again = try world.logIn("ada", "--otp", code, "--json")
            try again.refusal(4, "wrong-code")
            #expect(!(login.everything + again.everything).contains(code))
        }
        try expect(world.run("whoami").exitCode, 0)
    }
}
