import Testing

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
    func `has one form for what leads to the same place`(given: String, expected: String?) {
        #expect((try? ServerURL(given))?.text == expected)
    }

    @Test(arguments: [
        ("https://a.test", "https://a.test:8443"), ("https://a.test", "https://a.test."),
        ("https://a.test", "http://a.test"), ("https://a.test/parse", "https://a.test/Parse"),
        ("https://a.test/parse", "https://a.test"), ("https://a.test", "https://a.test.evil"),
        ("http://localhost", "http://127.0.0.1"),
    ])
    func `keeps apart what may lead elsewhere`(one: String, other: String) throws {
        #expect(try ServerURL(one).text != ServerURL(other).text)
    }

    @Test(arguments: [
        ("", "has no scheme"), ("example.org", "has no scheme"), ("example.org:443/x", "has no scheme"),
        ("https:/example.org", "has no scheme"), ("ftp://example.org", "is neither https nor http"),
        ("file:///etc/passwd", "is neither https nor http"), ("://x", "is neither https nor http"),
        ("https://", "names no host"), ("https:///x", "names no host"), ("https://.", "names no host"),
        ("https://a..b", "names no host"), ("https://a%2eb", "names no host"), ("https://[::1", "names no host"),
        ("https://[:81]", "names no host"), ("https://[abc]", "names no host"), ("https://[1.2.3.4]", "names no host"),
        ("https://[fe80::1%25eth0]", "names no host"), ("https://a,b", "names no host"),
        ("https://a:0", "has a port that is none"), ("https://a:65536", "has a port that is none"),
        ("https://a:x", "has a port that is none"), ("https://[::1]x", "has a port that is none"),
        ("https://u:p@a", "holds a user or a password"), ("https://a.test@evil.test", "holds a user or a password"),
        ("https://a/x?y", "has a query, a fragment or a backslash"),
        ("https://a/x#y", "has a query, a fragment or a backslash"),
        ("https://a\\@evil.test", "has a query, a fragment or a backslash"),
        ("https://a/../b", "has a path with '.' or '..'"), ("https://a/b/.", "has a path with '.' or '..'"),
        ("https://a/%2e%2e/b", "has a path with characters that no path has"),
        ("https://a/%0d%0aX: 1", "holds a space, a control character or a letter beyond ASCII"),
        ("https://a/%0d%0aX", "has a path with characters that no path has"),
        ("https://a/%00", "has a path with characters that no path has"),
        ("https://a/%4", "has a path with characters that no path has"),
        ("https://a/\"", "has a path with characters that no path has"),
        ("https://a\r\nHost: b", "holds a space, a control character or a letter beyond ASCII"),
        ("https://a\u{0}b", "holds a space, a control character or a letter beyond ASCII"),
        ("https://\u{430}.test", "holds a space, a control character or a letter beyond ASCII"),
    ])
    func `refuses what could lead to another place than one reads`(given: String, problem: String) throws {
        let fault = try #require(throws: ServerURL.Fault.self) { try ServerURL(given) }
        #expect(fault.problem == problem)
        #expect(!fault.hint.isEmpty)
    }

    @Test(arguments: [
        ("http://localhost", true), ("http://LOCALHOST:1", true), ("http://127.0.0.1", true),
        ("http://127.255.3.4", true), ("http://[::1]", true), ("http://localhost.evil", false),
        ("http://127.0.0.1.evil", false), ("http://127.1", false), ("http://128.0.0.1", false),
        ("http://127.0.0.256", false), ("http://localhost.", false), ("http://[::2]", false),
    ])
    func `knows this machine`(given: String, isLoopback: Bool) throws {
        #expect(try ServerURL(given).isLoopback == isLoopback)
    }

    @Test(arguments: [
        ("https://ada:s3cret@a.test/x", "https://<redacted>@a.test/x"), ("ada:s3cret@a.test", "<redacted>@a.test"),
        ("https://ada:s3/cret@a.test/x", "https://<redacted>@a.test/x"), ("https:/ada:s3cret@a/", "<redacted>@a/"),
        ("https://a.test/x", "https://a.test/x"), ("https://a:b@c@d", "https://<redacted>@d"),
        ("https://a.test/x?token=y", "https://a.test/x?<redacted>"),
        ("https://a:b?c@d#e", "https://<redacted>@d#<redacted>"),
    ])
    func `is quoted without a password`(given: String, shown: String) {
        #expect(ServerURL.masked(given) == shown)
    }
}
