import AuthClient
import CommandTestSupport
import Platform

@testable import AuthctlCommands

/// `doctor` with a fake clock and a fake network. `DoctorTests` tests the command with real files and a real server.
@Suite struct DoctorCommandTests {
    private let world = TestContext()

    @Test func `doctor prints one finding per line and sends no request without --network`() {
        world.environment = ["AUTHCTL_BACKEND": "allauth", "AUTHCTL_SERVER": "https://a.example"]
        world.run("doctor").expectTranscript(in: "doctor")
    }

    @Test func `doctor warns of a system clock that is earlier than the release date of authctl`() throws {
        world.now = try #require(Instant("2001-01-01T00:00:00Z"))
        let result = world.run("doctor")
        #expect(
            result.stdout.contains("warning  clock: this machine's time 2001-01-01T00:00:00Z is before the release"))
        expect(result.exitCode, 0)
    }

    @Test(arguments: [("2028-04-29T00:00:00Z", false), ("2028-05-01T00:00:00Z", true)])
    func `doctor warns 90 days before Facebook's Graph API version expires`(time: String, warns: Bool) throws {
        world.environment = ["AUTHCTL_FACEBOOK_APP_ID": "1001"]
        world.now = try #require(Instant(time))
        expect(world.run("doctor").stdout.contains("facebook.version: v25.0"), warns)
    }

    @Test(arguments: [
        ("Fri, 02 Jan 2026 03:04:05 GMT", "ok"), ("Fri, 02 Jan 2026 04:04:05 GMT", "warning"),
        ("Fri, 02 Jan 2026 02:04:05 GMT", "warning"),
    ])
    func `doctor --network compares the system clock with the server's clock`(date: String, level: String) throws {
        world.now = try #require(Instant("2026-01-02T03:04:05Z"))
        world.environment = ["AUTHCTL_BACKEND": "allauth", "AUTHCTL_SERVER": "https://a.example/_allauth/app/v1"]
        let pages = [
            ("/", "{}"), ("/health", "{}"), ("/config", #"{"status":200,"data":{"account":{}}}"#), ("/login/", "{}"),
            ("/api/health", "{}"), ("/", "{}"),
        ]
        for (path, body) in pages {
            world.network.expect(
                Exchange(
                    "GET https://a.example/_allauth/app/v1\(path)\nAccept: application/json", 200, body,
                    headers: ["Content-Type": "application/json", "Date": date]))
        }
        world.network.expect(
            Exchange(
                """
                GET https://a.example/_allauth/app/v1/config
                Accept: application/json
                Accept-Language: en
                """, 200, #"{"status":200,"data":{"account":{}}}"#))
        let result = world.run("doctor", "--network", "--json")
        #expect(result.stdout.contains(#"{"check":"server.clock","level":"\#(level)""#), "\(result.stdout)")
        #expect(result.stdout.contains(#"{"check":"server.kind","level":"ok""#))
    }

    @Test(arguments: [
        (TransportError(.dns, "cannot find the host 'a.example'"), "DNS"),
        (TransportError(.connect, "cannot connect to 'a.example'"), "is running"),
        (TransportError(.timeout, "no connection to 'a.example' within 10 s"), "is running"),
        (TransportError(.proxy, "cannot connect to the proxy 'p.example'"), "HTTPS_PROXY"),
        (TransportError(.tls, "the certificate of 'a.example' is for another host"), "host name of the certificate"),
    ])
    func `doctor --network prints a hint if the server is unreachable`(error: TransportError, hint: String) {
        world.environment = ["AUTHCTL_BACKEND": "allauth", "AUTHCTL_SERVER": "https://a.example"]
        world.network.expect(Exchange("GET https://a.example/\nAccept: application/json", error))
        let result = world.run("doctor", "--network")
        expect(result.exitCode, 8)
        let lines = result.stdout.split(separator: "\n").suffix(2)
        expect(lines.first, "error    server.reachable: \(error.message)")
        expect(lines.last?.contains(hint), true)
    }
}
