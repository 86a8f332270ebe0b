import Foundation
import LibC
import TestSupport
import Testing

/// The accounts of this machine over HTTP, asked by curl as other programs would.
@Suite struct ServeTests {
    @Test func `says where it listens, in one document, when it is ready`() throws {
        let server = try ServingProgram()
        #expect(server.announcement.keys == ["v", "kind", "url", "appId", "pid"])
        #expect(server.announcement.string("kind") == "serve")
        #expect(server.url.hasPrefix("http://127.0.0.1:") && server.url.hasSuffix("/parse"))
        #expect(try server.ask("GET", "/users/me").status == 400)
    }

    @Test func `serves an account from signup to logout`() throws {
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

    @Test func `serves the accounts that the commands use, while they use them`() throws {
        let server = try ServingProgram()
        #expect(try server.world.signUp("ada").exitCode == 0)
        #expect(try server.logIn().status == 200)
        #expect(try server.signUp("bob").status == 201)
        #expect(try server.world.run("login", "bob", "--password-stdin", input: .password).exitCode == 0)
    }

    @Test func `keeps other accounts in another file`() throws {
        let world = try Sandbox()
        let server = try ServingProgram("--database", "\(world.home)/other.db", world: world)
        #expect(try server.signUp().status == 201)
        #expect(world.isThere("\(world.home)/other.db"))
        #expect(!world.isThere(world.database))
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `ends in order when it is told to`(signal: Int32) throws {
        let server = try ServingProgram()
        #expect(try server.signUp().status == 201)
        server.program.send(signal)
        let end = server.program.wait(atMost: .seconds(6))
        #expect(end.exitCode == 0)
        #expect(end.stderr == "")
        #expect(try server.world.run("login", "ada", "--password-stdin", input: .password).exitCode == 0)
    }

    @Test func `answers what was under way before it ends`() throws {
        let server = try ServingProgram()
        #expect(try server.signUp().status == 201)
        let script = """
            for i in 1 2 3 4 5 6; do
              curl -s -o /dev/null -w '%{http_code}\\n' -H 'X-Parse-Application-Id: local' \
                -H 'Content-Type: application/json' -d '{"username":"ada","password":"\(Sandbox.password)"}' \
                '\(server.url)/login' &
            done
            sleep 0.1; kill -TERM \(server.program.process); wait
            """
        let lines = try server.world.runScript(script).stdout.split(separator: "\n")
        #expect(server.program.wait(atMost: .seconds(6)).exitCode == 0)
        // A connection that was not taken yet is refused: 000. One that was is answered.
        #expect(lines.allSatisfy { $0 == "200" || $0 == "000" })
        #expect(lines.contains("200"))
    }

    @Test func `does not take another port for one that is taken`() throws {
        let server = try ServingProgram()
        let second = try server.world.run("serve", "--port", server.port)
        #expect(second.exitCode == 2)
        #expect(second.stderr.contains("cannot listen on port \(server.port): address already in use"))
        #expect(second.stdout == "")
    }

    @Test(arguments: ["70000", "-1", "http", ""])
    func `takes a port for a port only`(port: String) throws {
        let result = try Sandbox().run("serve", "--port=\(port)")
        #expect(result.exitCode == 2)
        #expect(result.stderr.contains("'\(port)' is not a port"))
    }

    @Test(arguments: ["*", "null", "", "localhost:3000", "http://localhost:3000/", "HTTP://LOCALHOST:3000", "http://"])
    func `takes an origin for an origin only`(origin: String) throws {
        let result = try Sandbox().run("serve", "--port", "0", "--allow-origin=\(origin)")
        #expect(result.exitCode == 2)
        #expect(result.stderr.contains("'\(origin)' is not an origin"))
    }

    @Test func `needs a folder for mails that it can use`() throws {
        let world = try Sandbox()
        try world.write("no folder", to: "\(world.home)/mails")
        let result = try world.run("serve", "--port", "0", "--mail-dir", "\(world.home)/mails")
        #expect(result.exitCode == 12)
        #expect(result.stderr.contains("'\(world.home)/mails'"))
        #expect(result.stdout == "")
    }

    @Test func `may be ended as soon as it says that it is there`() throws {
        for _ in 0..<15 {
            let server = try ServingProgram()
            server.program.send(SIGTERM)
            #expect(server.program.wait(atMost: .seconds(6)).exitCode == 0)
        }
    }

    @Test func `goes on when the descriptors have run out`() throws {
        let server = try ServingProgram(under: .shell("ulimit -n 40"))
        let script = """
            for i in $(seq 60); do exec {fd}<>/dev/tcp/127.0.0.1/\(server.port); done 2>/dev/null
            """
        try server.world.runScript(script)
        #expect(try server.signUp().status == 201)
        server.program.send(SIGTERM)
        #expect(server.program.wait().stderr == "")
    }

    @Test func `ends when its database is removed, rather than lose accounts`() throws {
        let server = try ServingProgram()
        #expect(try server.signUp().status == 201)
        try FileManager.default.removeItem(atPath: server.world.database)
        let end = server.program.wait(atMost: .seconds(10))
        #expect(end.exitCode == 12)
        #expect(end.stderr.contains("'\(server.world.database)' was removed or replaced"))
    }

    @Test func `two servers share one database`() throws {
        let server = try ServingProgram()
        let other = try ServingProgram(world: server.world)
        #expect(try server.signUp().status == 201)
        #expect(try other.logIn().status == 200)
    }

    @Test func `refuses a database that is none, before it listens`() throws {
        let world = try Sandbox()
        try world.write("a diary, and much longer than that\n", to: "\(world.home)/diary")
        let result = try world.run("serve", "--port", "0", "--database", "\(world.home)/diary")
        #expect(result.exitCode == 12)
        #expect(result.stdout == "")
    }

    @Test func `tells of every request on a line without secrets`() throws {
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
