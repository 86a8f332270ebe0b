import TestSupport

/// E-mail verification and password resets.
@Suite(.mostlyWaits, .serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct MailSiteTests {
    // MARK: - Django's e-mail files

    /// The sites use German by default. Some rejections differ only in their message, so authctl requests English
    /// messages.
    @Test(
        arguments: [
            (.restAuth, "mandatory", "--link"), (.djRestAuth, "mandatory", "--link"),
            (.djRestAuth, "jwt-mandatory", "--link"), (.allauth, "mandatory-link", "--link"),
            (.allauth, "mandatory-code", "--code"), (.allauth, "jwt-mandatory-code", "--code"),
        ] as [(DjangoServer.Family, String, String)])
    func `a script verifies an address and resets a password with the keys from Django's e-mail files`(
        family: DjangoServer.Family, mode: String, part: String
    ) throws {
        let (world, folder) = try Self.siteWithMailFiles(mode, family)
        try world.run("mail", "--json").refusal(2, "usage")
        // The folder does not exist yet: Django creates it for the first e-mail.
        try world.run("mail", "--mail-dir", folder, "--json").refusal(2, "usage")
        try expect(world.run("profile", "set", "site", "mailDir", folder).exitCode, 0)
        try MailLoop(world: world, part: part, rejectsUnverified: family != .allauth).run()
    }

    /// The sites identify users by e-mail.
    @Test(
        arguments: [
            (.djRestAuth, "jwt-mandatory"), (.allauth, "mandatory-link"), (.allauth, "mandatory-code"),
        ] as [(DjangoServer.Family, String)])
    func `accounts that are created in bulk are verified and logged in to in bulk`(
        family: DjangoServer.Family, mode: String
    ) throws {
        let (world, folder) = try Self.siteWithMailFiles(mode, family)
        try expect(world.run("profile", "set", "site", "mailDir", folder).exitCode, 0)
        func users(_ line: String) throws -> String {
            let words = ["users"] + line.split(separator: " ").map(String.init) + ["--json"]
            let end = try world.start(words, folder: world.root).wait()
            expect(end.exitCode, 0, "\(end.everything)")
            return end.stdout
        }
        let created = try users(
            "create --count 2 --name bulk-{n} --email bulk-{n}@example.com --journal j --credentials c --rate 9/s")
        #expect(created.contains(#""pending":2"#), "\(created)")
        #expect(try users("verify --journal j --credentials c --wait 5 --rate 9/s").contains(#""verified":2"#))
        #expect(try users("login --credentials c --tokens t --rate 9/s").contains(#""logged-in":2"#))
    }

    private static func siteWithMailFiles(
        _ mode: String, _ family: DjangoServer.Family
    ) throws -> (world: Sandbox, folder: String) {
        let server = try SharedSites.server(
            mode, family,
            environment: [
                "SITE_LANGUAGE": "de", "SITE_MAILS": "django.core.mail.backends.filebased.EmailBackend",
            ])
        return (try Sandbox(visiting: server), "\(server.world.root)/mails")
    }

    // MARK: - allauth

    @Test func `allauth rejects a password reset code after three wrong codes and from another profile`() throws {
        let server = try SharedSites.server("mandatory-code", .allauth)
        let world = try Sandbox(visiting: server)
        try expect(world.signUp("kim", "--email", "kim@example.com").exitCode, 0)
        func reset(_ code: String, _ password: String = Sandbox.newPassword, in world: Sandbox) throws -> Finished {
            try world.run("password", "reset", "--key", code, "--password-stdin", "--json", input: "\(password)\n")
        }
        func request() throws -> String {
            #expect(try world.run("password", "reset", "kim@example.com").stdout.contains("Pass its code to: "))
            return try #require(try server.mail(to: "kim@example.com").code)
        }
        try reset(try request(), "12345", in: world).refusal(7, "weak-password")
        let code = try request()
        for _ in 0..<3 { try reset("XXXX-XXXX", in: world).refusal(4, "wrong-code") }
        try reset(code, in: world).refusal(7, "not-found")
        // A code belongs to the profile that requested it.
        try reset(try request(), in: try Sandbox(visiting: server)).refusal(7, "not-found")
    }

    @Test func `a logged-in user verifies an e-mail address at an allauth site with optional verification`() throws {
        let server = try SharedSites.server("optional", .allauth)
        let world = try Sandbox(visiting: server)
        let signup = try world.run("signup", "--email", "ada@example.com", "--password-stdin", input: .password)
        expect(signup.exitCode, 0)
        #expect(try world.run("verify-email").stdout.contains("ada@example.com"))
        expect(server.mails(to: "ada@example.com").count, 2)
        let key = try #require(try server.mail(to: "ada@example.com").verificationKey)
        try expect(world.run("verify-email", "--key", key, "--json").document().flag("verified"), true)
        try world.run("verify-email", "--key", key, "--json").refusal(7, "not-found")
        try expect(world.run("verify-email", "--json").document().flag("sent"), false)
        expect(server.mails(to: "ada@example.com").count, 2)
        try expect(world.run("whoami").exitCode, 0)
    }

    @Test(arguments: ["mandatory-code", "jwt-mandatory-code"])
    func `an e-mailed code completes an allauth signup and expires after three wrong codes`(mode: String) throws {
        let server = try SharedSites.server(mode, .allauth)
        let world = try Sandbox(visiting: server)
        func newCode() throws -> String { try #require(try server.mail(to: "ada@example.com").code) }
        let signup = try world.run("signup", "--email", "ada@example.com", "--password-stdin", input: .password)
        expect(signup.exitCode, 0)
        #expect(signup.stdout.contains("authctl verify-email -p site --key-stdin"))
        #expect(!world.isThere(world.siteFile))
        expect(world.mode(world.pendingFile), 0o600)
        let pending = String(try #require(world.text(world.pendingFile).firstMatch(of: /"token":"([^"]+)"/)?.1))
        for words in [["whoami"], ["token"], ["sessions"], ["exec", "--", "true"], ["link-facebook", "--status"]] {
            let result = try world.start(words).wait()
            expect(result.exitCode, 3, "\(words)")
            #expect(!result.everything.contains(pending))
        }
        let lost = try newCode()
        for _ in 0..<3 { try world.run("verify-email", "--key", "XXXX-XXXX", "--json").refusal(4, "wrong-code") }
        try world.run("verify-email", "--key", lost, "--json").refusal(7, "not-found")

        // A login makes the site send a new code.
        try expect(world.logIn("ada@example.com").exitCode, 5)
        let verified = try world.run("verify-email", "--key", try newCode(), "--json")
        try expect(verified.document().flag("verified"), true)
        try expect(verified.document().object("user").string("username"), "ada")
        #expect(!world.isThere(world.pendingFile))
        for secret in [try newCode(), pending, try world.token("site")] {
            #expect(!verified.everything.contains(secret))
        }
        try expect((world.storedPair().refresh != nil), (mode == "jwt-mandatory-code"))
        #expect(try world.run("whoami").stdout.hasPrefix("ada "))
    }
}

extension Finished {
    /// Checks a failed run with `--json`: exit code, reason and empty standard output.
    ///
    /// - Returns: the error.
    @discardableResult
    func refusal(
        _ exit: Int32, _ reason: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> JSONDocument {
        #expect(exitCode == exit, "\(everything)", sourceLocation: sourceLocation)
        #expect(output.isEmpty, sourceLocation: sourceLocation)
        let error = try error()
        #expect(error.number("exit") == Int(exit), sourceLocation: sourceLocation)
        #expect(error.string("reason") == reason, "\(everything)", sourceLocation: sourceLocation)
        return error
    }
}
