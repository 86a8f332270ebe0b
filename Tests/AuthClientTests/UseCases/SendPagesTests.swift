import AuthClient
import CommandTestSupport
import Platform

/// Requests for the pages of a list.
@Suite struct SendPagesTests {
    private static let first = HTTPRequest(.get, "/orders/")

    private static func page(_ body: String, _ headers: HTTPHeaders = [:]) -> Step {
        .request(.success(RequestAnswer(HTTPResponse(status: 200, headers: headers, body: Array(body.utf8)))))
    }

    private static func busy(_ seconds: Int?) -> Step {
        let error = BackendError(.rateLimited, "too many requests", retryAfter: seconds)
        return .request(.success(RequestAnswer(HTTPResponse(status: 429, body: Array("busy".utf8)), error)))
    }

    /// Requests all pages. Printing fails with `failure` after `count` elements.
    private func run(
        _ fixture: ClientFixture, failing failure: AuthError? = nil, after count: Int = .max
    ) -> (elements: [String], result: SendRequest.Result) {
        var elements: [String] = []
        let result = SendRequest(fixture.client).runPages(of: Self.first) { element throws(AuthError) in
            if elements.count == count, let failure { throw failure }
            elements.append(String(decoding: element, as: UTF8.self))
        }
        return (elements, result)
    }

    private static let request = "request GET /orders/"
    private static let token = "with r:0123456789abcdef0123456789abcdef"

