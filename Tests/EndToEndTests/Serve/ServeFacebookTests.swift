import Foundation
import LibC
import TestSupport
import Testing

/// `serve` with Facebook logins. A scripted server is the Graph API.
@Suite struct ServeFacebookTests {
    private static let token = "EAAB-canary-token"
    /// Made with `printf EAAB-canary-token | openssl dgst -sha256 -hmac canary-secret`.
    private static let proof = "fed85c1ff109a3a5baf1a79087e90787d22a841e086ae48b475be2e5530d83ee"

    /// Starts `serve` with this server as Graph API.
    private func serve(_ graph: ScriptedServer, _ words: [String] = ["--facebook-app-id", "1234"]) throws
        -> ServingProgram
    {
        let world = try Sandbox()
        world.set("AUTHCTL_FACEBOOK_GRAPH_URL", to: graph.url(""))
        return try ServingProgram(words: words, world: world)
    }

    private static func authData(_ id: String = "1001") -> String {
        #"{"authData":{"facebook":{"id":"\#(id)","access_token":"\#(token)"}}}"#
    }

    private func json(_ body: String, _ status: String = "200 OK") -> ScriptedServer.Answer {
        .answer(status, ["Content-Type: application/json"], body)
    }

    /// The responses of the Graph API about the app and the user, and the outcome.
    private struct Case {
        let app: String
        /// `nil`: no request for the user is sent.
        var user: String?
        var id = "1001"
        let outcome: String

        static let invalid = "404 101"
    }

