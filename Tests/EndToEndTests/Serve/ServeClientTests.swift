import Foundation
import TestSupport
import Testing

/// Browsers, SDKs and other devices as clients of `serve`.
@Suite struct ServeClientTests {
    /// The headers of Chromium for a form on a page of the server.
    private static func formHeaders(_ origin: String) -> [String] {
        [
            "Origin: \(origin)", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document",
            "Upgrade-Insecure-Requests: 1", "Referer: \(origin)/parse/apps/local/request_password_reset",
            "Content-Type: application/x-www-form-urlencoded",
        ]
    }

    @Test func `a browser resets a password by the form behind the link in the e-mail`() throws {
        let world = try Sandbox()
        let server = try ServingProgram("--mail-dir", "\(world.home)/mails", world: world)
        let origin = String(server.url.dropLast("/parse".count))
        let fields = #"{"username":"ada","password":"\#(Sandbox.password)","email":"ada@example.org"}"#
        #expect(try server.ask("POST", "/users", fields).status == 201)
        #expect(try server.ask("POST", "/requestPasswordReset", #"{"email":"ada@example.org"}"#).status == 200)
        let files = try FileManager.default.contentsOfDirectory(atPath: "\(world.home)/mails")
        let name = try #require(files.first { $0.hasSuffix(".eml") })
        let mail = try String(contentsOfFile: "\(world.home)/mails/\(name)", encoding: .utf8)
        let link = try #require(mail.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix(server.url) })
        let page = try server.ask("GET", String(link), headers: [])
        #expect(page.status == 200 && page.body.contains(#"<form method="post" action="request_password_reset">"#))
        let token = try #require(link.split(separator: "token=").last).prefix { $0.isHexDigit }
        func submit(_ origin: String) throws -> ServingProgram.Answer {
            try server.ask(
                "POST", "/apps/local/request_password_reset", headers: Self.formHeaders(origin),
                options: ["--data", "token=\(token)&username=ada&new_password=another+password"])
        }
        for other in ["http://evil.test", "null", "https\(origin.dropFirst("http".count))"] {
            #expect(try submit(other).status == 403)
        }
        #expect(try server.logIn().status == 200)
        let done = try submit(origin)
        #expect(done.status == 200 && done.body.contains("Password changed"))
        #expect(try server.logIn(password: "another password").status == 200)
        #expect(try submit(origin).status == 400, "a link works once")
    }

    @Test func `an SDK for JavaScript reads and saves users over HTTP`() throws {
        let server = try ServingProgram()
        func send(_ path: String, _ fields: String) throws -> ServingProgram.Answer {
            let body = #"{\#(fields),"_ApplicationId":"local","_ClientVersion":"js6.1.1","_InstallationId":"i"}"#
            return try server.ask(
                "POST", path, headers: ["Content-Type: text/plain"], options: ["--data-binary", body])
        }
        let signUp = try send("/users", #""username":"ada","password":"hunter2hunter""#)
        let (id, token) = try (#require(signUp.json?.string("objectId")), #require(signUp.token))
        let session = #""_SessionToken":"\#(token)""#
        #expect(try send("/classes/_User/\(id)", #""age":3,"_method":"PUT",\#(session)"#).status == 200)
        let query = #""where":{"age":{"$in":[3]}},"limit":0,"count":1,"_method":"GET",\#(session)"#
        #expect(try send("/classes/_User", query).body == #"{"results":[],"count":1}"#)
        let requests =
            #"{"method":"POST","path":"/parse/users","body":{"username":"bob","password":"hunter2hunter"}},"#
            + #"{"method":"POST","path":"/parse/login","body":{"username":"bob","password":"hunter2hunter"}},"#
            + #"{"method":"DELETE","path":"/parse/classes/_User/\#(id)","body":{}}"#
        let batch = try send("/batch", #""requests":[\#(requests)],\#(session)"#)
        #expect(batch.status == 200)
        #expect(batch.body.hasPrefix(#"[{"success":{"objectId":""#) && batch.body.hasSuffix(#",{"success":{}}]"#))
        #expect(try server.logIn("ada", password: "hunter2hunter").status == 404)
        #expect(try server.logIn("bob", password: "hunter2hunter").status == 200)
    }

    @Test func `--allow-host accepts requests for another name of the machine`() throws {
        let server = try ServingProgram("--allow-host", "10.0.2.2", "--allow-host", "accounts:8080")
        func status(_ host: String, _ headers: String...) throws -> Int {
            try server.ask(
                "GET", "/users/me", headers: ["X-Parse-Application-Id: local", "Host: \(host)"] + headers
            ).status
        }
        #expect(server.url.hasPrefix("http://127.0.0.1:"))
        #expect(try status("10.0.2.2:\(server.port)") == 400)
        #expect(try status("10.0.2.2:\(server.port)", "Origin: http://10.0.2.2:\(server.port)") == 400)
        #expect(try status("10.0.2.2:\(server.port)", "Origin: http://localhost:\(server.port)") == 403)
        #expect(try status("accounts:8080") == 400)
        #expect(try status("accounts:\(server.port)") == 421)
    }

    @Test(arguments: [([], "127.0.0.1"), (["--allow-host", "accounts"], "accounts")])
    func `--listen serves on all addresses and names one of them in its URL`(words: [String], host: String) throws {
        let world = try Sandbox()
        try world.write("rest-key\n", to: "\(world.home)/key")
        let server = try ServingProgram(
            words: ["--listen", "0.0.0.0", "--client-key-file", "\(world.home)/key"] + words, world: world)
        #expect(server.url == "http://\(host):\(server.port)/parse")
        let url = "http://127.0.0.1:\(server.port)/parse/users/me"
        #expect(try server.ask("GET", url).status == 403)
        let headers = ["X-Parse-Application-Id: local", "X-Parse-REST-API-Key: rest-key"]
        #expect(try server.ask("GET", url, headers: headers).status == 400)
        server.program.send(SIGTERM)
        #expect(server.program.wait().stderr.contains("other devices can reach the server"))
    }

    @Test func `serve fails if the machine does not have the address`() throws {
        let world = try Sandbox()
        try world.write("rest-key\n", to: "\(world.home)/key")
        let result = try world.run(
            "serve", "--port", "0", "--listen", "203.0.113.1", "--client-key-file", "\(world.home)/key")
        #expect(result.exitCode == 2 && result.stdout == "")
        #expect(result.stderr.contains("cannot listen on 203.0.113.1:0"))
    }
}
