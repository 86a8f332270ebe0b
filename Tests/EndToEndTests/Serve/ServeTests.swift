import Foundation
import LibC
import SQLite
import TestSupport

/// Local accounts over HTTP.
@Suite(.mostlyWaits) struct ServeTests {
    @Test func `serve prints its URL when it is ready and shares its accounts with other commands`() throws {
        let server = try ServingProgram()
        expect(server.announcement.keys, ["v", "kind", "url", "appId", "pid", "controlUrl", "throttle"])
        #expect(server.url.hasPrefix("http://127.0.0.1:") && server.url.hasSuffix("/parse"))
        let signUp = try server.signUp()
        expect(signUp.status, 201)
        let logIn = try server.logIn()
        expect(logIn.status, 200)
        #expect(logIn.token != signUp.token)
        let user = try server.ask("GET", "/users/me", token: logIn.token)
        expect(user.status, 200)
        expect(user.json?.string("username"), "ada")
        #expect(try server.ask("GET", "/sessions", token: logIn.token).body.contains(#""createdWith""#))
        try expect(server.ask("POST", "/logout", "{}", token: logIn.token).status, 200)
        try expect(server.ask("GET", "/users/me", token: logIn.token).status, 400)
        try expect(server.world.run("login", "ada", "--password-stdin", input: .password).exitCode, 0)
    }

