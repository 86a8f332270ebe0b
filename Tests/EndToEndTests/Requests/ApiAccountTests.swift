import TestSupport

/// Requests of `api` to local accounts and to `serve`.
@Suite(.mostlyWaits, .keepsInvariants) struct ApiAccountTests {
    @Test func `api sends requests to local accounts without a server`() throws {
        let world = Sandbox()
        try world.signUp("ada")
        let user = try world.run("api", "/users/{me}")
        #expect(user.stdout.contains(#""username":"ada""#), "\(user.everything)")
        try expect(world.run("api", "/users/{me}", "-X", "PUT", "-f", "nickname=é", "-F", "score=7").exitCode, 0)
        let changed = try world.run("api", "/users/me").stdout
        #expect(changed.contains(#""nickname":"é""#) && changed.contains(#""score":7"#))
        let sessions = try world.run("api", "/sessions", "--paginate")
        #expect(sessions.stdout.hasPrefix("{") && sessions.stdout.hasSuffix("}\n"))
        let missing = try world.run("api", "/users/none", "--json")
        expect(missing.exitCode, 7)
        #expect(missing.stdout.contains(#""code":101"#))
        try expect(missing.error().string("reason"), "not-found")
    }

    @Test func `api and curl authenticate to serve, and api exits with code 4 after the session is revoked`() throws {
        let serving = try ServingProgram()
        let world = try Sandbox(visiting: serving)
        try expect(world.signUp("ada").exitCode, 0)
        let user = try world.run("api", "/users/me", "-i")
        #expect(user.stdout.hasPrefix("HTTP/1.1 200\n"), "\(user.everything)")
        #expect(user.stdout.contains(#""username":"ada""#))
        try expect(world.run("api", "\(serving.url)/users/me").exitCode, 0)
        for url in ["http://127.0.0.1:9/parse/users/me", "\(serving.url)/../users/me", "\(serving.url)x"] {
            try expect(world.run("api", url).exitCode, 2, "\(url)")
        }
        try expect(world.logIn("ada").exitCode, 0)
        let list = try world.run("api", "/sessions?limit=1", "--paginate")
        expect(list.stdout.split(separator: "\n").count, 2, "\(list.everything)")
        let curl = try world.runScript(#""$A" token --header | curl -sS --fail -H @- "\#(serving.url)/users/me""#)
        expect(curl.exitCode, 0, "\(curl.everything)")
        try expect(serving.ask("POST", "/logout", "{}", token: try world.token("site")).status, 200)
        let revoked = try world.run("api", "/users/me", "--json")
        expect(revoked.exitCode, 4)
        #expect(revoked.stdout.contains(#""code":209"#))
        try expect(revoked.error().string("reason"), "session-revoked")
    }
}
