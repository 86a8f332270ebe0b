import AuthClient
import CommandTestSupport
import Platform
import Synchronization

@testable import AuthctlCommands

/// A server that repeats every secret in messages, error codes, field names, pages, redirects and links to next pages.
@Suite struct SecretEchoTests {
    static let backends = ["parse", "rest-auth", "allauth", "kii"]

    static let commands: [(words: [String], input: String?)] = [
        (["signup", "ada", "--email", "ada@example.org", "--password-stdin", "--skip-checks"], Canary.password),
        (["login", "ada", "--password-stdin"], Canary.password),
        (["login", "ada", "--password-stdin", "--otp", Canary.code], Canary.password),
        (["login", "--token-stdin"], Canary.token), (["login", "--anonymous"], nil), (["logout"], nil),
        (["whoami"], nil), (["sessions", "list"], nil), (["sessions", "revoke", "--all"], nil),
        (["password", "change", "--password-stdin"], "\(Canary.password)\n\(Canary.newPassword)"),
        (["password", "reset", "ada@example.org"], nil), (["verify-email", "--email", "ada@example.org"], nil),
        (["verify-email", "--key", Canary.mailKey], nil),
        (["link-facebook", "--token-stdin", "--facebook-id", "1"], Canary.facebookToken),
        (["link-facebook", "--token-stdin"], Canary.facebookToken), (["link-facebook", "--status"], nil),
        (["link-facebook", "--unlink"], nil), (["login", "--facebook", "--token-stdin"], Canary.facebookToken),
        (["link-facebook"], nil), (["api", "/users/me"], nil), (["api", "/x", "--paginate"], nil), (["token"], nil),
    ]

    @Test(arguments: backends, [[], ["--json"]])
    func `no output repeats a secret that a hostile server echoes`(backend: String, format: [String]) {
        for (words, input) in Self.commands {
            for way in EchoTransport.Way.allCases {
                // A session without expiry, and an expired session.
                for end in [nil, Instant.sampleStart] {
                    let server = EchoTransport(way)
                    let world = Self.world(backend, server, end)
                    let result = world.run(words: words + ["-v"] + format, stdin: input)
                    // `api` prints the body and `token` prints the token by design, so only their standard error is
                    // searched.
                    let shown = (["api", "token"].contains(words[0]) ? "" : result.stdout) + result.stderr
                    let found = Canary.echoes(of: server.known).filter(shown.contains)
                    #expect(found.isEmpty, "\(words), \(way): \(shown.prefix(2000))")
                }
            }
        }
    }

    private static func world(_ backend: String, _ server: EchoTransport, _ end: Instant?) -> TestContext {
        let world = TestContext()
        world.hostileNetwork = server
        let server = "https://a.example/api"
        let takesApplication = backend == "parse" || backend == "kii"
        world.environment = [
            "AUTHCTL_BACKEND": backend, "AUTHCTL_SERVER": server, "AUTHCTL_FACEBOOK_APP_ID": "1000",
            "AUTHCTL_FACEBOOK_CLIENT_TOKEN": Canary.clientToken,
        ]
        if takesApplication {
            world.environment["AUTHCTL_APP_ID"] = "app"
            world.environment["AUTHCTL_CLIENT_KEY"] = Canary.clientKey
        }
        let connection = Connection(backend: backend, server: server, appID: takesApplication ? "app" : nil)
        world.sessions.put(
            .sample(
                connection: connection,
                session: Session(
                    token: Secret(Canary.token), refreshToken: Secret(Canary.refreshToken), expiresAt: end)))
        return world
    }
}

/// The secrets that the commands send or receive. Some contain characters that encodings change.
private enum Canary {
    static let password = "canary/\"pass\" w\u{F6}rd"
    static let newPassword = "canary+new?pass%word"
    static let code = "canary-code-74a4"
    static let token = "canary-token-0a1b/x"
    static let refreshToken = "canary-refresh-2c3d/x"
    static let issuedToken = "canary-issued-4e5f/x"
    static let issuedRefreshToken = "canary-issued-refresh-6a7b/x"
    static let facebookToken = "canary-facebook-8c9d|x"
    static let clientKey = "canary-rest-key-0e1f&x"
    static let clientToken = "canary-client-2a3b&x"
    static let mailKey = "canary-mail-key-4c5d&x"

