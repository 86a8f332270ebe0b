import AuthModel
import Expectations
import JSON

@testable import AuthClient

/// URL paths that the user enters for a request.
@Suite struct RequestPathTests {
    @Test(arguments: [
        ("/users/me", "/users/me", nil), ("users/me", "/users/me", nil), ("/", "/", nil), ("/a/", "/a/", nil),
        ("/a//b", "/a//b", nil), ("/a?", "/a", ""), ("/a?b=1&b=2", "/a", "b=1&b=2"), ("/a?b?c", "/a", "b?c"),
        ("/users/EMAIL:ada@example.org", "/users/EMAIL:ada@example.org", nil), ("/...", "/...", nil),
        ("/a..b/.hidden", "/a..b/.hidden", nil), ("/a;v=1/b", "/a;v=1/b", nil),
        ("/a b/ä", "/a%20b/%C3%A4", nil), ("/a%20b%2Fc%c3%a4", "/a%20b%2Fc%c3%a4", nil), ("/100%", "/100%25", nil),
        ("/%zz%4", "/%25zz%254", nil), ("/a{b}|^`\"<>", "/a%7Bb%7D%7C%5E%60%22%3C%3E", nil),
        ("/users/{me}", "/users/{me}", nil), ("/{me}{me}{mee}", "/{me}{me}%7Bmee%7D", nil),
        ("/[a]", "/%5Ba%5D", nil),
        (
            #"/classes/A?where={"owner":"{me}","n":{"$gt":1}}"#, "/classes/A",
            "where=%7B%22owner%22:%22{me}%22,%22n%22:%7B%22$gt%22:1%7D%7D"
        ),
        ("/a?next=https://b.example/..//%2e%2e", "/a", "next=https://b.example/..//%2e%2e"),
        (#"/a?b=c\d&e=f+g%2Bh"#, "/a", "b=c%5Cd&e=f+g%2Bh"),
    ])
    func `a request path is percent-encoded, and parts that are already percent-encoded stay unchanged`(
        text: String, path: String, query: String?
    ) throws {
        let found = try RequestPath(text)
        expect(found.path, path)
        expect(found.query, query)
    }

    /// Rows: the problem in the error message, and paths with this problem.
    @Test(arguments: [
        ("is not a path", ["", "?a=b"]),
        (
            "is a URL instead of a path",
            ["https://a.example/b", "HTTP://a.example", "http:/a", "mailto:a@b.example", "a:b"]
        ),
        (
            "names a host instead of a path",
            ["//a.example", "//a.example/x", "///a", "/%2fa.example", "%2f%2fa.example", "/%252Fa.example"]
        ),
        (
            "contains '.' or '..' as a segment",
            [
                "/..", "/../a", "../a", "..", "/a/..", "/a/../../b", "/./a", "/a/.", ".", "/%2e%2e/a", "/%2E./a",
                "/.%2e/a", "/%252e%252e/a", "/%25252e./a", "/..;/a", "/..;x=1/a", "/a/.;/b", "/%2e%2e%3b/a",
                "/a%2f..%2fb", "/a%252f..%252fb",
            ]
        ),
        ("contains a backslash", [#"/a\..\b"#, #"\\a.example"#, "/a%5cb", "/a%255cb"]),
        ("has a fragment; write '#' as %23", ["/a#b", "/a?b#c"]),
        ("contains a control character", ["/a\nb", "/a\r\nHost: b", "/a\u{0}", "/a\u{7F}", "/a?b=\n"]),
        ("contains an encoded control character", ["/a%0d%0aHost:%20b", "/a%00", "/a%250a"]),
    ])
    func `a malformed path or a path that leaves the base URL is rejected`(problem: String, paths: [String]) throws {
        for text in paths {
            let error = try #require(throws: AuthError.self) { try RequestPath(text) }
            expect(error.reason, .usage)
            expect(error.message, "'\(text)' \(problem)")
        }
    }

    @Test func `fields are appended to the query of the path, and values other than strings are sent as JSON`() throws {
        let fields: JSONObject = ["a": "b c&d", "ä": "=", "n": 1, "l": ["x", nil]]
        let added = "a=b%20c%26d&%C3%A4=%3D&n=1&l=%5B%22x%22%2Cnull%5D"
        try expect(RequestPath("/a").query(adding: fields), added)
        try expect(RequestPath("/a?").query(adding: fields), added)
        try expect(RequestPath("/a?x=1").query(adding: fields), "x=1&\(added)")
        try expect(RequestPath("/a?x=1").query(adding: [:]), "x=1")
        try expect(RequestPath("/a").query(adding: [:]), nil)
    }
}
