import AuthModel
import Expectations
import Testing

@Suite struct CookieTests {
    private static let url = "https://api.a.example/auth/token/refresh/"

    /// Source: RFC 6265, sections 5.1.4 and 5.2.
    @Test(arguments: [
        ("a=1", "api.a.example", "/auth/token/refresh"), ("a=1; Path=/x", "api.a.example", "/x"),
        ("a=1; path=x", "api.a.example", "/auth/token/refresh"), ("a=1;PATH=/;Path=/y", "api.a.example", "/y"),
        ("a=1; Domain=.A.example; Path=/", ".a.example", "/"), ("a=1; Domain=; Path=/", "api.a.example", "/"),
        ("a=1; domain=api.a.example; Path=/", ".api.a.example", "/"),
    ])
    func `a cookie has the domain and path of its attributes, else of the request`(
        field: String, domain: String, path: String
    ) throws {
        let cookie = try #require(Cookie(setBy: field, to: Self.url))
        #expect(cookie.name == "a" && cookie.value.reveal() == "1")
        expect(cookie.domain, domain)
        expect(cookie.path, path)
    }

    @Test func `a cookie has the other attributes that a response shows, and is Lax without SameSite`() throws {
        let plain = try #require(Cookie(setBy: "a=\"1\"; Max-Age=300", to: Self.url))
        #expect(plain.value.reveal() == "1" && !plain.isHTTPOnly && !plain.isSecure && plain.sameSite == "Lax")
        let strict = try #require(Cookie(setBy: "a=b=; secure; HTTPONLY; samesite=strict", to: Self.url))
        #expect(strict.value.reveal() == "b=" && strict.isHTTPOnly && strict.isSecure && strict.sameSite == "Strict")
        let none = try #require(Cookie(setBy: "a=1; SameSite=none", to: Self.url))
        expect(none.sameSite, "None")
    }

    @Test(arguments: ["", "a", "=1", ";Path=/"])
    func `a field without a name is no cookie`(field: String) { #expect(Cookie(setBy: field, to: Self.url) == nil) }

    @Test(arguments: [
        ("http://localhost:8000/x", "localhost", "localhost"), ("http://127.0.0.1/x", "127.0.0.1", "127.0.0.1"),
    ])
    func `a host without a dot and an address have no hosts below them`(url: String, domain: String, expected: String) {
        expect(Cookie(setBy: "a=1; Domain=\(domain)", to: url)?.domain, expected)
    }

    @Test(arguments: [
        ("a.example", "a.example", true), ("a.example", "b.a.example", false), (".a.example", "b.a.example", true),
        (".a.example", "a.example", true), (".a.example", "ba.example", false), (".a.example", "example", false),
    ])
    func `a cookie is sent to its host, and to the hosts below a domain`(domain: String, host: String, isSent: Bool) {
        expect(Cookie("a", Secret("1"), domain: domain).isSent(to: host), isSent)
    }
}
