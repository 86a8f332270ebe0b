import Foundation
import TestSupport

/// Sites whose sessions are cookies: Django's own login form and admin, dj-rest-auth's session login, allauth's API for
/// browsers. See `login_site.py`.
@Suite(.mostlyWaits, .serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct CookieSiteTests {
    private static let password = "correct-horse-1"
    private static let sessions =
        #""REST_FRAMEWORK":{"DEFAULT_AUTHENTICATION_CLASSES":["rest_framework.authentication.SessionAuthentication"]}"#

    /// A sandbox with the profile `site`, whose kind `profile add` detects.
    private func world(
        _ mode: String = "none", _ settings: String = "", path: String = ""
    ) throws -> (world: Sandbox, server: DjangoServer) {
        let server = try SharedSites.server(mode, .login, environment: ["SITE_SETTINGS": "{\(settings)}"])
        return (try visit(server, at: server.url + path), server)
    }

    private func visit(_ server: DjangoServer, at url: String) throws -> Sandbox {
        let world = Sandbox()
        world.keep(server)
        let added = try world.run("profile", "add", "site", "--server", url)
        try #require(added.exitCode == 0, "\(added.everything)")
        try #require(try world.run("profile", "use", "site").exitCode == 0)
        return world
    }

    @Test(arguments: [
        ("none", ""),
        ("none", #""CSRF_COOKIE_HTTPONLY":true,"SESSION_COOKIE_NAME":"sid","CSRF_COOKIE_NAME":"XSRF-TOKEN""#),
        ("none", #""SESSION_SAVE_EVERY_REQUEST":true,"SESSION_ENGINE":"django.contrib.sessions.backends.cached_db""#),
        ("https", ""), ("field", ""),
    ])
    func `a session of a login form works for every command that has one`(mode: String, settings: String) throws {
        let (world, server) = try world(mode, settings)
        let more = mode == "field" ? ["--field", "company=acme"] : []
        try expect(
            world.start(["login", "ann", "--password-stdin"] + more, input: "\(Self.password)\n").wait().exitCode, 0)
        let user = try world.run("whoami", "--json").document().object("user")
        expect(user.string("username"), "ann")
        expect(user.string("id"), nil)
        let token = try world.run("token").stdout.dropLast()
        let lines = try world.run("token", "--header").stdout.split(separator: "\n")
        expect(lines.map { $0.prefix { $0 != ":" } }, ["Cookie", "X-CSRFToken", "Referer"])
        expect(lines.first, "Cookie: \(token)")
        try expect(world.run("api", "/api/echo/", "-f", "a=b").stdout, #"{"a":"b"}"#)
        try expect(world.run("api", "/api/echo/{me}", "-f", "a=b").exitCode, 2)
        let state = try world.run("storage-state", server.url).document().objects("cookies")
        expect(
            state.map { "\($0.string("name") ?? "")=\($0.string("value") ?? "")" }.joined(separator: "; "), "\(token)")
        expect(state.map { $0.flag("httpOnly") }, [true, false])
        // In the program that `exec` runs, and for another session, the cookies are enough.
        try expect(world.run("exec", "--", BuiltBinary.path, "whoami").exitCode, 0)
        try expect(world.run("profile", "set", "site", "userPath", "/account/").exitCode, 0)
        try expect(world.run("login", "--token-stdin", "--as", "copy", input: "\(token)\n").exitCode, 0)
        try expect(world.run("logout", "--json").document().string("revoked"), "yes")
        try expect(world.run("whoami", "--as", "copy").exitCode, 4)
        try expect(world.run("logout", "--as", "copy", "--json").document().string("revoked"), "already")
    }

    @Test func `a cookie that a response renews is saved, and another user's session stays`() throws {
        let (world, server) = try world()
        for name in ["ann", "bob"] {
            try expect(world.logIn(name, "--as", name, password: Self.password).exitCode, 0)
        }
        let before = try world.run("token", "--as", "ann").stdout
        // The form succeeds with a redirect, which is not repeated.
        try expect(world.run("api", "/rename/", "-X", "POST", "--as", "ann").exitCode, 8)
        try #expect(world.run("token", "--as", "ann").stdout != before)
        for name in ["ann", "bob"] { try expect(world.run("whoami", "--as", name).exitCode, 0) }
        let old = [
            "AUTHCTL_BACKEND": "django", "AUTHCTL_SERVER": server.url, "AUTHCTL_TOKEN": String(before.dropLast()),
        ]
        try expect(world.run("api", "/account/", environment: old).exitCode, 4)
    }

    @Test(arguments: [
        ("none", Self.password + "x", Int32(4), "wrong-password"), ("captcha", Self.password, 10, "unsupported"),
        ("field", Self.password, 10, "unsupported"), ("lockout", Self.password, 5, "account-locked"),
        ("steps", Self.password, 5, "second-factor-required"), ("steps", "wrong", 4, "wrong-password"),
        ("code-page", Self.password, 5, "second-factor-required"), ("public", Self.password, 8, "invalid-response"),
        ("elsewhere", Self.password, 8, "redirect"), ("https-unset", Self.password, 5, "forbidden"),
    ])
    func `a login that no following request shows to have succeeded saves nothing`(
        mode: String, password: String, exit: Int32, reason: String
    ) throws {
        let (world, server) = try world(mode)
        let login = try world.logIn("ann", "--json", password: password)
        try login.refusal(exit, reason)
        if mode == "captcha" { #expect(login.stderr.contains("captcha_1")) }
        if mode == "https-unset" { #expect(login.stderr.contains("SECURE_PROXY_SSL_HEADER")) }
        try expect(world.run("whoami").exitCode, 3)
        #expect(!server.requests.contains { $0.contains("steal") })
        guard ["public", "code-page"].contains(mode) else { return }
        try expect(world.run("profile", "set", "site", "userPath", "/account/").exitCode, 0)
        try expect(world.logIn("ann", password: password).exitCode, mode == "public" ? 0 : 5)
    }

    @Test(arguments: ["name-first", "none"])
    func `a page without a password field and a page that is missing are no login forms`(mode: String) throws {
        let (world, _) = try world(mode, path: "/admin/login/")
        try expect(
            world.run("profile", "set", "site", "loginPath", "/\(mode == "none" ? "lost" : "accounts/login")/")
                .exitCode, 0)
        try expect(world.logIn("ann", password: Self.password).exitCode, mode == "none" ? 8 : 10)
    }

    @Test func `the admin's login is one, and only staff can use it`() throws {
        let (world, _) = try world(path: "/admin/login/")
        try expect(world.logIn("ann", password: Self.password).exitCode, 4)
        try expect(world.logIn("root", password: Self.password).exitCode, 0)
        try expect(world.run("api", "/admin/auth/user/").exitCode, 0)
        try expect(world.run("logout", "--json").document().string("revoked"), "yes")
    }

    @Test func `a CSRF token that the site keeps in the session is read from a page`() throws {
        let (world, _) = try world("none", #""CSRF_USE_SESSIONS":true"#)
        try expect(world.logIn("ann", password: Self.password).exitCode, 0)
        try world.run("api", "/api/echo/", "-f", "a=b", "--json").refusal(10, "unsupported")
        try expect(world.run("profile", "set", "site", "userPath", "/account/").exitCode, 0)
        try expect(world.logIn("ann", password: Self.password).exitCode, 0)
        try expect(world.run("api", "/api/echo/", "-f", "a=b").stdout, #"{"a":"b"}"#)
        try expect(world.run("logout", "--json").document().string("revoked"), "yes")
    }

    @Test func `a logout does not claim to revoke a signed cookie`() throws {
        let (world, _) = try world(
            "none", #""SESSION_ENGINE":"django.contrib.sessions.backends.signed_cookies""#)
        try expect(world.logIn("ann", password: Self.password).exitCode, 0)
        try expect(world.run("logout", "--json").document().string("revoked"), "unsupported")
    }

    @Test func `check takes a redirect to the login form for a denial to visitors, and pages for answers`() throws {
        let (world, _) = try world()
        try expect(world.logIn("ann", password: Self.password).exitCode, 0)
        try world.write(
            """
            request          me   anyone
            GET /account/    yes  no
            GET /api/items/  yes  no
            GET /forbidden/  no   no
            """, to: "\(world.root)/table")
        let check = try world.run("check", "\(world.root)/table")
        expect(check.exitCode, 0, "\(check.everything)")
        // Such a page may come from a proxy.
        try world.write("request me anyone\nGET /account/ yes no\nGET /lost/ no no\n", to: "\(world.root)/other")
        try expect(world.run("check", "\(world.root)/other").exitCode, 8)
    }

    @Test func `of a login form, no command is known that changes accounts`() throws {
        let (world, _) = try world()
        try expect(world.logIn("ann", password: Self.password).exitCode, 0)
        for words in [
            ["signup", "zoe", "--password-stdin"], ["password", "change", "--password-stdin"],
            ["password", "reset", "a@example.org"], ["verify-email", "--email", "a@example.org"],
            ["account", "update", "--email", "a@example.org"], ["account", "delete", "--yes"], ["sessions", "list"],
            ["sessions", "revoke", "--all"], ["link", "google", "--unlink", "--force"], ["users", "list"],
        ] {
            let lines = words[0] == "password" ? "\(Self.password)\nanother-horse-2\n" : "\(Self.password)\n"
            let end = try world.start(words, input: "\(lines)").wait()
            expect(end.exitCode, 10, "\(words) \(end.everything)")
        }
        try expect(world.run("whoami").exitCode, 0)
    }

    @Test func `users login saves the cookies of many users, of whom one has another password`() throws {
        let (world, server) = try world()
        let lines = [("ann", Self.password), ("bob", "wrong"), ("root", Self.password)].map { name, password in
            #"{"username":"\#(name)","password":"\#(password)"}"#
        }
        try world.write(lines.joined(separator: "\n") + "\n", to: "\(world.root)/credentials")
        expect(chmod("\(world.root)/credentials", 0o600), 0)
        let words = [
            "users", "login", "--credentials", "\(world.root)/credentials", "--tokens", "\(world.root)/tokens",
        ]
        for ending in ["2 logged in, 1 failed", "2 skipped, 1 failed"] {
            let run = try world.start(words).wait()
            expect(run.exitCode, 11)
            #expect(run.everything.contains(ending), "\(run.everything)")
        }
        expect(try world.text("\(world.root)/tokens").split(separator: "\n").count { $0.contains("sessionid=") }, 2)
        let origin = try #require(URLComponents(string: server.url).map { "http://127.0.0.1:\($0.port ?? 0)" })
        for ending in ["2 logged in, 1 failed", "2 skipped, 1 failed"] {
            let run = try world.start(words + ["--storage-states", "\(world.root)/states", "--origin", origin]).wait()
            #expect(run.everything.contains(ending), "\(run.everything)")
        }
    }

    @Test func `a session of dj-rest-auth's session login is the cookie`() throws {
        let server = try DjangoServer(
            .djRestAuth, environment: ["SITE_SETTINGS": #"{"REST_AUTH":{"TOKEN_MODEL":null},\#(Self.sessions)}"#])
        let world = try visit(server, at: server.url)
        try world.join("ada")
        try ends(of: world)
    }

    @Test func `a session cookie that the API of dj-rest-auth does not accept is no session`() throws {
        let server = try DjangoServer(
            .djRestAuth, environment: ["SITE_SETTINGS": #"{"REST_AUTH":{"TOKEN_MODEL":null}}"#])
        let world = try visit(server, at: server.url)
        try expect(world.signUp("ada", "--email", "ada@example.com").exitCode, 0)
        try world.logIn("ada", "--json").refusal(10, "unsupported")
        try expect(world.run("whoami").exitCode, 3)
    }

    @Test(arguments: ["", #","CSRF_COOKIE_HTTPONLY":true,"SESSION_COOKIE_NAME":"sid""#])
    func `a session of allauth's API for browsers is the cookie`(settings: String) throws {
        let server = try DjangoServer(
            .allauth,
            environment: ["SITE_SETTINGS": #"{"HEADLESS_CLIENTS":["browser"],\#(Self.sessions)\#(settings)}"#])
        let world = try visit(
            server, at: server.url.replacing("app/v1", with: "browser/v1"))
        try world.join("ada")
        try expect(world.run("sessions", "list").exitCode, 0)
        try ends(of: world)
        let codes = try server.change("totp", "ada")
        try expect(
            world.start(["login", "ada", "--password-stdin"], input: "\(Sandbox.newPassword)\n").wait().exitCode, 5)
        try expect(
            world.start(["login", "ada", "--password-stdin", "--otp", codes[1]], input: "\(Sandbox.newPassword)\n")
                .wait()
                .exitCode, 0)
    }

    /// A user with a cookie works, changes the password, which renews the cookie, and logs out.
    private func ends(of world: Sandbox) throws {
        try expect(world.run("whoami", "--json").document().object("user").string("username"), "ada")
        #expect(try world.run("token").stdout.contains("; csrftoken="))
        try expect(world.run("api", "/api/echo/", "-f", "a=b").stdout, #"{"a":"b"}"#)
        try world.logIn("ada", "--json", password: "not that one").refusal(4, "wrong-password")
        try expect(world.changePassword().exitCode, 0)
        let token = try world.run("token").stdout
        try expect(world.run("login", "--token-stdin", "--as", "copy", input: "\(token)").exitCode, 0)
        try expect(world.run("logout", "--json").document().string("revoked"), "yes")
        try expect(world.run("whoami", "--as", "copy").exitCode, 4)
        try expect(world.run("logout", "--as", "copy", "--json").document().string("revoked"), "already")
    }
}
