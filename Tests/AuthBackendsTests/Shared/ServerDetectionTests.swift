import AuthModel
import Expectations
import Platform
import Synchronization
import Transport

@testable import AuthBackends

@Suite struct ServerDetectionTests {
    /// The responses of Parse Server below its mount path, as recorded in `Exchanges`.
    private static func parse(at mount: String) -> [String: Page] {
        [
            "\(mount)/health": Page(200, #"{"status":"ok"}"#),
            "\(mount)/users/me": Page(403, #"{"error":"unauthorized"}"#),
        ]
    }

    /// The responses of PocketBase, as recorded in `Exchanges`. The collection `users` may not exist.
    private static func pocketbase(at mount: String, hasUsers: Bool = true) -> [String: Page] {
        [
            "\(mount)/api/health": Page(200, #"{"message":"API is healthy.","code":200,"data":{}}"#),
            "\(mount)/api/collections/users/auth-methods": hasUsers
                ? Page(200, #"{"password":{"identityFields":["email"],"enabled":true}}"#)
                : Page(404, PocketBaseSample.error(404, "Missing or invalid collection context.")),
        ]
    }

    /// The responses of Supabase Auth, and of a gateway in front of it, which requires a key.
    private static let goTrue = Page(200, #"{"version":"","name":"GoTrue","description":"x"}"#)

    private static let emulator = Page(200, #"{"authEmulator":{"ready":true}}"#)

    private static func gateway(at mount: String) -> [String: Page] {
        [
            "\(mount)/health": Page(401, #"{"message":"No API key found in request","hint":"x"}"#),
            "\(mount)/verify": Page(400, #"{"code":400,"error_code":"validation_failed","msg":"x"}"#),
        ]
    }

    /// The gateway of new self-hosted projects. Source: supabase/supabase, `docker/volumes/api/envoy/lds.template.yaml`.
    private static func envoy(at mount: String) -> [String: Page] {
        [
            "\(mount)/health": Page(401, "Unauthorized"),
            "\(mount)/.well-known/jwks.json": Page(200, #"{"keys":[]}"#),
        ]
    }

    @Test(arguments: [("supabase", "https://ref.supabase.co"), ("firebase", FirebaseEndpoints.service)])
    func `the URL of a hosted service tells without a request`(kind: String, url: String) throws {
        let server = Server([:])
        let found = try ServerDetection(server, uptime: { .zero }, masker: Masker()).run(at: url)
        expect(found, [ServerDetection.Found(kind: kind, url: url)])
        #expect(server.requests.withLock { $0.isEmpty })
    }

    private static let form = Page(
        200, "<form method=post><input name=csrfmiddlewaretoken value=0a><input type=password name=p></form>")
    private static let login = Page(405, #"{"detail":"Method \"GET\" not allowed."}"#)
    private static let config = Page(200, #"{"status":200,"data":{"account":{"login_methods":["email"]}}}"#)
    private static let origin = "https://shop.example"

    /// Runs server detection. Returns the kinds and paths of the servers found, and the number of requests sent.
    private func find(at path: String, _ pages: [String: Page]) throws -> (found: [String], requests: Int) {
        let server = Server(pages)
        let found = try ServerDetection(server, uptime: { .zero }, masker: Masker()).run(at: Self.origin + path)
        let places = found.map { found in
            "\(found.kind) \(found.url.replacing(Self.origin, with: ""))"
                + found.settings.map { " \($0.key)=\($0.value)" }.joined()
        }
        return (places, server.requests.withLock { $0.count })
    }

    @Test(arguments: [
        ("/parse", parse(at: "/parse"), "parse /parse"), ("/v1/api", parse(at: "/v1/api"), "parse /v1/api"),
        ("", parse(at: ""), "parse "), ("", parse(at: "/parse"), "parse /parse"),
        ("/parse/users", parse(at: "/parse"), "parse /parse"),
        ("/accounts", ["/accounts/login/": login], "rest-auth /accounts"),
        ("/dj-rest-auth/login", ["/dj-rest-auth/login/": login], "rest-auth /dj-rest-auth"),
        ("", ["/dj-rest-auth/login/": login], "rest-auth /dj-rest-auth"),
        ("", ["/api/auth/login/": login], "rest-auth /api/auth"),
        ("", ["/rest-auth/login/": login], "rest-auth /rest-auth"),
        ("/shop", ["/dj-rest-auth/login/": login], "rest-auth /dj-rest-auth"),
        ("/_allauth/app/v1", ["/_allauth/app/v1/config": config], "allauth /_allauth/app/v1"),
        (
            "/api/auth/browser/v1", ["/api/auth/browser/v1/config": config, "/api/auth/app/v1/config": config],
            "allauth /api/auth/app/v1"
        ),
        ("/_allauth", ["/_allauth/app/v1/config": config], "allauth /_allauth/app/v1"),
        ("/_allauth/browser/v1", ["/_allauth/browser/v1/config": config], "allauth /_allauth/browser/v1"),
        ("", ["/_allauth/browser/v1/config": config], "allauth /_allauth/browser/v1"),
        ("", ["/accounts/login/": form], "django "), ("", ["/admin/login/": form], "django  loginPath=/admin/login/"),
        ("/en/enter", ["/en/enter/": form], "django  loginPath=/en/enter/"),
        ("", ["/": form, "/admin/login/": form, "/dj-rest-auth/login/": login], "rest-auth /dj-rest-auth"),
        ("", ["/_allauth/app/v1/config": config], "allauth /_allauth/app/v1"),
        ("", pocketbase(at: ""), "pocketbase "), ("/pb", pocketbase(at: "/pb"), "pocketbase /pb"),
        ("/pb/api", pocketbase(at: "/pb"), "pocketbase /pb"), ("/api", pocketbase(at: ""), "pocketbase "),
        ("/_", pocketbase(at: "", hasUsers: false), "pocketbase "),
        ("", ["/auth/v1/health": goTrue], "supabase "), ("/auth/v1", ["/auth/v1/health": goTrue], "supabase /auth/v1"),
        ("/x", ["/auth/v1/health": goTrue], "supabase "), ("", ["/health": goTrue], "supabase  authPath=/"),
        ("", ["/": emulator], "firebase "), ("/x", ["/": emulator], "firebase "),
        ("", gateway(at: "/auth/v1"), "supabase "), ("/auth/v1", gateway(at: "/auth/v1"), "supabase /auth/v1"),
        ("", envoy(at: "/auth/v1"), "supabase "), ("/auth/v1", envoy(at: "/auth/v1"), "supabase /auth/v1"),
        ("/auth/v1", gateway(at: "/auth/v1").merging(envoy(at: "/auth/v1")) { $1 }, "supabase /auth/v1"),
    ])
    func `within 16 requests, server detection finds a server at the given URL, its parent or a usual path`(
        path: String, pages: [String: Page], found: String
    ) throws {
        let result = try find(at: path, pages)
        expect(result.found, [found])
        #expect(result.requests <= 16)
    }

    /// Sources: error handlers of DRF's guide, of drf-standardized-errors and of two sites.
    @Test(arguments: [
        #"{"detail":"Methode \"GET\" nicht erlaubt.","status_code":405}"#,
        #"{"type":"client_error","errors":[{"code":"method_not_allowed","detail":"Method \"GET\" not allowed."}]}"#,
        #"{"success":false,"status_code":405,"message":"No","errors":{"detail":"Method \"GET\" not allowed."}}"#,
        #"{"error":"Method \"GET\" not allowed."}"#,
    ])
    func `server detection recognizes rest-auth whatever format its errors have`(body: String) throws {
        try expect(find(at: "/auth", ["/auth/login/": Page(405, body)]).found, ["rest-auth /auth"])
    }

    @Test func `server detection probes the usual paths of the preferred kind first`() throws {
        let pages = ["/_allauth/app/v1/config": Self.config, "/api/auth/login/": Self.login]
        for (kind, path) in [("allauth", "/_allauth/app/v1"), ("rest-auth", "/api/auth")] {
            let found = try ServerDetection(Server(pages), uptime: { .zero }, masker: Masker())
                .run(at: Self.origin, preferring: kind)
            expect(found, [ServerDetection.Found(kind: kind, url: Self.origin + path)])
        }
    }

    @Test(arguments: [
        ("https://shop.example:8443", "https://shop.example:8443/auth"), ("/en", "https://shop.example/en/auth"),
    ])
    func `server detection names the URL that a server redirects to`(target: String, server: String) throws {
        let page = Page(301, "", location: "\(target)/auth/login/")
        let error = try #require(throws: AuthError.self) { try find(at: "/auth", ["/auth/login/": page]) }
        expect(error.reason, .redirect)
        expect(error.nextSteps, [NextStep("use --server \(server)")])
    }

    @Test func `server detection reports every kind of backend that responds at the URL`() throws {
        let pages = ["/auth/login/": Self.login, "/auth/config": Self.config]
        try expect(find(at: "/auth", pages).found, ["allauth /auth", "rest-auth /auth"])
    }

    @Test(arguments: [
        Page(200, "<html>Shop</html>"), Page(200, #"{"status":"ok"}"#), Page(403, #"{"error":"unauthorized"}"#),
        Page(405, #"{"error":"no"}"#), Page(302, ""), Page(200, String(repeating: "[", count: 100_000)),
    ])
    func `server detection ignores a server that gives the same response for every path`(page: Page) throws {
        let result = try find(at: "/a/b", ["*": page])
        expect(result.found, [])
        #expect(14...16 ~= result.requests)
    }

    /// Source: the exchanges `old-0.22/auth-methods` and `old-0.22/auth-methods-unknown`.
    @Test(arguments: [
        Page(200, #"{"authProviders":[],"usernamePassword":true,"emailPassword":true,"onlyVerified":false}"#),
        Page(404, #"{"code":404,"message":"The requested resource wasn't found.","data":{}}"#),
    ])
    func `server detection fails at a PocketBase before 0.23`(page: Page) throws {
        var pages = Self.pocketbase(at: "")
        pages["/api/collections/users/auth-methods"] = page
        let error = try #require(throws: AuthError.self) { try find(at: "", pages) }
        #expect(error.reason == .unsupported && error.message.contains("0.23"))
    }

    @Test(arguments: ["/parse/health", "/parse/config"])
    func `server detection fails if it finds no server and a request had no response`(path: String) {
        #expect(throws: AuthError.self) { try find(at: "/parse", [path: Page(0, "")]) }
    }

    @Test func `server detection continues if a request after the first has no response`() throws {
        let pages = ["/parse/config": Page(0, ""), "/parse/login/": Self.login]
        try expect(find(at: "/parse", pages).found, ["rest-auth /parse"])
    }

    @Test func `all requests sent by server detection share a time limit of 10 seconds`() throws {
        let server = Server([:])
        let clock = Mutex(Duration.zero)
        let detection = ServerDetection(
            server,
            uptime: {
                clock.withLock { time in
                    time += .seconds(2)
                    return time
                }
            }, masker: Masker())
        #expect(throws: AuthError.self) { try detection.run(at: "\(Self.origin)/shop") }
        let limits = server.requests.withLock { $0.map(\.timeLimit) }
        expect(limits, [8, 6, 4, 2].map { Duration.seconds($0) })
    }

    @Test func `a request sent by server detection has only the header field Accept`() throws {
        let server = Server([:])
        _ = try ServerDetection(server, uptime: { .zero }, masker: Masker()).run(at: Self.origin)
        for request in server.requests.withLock({ $0 }) {
            #expect(request.method == .get && request.body == nil)
            expect(request.headers.fields.map(\.name), ["Accept"])
            #expect(request.url.hasPrefix("\(Self.origin)/"))
        }
    }

    /// A status (0 for no response) and a body.
    struct Page: Sendable {
        let status: Int
        let body: String
        let location: String?

        init(_ status: Int, _ body: String, location: String? = nil) {
            self.status = status
            self.body = body
            self.location = location
        }
    }

    /// A fake server that selects the response by path; `*` stands for all other paths.
    private final class Server: HTTPTransport {
        let requests = Mutex<[HTTPRequest]>([])
        private let pages: [String: Page]

        init(_ pages: [String: Page]) {
            self.pages = pages
        }

        func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
            requests.withLock { $0.append(request) }
            let path = request.url.replacing(ServerDetectionTests.origin, with: "")
            let page = pages[path] ?? pages["*"] ?? Page(404, "<html>Not Found</html>")
            guard page.status > 0 else { throw TransportError(.connect, "connection refused") }
            let type = page.body.hasPrefix("<") ? "text/html" : "application/json"
            var headers: HTTPHeaders = ["Content-Type": type]
            headers["Location"] = page.location
            return HTTPResponse(status: page.status, headers: headers, body: Array(page.body.utf8))
        }
    }
}
