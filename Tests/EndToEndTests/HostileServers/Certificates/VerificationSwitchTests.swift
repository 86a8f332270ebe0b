import TestSupport

@Suite(.mostlyWaits, .keepsSecrets) struct VerificationSwitchTests {
    @Test func `no environment variable or setting disables certificate verification`() throws {
        let server = try ScriptedServer([
            .init(["*": [ParseSession.user]], certificate: TestAuthority.path("self-signed"))
        ])
        let url = server.url("/parse", scheme: "https", host: "localhost")
        let names = [
            "INSECURE", "AUTHCTL_INSECURE", "AUTHCTL_SKIP_VERIFY", "AUTHCTL_NO_VERIFY", "CURL_INSECURE",
            "GIT_SSL_NO_VERIFY", "SSL_NO_VERIFY", "AUTHCTL_ALLOW_HTTP",
        ]
        let negated = ["NODE_TLS_REJECT_UNAUTHORIZED", "PYTHONHTTPSVERIFY", "SSL_VERIFY", "AUTHCTL_TLS_VERIFY"]
        var environment: [String: String?] = ["CURL_CA_BUNDLE": "", "REQUESTS_CA_BUNDLE": ""]
        for name in names { environment[name] = "1" }
        for name in negated { environment[name] = "0" }
        let world = Sandbox()
        let settings =
            #""backend":"parse","server":"\#(url)","appId":"shop","insecure":true,"verify":false,"allowHTTP":true"#
        try world.write(#"{"v":1,"profiles":{"default":{\#(settings)}}}"#, to: world.configurationFile)
        let result = try world.run(
            "login", "ada", "--password-stdin", "--json", input: .password, environment: environment)
        try result.refusal(8, "tls")
        #expect(server.requests.isEmpty)
    }
}
