import CommandTestSupport
import Synchronization

@testable import AuthBackends

@Suite struct ParseSessionsTests {
    static let me = Exchange(Exchange.currentSessionRequest, 200, #"{"objectId":"s1"}"#)

    /// A server may limit pages (`maxLimit`), and a hook may leave out rows of a page, even most of them.
    @Test(arguments: [[100, 100, 3], [50, 50, 22], [99, 1, 100], [3]])
    func `the Parse session list is read page by page until a page is empty`(sizes: [Int]) throws {
        let (transport, count) = (ReplayingTransport(), sizes.reduce(0, +))
        transport.expect(Self.me)
        var skip = 0
        for size in sizes + [0] {
            transport.expect(Self.page(skip, rows: size))
            skip += size
        }
        let items = try ParseBackend.replaying(through: transport).sessions(of: .abc).value
        expect(items.map(\.id), (0..<count).map { "s\($0)" })
        expect(items.filter(\.isCurrent).map(\.id), ["s1"])
    }

    @Test func `a page of known sessions does not end the session list, but the same page again is an error`() throws {
        let page = Self.page(0, rows: 2)
        let backend = ParseBackend.replaying(
            Self.me, page, Self.page(2, Self.rows(1..<2)), Self.page(3, Self.rows(3..<4)),
            Self.page(4, Self.rows(3..<4)))
        try expect(failure { _ = try backend.sessions(of: .abc) }.reason, .invalidResponse)
    }

    @Test func `the session list is limited even if the server returns new sessions on every page`() throws {
        let pages = EndlessPages()
        let backend = Self.backend(pages)
        try expect(backend.sessions(of: .abc).value.count, SessionSummary.mostListed)
        expect(pages.count, 1 + SessionSummary.mostListed / 100)
    }

    @Test func `all pages of the session list share one time limit`() throws {
        let pages = EndlessPages()
        pages.isLimited = true
        let backend = Self.backend(pages)
        try expect(failure { _ = try backend.sessions(of: .abc) }.reason, .timeout)
        expect(pages.count, 0, "no request is sent after the time limit")
    }

    private static func backend(_ pages: EndlessPages) -> ParseBackend {
        ParseBackend(
            endpoints: ParseEndpoints(base: "https://a.example/parse", appID: "app"),
            server: .replaying(pages, base: "https://a.example/parse"),
            isEmbedded: false)
    }

    @Test func `a session in the Parse session list contains no token`() throws {
        let row = """
            {"objectId":"s1","sessionToken":"r:secret","createdAt":"2026-01-02T03:04:05.000Z",\
            "expiresAt":{"__type":"Date","iso":"2027-01-02T03:04:05.000Z"},\
            "createdWith":{"action":"login","authProvider":"facebook"},"installationId":"phone"}
            """
        let backend = ParseBackend.replaying(
            Self.me, Self.page(0, #"{"results":[\#(row)]}"#), Self.page(1, rows: 0))
        let items = try backend.sessions(of: .abc).value
        #expect(
            items == [
                SessionSummary(
                    id: "s1", isCurrent: true, createdAt: .sampleStart, expiresAt: .sampleEnd,
                    createdWith: "facebook", device: "phone")
            ])
        #expect(!"\(items)".contains("secret"))
    }

    @Test(arguments: [
        (#"{"objectId":"s1","createdWith":{"action":"signup"}}"#, "signup" as String?),
        (#"{"objectId":"s1","createdWith":"odd"}"#, nil),
        (#"{"objectId":"s1"}"#, nil),
    ])
    func `a session in the Parse session list reports how it was created`(row: String, createdWith: String?) throws {
        let backend = ParseBackend.replaying(
            Self.me, Self.page(0, #"{"results":[\#(row)]}"#), Self.page(1, rows: 0))
        try expect(backend.sessions(of: .abc).value.map(\.createdWith), [createdWith])
    }

    @Test func `rows without an id are left out of the session list`() throws {
        let backend = ParseBackend.replaying(
            Self.me, Self.page(0, #"{"results":[{},5,{"objectId":"s1"}]}"#), Self.page(3, rows: 0))
        try expect(backend.sessions(of: .abc).value.map(\.id), ["s1"])
    }

    @Test func `the session list fails if the request for a later page fails`() throws {
        let backend = ParseBackend.replaying(
            Self.me, Self.page(0, rows: 100), Exchange(Self.request(100), 500, #"{"code":1}"#))
        try expect(failure { _ = try backend.sessions(of: .abc) }.reason, .serverFault)
    }

    @Test(arguments: [
        ("g7y9tkhB7O", "g7y9tkhB7O"),
        ("a/b?c=d#e", "a%2Fb%3Fc%3Dd%23e"),
        ("..", ".."),
        ("a b%\n", "a%20b%25%0A"),
        ("é~", "%C3%A9~"),
    ])
    func `the id of a session to revoke is percent-encoded as one path segment`(id: String, part: String) throws {
        let backend = ParseBackend.replaying(
            Exchange(
                """
                DELETE https://a.example/parse/sessions/\(part)
                X-Parse-Application-Id: app
                X-Parse-Session-Token: r:abc
                """, 200, "{}"))
        #expect(throws: Never.self) { try backend.endSession(id: id, of: .abc) }
    }

    /// A server whose list never ends: every page has new rows.
    private final class EndlessPages: HTTPTransport {
        private let sent = Atomic(0)
        private let limited = Atomic(false)

        var count: Int { sent.load(ordering: .relaxed) }
        var isLimited: Bool {
            get { limited.load(ordering: .relaxed) }
            set { limited.store(newValue, ordering: .relaxed) }
        }

        func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
            try Pages(response: page()).send(request)
        }

        private func page() -> HTTPResponse {
            let number = sent.add(1, ordering: .relaxed).oldValue
            let rows = (0..<100).map { #"{"objectId":"s\#(number)-\#($0)"}"# }
            return HTTPResponse(
                status: 200, body: Array(#"{"objectId":"s","results":[\#(rows.joined(separator: ","))]}"#.utf8))
        }

        func sharingTimeLimit() -> any HTTPTransport { isLimited ? NoTime() : self }
    }

    private struct Pages: HTTPTransport {
        let response: HTTPResponse

        func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse { response }
    }

    private struct NoTime: HTTPTransport {
        func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
            throw TransportError(.timeout, "no time left")
        }
    }

    private static func page(_ skip: Int, rows: Int) -> Exchange {
        page(skip, self.rows(skip..<skip + rows))
    }

    private static func rows(_ numbers: Range<Int>) -> String {
        #"{"results":[\#(numbers.map { #"{"objectId":"s\#($0)"}"# }.joined(separator: ","))]}"#
    }

    private static func page(_ skip: Int, _ answer: String) -> Exchange {
        Exchange(request(skip), 200, answer)
    }

    private static func request(_ skip: Int) -> String {
        """
        GET https://a.example/parse/sessions?excludeKeys=sessionToken&order=-createdAt&limit=100&skip=\(skip)
        X-Parse-Application-Id: app
        X-Parse-Session-Token: r:abc
        """
    }
}
