import TestSupport
import Testing

/// Certificate verification cannot be disabled.
@Suite(.keepsSecrets) struct VerificationSwitchTests {
    private let server: ScriptedServer

    init() throws {
        server = try ScriptedServer([
            .init(["*": [Operation.whoami.goodAnswer]], certificate: TestAuthority.path("self-signed"))
        ])
    }

    private var url: String { server.url("/parse", scheme: "https", host: "localhost") }

    @Test(arguments: [
        "--insecure", "-k", "--insecure=true", "--no-verify", "--no-verify-ssl", "--no-check-certificate",
        "--skip-tls-verify", "--insecure-skip-tls-verify", "--allow-insecure", "--tls-verify=false", "--verify=no",
        "--ssl-no-revoke", "--disable-ssl-verification", "--trust-all",
    ])
    func `no option disables certificate verification`(option: String) throws {
        let run = try OperationRun(.whoami, at: url, [option], name: option)
        try run.failure(2, "usage")
        #expect(server.connections() == 0)
    }

    @Test func `no variable disables certificate verification`() throws {
        let names = [
            "INSECURE", "AUTHCTL_INSECURE", "AUTHCTL_SKIP_VERIFY", "AUTHCTL_NO_VERIFY", "CURL_INSECURE",
            "GIT_SSL_NO_VERIFY", "SSL_NO_VERIFY", "PERL_LWP_SSL_NO_VERIFY_HOSTNAME",
        ]
        let negated = [
            "NODE_TLS_REJECT_UNAUTHORIZED", "PYTHONHTTPSVERIFY", "SSL_VERIFY", "AUTHCTL_TLS_VERIFY", "GIT_SSL_VERIFY",
        ]
        var environment: [String: String?] = [
            "CURL_CA_BUNDLE": "", "REQUESTS_CA_BUNDLE": "", "AUTHCTL_ALLOW_HTTP": "1",
        ]
        for name in names { environment[name] = "1" }
        for name in negated { environment[name] = "0" }
        let others = ServerKind.allCases.filter { $0 != .parse }.map { ($0, Operation.login) }
        for (kind, operation) in Operation.common.map({ (.parse, $0) }) + others {
            try OperationRun(operation, at: url, environment: environment, kind: kind).failure(8, "tls")
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `no profile setting disables certificate verification`() throws {
        let world = try Sandbox()
        let settings =
            #""backend":"parse","server":"\#(url)","appId":"shop","insecure":true,"verify":false,"allowHTTP":true"#
        try world.write(#"{"v":1,"profiles":{"default":{\#(settings)}}}"#, to: world.configurationFile)
        for key in ["insecure", "verify", "tls"] {
            #expect(try world.run("profile", "set", "default", key, "true").exitCode == 2)
        }
        for _ in 1...2 {
            let result = try world.start(["login", "ada", "--password-stdin", "--json"], input: .password).wait()
            #expect(result.exitCode == 8)
            #expect(try result.error().string("reason") == "tls")
        }
        #expect(server.requests.isEmpty)
        #expect(!world.isThere(world.sessionFile()))
    }
}
