import Foundation
import LibC
import SQLite
import TestSupport
import Testing

/// Local accounts over HTTP, with curl as the client.
@Suite struct ServeTests {
    @Test func `serve prints its URL in one document when it accepts connections`() throws {
        let server = try ServingProgram()
        #expect(server.announcement.keys == ["v", "kind", "url", "appId", "pid", "controlUrl", "throttle"])
        #expect(server.announcement.string("kind") == "serve")
        #expect(server.url.hasPrefix("http://127.0.0.1:") && server.url.hasSuffix("/parse"))
        #expect(try server.ask("GET", "/users/me").status == 400)
    }

    @Test func `serve answers signup, login, user, sessions and logout over HTTP`() throws {
        let server = try ServingProgram()
        let signUp = try server.signUp()
        #expect(signUp.status == 201)
        let logIn = try server.logIn()
        #expect(logIn.status == 200)
        #expect(logIn.token != signUp.token)
        let user = try server.ask("GET", "/users/me", token: logIn.token)
        #expect(user.status == 200)
        #expect(user.json?.string("username") == "ada")
        #expect(try server.ask("GET", "/sessions", token: logIn.token).body.contains(#""createdWith""#))
        #expect(try server.ask("POST", "/logout", "{}", token: logIn.token).status == 200)
        #expect(try server.ask("GET", "/users/me", token: logIn.token).status == 400)
    }

    @Test func `serve and the commands share the accounts`() throws {
        let server = try ServingProgram()
        #expect(try server.world.signUp("ada").exitCode == 0)
        #expect(try server.logIn().status == 200)
        #expect(try server.signUp("bob").status == 201)
        #expect(try server.world.run("login", "bob", "--password-stdin", input: .password).exitCode == 0)
    }

