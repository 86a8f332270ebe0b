import CommandTestSupport

@testable import AuthBackends

/// The requests for the first page and the next page of a list.
@Suite struct ListPagesTests {
    /// The URL of the request for the next page.
    private func next(
        _ contract: ContractBackend, query: String? = nil, base: String? = nil, after body: String
    ) throws -> String? {
        let backend = try RequestContract.backend(contract, RecordingTransport())
        let request = HTTPRequest(.get, try Self.url(backend, query, base))
        return try backend.page(after: try JSONList(parsing: Array(body.utf8)), to: request, below: base)?.url
    }

    /// The query of the request for the first page.
    private func first(_ contract: ContractBackend, query: String? = nil, base: String? = nil) throws -> String {
        let backend = try RequestContract.backend(contract, RecordingTransport())
        let request = HTTPRequest(.get, try Self.url(backend, query, base))
        return String(try backend.firstPage(of: request, below: base).url.split(separator: "?").last ?? "")
    }

    private static func url(_ backend: any Backend, _ query: String?, _ base: String?) throws -> String {
        "\(try base ?? backend.requestBase())/orders/\(query.map { "?\($0)" } ?? "")"
    }

    @Test(arguments: [ContractBackend.parse, .pocketbase, .supabase])
    func `a list in a form of its own is followed by the page that its link names`(contract: ContractBackend) throws {
        var list = try JSONList(parsing: Array("[1]".utf8))
        list.more.next = .link("?page=2")
        let backend = try RequestContract.backend(contract, RecordingTransport())
        let request = HTTPRequest(.get, try Self.url(backend, nil, nil))
        try expect(backend.page(after: list, to: request, below: nil)?.url, "\(request.url)?page=2")
    }

    // MARK: - PocketBase

    @Test(arguments: [
        (nil, "sort=id&perPage=1000&skipTotal=1"), ("sort=-created", "sort=-created,id&perPage=1000&skipTotal=1"),
        ("sort=-id&perPage=7&skipTotal=0", "sort=-id&perPage=7&skipTotal=0"),
    ])
    func `the first page of a PocketBase list is sorted by id last, and its rows are not counted`(
        query: String?, expected: String
    ) throws {
        try expect(first(.pocketbase, query: query), expected)
        #expect(try first(.pocketbase, query: query, base: RequestContract.api).hasSuffix(query ?? "orders/"))
    }

