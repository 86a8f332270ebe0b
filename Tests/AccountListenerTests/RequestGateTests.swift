import Testing

@testable import AccountListener

@Suite struct RequestGateTests {
    private let gate = RequestGate(port: 1337, allowedOrigins: ["http://localhost:3000"])

    @Test(arguments: ["localhost:1337", "LocalHost:1337", "127.0.0.1:1337", "[::1]:1337"])
    func `a loopback host with the port is accepted`(host: String) {
        #expect(gate.refusal(target: "/parse/users", hosts: [host], origins: []) == nil)
    }

    @Test(
        arguments: [
            [], ["evil.test"], ["localhost"], ["127.0.0.1"], ["localhost:80"], ["localhost.evil:1337"],
            ["127.0.0.1.evil:1337"], ["evil.test:1337"], ["localhost:1337", "evil.test"],
            ["localhost:1337", "localhost:1337"], [""], ["user@localhost:1337"],
        ] as [[String]])
    func `any other host, no host and two hosts are misdirected`(hosts: [String]) {
        #expect(gate.refusal(target: "/parse/users", hosts: hosts, origins: []) == .foreignHost)
    }

    @Test(arguments: ["http://evil.test/parse/users", "http://localhost:1337/parse/users", "//evil.test/x", "*", ""])
    func `a target that is not a path is misdirected`(target: String) {
        #expect(gate.refusal(target: target, hosts: ["localhost:1337"], origins: []) == .foreignHost)
    }

    @Test(
        arguments: [
            (["http://localhost:3000"], nil), (["http://evil.test"], .foreignOrigin), (["null"], .foreignOrigin),
            (["http://localhost:3001"], .foreignOrigin), (["https://localhost:3000"], .foreignOrigin),
            ([""], .foreignOrigin), (["http://localhost:3000", "http://localhost:3000"], .foreignOrigin),
        ] as [([String], RequestGate.Refusal?)])
    func `only an allowed origin is accepted`(origins: [String], refusal: RequestGate.Refusal?) {
        #expect(gate.refusal(target: "/parse/users", hosts: ["localhost:1337"], origins: origins) == refusal)
    }

    @Test func `the default port may be omitted`() {
        let gate = RequestGate(port: 80, allowedOrigins: [])
        #expect(gate.refusal(target: "/", hosts: ["localhost"], origins: []) == nil)
    }
}