    @Test func `serve writes e-mails of the local accounts where mail reads them`() throws {
        let server = try ServingProgram()
        let fields = #"{"username":"ada","password":"\#(Sandbox.password)","email":"ada@example.org"}"#
        try expect(server.ask("POST", "/users", fields).status, 201)
        try expect(server.ask("POST", "/requestPasswordReset", #"{"email":"ada@example.org"}"#).status, 200)
        let link = try server.world.run("mail", "--for", "reset", "--link", "--wait", "30")
        #expect(link.exitCode == 0 && link.stdout.hasPrefix(server.url))
    }

    @Test(arguments: [["--ephemeral"], ["--database", "test.db"]])
    func `serve accepts a request for an e-mail that nobody can read, and says once how to read it`(
        words: [String]
    ) throws {
        let server = try ServingProgram(words: words)
        let fields = #"{"username":"ada","password":"\#(Sandbox.password)","email":"ada@example.org"}"#
        try expect(server.ask("POST", "/users", fields).status, 201)
        for _ in 1...2 {
            try expect(server.ask("POST", "/requestPasswordReset", #"{"email":"ada@example.org"}"#).status, 200)
        }
        server.program.send(SIGTERM)
        let text = "warning: e-mails are not kept: to read them, start authctl serve with --mail-dir FOLDER"
        expect(server.program.wait(atMost: .seconds(6)).stderr, "authctl: \(text)\n")
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `SIGTERM and SIGINT end serve with exit code 0`(signal: Int32) throws {
        let server = try ServingProgram()
        try expect(server.signUp().status, 201)
        server.program.send(signal)
        let end = server.program.wait(atMost: .seconds(6))
        expect(end.exitCode, 0)
        expect(end.stderr, "")
        try expect(server.world.run("login", "ada", "--password-stdin", input: .password).exitCode, 0)
    }

    @Test(.enabled(if: Host.hasProc, "needs GNU env"))
    func `SIGTERM ends serve even if its parent process blocked SIGTERM`() throws {
        let server = try ServingProgram("--ephemeral", under: ["/usr/bin/env", "--block-signal=TERM"])
        server.program.send(SIGTERM)
        expect(server.program.wait(atMost: .seconds(6)).exitCode, 0)
    }

    @Test(.enabled(if: Host.hasNewBash))
    func `serve answers all requests that were sent before SIGTERM`() throws {
        let server = try ServingProgram()
        try expect(server.signUp().status, 201)
        let body = #"{"username":"ada","password":"\#(Sandbox.password)"}"#
        let request = """
            POST /parse/login HTTP/1.1\r\nHost: localhost:\(server.port)\r\nX-Parse-Application-Id: local\r
            Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
            """
        try server.world.write(request, to: "\(server.world.home)/login")
        let script = """
            for i in $(seq 8); do
              exec {fd}<>/dev/tcp/127.0.0.1/\(server.port)
              cat '\(server.world.home)/login' >&$fd
              all+=($fd)
            done
            kill -TERM \(server.program.process)
            for fd in ${all[@]}; do head -n 1 <&$fd; done
            """
        let lines = try server.world.runScript(script).stdout.split(separator: "\r\n")
        expect(lines, Array(repeating: "HTTP/1.1 200 OK", count: 8))
        expect(server.program.wait(atMost: .seconds(6)).exitCode, 0)
    }

    @Test func `serve fails if its port is in use`() throws {
        let server = try ServingProgram()
        let second = try server.world.run("serve", "--port", server.port)
        second.expectTranscript(in: "serve", of: server.world)
        #expect(second.stderr.contains(server.port))
        expect(second.stdout, "")
    }

    @Test func `serve ends with exit code 0 if SIGTERM arrives right after it prints its URL`() throws {
        for _ in 0..<15 {
            let server = try ServingProgram()
            server.program.send(SIGTERM)
            expect(server.program.wait(atMost: .seconds(6)).exitCode, 0)
        }
    }

    @Test(.enabled(if: Host.hasNewBash), arguments: ["", "GET /"])
    func `serve closes connections without a complete request when file descriptors run out`(start: String) throws {
        // First close the descriptors of the test process, which are inherited if the kernel lacks close_range.
        let limit = #"for fd in /dev/fd/*; do fd=${fd##*/}; ((fd < 3)) || eval "exec $fd>&-"; done; ulimit -n 32"#
        let server = try ServingProgram(under: .shell(limit))
        let script = """
            for i in $(seq 40); do exec {fd}<>/dev/tcp/127.0.0.1/\(server.port) && printf '\(start)' >&$fd; done 2>/dev/null
            until curl -s --max-time 8 '\(server.url)/health' | grep status || ((SECONDS > 7)); do sleep 0.1; done
            """
        // The script gives up after 8 seconds, before the server's time limit (10 seconds) closes the connections. A slow
        // machine may show the server busy for a moment.
        try expect(server.world.runScript(script).stdout, "{\"status\":\"ok\"}\n")
        try expect(server.signUp().status, 201)
        server.program.send(SIGTERM)
        let end = server.program.wait(atMost: .seconds(6))
        expect(end.exitCode, 0)
        expect(end.stderr, "")
    }

    @Test func `serve answers reads, rejects writes with 503 and logs one line if its database is locked`() throws {
        let server = try ServingProgram()
        let token = try #require(try server.signUp().token)
        let other = try DatabaseConnection(opening: server.world.database, busyTimeout: .seconds(1))
        try other.execute("BEGIN IMMEDIATE")
        try expect(server.ask("GET", "/users/me", token: token).status, 200)
        for name in ["bob", "eve"] {
            let answer = try server.ask(
                "POST", "/users", #"{"username":"\#(name)","password":"\#(Sandbox.password)"}"#, options: ["-i"])
            expect(answer.status, 503)
            #expect(answer.body.contains("\nRetry-After: 1\r"))
        }
        try other.execute("ROLLBACK")
        try expect(server.signUp("bob").status, 201)
        server.program.send(SIGTERM)
        let lines = server.program.wait().stderr.split(separator: "\n")
        expect(lines.count, 1)
        expect(lines.first?.contains("'\(server.world.database)': another process has locked it"), true)
    }

    @Test func `serve ends with exit code 12 if its database is removed`() throws {
        let server = try ServingProgram()
        try expect(server.signUp().status, 201)
        try FileManager.default.removeItem(atPath: server.world.database)
        let end = server.program.wait(atMost: .seconds(10))
        expect(end.exitCode, 12)
        #expect(end.stderr.contains("'\(server.world.database)'"))
    }

    @Test func `serve on 0.0.0.0 shows the --allow-host host in its URL, requires the client key and warns`() throws {
        let world = Sandbox()
        try world.write("rest-key\n", to: "\(world.home)/key")
        let server = try ServingProgram(
            words: ["--listen", "0.0.0.0", "--client-key-file", "\(world.home)/key", "--allow-host", "accounts"],
            world: world)
        expect(server.url, "http://accounts:\(server.port)/parse")
        let url = "http://127.0.0.1:\(server.port)/parse/users/me"
        try expect(server.ask("GET", url).status, 403)
        let headers = ["X-Parse-Application-Id: local", "X-Parse-REST-API-Key: rest-key"]
        try expect(server.ask("GET", url, headers: headers).status, 400)
        server.program.send(SIGTERM)
        #expect(server.program.wait().stderr.contains("other devices can reach the server"))
    }

    @Test func `serve fails if the --listen address is not an address of the machine`() throws {
        let world = Sandbox()
        try world.write("rest-key\n", to: "\(world.home)/key")
        let result = try world.run(
            "serve", "--port", "0", "--listen", "203.0.113.1", "--client-key-file", "\(world.home)/key")
        #expect(result.exitCode == 2 && result.stdout == "")
        #expect(result.stderr.contains("cannot listen on 203.0.113.1:0"))
    }

    @Test func `serve locks an account after five wrong passwords, but not for commands on the same accounts`() throws {
        let server = try ServingProgram()
        try expect(server.signUp().status, 201)
        for _ in 0..<5 { try expect(server.logIn(password: "wrong").status, 404) }
        #expect(try server.logIn().body.contains("Your account is locked"))
        try expect(server.world.run("login", "ada", "--password-stdin", input: .password).exitCode, 0)
    }

    @Test func `serve fails before it prints its URL if the mail folder or the database is a text file`() throws {
        let world = Sandbox()
        let path = "\(world.home)/diary"
        try world.write("a diary, and much longer than that\n", to: path)
        for option in ["--mail-dir", "--database"] {
            let result = try world.run("serve", "--port", "0", option, path)
            #expect(result.exitCode == 12 && result.stderr.contains("'\(path)'"))
            expect(result.stdout, "")
        }
    }

    @Test func `serve -v logs each request without its query and without the secret of the test controls`() throws {
        let server = try ServingProgram("-v", "--ephemeral", "--test-controls")
        let token = try #require(try server.signUp().token)
        _ = try server.ask("GET", "/users/me?password=canary", token: token)
        let controls = try #require(server.announcement.string("controlUrl"))
        try expect(server.ask("POST", "\(controls)/clock", "{").status, 400)
        server.program.send(SIGTERM)
        let log = server.program.wait().stderr
        #expect(log.contains("POST /parse/users 201"))
        #expect(log.contains("GET /parse/users/me 200"))
        #expect(log.contains("POST /<redacted>/clock 400"))
        let secret = String(try #require(controls.split(separator: "/").last))
        for secret in [token, "canary", Sandbox.password, secret] { #expect(!log.contains(secret)) }
    }

    @Test func `serve -v continues if its standard error is a pipe that no process reads`() throws {
        let fifo = #"mkfifo "$HOME/errors"; exec 3<>"$HOME/errors" 2>&3"#
        let server = try ServingProgram(words: ["-v"], under: .shell(fifo))
        // 200 lines of 1,000 bytes exceed the capacity of a pipe.
        let path = String(repeating: "x", count: 1000)
        let statuses = try server.ask("GET", "/\(path)?[1-200]", options: ["-o", "/dev/null"])
        #expect(statuses.body.split(separator: "\n").allSatisfy { $0 == "404" } && statuses.status == 404)
        try expect(server.signUp().status, 201)
        server.program.send(SIGTERM)
        expect(server.program.wait(atMost: .seconds(10)).exitCode, 0)
    }
}
