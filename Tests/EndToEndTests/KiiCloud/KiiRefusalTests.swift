import TestSupport
import Testing

/// What goes wrong on what stands in for Kii Cloud, in text and in JSON with the same exit code.
@Suite struct KiiRefusalTests {
    /// Runs the same twice, the second time for JSON.
    private func expect(
        _ code: Int32, _ reason: String, _ words: [String], input: Input = .password, at site: KiiSite,
        field: String? = nil
    ) throws {
        let text = try site.world.start(words, input: input).wait()
        #expect(text.exitCode == code, "\(words): \(text.everything)")
        #expect(text.stderr.contains("authctl: error: "))
        let json = try site.world.start(words + ["--json"], input: input).wait()
        #expect(json.exitCode == code, "\(words): \(json.everything)")
        let error = try json.error()
        #expect(error.string("reason") == reason, "\(words): \(json.stderr)")
        if let field { #expect(try error.object("fields").keys == [field]) }
    }

    @Test func `what is wrong with an account is told with the field`() throws {
        let site = try KiiSite()
        let other = try site.another()
        try other.join("ada", "--email", "ada@example.org", "--phone", "+819012345678")
        let signup = { (words: String...) in ["signup", "--password-stdin"] + words }
        try expect(6, "username-taken", signup("ada"), at: site, field: "username")
        try expect(6, "email-taken", signup("eve", "--email", "ada@example.org"), at: site, field: "email")
        try expect(6, "username-taken", signup("eve", "--phone", "+819012345678"), at: site, field: "phone")
        try expect(7, "invalid-fields", signup("a b c"), at: site, field: "username")
        try expect(7, "weak-password", signup("eve"), input: "abc\n", at: site, field: "password")
        try expect(2, "usage", signup("--phone", "0312345678"), at: site)
        let (local, _) = try site.requests(
            "signup", "eve", "--field", "phoneNumber=0312345678", "--field", "country=JP", "--password-stdin")
        #expect(local.exitCode == 0, "\(local.stderr)")
    }

    @Test func `what is wrong with credentials is told`() throws {
        let site = try KiiSite()
        try site.join()
        try expect(4, "wrong-password", ["login", "ada", "--password-stdin"], input: "not that\n", at: site)
        try expect(4, "wrong-password", ["login", "eve", "--password-stdin"], at: site)
        let change = ["password", "change", "--password-stdin"]
        try expect(4, "wrong-password", change, input: "not that\nanother one\n", at: site)
        try expect(7, "weak-password", change, input: "\(Sandbox.password)\nabc\n", at: site)
        #expect(try site.world.run("whoami").exitCode == 0)
        try expect(7, "not-found", ["password", "reset", "eve@example.org"], at: site)
        try site.server.test("disable", of: "ada")
        try expect(5, "account-disabled", ["login", "ada", "--password-stdin"], at: site)
        let whoami = try site.world.run("whoami", "--json")
        #expect(whoami.exitCode == 4)
        #expect(try whoami.document().string("state") == "rejected")
        #expect(try whoami.document().object("error").string("reason") == "session-revoked")
    }

    @Test func `an application or a server that is not there is told`() throws {
        let site = try KiiSite()
        let login = ["login", "ada", "--password-stdin", "--backend", "kii"]
        try expect(5, "bad-app-key", login + ["--server", site.server.url, "--app-id", "nope"], at: site)
        try expect(
            8, "wrong-endpoint", login + ["--server", "\(site.server.url)/nope", "--app-id", "app1"], at: site)
    }

    @Test func `an address is verified with the code of a mail`() throws {
        let site = try KiiSite("verify")
        try site.join("ada", "--email", "ada@example.org")
        let code = try site.server.test("code", of: "ada")
        try expect(4, "wrong-code", ["verify-email", "--key", "0"], at: site)
        try expect(5, "email-unverified", ["password", "reset", "ada@example.org"], at: site)
        try expect(4, "wrong-password", ["login", "ada@example.org", "--password-stdin"], at: site)
        let (mail, asked) = try site.requests("verify-email", "--json")
        #expect(try mail.document().flag("sent") == true)
        #expect(asked == ["POST users/me/email-address/resend-verification 204"])
        try expect(4, "wrong-code", ["verify-email", "--key", code], at: site)
        let newCode = try site.server.test("code", of: "ada")
        #expect(try site.world.run("verify-email", "--key", newCode).stdout == "the address is verified\n")
        #expect(try site.world.run("verify-email", "--key", newCode).exitCode == 0)
        #expect(try site.world.run("verify-email").stdout == "the address ada@example.org is verified already\n")
        #expect(try site.world.run("whoami").stdout.contains("e-mail:  ada@example.org (verified)\n"))
        #expect(try site.world.run("password", "reset", "ada@example.org").exitCode == 0)
        #expect(try site.world.logIn("ada@example.org", "-q").exitCode == 0)
        try site.world.run("logout")
        try expect(3, "no-session", ["verify-email", "--key", newCode], at: site)
        let nobody = try site.requests("verify-email", "--email", "ada@example.org")
        #expect(nobody.result.exitCode == 0)
        #expect(nobody.asked == ["POST users/EMAIL:ada@example.org/email-address/resend-verification 400"])
        try expect(7, "invalid-fields", ["signup", "--email", "eve@example.org", "--password-stdin"], at: site)
    }

    /// The service is out of order after the password is changed.
    @Test func `a password that is changed is said to be, although logging in again fails`() throws {
        let json = "Content-Type: application/json"
        let user = #"{"userID":"u-1","loginName":"ada"}"#
        let busy = #"{"errorCode":"UNDEFINED_ERROR","message":"sorry"}"#
        let server = try ScriptedServer([
            "/api/apps/app1/users": [.answer("201 Created", [json], #"{"userID":"u-1","_accessToken":"canary-1"}"#)],
            "/api/apps/app1/users/me": [.answer("200 OK", [json], user)],
            "/api/apps/app1/users/me/password": [.answer("204 No Content")],
            "/api/apps/app1/oauth2/token": [.answer("500 Internal Server Error", [json], busy)],
        ])
        let world = try Sandbox()
        let options = ["--backend", "kii", "--server", server.url("/api"), "--app-id", "app1"]
        try world.start(["signup", "ada", "--password-stdin"] + options, input: .password).wait()
        let passwords: Input = "\(Sandbox.password)\n\(Sandbox.newPassword)\n"
        let change = try world.start(["password", "change", "--password-stdin", "--json"] + options, input: passwords)
            .wait()
        #expect(change.exitCode == 9)
        let error = try change.error()
        #expect(
            error.string("message")
                == "the password was changed and all sessions are over, but logging in again failed: the server failed")
        #expect(error.string("hint")?.hasPrefix("log in with the new password: authctl login --backend kii") == true)
        #expect(server.requests.filter { $0.method == "PUT" }.count == 1)
    }
}
