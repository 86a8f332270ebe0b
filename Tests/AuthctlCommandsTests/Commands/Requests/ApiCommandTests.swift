import AuthClient
import CommandTestSupport
import Platform
import Synchronization

@testable import AuthctlCommands

/// `api` with local accounts, whose server runs in the same process.
@Suite struct ApiCommandTests {
    private let world = TestContext()

    init() {
        world.sessions.put(.ada)
    }

    /// Makes the fake server expect a request with ada's session token and respond with `answer`.
    private func expect(
        _ request: String, fields: [String] = [], body: String? = nil, _ status: Int = 200, _ answer: String = "{}",
        headers: HTTPHeaders = ["Content-Type": "application/json"]
    ) {
        let (method, path) = (request.prefix { $0 != " " }, request.drop { $0 != " " }.dropFirst())
        let own = fields.contains { $0.hasPrefix("Accept:") } ? [] : ["Accept: */*"]
        let lines =
            ["\(method) embedded:/parse\(path)"] + fields + own + [
                "X-Parse-Application-Id: local", "X-Parse-Session-Token: \(Exchange.adaToken)",
            ]
        let text = lines.joined(separator: "\n") + (body.map { "\n\n\($0)" } ?? "")
        world.server.expect(Exchange(text, status, answer, headers: headers))
    }

    // MARK: - Requests

    @Test(arguments: [
        ("GET", true), ("HEAD", true), ("OPTIONS", true), ("POST", false), ("PUT", false), ("DELETE", false),
    ])
    func `only GET, HEAD and OPTIONS requests are retried and have their 2xx responses printed on arrival`(
        method: String, reads: Bool
    ) throws {
        let network = RecordingNetwork()
        world.hostileNetwork = network
        let words = ["api", "/x", "-X", method, "--no-session"] + HostConnectionTests.place
        #expect(world.run(words: words).exitCode == 0)
        let sent = try #require(network.requests.withLock { $0.first })
        #expect(sent.isIdempotent == reads)
        let holdsSuccess: Bool? = if case .streamed(_, let holdsSuccess) = sent.reception { holdsSuccess } else { nil }
        #expect(holdsSuccess == !reads)
    }

    private static let json = "Content-Type: application/json"

