import Expectations
import MessageSnapshots

@testable import AuthClient

@Suite struct ServerURLTests {
    @Test(arguments: [
        ("https://example.org/parse", "https://example.org/parse"),
        ("HTTPS://Example.ORG:443/Parse/", "https://example.org/Parse"),
        ("http://localhost:80//", "http://localhost"),
        ("https://example.org:8443", "https://example.org:8443"),
        ("https://example.org:", "https://example.org"),
        ("https://a.test./x", "https://a.test./x"),
        ("http://[::1]:1337/parse", "http://[::1]:1337/parse"),
        ("https://[2001:DB8::1]/", "https://[2001:db8::1]"),
        ("https://xn--bcher-kva.example/~a/b%20c", nil),
        ("https://xn--bcher-kva.example/~a/b%C3%A9", "https://xn--bcher-kva.example/~a/b%C3%A9"),
    ])
    func `a server URL is normalized, and an encoded space is rejected`(given: String, expected: String?) {
        expect((try? ServerURL(given))?.text, expected)
    }

    @Test(arguments: [
        ("https://a.test", "https://a.test:8443"), ("https://a.test", "https://a.test."),
        ("https://a.test", "http://a.test"), ("https://a.test/parse", "https://a.test/Parse"),
        ("https://a.test/parse", "https://a.test"), ("https://a.test", "https://a.test.evil"),
        ("http://localhost", "http://127.0.0.1"),
    ])
    func `server URLs that may lead to different servers stay distinct`(one: String, other: String) throws {
        #expect(try ServerURL(one).text != ServerURL(other).text)
    }

    static let ambiguous = [
        "", "example.org", "127.0.0.1:8000", "localhost:1337/parse", "u:p@localhost", "example.org:443/x",
        "https:/example.org", "ftp://example.org", "file:///etc/passwd", "://x",
        "https://", "https:///x", "https://.", "https://a..b", "https://a%2eb", "https://[::1", "https://[:81]",
        "https://[abc]", "https://[1.2.3.4]", "https://[fe80::1%25eth0]", "https://a,b", "https://a:0",
        "https://a:65536", "https://a:x", "https://[::1]x", "https://u:p@a", "https://a.test@evil.test",
        "https://a/x?y", "https://a/x#y", "https://a\\@evil.test", "https://a/../b", "https://a/b/.",
        "https://a/%2e%2e/b", "https://a/%0d%0aX: 1", "https://a/%0d%0aX", "https://a/%00", "https://a/%4",
        "https://a/\"", "https://a\r\nHost: b", "https://a\u{0}b", "https://\u{430}.test",
        "http://http://127.0.0.1:9099", "https://HTTPS:/a",
    ]

    @Test func `the error about an invalid or ambiguous server URL names the problem`() throws {
        var lines: [String] = []
        var last = ""
        for given in Self.ambiguous {
            let fault = try #require(throws: ServerURL.Fault.self) { try ServerURL(given) }
            let problem = "\(fault.problem); \(fault.hint):"
            if problem != last { lines.append(problem) }
            lines.append("    \(given.visible)")
            last = problem
        }
        MessageFile("use-cases/settings").expect(lines.joined(separator: "\n"))
    }

    @Test(arguments: [
        ("http://localhost", true), ("http://LOCALHOST:1", true), ("http://127.0.0.1", true),
        ("http://127.255.3.4", true), ("http://[::1]", true), ("http://localhost.evil", false),
        ("http://127.0.0.1.evil", false), ("http://127.1", false), ("http://128.0.0.1", false),
        ("http://127.0.0.256", false), ("http://localhost.", false), ("http://[::2]", false),
    ])
    func `only a URL of localhost or a loopback IP address counts as loopback`(given: String, isLoopback: Bool) throws {
        try expect(ServerURL(given).isLoopback, isLoopback)
    }

    @Test(arguments: [
        ("https://ada:s3cret@a.test/x", "https://<redacted>@a.test/x"), ("ada:s3cret@a.test", "<redacted>@a.test"),
        ("https://ada:s3/cret@a.test/x", "https://<redacted>@a.test/x"), ("https:/ada:s3cret@a/", "<redacted>@a/"),
        ("https://a.test/x", "https://a.test/x"), ("https://a:b@c@d", "https://<redacted>@d"),
        ("https://a.test/x?token=y", "https://a.test/x?<redacted>"),
        ("https://a:b?c@d#e", "https://<redacted>@d#<redacted>"),
    ])
    func `authctl shows a server URL without its credentials, query and fragment`(given: String, shown: String) {
        expect(ServerURL.masked(given), shown)
    }
}
