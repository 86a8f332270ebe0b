import Foundation
import TestSupport

/// Requests that `serve` on loopback accepts, rejects or ignores.
@Suite(.mostlyWaits) struct ServeGateTests {
    private let server: ServingProgram

    init() throws {
        server = try ServingProgram("--allow-origin", "http://localhost:3000")
    }

    @Test(arguments: ["http://evil.test", "null"])
    func `serve rejects a cross-origin request with 403 and creates no account`(origin: String) throws {
        // Parse's request format for browsers, which needs no CORS preflight.
        let body = #"{"_ApplicationId":"local","username":"ada","password":"hunter2hunter"}"#
        let answer = try server.ask(
            "POST", "/users", nil, headers: ["Origin: \(origin)", "Content-Type: text/plain"],
            options: ["--data-binary", body, "-i"])
        expect(answer.status, 403)
        #expect(!answer.body.lowercased().contains("access-control-allow"))
        try expect(server.logIn().status, 404)
    }

    @Test func `serve answers requests and preflights from an --allow-origin origin with CORS header fields`() throws {
        let headers = ["X-Parse-Application-Id: local", "Origin: http://localhost:3000"]
        let answer = try server.ask("GET", "/users/me", headers: headers, options: ["-i"])
        expect(answer.status, 400)
        #expect(answer.body.contains("Access-Control-Allow-Origin: http://localhost:3000\r"))
        #expect(answer.body.contains("Vary: Origin\r"))
        let rejected = try server.ask("GET", "/users/me", headers: ["Origin: http://localhost:3000"], options: ["-i"])
        #expect(rejected.status == 403 && rejected.body.contains("Access-Control-Allow-Origin"))
        #expect(!answer.body.contains("Access-Control-Allow-Credentials"))
        let preflight = try server.ask(
            "OPTIONS", "/users", headers: ["Origin: http://localhost:3000", "Access-Control-Request-Method: POST"],
            options: ["-i"])
        expect(preflight.status, 200)
        #expect(preflight.body.contains("Access-Control-Allow-Headers: X-Parse-REST-API-Key"))
    }