    @Test(
        arguments: [
            (["/users/me"], "GET /users/me", [], nil), (["users/me"], "GET /users/me", [], nil),
            (["/users/{me}"], "GET /users/g7y9tkhB7O", [], nil),
            (["/a?x=1", "-X", "delete"], "DELETE /a?x=1", [], nil), (["/a", "-X", "POST"], "POST /a", [], nil),
            (["/a", "-X", "HEAD"], "HEAD /a", [], nil),
            (["/a", "-f", "n=tea"], "POST /a", [json], #"{"n":"tea"}"#),
            (["/a?x=1", "-F", "n=2", "-f", "s==2"], "POST /a?x=1", [json], #"{"s":"=2","n":2}"#),
            (["/a", "-F", #"n={"b":[1.5,null]}"#, "-X", "put"], "PUT /a", [json], #"{"n":{"b":[1.5,null]}}"#),
            (["/a", "-f", "n=", "-X", "DELETE"], "DELETE /a", [json], #"{"n":""}"#),
            (["/a?x=1", "-X", "GET", "-f", "n=a b", "-F", "m=[1]"], "GET /a?x=1&n=a%20b&m=%5B1%5D", [], nil),
            (["/a", "-X", "HEAD", "-f", "n=1"], "HEAD /a?n=1", [], nil),
            (["/a", "-X", "GET", "-f", "n=1", "-f", "n=2", "-F", "n=3"], "GET /a?n=1&n=2&n=3", [], nil),
            (["/a", "--input", "-"], "POST /a", [json], "from stdin\n"),
            (["/a", "--input", "/body"], "POST /a", [json], "from file"),
            (["/a?x=1", "--input", "/body", "-f", "n=1"], "POST /a?x=1&n=1", [json], "from file"),
            (["/a", "--input", "/body", "-X", "PATCH"], "PATCH /a", [json], "from file"),
            (
                ["/a", "--input", "/body", "-H", "content-type: text/plain"], "POST /a", ["content-type: text/plain"],
                "from file"
            ),
            (["/a", "-H", "X-A: b", "-H", "X-A:c"], "GET /a", ["X-A: b", "X-A: c"], nil),
            (["/a", "-H", "Accept: text/csv"], "GET /a", ["Accept: text/csv"], nil),
        ] as [([String], String, [String], String?)])
    func `api builds the request from its options`(words: [String], request: String, fields: [String], body: String?) {
        // For a body, authctl adds the header field `Content-Type` unless -H sets it.
        expect(request, fields: fields, body: body)
        world.files = ["/body": "from file"]
        let result = world.run(words: ["api"] + words, stdin: words.contains("-") ? "from stdin\n" : nil)
        #expect(result.stdout == "{}")
        #expect(result.stderr == "")
        #expect(result.exitCode == 0)
    }

    @Test func `api sends no request if an option or the path is invalid`() {
        let lines = [
            ["/a", "-f", "n"], ["/a", "-F", "n=tea"], ["/a", "-X", "GE T"], ["/a", "-d", "x"], ["/a", "--data=x"],
            ["/a", "--jq", ".a"], ["/a", "-H", "Authorization: Bearer x"], ["/a", "--input", "/none"],
            ["/a", "-X", "HEAD", "--input", "-"], ["https://evil.example/"], ["/a", "--paginate", "-f", "a=b"],
            ["/a", "--paginate", "-X", "PUT"], ["/a", "--paginate", "--input", "-"],
            ["/users/{me}", "--no-session"], ["/a", "-f", "n=1", "-F", "n=2"],
        ]
        world.expectErrors(in: "api", of: lines.map { ["api"] + $0 })
    }

    // MARK: - Responses

    @Test(arguments: [[], ["--json"], ["-q"]])
    func `api prints only the response body, even with --json or --quiet`(words: [String]) {
        let body = " {\"a\" :1.0}\r\n\n"
        expect("GET /a", 200, body)
        let result = world.run(words: ["api", "/a"] + words)
        #expect(result == .init(stdout: body, stderr: "", ending: .exit(0)))
    }

    @Test func `api prints control characters unchanged if standard output is a pipe`() {
        expect("GET /a", 200, "\u{1B}[2J\u{0}\r")
        #expect(world.run("api", "/a").stdout == "\u{1B}[2J\u{0}\r")
    }

    @Test(arguments: [
        (400, #"{"code":209,"error":"Invalid session token"}"#, 4), (500, "oops", 9),
    ])
    func `api prints the body of an error response and returns the exit code of the error`(
        status: Int, body: String, exitCode: Int32
    ) {
        let headers: HTTPHeaders = ["Content-Type": body.hasPrefix("{") ? "application/json" : "text/plain"]
        expect("GET /a", status, body, headers: headers)
        let text = world.run("api", "/a")
        text.expectTranscript(in: "api", "\(status) '\(body)'")
        #expect(text.stdout == body)
        #expect(text.exitCode == exitCode)
        expect("GET /a", status, body, headers: headers)
        let json = world.run("api", "/a", "--json")
        #expect(json.stdout == body)
        #expect(json.stderr.hasPrefix(#"{"v":1,"kind":"error","error":{"code":"#))
        #expect(json.stderr.contains(#""exit":\#(exitCode),"#))
        #expect(json.exitCode == exitCode)
    }

    @Test func `api --no-session sends the application id but no session token, and requires no session`() {
        let world = TestContext()
        let request = "GET embedded:/parse/a\nAccept: */*\nX-Parse-Application-Id: local"
        world.server.expect(Exchange(request, 200, "[]"))
        #expect(world.run("api", "/a", "--no-session") == .init(stdout: "[]", stderr: "", ending: .exit(0)))
        world.server.expect(Exchange(request, 400, #"{"code":209,"error":"Invalid session token"}"#))
        world.run("api", "/a", "--no-session").expectTranscript(in: "api", "a response that requires a session")
    }

    /// The shortened error page of a Django server whose setting `DEBUG` is true.
    private static let slashPage = """
        <!DOCTYPE html>
        <html><head><title>RuntimeError
                  at /orders</title></head><body><pre class="exception_value">You called this URL via POST, but the URL \
        doesn&#x27;t end in a slash and you have APPEND_SLASH set. Django can&#x27;t redirect</pre></body></html>
        """

    @Test func `api on a terminal prints only the title of an HTML error page and reports a missing trailing slash`() {
        for isTerminal in [false, true] {
            world.isOutputTerminal = isTerminal
            expect("GET /orders", 500, Self.slashPage, headers: ["Content-Type": "text/html; charset=utf-8"])
            let result = world.run("api", "/orders")
            #expect(result.exitCode == 9)
            if isTerminal { result.expectTranscript(in: "api") } else { #expect(result.stdout == Self.slashPage) }
        }
    }

    @Test func `api prints nothing on standard output if the request fails without a response`() {
        world.server.expect(
            Exchange(
                """
                GET embedded:/parse/a
                Accept: */*
                X-Parse-Application-Id: local
                X-Parse-Session-Token: \(Exchange.adaToken)
                """, TransportError(.storage(.locked), "the database is locked")))
        world.run("api", "/a").expectTranscript(in: "api")
    }

    @Test(arguments: [200, 404])
    func `api -i prints the status and the header fields before the body`(status: Int) {
        expect("GET /a", status, "body", headers: ["X-A": "b", "Content-Type": "text/plain", "X-A": "c"])
        let result = world.run("api", "/a", "-i")
        #expect(result.stdout == "HTTP/1.1 \(status)\nX-A: b\nContent-Type: text/plain\nX-A: c\n\nbody")
    }

    // MARK: - Standard output

    @Test(arguments: [200, 404])
    func `api fails if it cannot write to standard output`(status: Int) {
        expect("GET /a", status, "body")
        world.outputFailure = Errno(28)
        world.run("api", "/a").expectErrors(in: "api", "any status", exitCode: 12)
    }

    @Test(arguments: [200, 404])
    func `api ends silently on a broken pipe`(status: Int) {
        expect("GET /a", status, "body")
        world.outputFailure = .brokenPipe
        #expect(world.run("api", "/a") == .init(stdout: "", stderr: "", ending: .brokenPipe))
    }

    @Test func `api --paginate ends silently on a broken pipe and requests no further page`() {
        expect("GET /a?order=objectId&limit=100", 200, #"{"results":[1,2]}"#)
        world.outputFailure = .brokenPipe
        #expect(world.run("api", "/a", "--paginate") == .init(stdout: "", stderr: "", ending: .brokenPipe))
    }

    // MARK: - Terminal

    @Test(arguments: ["application/json", "application/json; charset=utf-8", "application/problem+json", "text/json"])
    func `api indents JSON on a terminal`(type: String) {
        expect("GET /a", 200, #"{"a":[1.0,{}],"b":"\u00e9"}"#, headers: ["Content-Type": type])
        world.isOutputTerminal = true
        #expect(world.run("api", "/a").stdout == "{\n  \"a\": [\n    1.0,\n    {}\n  ],\n  \"b\": \"\\u00e9\"\n}\n")
    }

    @Test(arguments: ["text/plain", "text/html", "application/jsonl", ""])
    func `api on a terminal escapes control characters in a body whose Content-Type is not JSON`(type: String) {
        expect("GET /a", 200, "{\"a\" : 1}\n\u{1B}]0;x\u{7}", headers: type.isEmpty ? [:] : ["Content-Type": type])
        world.isOutputTerminal = true
        #expect(world.run("api", "/a").stdout == "{\"a\" : 1}\n\\u{1b}]0;x\\u{7}\n")
    }

    @Test func `api escapes control characters in header fields and in items on a terminal`() {
        world.isOutputTerminal = true
        expect("GET /a", 404, "", headers: ["X-A": "\u{1B}[31m"])
        #expect(world.run("api", "/a", "-i").stdout == "HTTP/1.1 404\nX-A: \\u{1b}[31m\n\n")
        expect("GET /a?order=objectId&limit=100", 200, "[\"\u{9B}31m\",  {\"a\" : 1}]")
        #expect(world.run("api", "/a", "--paginate").stdout == "\"\\u{9b}31m\"\n{\"a\":1}\n")
    }

    // MARK: - Pages

    @Test(arguments: [[], ["--json"], ["-q"]])
    func `api --paginate prints one item per line`(words: [String]) {
        expect("GET /a?w=1&order=objectId&limit=100", 200, "{\"results\": [ {\"b\" : 1.0,\n\"a\":2}, \"\\u00e9\" ]}")
        expect("GET /a?w=1&order=objectId&limit=100&skip=2", 200, #"{"results":[3]}"#)
        expect("GET /a?w=1&order=objectId&limit=100&skip=3", 200, #"{"results":[]}"#)
        let result = world.run(words: ["api", "/a?w=1", "--paginate"] + words)
        #expect(result == .init(stdout: "{\"b\":1.0,\"a\":2}\n\"\\u00e9\"\n3\n", stderr: "", ending: .exit(0)))
    }

    @Test func `api --paginate -X GET sends fields in the query`() {
        expect("GET /a?n=%7B%22b%22%3A1%7D&order=objectId&limit=100", 200, "[]")
        let result = world.run("api", "/a", "--paginate", "-X", "GET", "-F", #"n={"b":1}"#)
        #expect(result == .init(stdout: "", stderr: "", ending: .exit(0)))
    }

    @Test(arguments: [(404, #"{"code":101,"error":"Object not found."}"#), (429, "slow")])
    func `api --paginate prints the items of the earlier pages and then the body of a failed page`(
        status: Int, body: String
    ) {
        expect("GET /a?order=objectId&limit=100", 200, #"{"results":[1,2]}"#)
        for _ in 0..<(status == 429 ? 6 : 1) { expect("GET /a?order=objectId&limit=100&skip=2", status, body) }
        let result = world.run("api", "/a", "--paginate")
        result.expectTranscript(in: "api", "\(status) \(body)")
        #expect(result.stdout == "1\n2\n\(body)")
    }
}

/// Records the requests, and answers each with status 200.
private final class RecordingNetwork: HTTPTransport {
    let requests = Mutex<[HTTPRequest]>([])

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        requests.withLock { $0.append(request) }
        return HTTPResponse(status: 200)
    }
}