    /// The server may send fewer rows than requested: see the exchange `admin/list-huge-page`.
    @Test(arguments: [
        ("perPage=5000", #"{"items":[1,2],"perPage":2}"#, "perPage=5000&page=2"),
        ("perPage=2&page=7", #"{"items":[1,2],"perPage":2}"#, "perPage=2&page=8"),
        ("perPage=2", #"{"items":[1],"perPage":2}"#, nil), ("perPage=2", #"{"items":[],"perPage":2}"#, nil),
        ("perPage=2", "[1,2]", nil), ("page=9223372036854775807", #"{"items":[1],"perPage":1}"#, nil),
    ])
    func `a full page of a PocketBase list is followed by the page with the next number`(
        query: String, body: String, expected: String?
    ) throws {
        let url = try next(.pocketbase, query: query, after: body)
        expect(url?.split(separator: "?").last.map(String.init), expected)
    }

    // MARK: - Parse

    @Test(arguments: [
        (nil, "order=objectId&limit=100"), ("", "order=objectId&limit=100"),
        ("order=-a", "order=-a,objectId&limit=100"),
        ("limit=7", "limit=7&order=objectId"), ("where=%7B%7D&skip=5", "where=%7B%7D&skip=5&order=objectId&limit=100"),
        ("order=&reorder=b", "reorder=b&order=objectId&limit=100"), ("order", "order=objectId&limit=100"),
        ("order=-objectId&limit=1", "order=-objectId&limit=1"),
        ("order=a%2C+objectId", "order=a%2C+objectId&limit=100"),
        ("limit=3&order=a,-b", "limit=3&order=a,-b,objectId"),
    ])
    func `a paged Parse list is sorted as the query requests, then by objectId`(
        query: String?, expected: String
    ) throws {
        for contract in [ContractBackend.parse, .local] { try expect(first(contract, query: query), expected) }
    }

    @Test(arguments: [
        ("order=a&limit=100", "[1,2]", "order=a&limit=100&skip=2"), ("skip=5", "[1]", "skip=6"),
        ("skip=1&a=%26&skip=5", "[1]", "a=%26&skip=6"), ("skip=x", "[1]", "skip=1"),
        ("skip=9223372036854775807", "[1]", "skip=9223372036854775807"),
    ])
    func `the next page of a Parse list skips all earlier rows`(query: String, rows: String, expected: String) throws {
        let page = try next(.parse, query: query, after: #"{"results":\#(rows)}"#)
        expect(page, "https://a.example/parse/orders/?\(expected)")
    }

    @Test(arguments: [#"{"results":[]}"#, #"{"objectId":"1"}"#, "[1]", "7", #"{"results":{}}"#])
    func `a Parse list ends at an empty page or at a document that is not a list`(body: String) throws {
        try expect(next(.parse, after: body), nil)
    }

    // MARK: - Links

    static let sites: [ContractBackend] = [.restAuthKey, .restAuthJWT, .allauth, .allauthJWT]

    @Test(arguments: [
        ("https://a.example/orders/?page=2", "/orders/?page=2"), ("HTTPS://A.example:443/orders/?p=2", "/orders/?p=2"),
        ("?page=2", "/orders/?page=2"), ("/api/v2?c=%20x", "/api/v2?c=%20x"), ("more", "/orders/more"),
        ("../x?y", "/x?y"), ("//a.example/z", "/z"), ("https://a.example/orders/#top", "/orders/"),
    ])
    func `the next page of a Django list is requested at the URL in the current page's member next`(
        link: String, target: String
    ) throws {
        for contract in Self.sites {
            try expect(first(contract, query: "q=1"), "q=1")
            let page = try next(contract, after: #"{"next":"\#(link)","results":[1]}"#)
            expect(page, "https://a.example\(target)")
        }
    }

    /// Source: DRF's guide, "Custom pagination styles".
    @Test(arguments: [
        #"{"links":{"next":"?page=2"},"results":[1]}"#, #"{"meta":{"pagination":{"next":"?page=2"}},"results":[1]}"#,
        #"{"data":[1],"next":"?page=2"}"#, #"{"items":[1],"links":{"next":"?page=2"}}"#,
    ])
    func `the link to the next page of a Django list may be in a member such as links`(body: String) throws {
        for contract in Self.sites { try expect(next(contract, after: body), "https://a.example/orders/?page=2") }
    }

    @Test(arguments: [
        ("http://a.example/orders/?page=2", nil), ("http://web:8000/orders/?page=2", nil),
        ("http://10.1.2.3/orders/?page=2", nil), ("http://web.shop.svc.cluster.local/orders/?page=2", nil),
        ("http://localhost:8000/orders/?page=2", "https://a.example/shop"), ("http://[::1]:8000/orders/?page=2", nil),
    ])
    func `a next link with the internal address of the site is requested at the base URL`(
        link: String, base: String?
    ) throws {
        let page = try next(.restAuthKey, base: base, after: #"{"next":"\#(link)","results":[1]}"#)
        expect(page, "\(base ?? "https://a.example")/orders/?page=2")
    }

    @Test(arguments: [#"{"next":null,"results":[1]}"#, #"{"results":[1]}"#, "[1]", #"{"next":"https://a.example/"}"#])
    func `a Django list ends at a page without a next link or without results`(body: String) throws {
        for contract in Self.sites { try expect(next(contract, after: body), nil) }
    }

    @Test func `a next link with a different origin, an ambiguous path or an invalid URL is rejected`() throws {
        let links = [
            "http://web:8000/other/?page=2", "http://8.8.8.8/orders/?page=2", "https://b.example/orders/?page=2",
            "https://evil.example/orders/", "https://a.example.evil.example/",
            "https://a.example:8443/orders/", "//evil.example/", "https://a.example@evil.example/",
            "https://ada:pw@a.example/orders/", "ftp://a.example/", "https://a.example/%2e%2e/x",
            "https://a.example/..;/x", "https://", "https:///x", "ht tp://x", "https://a.example:0/", "https://[::1",
        ]
        let lines = try links.map { link in
            let error = try failure { _ = try next(.restAuthKey, after: #"{"next":"\#(link)","results":[1]}"#) }
            return "\(link) \(error.snapshot())"
        }
        MessageFile("backends/requests").expect(lines.joined(separator: "\n"))
    }

    // MARK: - Another base URL

    private static let api = "https://api.example/v1"

    @Test(arguments: ContractBackend.withAPI)
    func `a list below the API URL follows only next links below the API URL`(contract: ContractBackend) throws {
        try expect(first(contract, query: "q=1", base: Self.api), "q=1")
        let link = #"{"next":"https://api.example/v1/orders/?page=2","results":[1]}"#
        try expect(next(contract, base: Self.api, after: link), "\(Self.api)/orders/?page=2")
        for target in ["https://a.example/v1/orders/", "https://api.example/v2", "https://api.example/v1x"] {
            let error = try failure {
                _ = try next(contract, base: Self.api, after: #"{"next":"\#(target)","results":[1]}"#)
            }
            expect(error.reason, .redirect, "\(target)")
        }
    }

    @Test func `a paginated list is unsupported on Kii Cloud`() throws {
        try failure { try first(.kii) }.expectMessage(in: "backends/requests")
    }
}