    private static let cases = [
        Case(app: #"{"id":"9999"}"#, outcome: Case.invalid), Case(app: #"{"id":"12345"}"#, outcome: Case.invalid),
        Case(app: #"{"id":"123"}"#, outcome: Case.invalid), Case(app: #"{"id":"1234,77"}"#, outcome: Case.invalid),
        Case(app: #"{"id":""}"#, outcome: Case.invalid), Case(app: #"{"name":"x"}"#, outcome: Case.invalid),
        Case(app: #"{"id":1234}"#, outcome: Case.invalid), Case(app: #"{"id":["1234"]}"#, outcome: Case.invalid),
        Case(app: #"{"data":{"app_id":"1234"}}"#, outcome: Case.invalid), Case(app: "<html>", outcome: "400 141"),
        Case(app: #"{"id":"1234"}"#, user: #"{"id":"1002"}"#, outcome: Case.invalid),
        Case(app: #"{"id":"1234"}"#, user: #"{"id":"1001"}"#, id: "100", outcome: Case.invalid),
        Case(app: #"{"id":"1234"}"#, user: #"{"id":1001}"#, outcome: Case.invalid),
        Case(app: #"{"id":"1234"}"#, user: "{}", outcome: Case.invalid),
        Case(app: #"{"id":"1234"}"#, user: #"{"id":"1001"}"#, outcome: "201 -"),
        Case(app: #"{"id":"77"}"#, user: #"{"id":"1001"}"#, outcome: "200 -"),
    ]

    @Test func `the server accepts tokens that Facebook confirms and sends them to Facebook only`() throws {
        let graph = try ScriptedServer([
            "/app": Self.cases.map { json($0.app) }, "/me": Self.cases.compactMap(\.user).map { json($0) },
        ])
        let world = try Sandbox()
        world.set("AUTHCTL_FACEBOOK_GRAPH_URL", to: graph.url(""))
        try world.write("canary-secret\n", to: "\(world.home)/secret")
        let server = try ServingProgram(
            words: [
                "-v", "--facebook-app-id", "1234", "--facebook-app-id", "77", "--facebook-app-secret-file",
                "\(world.home)/secret",
            ], world: world)
        for example in Self.cases {
            let answer = try server.ask("POST", "/users", Self.authData(example.id))
            let code = answer.json?.number("code").map { "\($0)" } ?? "-"
            #expect("\(answer.status) \(code)" == example.outcome, "\(example): \(answer.body)")
        }
        #expect(
            graph.requests.map(\.target)
                == Self.cases.flatMap { example in
                    ["/app?appsecret_proof=\(Self.proof)"]
                        + (example.user == nil ? [] : ["/me?fields=id&appsecret_proof=\(Self.proof)"])
                })
        #expect(graph.requests.allSatisfy { $0.fields.contains("Authorization: Bearer \(Self.token)") })
        server.program.send(SIGTERM)
        let log = server.program.wait().stderr
        #expect(log.contains("> GET \(graph.url("/app"))\n"))
        for secret in ["canary", Self.proof] { #expect(!log.contains(secret)) }
        #expect(try !world.filesHold(Self.token) && !world.filesHold("canary-secret"))
    }

    @Test(arguments: [
        (#"{"facebook":{"id":"1001"}}"#, "400 141"), (#"{"facebook":{"access_token":"x"}}"#, "404 101"),
        (#"{"facebook":{}}"#, "404 101"), (#"{"facebook":{"id":"1001","token":"a.b.c"}}"#, "404 101"),
        (#"{"facebook":{"id":"1001","access_token":"x"},"google":{"id":"1","id_token":"x"}}"#, "400 252"),
        (#"{"google":{"id":"1"},"facebook":{"id":"1001","access_token":"x"}}"#, "400 252"),
    ])
    func `the server rejects malformed Facebook logins without a request to Facebook`(authData: String, outcome: String)
        throws
    {
        let graph = try ScriptedServer(["*": [json(#"{"id":"1234"}"#)]])
        let server = try serve(graph)
        let answer = try server.ask("POST", "/users", #"{"authData":\#(authData)}"#)
        #expect("\(answer.status) \(answer.json?.number("code") ?? 0)" == outcome, "\(answer.body)")
        #expect(graph.connections() == 0)
    }

    @Test func `the server rejects Facebook logins unless an app is configured`() throws {
        let graph = try ScriptedServer(["/app": [json(#"{"id":"1234"}"#)], "/me": [json(#"{"id":"1001"}"#)]])
        let server = try serve(graph, [])
        #expect(try server.ask("POST", "/users", Self.authData()).json?.number("code") == 252)
        #expect(graph.connections() == 0)
        server.world.set("AUTHCTL_FACEBOOK_APP_ID", to: "1234")
        #expect(try ServingProgram(world: server.world).ask("POST", "/users", Self.authData()).status == 201)
    }

    // MARK: - Graph API failures

    /// Ten Facebook logins are pending when a user logs in with a password.
    @Test(.enabled(if: Host.hasNewBash))
    func `a password login does not wait for pending Facebook logins`() throws {
        let graph = try ScriptedServer(["/app": [[.stall]]])
        let server = try serve(graph)
        #expect(try server.signUp().status == 201)
        let result = try server.world.runScript(
            """
            \(Self.sendMany(10, to: server))
            curl -s -o /dev/null --max-time 5 -w '%{http_code}' -H 'X-Parse-Application-Id: local' \
              -H 'Content-Type: application/json' -d '{"username":"ada","password":"\(Sandbox.password)"}' \
              '\(server.url)/login'
            """)
        #expect(result.stdout == "200")
        for _ in 0..<100 where graph.connections() < 4 { usleep(50_000) }
        #expect(graph.connections() == 4, "so many are asked at once")
    }

    @Test(.enabled(if: Host.hasNewBash))
    func `the server rejects a Facebook login at once when too many are pending`() throws {
        let graph = try ScriptedServer(["/app": [[.stall]]])
        let server = try serve(graph)
        // Four requests are in progress and 64 are queued. The second batch refills the queue if the threads started late.
        let result = try server.world.runScript(
            """
            \(Self.sendMany(68, to: server))
            sleep 1
            \(Self.sendMany(40, to: server))
            curl -s --max-time 7 -H 'X-Parse-Application-Id: local' -H 'Content-Type: application/json' \
              -d '\(Self.authData())' '\(server.url)/users'
            """)
        #expect(result.stdout.hasPrefix(#"{"code":141,"#), "\(result.stdout)")
    }

    /// Shell lines that send this number of Facebook logins and do not wait for the responses.
    private static func sendMany(_ count: Int, to server: ServingProgram) -> String {
        let body = authData()
        let head = [
            "POST /parse/users HTTP/1.1", "Host: localhost:\(server.port)", "X-Parse-Application-Id: local",
            "Content-Type: application/json", "Content-Length: \(body.utf8.count)", "", "",
        ].joined(separator: "\\r\\n")
        return """
            for i in $(seq \(count)); do
              exec {fd}<>/dev/tcp/127.0.0.1/\(server.port)
              printf '\(head)%s' '\(body)' >&$fd
            done
            """
    }

    @Test func `the server ends within seconds while Facebook does not respond`() throws {
        let graph = try ScriptedServer(["/app": [[.stall]]])
        let server = try serve(graph)
        _ = try server.world.runScript(
            """
            curl -s --max-time 20 -H 'X-Parse-Application-Id: local' -H 'Content-Type: application/json' \
              -d '\(Self.authData())' '\(server.url)/users' &
            sleep 0.5; kill -TERM \(server.program.process); wait
            """)
        #expect(server.program.wait(atMost: .seconds(6)).exitCode == 0)
    }

    // MARK: - Commands

    @Test func `authctl links a served account and logs in with Facebook`() throws {
        let graph = try ScriptedServer(["/app": [json(#"{"id":"1234"}"#)], "/me": [json(#"{"id":"1001"}"#)]])
        let server = try serve(graph)
        let world = server.world
        let options = ["--backend", "parse", "--app-id", "local", "--server", server.url]
        func run(_ words: [String], id: String = "1001") throws -> Finished {
            try world.start(
                words + ["--token-stdin", "--identity-id", id] + options, input: "\(Self.token)\n"
            ).wait()
        }
        #expect(
            try world.start(["signup", "ada", "--password-stdin"] + options, input: .password).wait().exitCode == 0)
        #expect(try run(["link-facebook"], id: "1002").exitCode == 4)
        #expect(try run(["login", "--facebook"], id: "1002").exitCode == 4)
        #expect(try run(["link-facebook"]).exitCode == 0)
        #expect(try world.start(["logout"] + options).wait().exitCode == 0)
        #expect(try run(["login", "--facebook", "--json"]).document().object("user").string("username") == "ada")
    }

    @Test func `authctl tells a rejection by Facebook from a missing response`() throws {
        let refusal = json(#"{"error":{"code":190,"error_subcode":463,"type":"OAuthException"}}"#, "400 Bad Request")
        let busy = json(#"{"error":{"code":4,"type":"OAuthException"}}"#, "400 Bad Request")
        let graph = try ScriptedServer(["/app": [refusal, refusal, busy, busy, [.stall]]])
        let server = try serve(graph, ["--facebook-app-id", "1234", "--timeout", "1"])
        let world = server.world
        let options = ["--backend", "parse", "--app-id", "local", "--server", server.url]
        #expect(
            try world.start(["signup", "ada", "--password-stdin"] + options, input: .password).wait().exitCode == 0)
        for (code, reason) in [(4, "token-refused"), (9, "server-fault"), (9, "server-fault")] as [(Int32, String)] {
            for command in [["link-facebook"], ["login", "--facebook"]] {
                let result = try world.start(
                    command + ["--token-stdin", "--identity-id", "1001", "--json"] + options, input: "\(Self.token)\n"
                ).wait()
                #expect(result.exitCode == code, "\(command) \(result.stderr)")
                #expect(result.stderr.contains(#""reason":"\#(reason)""#), "\(command) \(result.stderr)")
            }
        }
    }
}

extension Sandbox {
    /// Whether any file of the home folder, except the one named `secret`, contains a text.
    fileprivate func filesHold(_ text: String) throws -> Bool {
        let script = "grep -rlF --exclude=secret -- '\(text)' . | head -1"
        return try !runScript(script).stdout.isEmpty
    }
}