    static let all = [
        password, newPassword, code, token, refreshToken, issuedToken, issuedRefreshToken, facebookToken, clientKey,
        clientToken, mailKey,
    ]

    /// Each secret unchanged, percent-encoded in two ways, and JSON-escaped in two ways.
    static func echoes(of secrets: [String]) -> [String] {
        secrets.flatMap { secret in
            let escaped = secret.replacing("\"", with: "\\\"").replacing("/", with: "\\/")
            let ascii = escaped.replacing("\u{F6}", with: "\\u00f6")
            return [secret, secret.percentEncoded, secret.percentEncoded.lowercased(), escaped, ascii]
        }
    }
}

/// A server that answers a refresh request with new tokens, and any other request with the known secrets.
private final class EchoTransport: HTTPTransport {
    enum Way: CaseIterable {
        case parse, fields, allauth, kii, facebook, page, foreignRedirect, ownRedirect, success, nextPage
    }

    private let way: Way
    private let secrets = Mutex<Set<String>>([])

    /// The secrets found in the requests so far, plus the refresh token that belongs to each session token found.
    var known: [String] { secrets.withLock { $0.sorted() } }

    init(_ way: Way) {
        self.way = way
    }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        let text = request.wireText
        learn(from: text)
        if request.url.contains("refresh") || text.contains("grant_type\":\"refresh") { return refreshed }
        return echo(request)
    }

    private func learn(from text: String) {
        secrets.withLock { secrets in
            for secret in Canary.all where Canary.echoes(of: [secret]).contains(where: text.contains) {
                secrets.insert(secret)
            }
            if secrets.contains(Canary.token) { secrets.insert(Canary.refreshToken) }
            if secrets.contains(Canary.issuedToken) { secrets.insert(Canary.issuedRefreshToken) }
        }
    }

    private var refreshed: HTTPResponse {
        let pair = #""access":"\#(Canary.issuedToken)","refresh":"\#(Canary.issuedRefreshToken)""#
        let long = #""access_token":"\#(Canary.issuedToken)","refresh_token":"\#(Canary.issuedRefreshToken)""#
        return json(200, #"{"status":200,"id":"u",\#(pair),\#(long),"data":{\#(long)}}"#)
    }

    private func echo(_ request: HTTPRequest) -> HTTPResponse {
        let echoes = Canary.echoes(of: known)
        let path = known.map(\.percentEncoded).joined(separator: "/")
        let text = JSONValue.string(echoes.joined(separator: " ")).text
        switch way {
        case .parse: return json(400, #"{"code":142,"error":\#(text),"similarName":\#(text)}"#)
        case .fields: return json(400, #"{\#(text):[\#(text)],"username":[\#(text)],"detail2":{\#(text):\#(text)}}"#)
        case .allauth:
            return json(
                400, #"{"status":400,"errors":[{"code":\#(text),"message":\#(text),"param":\#(text)}]}"#)
        case .kii: return json(409, #"{"errorCode":\#(text),"message":\#(text),"field":\#(text)}"#)
        case .facebook: return json(400, #"{"error":{"code":190,"message":\#(text),"error_user_msg":\#(text)}}"#)
        case .page:
            let page = "<html><title>\(echoes.joined(separator: " "))</title>"
            return HTTPResponse(status: 200, headers: ["Content-Type": "text/html"], body: Array(page.utf8))
        case .foreignRedirect:
            let host = (known.first { !$0.contains(" ") } ?? "x").replacing(/[^a-z0-9-]/, with: "")
            return HTTPResponse(status: 302, headers: ["Location": "https://\(host).example/\(path)"])
        case .ownRedirect where request.url.contains("echo"): return json(500, #"{"detail":\#(text),"error":\#(text)}"#)
        case .ownRedirect:
            return HTTPResponse(status: 302, headers: ["Location": "https://a.example/api/echo/\(path)"])
        case .success: return json(200, "[\(text)]")
        // Only the response to `api /x` links to a next page. Other commands would print the link as a user field,
        // which by design is shown unchanged.
        case .nextPage where !request.url.contains("/x"): return json(200, "{}")
        case .nextPage: return json(200, #"{"results":[1],"next":"https://b.example/\#(path)"}"#)
        }
    }

    private func json(_ status: Int, _ body: String) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: Array(body.utf8))
    }
}