    @Test func `the elements of all pages are printed in order, each on one line and otherwise unchanged`() {
        let fixture = ClientFixture.sendingRequests(
            Self.page(#"{"count":3,"next":"page=2","results":[{"id" : 1.0 , "n": "\u00e9 a"}, 2 ]}"#),
            Self.page("{\"next\":null,\n\"results\":[\n  [ 3 ]\n]}"))
        let (elements, result) = run(fixture)
        expect(elements, [#"{"id":1.0,"n":"\u00e9 a"}"#, "2", "[3]"])
        expect(result.error, nil)
        expect(fixture.requests, ["\(Self.request) \(Self.token)", "\(Self.request)?page=2 \(Self.token)"])
    }

    @Test(
        arguments: [
            (#"{"results":[1]}"#, ["Link": "<?page=2>; rel=next"], [1, 2], nil),
            ("[1]", ["X-Total-Count": "1"], [1], nil), ("[1]", ["X-Total-Count": "2"], [1], .invalidResponse),
            ("[1]", ["Content-Range": "0-0/2"], [1], .invalidResponse), ("[1]", ["Content-Range": "1-1/2"], [1], nil),
            ("[1]", ["X-Total-Count": "2", "Link": "<?page=1>; rel=prev"], [1], nil),
            (#"{"next":null,"results":[1]}"#, ["Link": "<?page=2>; rel=next"], [1], nil),
        ] as [(String, HTTPHeaders, [Int], AuthError.Reason?)])
    func `the header of a page tells whether there is another page, unless its body does`(
        body: String, headers: HTTPHeaders, expected: [Int], reason: AuthError.Reason?
    ) {
        let pages = [Self.page(body, headers), Self.page(#"{"results":[2]}"#)].prefix(expected.count)
        let (elements, result) = run(ClientFixture.sendingRequests(script: Array(pages)))
        expect(elements, expected.map(String.init))
        expect(result.error?.reason, reason)
    }

    @Test(arguments: [("[]", []), ("[1,2]", ["1", "2"]), (#"{"id":7}"#, [#"{"id":7}"#]), ("7", ["7"])])
    func `pagination ends with a response that has no next page`(body: String, expected: [String]) {
        let (elements, result) = run(ClientFixture.sendingRequests(Self.page(body)))
        expect(elements, expected)
        expect(result.error, nil)
    }

    @Test func `an element of a page keeps a lone surrogate and a number of any length`() {
        let element = #"{"a":"\ud83d","b":123456789012345678901234567890.10}"#
        expect(run(ClientFixture.sendingRequests(Self.page("[\(element)]"))).elements, [element])
    }

    // MARK: - Busy servers

    @Test func `a rate-limited page is requested again after the time in Retry-After`() {
        let time = VirtualTime()
        let pages = (1...9).map { Self.page(#"{"next":"p=\#($0 + 1)","results":[\#($0)]}"#) }
        let last = Self.page(#"{"next":null,"results":[10]}"#)
        let fixture = ClientFixture.sendingRequests(
            pages[0], pages[1], pages[2], pages[3], pages[4], pages[5], Self.busy(7), Self.busy(300), pages[6],
            pages[7], pages[8], last, time: time)
        let (elements, result) = run(fixture)
        expect(elements, (1...10).map(String.init))
        expect(result.error, nil)
        expect(time.waits, [.seconds(7), .seconds(300)])
        fixture.expectNotices(in: "use-cases/requests")
        expect(fixture.requests.filter { $0.contains("p=7 ") }.count, 3)
    }

    @Test(arguments: [301, 1_000_000_000])
    func `pagination ends if Retry-After is more than five minutes`(seconds: Int) {
        let time = VirtualTime()
        let fixture = ClientFixture.sendingRequests(
            Self.page(#"{"next":"p=2","results":[1]}"#), Self.busy(seconds), time: time)
        let (elements, result) = run(fixture)
        expect(elements, ["1"])
        expect(time.waits, [])
        expect(result.error?.retryAfter, seconds)
    }

    @Test(arguments: [nil, 0])
    func `without a pause in Retry-After, pagination retries status 429 five times with exponential backoff`(
        seconds: Int?
    ) throws {
        let time = VirtualTime()
        let fixture = ClientFixture.sendingRequests(
            Self.page(#"{"next":"p=2","results":[1]}"#), Self.busy(seconds), Self.busy(seconds), Self.busy(seconds),
            Self.busy(seconds), Self.busy(seconds), Self.busy(seconds), time: time)
        let (elements, result) = run(fixture)
        expect(elements, ["1"])
        expect(time.waits, [1, 2, 4, 8, 16].map { .seconds($0) })
        expect(result.response?.status, 429)
        if seconds == nil { try #require(result.error).expectMessage(in: "use-cases/requests") }
    }

    // MARK: - Ends

    @Test func `pagination ends with a failed page and returns its response`() throws {
        let response = RequestAnswer(
            HTTPResponse(status: 500, body: Array("no".utf8)), BackendError(.serverFault, "the server failed"))
        let fixture = ClientFixture.sendingRequests(
            Self.page(#"{"next":"p=2","results":[1]}"#), .request(.success(response)))
        let (elements, result) = run(fixture)
        expect(elements, ["1"])
        expect(result.response, response.response)
        try #require(result.error).expectMessage(in: "use-cases/requests")
    }

    @Test(arguments: ["<html>", "[1] [2]"])
    func `pagination ends with a page that is not JSON and returns its response`(body: String) throws {
        let fixture = ClientFixture.sendingRequests(
            Self.page(#"{"next":"p=2","results":[1]}"#), Self.page(body))
        let (elements, result) = run(fixture)
        expect(elements, ["1"])
        expect(result.response?.body, Array(body.utf8))
        try #require(result.error).expectMessage(in: "use-cases/requests", "'\(body)'")
    }

    @Test(arguments: [
        #"{"count":25,"results":[1]}"#, #"{"next_page":2,"results":[1]}"#, #"{"next":5,"results":[1]}"#,
        #"{"next":"p=2","rows":[1]}"#,
    ])
    func `pagination ends with an error after the items of a page if more items are announced`(body: String) throws {
        let (elements, result) = run(ClientFixture.sendingRequests(Self.page(body)))
        expect(elements, [body.hasSuffix("\"rows\":[1]}") ? body : "1"])
        expect(result.response, nil)
        try #require(result.error).expectMessage(in: "use-cases/requests", body)
    }

    @Test func `pagination ends with an error if the next page is on a different origin`() throws {
        let fixture = ClientFixture.sendingRequests(Self.page(#"{"next":"https://evil.example/","results":[1]}"#))
        let (elements, result) = run(fixture)
        expect(elements, ["1"])
        expect(result.response, nil)
        try #require(result.error).expectMessage(in: "use-cases/requests")
        expect(fixture.requests.count, 1)
    }

    /// The client recognizes an earlier page by its request, and the preceding page also by its body.
    @Test(arguments: [
        [#"{"next":"p=1","results":[1]}"#, #"{"next":"p=1","results":[2]}"#],
        [#"{"next":"p=1","results":[1]}"#, #"{"next":"p=2","results":[2]}"#, #"{"next":"p=1","results":[3]}"#],
    ])
    func `a page that links to an earlier page is an error, and no element is printed twice`(bodies: [String]) throws {
        let steps = bodies.map { Self.page($0) }
        let fixture =
            bodies.count == 2
            ? ClientFixture.sendingRequests(steps[0], steps[1], steps[0])
            : ClientFixture.sendingRequests(steps[0], steps[1], steps[2], steps[0])
        let (elements, result) = run(fixture)
        expect(elements, (1...bodies.count).map(String.init))
        try #require(result.error).expectMessage(in: "use-cases/requests")
    }

    @Test func `pagination repeats no element if the server ignores the page number`() throws {
        let fixture = ClientFixture.sendingRequests(
            Self.page(#"{"next":"p=2","results":[1]}"#), Self.page(#"{"next":"p=2","results":[1]}"#))
        let (elements, result) = run(fixture)
        expect(elements, ["1"])
        expect(result.error?.reason, .invalidResponse)
    }

    @Test func `pagination requests no further page after an element that cannot be printed`() {
        let fixture = ClientFixture.sendingRequests(Self.page(#"{"next":"p=2","results":[1,2,3]}"#))
        let (elements, result) = run(fixture, failing: AuthError(.notWritten, "full"), after: 2)
        expect(elements, ["1", "2"])
        expect(result.error?.reason, .notWritten)
        expect(fixture.requests.count, 1)
    }

    @Test func `a session that expires between two pages is refreshed, and no element is lost or repeated`() {
        let fixture = ClientFixture.sendingRequests(
            Self.page(#"{"next":"p=2","results":[1]}"#), .request(.success(SendRequestTests.rejected)),
            .refresh(.success(.refreshed)),
            Self.page(#"{"next":"p=3","results":[2]}"#), Self.page(#"{"next":null,"results":[3]}"#),
            stored: SendRequestTests.good)
        let (elements, result) = run(fixture)
        expect(elements, ["1", "2", "3"])
        expect(result.error, nil)
        expect(fixture.requests.suffix(2), ["\(Self.request)?p=2 with new", "\(Self.request)?p=3 with new"])
    }
}
