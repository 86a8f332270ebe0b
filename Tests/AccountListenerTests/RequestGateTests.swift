import Expectations

@testable import AccountListener

@Suite struct RequestGateTests {
    private let gate = RequestGate(port: 1337, allowedOrigins: ["http://localhost:3000"])

    @Test(arguments: ["localhost:1337", "LocalHost:1337", "127.0.0.1:1337", "[::1]:1337", "app.localhost:1337"])
    func `a Host field with a loopback name and the server's port is accepted`(host: String) {
        expect(gate.refusal(hosts: [host], origins: []), nil)
    }

    @Test(
        arguments: [
            [], ["evil.test"], ["localhost"], ["127.0.0.1"], ["localhost:80"], ["localhost.evil:1337"],
            ["127.0.0.1.evil:1337"], ["evil.test:1337"], [".localhost:1337"], ["a/b.localhost:1337"], ["a.localhost:1"],
            ["evillocalhost:1337"], ["localhost:1337", "evil.test"],
            ["localhost:1337", "localhost:1337"], [""], ["user@localhost:1337"],
        ] as [[String]])
    func `a request with an unknown, missing or repeated Host field is rejected with status 421`(hosts: [String]) {
        expect(gate.refusal(hosts: hosts, origins: [])?.status, 421)
    }

    @Test(
        arguments: [
            ["http://evil.test"], ["null"], ["http://localhost:3001"], ["https://localhost:3000"], [""],
            ["http://localhost:3000", "http://localhost:3000"],
        ])
    func `a cross-origin request is accepted only from an allowed origin`(origins: [String]) {
        expect(gate.refusal(hosts: ["localhost:1337"], origins: origins)?.status, 403)
        expect(gate.refusal(hosts: ["localhost:1337"], origins: ["http://localhost:3000"]), nil)
    }

    @Test(
        arguments: [
            ("localhost:1337", "http://localhost:5173", "--allow-origin http://localhost:5173"),
            ("localhost:1337", "https://[::1]:8", "--allow-origin 'https://[::1]:8'"), ("localhost:1337", "null", nil),
            ("localhost:1337", "http://a.test/'; rm", nil), ("localhost:1337", "capacitor://localhost", nil),
            ("db:1337", nil, "--allow-host db"), ("DB:8080", nil, "--allow-host db:8080"), ("db", nil, nil),
            ("a b:1337", nil, nil), ("[fe80::1]:1337", nil, "--allow-host '[fe80::1]'"),
        ] as [(String, String?, String?)])
    func `a refusal names the host or origin, and the option that allows it`(
        host: String, origin: String?, option: String?
    ) throws {
        let refusal = try #require(gate.refusal(hosts: [host], origins: origin.map { [$0] } ?? []))
        let subject = origin.map { "origin '\($0)'" } ?? "host '\(host.lowercased())'"
        let step = option.map { "; to allow it, start authctl serve with \($0)" } ?? ""
        expect(refusal.text, "\(subject) is not allowed\(step)")
    }

    @Test func `a Host field may omit the default port 80`() {
        let gate = RequestGate(port: 80, allowedOrigins: [])
        expect(gate.refusal(hosts: ["localhost"], origins: []), nil)
    }

    @Test(arguments: ["localhost:1337", "127.0.0.1:1337", "[::1]:1337", "10.0.2.2:1337", "db.test:8080"])
    func `a same-origin request is accepted, and a request from a disallowed origin is rejected`(host: String) {
        let gate = RequestGate(
            port: 1337, allowedOrigins: ["http://a.test"], allowedHosts: ["10.0.2.2", "db.test:8080"])
        func refusal(_ origins: String...) -> RequestGate.Refusal? {
            gate.refusal(hosts: [host], origins: origins)
        }
        #expect(refusal("http://\(host)") == nil && refusal("http://a.test") == nil && refusal() == nil)
        for origin in [
            "https://\(host)", "http://\(host).evil.test", "http://evil.test", "null", "http://localhost:3000",
            "\(host)",
            "http://\(host)/", "http://localhost",
        ] {
            expect(refusal(origin)?.status, 403)
        }
        expect(refusal("http://\(host)", "http://\(host)")?.status, 403)
    }

    @Test func `a request whose Origin and Host fields have different loopback names is rejected as cross-origin`() {
        for origin in ["http://127.0.0.1:1337", "http://[::1]:1337"] {
            expect(gate.refusal(hosts: ["localhost:1337"], origins: [origin])?.status, 403)
        }
    }

    @Test(arguments: [
        ("10.0.2.2:1337", true), ("10.0.2.2", false), ("10.0.2.2:80", false), ("DB:8080", true), ("db", false),
        ("db:1337", false), ("[fe80::1]:1337", true), ("[fe80::1]", false), ("evil.test:1337", false),
    ])
    func `an allowed host is accepted only with its configured port, by default the server's port`(
        host: String, isAccepted: Bool
    ) {
        let gate = RequestGate(port: 1337, allowedOrigins: [], allowedHosts: ["10.0.2.2", "db:8080", "[fe80::1]"])
        expect((gate.refusal(hosts: [host], origins: []) == nil), isAccepted)
    }
}
