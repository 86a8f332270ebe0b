import Foundation
import LibC
import TestSupport

/// `serve --test-controls`, with curl as the client.
@Suite(.mostlyWaits) struct ServeControlTests {
    private let world = Sandbox()

    private func serve(_ words: String...) throws -> ServingProgram {
        try ServingProgram(
            words: ["--database", "\(world.home)/test/test.db", "--test-controls"] + words, world: world)
    }

    private func controlURL(_ server: ServingProgram) throws -> String {
        try #require(server.announcement.string("controlUrl"))
    }

    private func control(
        _ server: ServingProgram, _ method: String, _ path: String, _ body: String? = nil, headers: [String] = []
    ) throws -> ServingProgram.Answer {
        try server.ask(method, "\(controlURL(server))/\(path)", body, headers: headers)
    }

    @Test(arguments: [["--ephemeral"], ["--database"]])
    func `the test controls list e-mails, advance the clock, and restore and delete accounts`(words: [String]) throws {
        let place = words == ["--ephemeral"] ? words : words + ["\(world.home)/test.db"]
        let server = try ServingProgram(words: place + ["--test-controls"], world: world)
        let fields = #"{"username":"ada","password":"\#(Sandbox.password)","email":"ada@example.org"}"#
        let token = try server.ask("POST", "/users", fields).token
        try expect(server.ask("POST", "/verificationEmailRequest", #"{"email":"ada@example.org"}"#).status, 200)
        let mails = try control(server, "GET", "mails?to=ada@example.org")
        let link = try #require(try mails.json?.objects("items").first?.string("link"))
        try expect(server.ask("GET", link, headers: []).status, 200)
        let id = try #require(try control(server, "POST", "snapshots").json?.string("id"))
        try expect(control(server, "POST", "clock", #"{"advanceSeconds":40000000}"#).status, 200)
        #expect(try server.ask("GET", "/users/me", token: token).body.contains("Session token is expired."))
        try expect(control(server, "DELETE", "users").status, 200)
        try expect(server.logIn().status, 404)
        try expect(control(server, "POST", "snapshots/\(id)/restore").status, 200)
        let user = try server.ask("GET", "/users/me", token: token)
        #expect(user.status == 200 && user.body.contains(#""emailVerified":true"#))
    }

    @Test func `with --require-verified-email a signup starts no session, and a login needs the link of the e-mail`()
        throws
    {
        let server = try serve("--require-verified-email")
        let fields = #"{"username":"ada","password":"\#(Sandbox.password)","email":"ada@example.org"}"#
        let user = try server.ask("POST", "/users", fields)
        #expect(user.status == 201 && user.token == nil)
        try expect(server.logIn().body, #"{"code":205,"error":"User email is not verified."}"#)
        let link = try control(server, "GET", "mails").json?.objects("items").first?.string("link")
        try expect(server.ask("GET", try #require(link), headers: []).status, 200)
        try expect(server.logIn().status, 200)
    }

    @Test func `an injected fault fails requests to its route, and a delay does not block other requests`() throws {
        let server = try serve()
        let faults = """
            [{"route":"POST /login","status":503},{"route":"GET /users/me","delayMs":300,"status":500},
            {"route":"GET /health","delayMs":60000}]
            """
        try expect(control(server, "PUT", "faults", faults).status, 200)
        try expect(server.signUp().status, 201)
        let failed = try server.logIn()
        #expect(failed.status == 503 && failed.body == #"{"error":"Service Unavailable"}"#)
        // The request for `/health` is still waiting when the request for `/users/me` is answered.
        let script = """
            exec 3<>/dev/tcp/127.0.0.1/\(server.port)
            printf 'GET /parse/health HTTP/1.1\\r\\nHost: 127.0.0.1:\(server.port)\\r\\n\\r\\n' >&3
            curl -s -w '%{time_total} %{http_code}\\n' -H 'X-Parse-Application-Id: local' -o /dev/null \
              '\(server.url)/users/me'
            """
        let line = try server.world.runScript(script).stdout.split(whereSeparator: \.isWhitespace)
        #expect(line.count == 2 && line.last == "500")
        let seconds = try #require(line.first.flatMap { Double($0) })
        #expect(seconds >= 0.25)
        try expect(control(server, "PUT", "faults", "[]").status, 200)
        try expect(server.logIn().status, 200)
    }

    @Test func `a connection beyond --max-connections receives 503 if all others have pending requests`() throws {
        let server = try serve("--max-connections", "2")
        let faults = #"[{"route":"GET /health","delayMs":10000}]"#
        try expect(control(server, "PUT", "faults", faults).status, 200)
        // If all connections are in use, the server closes one whose request has not arrived. So each attempt gives
        // its two requests more time to arrive. `sleep 11` lets the delayed requests of the previous attempt end.
        let script = """
            trap '' PIPE
            for pause in 0.1 1 5; do
              for i in 3 4; do
                eval "exec $i<>/dev/tcp/127.0.0.1/\(server.port)"
                printf 'GET /parse/health HTTP/1.1\\r\\nHost: 127.0.0.1:\(server.port)\\r\\n\\r\\n' >&$i
              done
              sleep $pause
              response=$(curl -s -w ' %{http_code}' '\(server.url)/config')
              [ "${response##* }" = 503 ] && break
              sleep 11
            done
            printf %s "$response"
            """
        try expect(
            server.world.runScript(script).stdout, #"{"code":1,"error":"the server is busy; try again"} 503"#)
    }

    @Test func `a server killed during a snapshot or restore leaves an intact database and no stray file`() throws {
        for action in ["snapshots", "snapshots/ID/restore"] {
            let server = try serve()
            try expect(server.signUp("user-\(action.count)").status, 201)
            let id = try #require(try control(server, "POST", "snapshots").json?.string("id"))
            let request = try world.start(
                ["-s", "-X", "POST", "\(controlURL(server))/\(action.replacingOccurrences(of: "ID", with: id))"],
                program: ["/usr/bin/curl"])
            server.program.send(SIGKILL)
            _ = server.program.wait()
            _ = request.wait()
            let files = try FileManager.default.contentsOfDirectory(atPath: "\(world.home)/test")
            #expect(Set(files).isSubset(of: [".lock", "test.db", "test.db-wal", "test.db-shm"]))
            try expect(serve().logIn("user-\(action.count)").status, 200)
        }
    }

    @Test func `serve rejects --test-controls if --database is the file of the local accounts`() throws {
        // The folder of the local accounts does not exist yet.
        let early = URL(fileURLWithPath: world.database).deletingLastPathComponent().path + "/../authctl/local.db"
        try expect(world.run("serve", "--port", "0", "--database", early, "--test-controls").exitCode, 2)
        try expect(world.signUp("ada").exitCode, 0)
        let link = "\(world.home)/link"
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: URL(fileURLWithPath: world.database).deletingLastPathComponent().path)
        for path in [world.database, "\(link)/local.db"] {
            let result = try world.run("serve", "--port", "0", "--database", path, "--test-controls")
            #expect(result.exitCode == 2 && result.stdout == "")
            if path == world.database { result.expectTranscript(in: "serve", of: world) }
        }
        try expect(world.run("login", "ada", "--password-stdin", input: .password).exitCode, 0)
    }
}