    @Test func `serve --database uses another file`() throws {
        let world = try Sandbox()
        let server = try ServingProgram("--database", "\(world.home)/other.db", world: world)
        #expect(try server.signUp().status == 201)
        #expect(world.isThere("\(world.home)/other.db"))
        #expect(!world.isThere(world.database))
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `SIGTERM and SIGINT end the server with exit code 0`(signal: Int32) throws {
        let server = try ServingProgram()
        #expect(try server.signUp().status == 201)
        server.program.send(signal)
        let end = server.program.wait(atMost: .seconds(6))
        #expect(end.exitCode == 0)
        #expect(end.stderr == "")
        #expect(try server.world.run("login", "ada", "--password-stdin", input: .password).exitCode == 0)
    }

    @Test(.enabled(if: Host.hasProc, "needs GNU env"))
    func `SIGTERM ends a server whose parent blocked it`() throws {
        let server = try ServingProgram("--ephemeral", under: ["/usr/bin/env", "--block-signal=TERM"])
        server.program.send(SIGTERM)
        #expect(server.program.wait(atMost: .seconds(6)).exitCode == 0)
    }

    @Test(.enabled(if: Host.hasNewBash))
    func `the server answers all requests that were sent before SIGTERM`() throws {
        let server = try ServingProgram()
        #expect(try server.signUp().status == 201)
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
        #expect(lines == Array(repeating: "HTTP/1.1 200 OK", count: 8))
        #expect(server.program.wait(atMost: .seconds(6)).exitCode == 0)
    }

    @Test func `serve fails if its port is in use`() throws {
        let server = try ServingProgram()
        let second = try server.world.run("serve", "--port", server.port)
        #expect(second.exitCode == 2)
        second.expectTranscript(in: "serve", of: server.world)
        #expect(second.stderr.contains(server.port))
        #expect(second.stdout == "")
    }

    @Test(arguments: ["70000", "-1", "http", ""])
    func `serve rejects an invalid port`(port: String) throws {
        let result = try Sandbox().run("serve", "--port=\(port)")
        #expect(result.exitCode == 2)
        #expect(result.stderr.contains("'\(port)'"))
    }

    @Test(arguments: ["*", "null", "", "localhost:3000", "http://localhost:3000/", "HTTP://LOCALHOST:3000", "http://"])
    func `serve rejects an invalid origin`(origin: String) throws {
        let result = try Sandbox().run("serve", "--port", "0", "--allow-origin=\(origin)")
        #expect(result.exitCode == 2)
        #expect(result.stderr.contains("'\(origin)'"))
    }

    @Test func `serve fails if the mail folder is a file`() throws {
        let world = try Sandbox()
        try world.write("no folder", to: "\(world.home)/mails")
        let result = try world.run("serve", "--port", "0", "--mail-dir", "\(world.home)/mails")
        #expect(result.exitCode == 12)
        #expect(result.stderr.contains("'\(world.home)/mails'"))
        #expect(result.stdout == "")
    }

    @Test func `a signal right after the announcement ends the server with exit code 0`() throws {
        for _ in 0..<15 {
            let server = try ServingProgram()
            server.program.send(SIGTERM)
            #expect(server.program.wait(atMost: .seconds(6)).exitCode == 0)
        }
    }

    @Test(.enabled(if: Host.hasNewBash), arguments: ["", "GET /"])
    func `connections without a complete request make room for others when descriptors run out`(start: String) throws {
        // Without the descriptors that the test process passes on.
        let limit = #"for fd in /dev/fd/*; do fd=${fd##*/}; ((fd < 3)) || eval "exec $fd>&-"; done; ulimit -n 32"#
        let server = try ServingProgram(under: .shell(limit))
        let script = """
            for i in $(seq 100); do exec {fd}<>/dev/tcp/127.0.0.1/\(server.port) && printf '\(start)' >&$fd; done 2>/dev/null
            curl -s --max-time 8 '\(server.url)/health'
            """
        // While bash holds its connections, which time out after ten seconds.
        #expect(try server.world.runScript(script).stdout == #"{"status":"ok"}"#)
        #expect(try server.signUp().status == 201)
        server.program.send(SIGTERM)
        let end = server.program.wait(atMost: .seconds(6))
        #expect(end.exitCode == 0)
        #expect(end.stderr == "")
    }

    @Test func `serve -v continues when its standard error is a pipe that is not read`() throws {
        let fifo = #"mkfifo "$HOME/errors"; exec 3<>"$HOME/errors" 2>&3"#
        let server = try ServingProgram(words: ["-v"], under: .shell(fifo))
        // 200 lines of 1,000 bytes are more than a pipe holds.
        let path = String(repeating: "x", count: 1000)
        let statuses = try server.ask("GET", "/\(path)?[1-200]", options: ["-o", "/dev/null"])
        #expect(statuses.body.split(separator: "\n").allSatisfy { $0 == "404" } && statuses.status == 404)
        #expect(try server.signUp().status == 201)
        server.program.send(SIGTERM)
        #expect(server.program.wait(atMost: .seconds(10)).exitCode == 0)
    }

    @Test func `a locked database gives status 503 for writes only, and one line on standard error`() throws {
        let server = try ServingProgram()
        let token = try #require(try server.signUp().token)
        let other = try DatabaseConnection(opening: server.world.database, busyTimeout: .seconds(1))
        try other.execute("BEGIN IMMEDIATE")
        #expect(try server.ask("GET", "/users/me", token: token).status == 200)
        for name in ["bob", "eve"] {
            let answer = try server.ask(
                "POST", "/users", #"{"username":"\#(name)","password":"\#(Sandbox.password)"}"#, options: ["-i"])
            #expect(answer.status == 503)
            #expect(answer.body.contains("\nRetry-After: 1\r"))
        }
        try other.execute("ROLLBACK")
        #expect(try server.signUp("bob").status == 201)
        server.program.send(SIGTERM)
        let lines = server.program.wait().stderr.split(separator: "\n")
        #expect(lines.count == 1)
        #expect(lines.first?.contains("'\(server.world.database)': another process has locked it") == true)
    }

    @Test func `the server ends when its database is removed`() throws {
        let server = try ServingProgram()
        #expect(try server.signUp().status == 201)
        try FileManager.default.removeItem(atPath: server.world.database)
        let end = server.program.wait(atMost: .seconds(10))
        #expect(end.exitCode == 12)
        #expect(end.stderr.contains("'\(server.world.database)'"))
    }

    @Test func `two servers can share one database`() throws {
        let server = try ServingProgram()
        let other = try ServingProgram(world: server.world)
        #expect(try server.signUp().status == 201)
        #expect(try other.logIn().status == 200)
    }

    @Test func `serve rejects a file that is not a database before it listens`() throws {
        let world = try Sandbox()
        try world.write("a diary, and much longer than that\n", to: "\(world.home)/diary")
        let result = try world.run("serve", "--port", "0", "--database", "\(world.home)/diary")
        #expect(result.exitCode == 12)
        #expect(result.stdout == "")
    }

    @Test func `serve -v logs each request on one line without secrets`() throws {
        let server = try ServingProgram("-v")
        let token = try #require(try server.signUp().token)
        _ = try server.ask("GET", "/users/me?password=canary", token: token)
        _ = try server.logIn(password: "canary wrong")
        server.program.send(SIGTERM)
        let lines = server.program.wait().stderr
        #expect(lines.contains("POST /parse/users 201"))
        #expect(lines.contains("GET /parse/users/me 200"))
        #expect(lines.contains("POST /parse/login 404"))
        for secret in [token, "canary", Sandbox.password] { #expect(!lines.contains(secret)) }
    }
}