    @Test func `serve names each refused origin and host once on standard error, with the option that allows it`()
        throws
    {
        let preflight = ["Origin: http://localhost:5173", "Access-Control-Request-Method: POST"]
        for headers in [preflight, preflight, ["Host: db:\(server.port)"], ["Host: db:\(server.port)"]] {
            let answer = try server.ask("OPTIONS", "/users", headers: headers)
            #expect(answer.body.contains("to allow it, start authctl serve with --allow-"))
        }
        server.program.send(SIGTERM)
        #expect(
            server.program.wait(atMost: .seconds(6)).stderr == """
                authctl: warning: refused a request: origin 'http://localhost:5173' is not allowed; to allow it, start \
                authctl serve with --allow-origin http://localhost:5173
                authctl: warning: refused a request: host 'db:\(server.port)' is not allowed; to allow it, start \
                authctl serve with --allow-host db

                """)
    }

    @Test(arguments: ["[::1]", "127.0.0.1", "app.localhost"])
    func `serve answers at both loopback addresses and below localhost`(host: String) throws {
        try expect(server.ask("GET", "http://\(host):\(server.port)/parse/health", headers: []).status, 200)
        let world = server.world
        for (name, value) in [("BACKEND", "parse"), ("APP_ID", "local")] { world.set("AUTHCTL_\(name)", to: value) }
        world.set("AUTHCTL_SERVER", to: "http://\(host):\(server.port)/parse")
        try expect(world.run("signup", "ada", "--password-stdin", input: .password).exitCode, 0)
    }

    @Test func `serve fails if its port is in use at one of the loopback addresses`() throws {
        let end = try Sandbox().run("serve", "--ephemeral", "--port", server.port, "--listen", "::1")
        #expect(end.exitCode == 2 && end.stderr.contains("cannot listen on port \(server.port) of [::1]"))
    }

    @Test(arguments: [
        "Content-Length: +2\r\n\r\n{}", "Content-Length : 2\r\n\r\n{}", "Content-Length: 2\n\r\n{}",
        "X-Folded: a\r\n b\r\n\r\n", "nonsense\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}0\r\n\r\n",
    ])
    func `a malformed HTTP request receives a JSON error, and later requests on its connection are ignored`(
        fields: String
    ) throws {
        let valid = "GET /parse/health HTTP/1.1\r\nHost: localhost:\(server.port)\r\n"
        let answer = try sendAll("\(valid)\r\n\(valid)\(fields)\(valid)\r\n")
        let lines = answer.split(separator: "\r\n")
        expect(lines.first, "HTTP/1.1 200 OK")
        expect(lines.last, #"{"error":"malformed request"}"#)
        expect(lines.filter { $0.contains("HTTP/1.1 ") }.count, 2)
    }

    @Test func `password hashing for logins does not delay other requests to serve`() throws {
        let token = try #require(try server.signUp().token)
        let script = """
            login() {
              curl -s -o /dev/null -w 'login\\n' -H 'X-Parse-Application-Id: local' \
                -H 'Content-Type: application/json' -d '{"username":"ada","password":"\(Sandbox.password)"}' \
                '\(server.url)/login'
            }
            for i in $(seq 60); do login & done
            curl -s -o /dev/null -w 'me %{http_code}\\n' -H 'X-Parse-Application-Id: local' \
              -H 'X-Parse-Session-Token: \(token)' '\(server.url)/users/me'
            wait
            """
        let order = try server.world.runScript(script).stdout.split(separator: "\n")
        expect(order.count, 61)
        // The response of `/users/me` arrives long before the sixty password hashes are finished.
        #expect(order.prefix(50).contains("me 200"))
    }

    @Test func `serve closes the connection of a client that sends its request too slowly`() throws {
        let script = """
            exec 3<>/dev/tcp/127.0.0.1/\(server.port)
            printf 'GET /parse' >&3
            # One byte per second would prevent an idle timeout, but the server limits the total time for a request.
            (while printf x >&3; do sleep 1; done) 2>/dev/null &
            timeout 15 cat <&3 >/dev/null; echo $?
            kill $! 2>/dev/null
            """
        try expect(server.world.runScript(script).stdout, "0\n")
        try expect(server.signUp().status, 201)
    }

    @Test func `serve rejects oversized requests and an unknown method, and continues`() throws {
        let big = String(repeating: "x", count: 1 << 20)
        try server.world.write(#"{"username":"\#(big)"}"#, to: "\(server.world.home)/big")
        try expect(server.ask("POST", "/users", "@\(server.world.home)/big").status, 413)
        try expect(ask(["X-Long: \(String(repeating: "x", count: 60_000))"]).status, 431)
        try expect(server.ask("TRACE", "/users/me").json?.string("error"), "this method is not implemented")
        try expect(server.signUp().status, 201)
    }

    private func ask(_ headers: [String], options: [String] = []) throws -> ServingProgram.Answer {
        try server.ask("GET", "/users/me", headers: ["X-Parse-Application-Id: local"] + headers, options: options)
    }

    @Test func `serve sends no body in the response to a rejected HEAD request`() throws {
        let text = try sendAll(
            """
            HEAD /parse/health HTTP/1.1\r\nHost: evil.test\r\n\r
            GET /parse/health HTTP/1.1\r\nHost: localhost:\(server.port)\r\nConnection: close\r\n\r\n
            """)
        let responses = text.components(separatedBy: "\r\n\r\n")
        expect(responses.count, 3)
        #expect(responses[0].hasPrefix("HTTP/1.1 421 ") && !responses[0].contains("Content-Length: 0"))
        #expect(responses[1].hasPrefix("HTTP/1.1 200 ") && responses[2] == #"{"status":"ok"}"#)
    }

    @Test(arguments: ["HTTP/1.0\r\nHost: localhost:PORT", "HTTP/1.1\r\nHost: localhost:PORT\r\nConnection: close"])
    func `serve ignores bytes after an HTTP/1.0 request or a request with 'Connection: close'`(head: String) throws {
        let head = head.replacing("PORT", with: server.port)
        let text = try sendAll("GET /parse/health \(head)\r\n\r\n\r\nGET /parse/health \(head)\r\n\r\n")
        expect(text.components(separatedBy: "HTTP/1.").count, 2)
        #expect(text.hasSuffix(#"{"status":"ok"}"#))
    }

    /// Sends bytes that curl cannot send, and returns everything that the server sends.
    private func sendAll(_ text: String) throws -> String {
        try server.world.write(text, to: "\(server.world.home)/raw")
        return try server.world.runScript(
            """
            exec 3<>/dev/tcp/127.0.0.1/\(server.port)
            cat '\(server.world.home)/raw' >&3
            cat <&3
            """
        ).stdout
    }
}
