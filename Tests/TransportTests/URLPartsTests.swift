import Expectations
import Transport

@Suite struct URLPartsTests {
    @Test(arguments: [
        ("https://host.test", "https", nil as String?, "host.test", nil as Int?, "", nil as String?),
        ("HTTPS://Host.Test:443/Parse", "https", nil, "host.test", 443, "/Parse", nil),
        ("http://127.0.0.1:1337/a/../b?x=1&y=/?#z", "http", nil, "127.0.0.1", 1337, "/a/../b", "x=1&y=/?"),
        ("https://[::1]:8443/", "https", nil, "[::1]", 8443, "/", nil),
        ("https://[2001:DB8::1]", "https", nil, "[2001:db8::1]", nil, "", nil),
        ("https://ada:x%40@host.test?", "https", "ada:x%40", "host.test", nil, "", ""),
        ("https://good.test@evil.test/", "https", "good.test", "evil.test", nil, "/", nil),
        ("https://@host", "https", "", "host", nil, "", nil),
        ("https://host./", "https", nil, "host.", nil, "/", nil),
        ("ftp://host_1.test//x", "ftp", nil, "host_1.test", nil, "//x", nil),
        ("https://host#@evil.test", "https", nil, "host", nil, "", nil),
    ])
    func `a URL is split into its parts`(
        text: String, scheme: String, userInfo: String?, host: String, port: Int?, path: String, query: String?
    ) throws {
        let parts = try #require(URLParts(text))
        expect(parts.scheme, scheme)
        expect(parts.userInfo, userInfo)
        expect(parts.host, host)
        expect(parts.port, port)
        expect(parts.path, path)
        expect(parts.query, query)
    }

    @Test(arguments: [
        "", "host.test", "//host.test", "/path", "https:", "https:/host", "https:host", "https://", "https:///path",
        "https://?x", "https://#x", "file:///etc/passwd", "mailto:ada@host.test", "javascript:alert(1)", "://host",
        "1https://host", "ht tp://host", "ht_tp://host", "h%74tp://host",
        // hosts
        "https://ho st", "https://host%2etest", "https://host%00", "https://a..test", "https://.test", "https://.",
        "https://host..", "https://a,b", "https://é.test", "https://host\u{301}", "https://ho$t", "https://a*b",
        // user info and backslashes
        "https://a@b@host", "https://good.test\\@evil.test", "https:\\\\host", "https://host\\path", "https://a[@host",
        // addresses
        "https://[::1", "https://::1", "https://[]", "https://[1]", "https://[fe80::1%25eth0]", "https://[::1]x",
        "https://[::1]]", "https://x[::1]", "https://[v1.x]", "https://[[::1]]",
        // ports
        "https://host:", "https://host:0", "https://host:0443", "https://host:65536", "https://host:-1",
        "https://host:+1", "https://host:1:2", "https://host:x", "https://host:99999999999999999999", "https://host:4 ",
        "https://host:٣",
        // forbidden characters, malformed percent-encoding
        " https://host", "https://host ", "https://host/a b", "https://host/\n", "https://host/\r\n", "https://host/\t",
        "https://host/\0", "https://host/\u{7F}", "https://host/\u{85}", "https://host/\u{200B}", "https://host/é",
        "https://host/%", "https://host/%4", "https://host/%zz", "https://host/%+1", "https://host/%0a",
        "https://host/?%0D", "https://host/#%00", "https://host/%7f", "https://host/<x>", "https://host/\"",
        "https://host/[x]", "https://host/?[x]", "https://host/{x}", "https://host/|", "https://host/^",
        "https://host/`",
    ])
    func `an ambiguous or malformed URL is rejected`(text: String) {
        expect(URLParts(text), nil)
    }

    @Test(arguments: [
        ("https://Host:443/x?y", "https://host"), ("http://host:80", "http://host"),
        ("http://host:443", "http://host:443"), ("https://a:b@host:8443/x", "https://host:8443"),
        ("https://[::1]:443", "https://[::1]"), ("ftp://host:21", "ftp://host:21"),
    ])
    func `the origin of a URL consists only of scheme, host and port`(text: String, origin: String) throws {
        try expect(#require(URLParts(text)).origin, origin)
    }

    /// Most examples are from RFC 3986, section 5.4. Unlike the RFC, `resolving` drops fragments, and rejects a
    /// reference that has a scheme or `//` but no host.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"),
        (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
        ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("https://Other/x/../y?z", "https://other/y?z"), ("//other/../y", "http://other/y"),
        ("/a//../b", "http://a/a/b"),
        ("/..", "http://a/"), ("/a/..", "http://a/"), ("//", nil as String?), ("g:h", nil), ("http:g", nil),
        ("1:2", nil),
    ])
    func `a URL reference is resolved as in the examples of RFC 3986`(reference: String, address: String?) throws {
        let base = try #require(URLParts("http://a/b/c/d;p?q"))
        expect(base.resolving(reference)?.address, address)
    }

    @Test func `a URL reference is resolved against a base URL without a path`() throws {
        try expect(#require(URLParts("https://host")).resolving("x")?.address, "https://host/x")
        try expect(#require(URLParts("https://host?q")).resolving("")?.address, "https://host?q")
    }

    @Test(arguments: [
        ("https://host/parse", "https://HOST:443/parse/x", true), ("https://host/parse", "https://host/parse", true),
        ("https://host/parse", "https://host/parse?x", true), ("https://host/parse/", "https://host/parse/x", true),
        ("https://host", "https://host", true), ("https://host", "https://host/x", true),
        ("https://host", "https://host?x", true), ("https://host/parse", "https://host/parse//x", true),
        ("https://host/parse", "https://host/parse/a%20b", true),
        ("https://host/parse", "https://host/parse/..x", true),
        ("https://host/parse", "https://host", false), ("https://host/parse", "https://host/", false),
        ("https://host/parse", "https://host/parse2", false), ("https://host/parse", "https://host/Parse", false),
        ("https://host/parse", "https://host/parse;x/y", false), ("https://host/parse", "https://host//parse", false),
        ("https://host/parse", "https://host/parse/../x", false),
        ("https://host/parse", "https://host/parse/./x", false),
        ("https://host/parse", "https://host/parse/..;/x", false),
        ("https://host/parse", "https://host/parse/%2e%2e/x", false),
        ("https://host/parse", "https://host/parse/.%2E/x", false),
        ("https://host/parse", "https://host/parse/..%2fx", false),
        ("https://host/parse", "https://host/parse/..%5Cx", false), ("https://host", "http://host", false),
        ("https://host", "https://host:8443", false), ("https://host", "https://host.", false),
    ])
    func `a URL is at or below a base URL only if its origin and first path segments are those of the base URL`(
        mount: String, text: String, isBelow: Bool
    ) throws {
        try expect(#require(URLParts(text)).isAtOrBelow(#require(URLParts(mount))), isBelow)
    }
}
