import AuthClient
import CommandTestSupport
import Platform

/// API requests of the user: which session they use, when it is refreshed, and which URLs may receive it.
@Suite struct SendRequestTests {
    static var get: HTTPRequest { HTTPRequest(.get, "/orders/7?q=s3cret") }
    static let ok = RequestAnswer(HTTPResponse(status: 200))
    /// A response whose body has an entry in the backend's error table.
    static let revoked = RequestAnswer(
        HTTPResponse(status: 401, body: Array("gone".utf8)),
        .response(.sessionRevoked, "the session is invalid", ofStatus: false))
    /// A response whose body has no entry in the error table, so the error depends only on the status.
    static let rejected = RequestAnswer(
        HTTPResponse(status: 401), .response(.tokenRefused, "the server responded with HTTP 401", ofStatus: true))
    static let good = StoredSession.sample(session: .refreshable("old", refresh: "r1"))
    static let refresh = Step.refresh(.success(.refreshed))
    static let refreshing = [
        "store: prepare", "store: lock default", "backend: refresh r1 of old", "store: update new",
    ]

    private func post(_ source: ByteSource) -> HTTPRequest {
        var request = HTTPRequest(.post, "/orders/")
        request.bodySource = source
        return request
    }

    @Test func `a request is sent once with the saved session`() {
        let fixture = ClientFixture.sendingRequests(.request(.success(Self.ok)))
        let result = SendRequest(fixture.client).run(Self.get)
        expect(result.response, Self.ok.response)
        expect(result.error, nil)
        expect(fixture.requests, ["request GET /orders/7?q=s3cret with r:0123456789abcdef0123456789abcdef"])
    }

    @Test(arguments: [
        AuthError(.notFound, "the server responded with HTTP 404"),
        AuthError(.rateLimited, "too many requests", retryAfter: 9),
    ])
    func `an error response is returned with its error, and the request is not repeated`(error: AuthError) throws {
        let response = RequestAnswer(HTTPResponse(status: 400, body: Array("no".utf8)), BackendError(error))
        let fixture = ClientFixture.sendingRequests(.request(.success(response)), stored: Self.good)
        let result = SendRequest(fixture.client).run(Self.get)
        expect(result.response, response.response)
        expect(result.error?.retryAfter, error.retryAfter)
        try #require(result.error).expectMessage(in: "use-cases/requests", error.reason.rawValue)
        expect(fixture.requests.count, 1)
    }

    @Test func `the error about a request without a response omits the query`() throws {
        let error = AuthError(.timeout, "no response")
        let fixture = ClientFixture.sendingRequests(.request(.failure(error)), stored: Self.good)
        let result = SendRequest(fixture.client).run(Self.get)
        expect(result.response, nil)
        try #require(result.error).expectMessage(in: "use-cases/requests")
    }

    // MARK: - Refresh

    @Test(arguments: [revoked, rejected])
    func `a rejected session is refreshed, and the request is sent once more`(first: RequestAnswer) {
        let fixture = ClientFixture.sendingRequests(
            .request(.success(first)), Self.refresh, .request(.success(Self.ok)), stored: Self.good)
        let result = SendRequest(fixture.client).run(post(ByteSource(bytes: Array("{}".utf8))))
        expect(result.response, Self.ok.response)
        expect(result.error, nil)
        #expect(
            fixture.steps
                == ["backend: request POST /orders/ '{}' with old"] + Self.refreshing
                + ["backend: request POST /orders/ '{}' with new"])
    }

    @Test(arguments: [(revoked, AuthError.Reason.sessionRevoked), (rejected, .tokenRefused)])
    func `a session that is rejected after its refresh is not refreshed again`(
        response: RequestAnswer, reason: AuthError.Reason
    ) throws {
        let fixture = ClientFixture.sendingRequests(
            .request(.success(response)), Self.refresh, .request(.success(response)), stored: Self.good)
        let result = SendRequest(fixture.client).run(Self.get)
        expect(result.response, response.response)
        try #require(result.error).expectMessage(in: "use-cases/requests", reason.rawValue)
        expect(fixture.store.current?.session.token, Secret("new"))
    }

    /// A gateway or an app may send status 401 for reasons other than a revoked session.
    @Test(arguments: [(revoked, AuthError.Reason.sessionRevoked), (rejected, .tokenRefused)])
    func `a 401 response means a revoked session only if it contains the account server's own error`(
        response: RequestAnswer, reason: AuthError.Reason
    ) throws {
        let fixture = ClientFixture.sendingRequests(.request(.success(response)))
        let result = SendRequest(fixture.client).run(Self.get)
        expect(result.response, response.response)
        expect(result.error?.reason, reason)
        expect(result.error?.outcome.exitCode, 4)
        expect(fixture.store.current, .ada)
    }

    @Test func `a request whose session refresh is rejected reports the error and returns the first response`() throws {
        let fixture = ClientFixture.sendingRequests(
            .request(.success(Self.rejected)), .refresh(.failure(.revoked)), stored: Self.good)
        let result = SendRequest(fixture.client).run(Self.get)
        expect(result.response, Self.rejected.response)
        try #require(result.error).expectMessage(in: "use-cases/requests")
    }

    @Test func `a request is not repeated after its response was written to the output`() throws {
        let fixture = ClientFixture.sendingRequests(
            .request(.success(Self.rejected), isPassedOn: true), Self.refresh, stored: Self.good)
        var request = Self.get
        request.reception = .streamed(
            BodySink(begin: { _ throws(Errno) in }, write: { _ throws(Errno) in }), holdsSuccess: false)
        let result = SendRequest(fixture.client).run(request)
        expect(result.response, Self.rejected.response)
        try #require(result.error).expectMessage(in: "use-cases/requests")
        expect(fixture.store.current?.session.token, Secret("new"))
    }

    @Test func `a request is not repeated if its body cannot be read again`() throws {
        let first = ByteSource(bytes: Array("{}".utf8))
        let pipe = ByteSource(
            count: nil, input: { buffer throws(Errno) in (try? first.read(into: buffer)) ?? 0 }, goBack: nil)
        let fixture = ClientFixture.sendingRequests(
            .request(.success(Self.rejected)), Self.refresh, stored: Self.good)
        let result = SendRequest(fixture.client).run(post(pipe))
        expect(result.response, Self.rejected.response)
        try #require(result.error).expectMessage(in: "use-cases/requests")
        expect(fixture.steps, ["backend: request POST /orders/ '{}' with old"] + Self.refreshing)
    }

    // MARK: - Replacement

    @Test func `a new session in an error response replaces the saved session`() {
        let response = RequestAnswer(HTTPResponse(status: 400), BackendError(.invalidFields, "no"))
        let fixture = ClientFixture.sendingRequests(.request(.success(response), replacement: .new))
        let result = SendRequest(fixture.client).run(Self.get)
        expect(result.response, response.response)
        expect(result.error?.reason, .invalidFields)
        expect(fixture.store.current?.session, .new)
    }

    @Test func `a response is returned even if the new session in it cannot be saved`() throws {
        let fixture = ClientFixture.sendingRequests(.request(.success(Self.ok), replacement: .new))
        fixture.store.fail(.update, with: .noSpace)
        let result = SendRequest(fixture.client).run(Self.get)
        expect(result.response, Self.ok.response)
        try #require(result.error).expectMessage(in: "use-cases/requests")
    }

    // MARK: - The user's id

    private static let ownRequest = HTTPRequest(.get, "/users/{me}?w=%22{me}%22")

    @Test(arguments: [("u1", "u1"), ("a/b?c", "a%2Fb%3Fc"), ("ä", "%C3%A4")])
    func `{me} in a request path and query is replaced by the id of the saved user`(id: String, written: String) {
        let stored = StoredSession.sample(session: .sample("t"), user: User(id: id, username: "ada"))
        let fixture = ClientFixture.sendingRequests(.request(.success(Self.ok)), stored: stored)
        expect(SendRequest(fixture.client).run(Self.ownRequest).error, nil)
        expect(fixture.requests, ["request GET /users/\(written)?w=%22\(written)%22 with t"])
    }

    @Test(arguments: [".", "../../admin", "a\\b", "a\n"])
    func `a user id that would change the request path is not sent`(id: String) throws {
        let stored = StoredSession.sample(session: .sample("t"), user: User(id: id, username: "ada"))
        let fixture = ClientFixture.sendingRequests(stored: stored)
        let error = try #require(SendRequest(fixture.client).run(Self.ownRequest).error)
        expect(error.reason, .invalidResponse)
        if id == "." { error.expectMessage(in: "use-cases/requests") }
    }

    @Test func `a request with {me} first requests the user if no user id is saved`() {
        let fixture = ClientFixture.sendingRequests(
            .currentUser(.success(.ada)), .request(.success(Self.ok)), environmentToken: "env")
        expect(SendRequest(fixture.client).run(Self.ownRequest).error, nil)
        expect(fixture.requests, ["currentUser env", "request GET /users/g7y9tkhB7O?w=%22g7y9tkhB7O%22 with env"])
    }

    @Test func `{me} is an error on a server without user ids`() throws {
        let fixture = ClientFixture.sendingRequests(
            .currentUser(.success(User(username: "ada"))), environmentToken: "env")
        let error = try #require(SendRequest(fixture.client).run(Self.ownRequest).error)
        error.expectMessage(in: "use-cases/requests")
    }

    // MARK: - The API URL

    private static let api = "https://api.example/v1"

    private static func bound(to url: String?, _ session: Session = .sample("old")) -> StoredSession {
        var stored = StoredSession.sample(session: session)
        stored.apiURL = url
        return stored
    }

    @Test(arguments: [("HTTPS://API.example:443/v1/", api), (nil, "")])
    func `a session is sent to the API URL that was set at its login, or to its server without one`(
        url: String?, base: String
    ) {
        let fixture = ClientFixture.sendingRequests(
            .request(.success(Self.ok)), stored: Self.bound(to: Self.api), apiURL: url)
        expect(SendRequest(fixture.client).run(Self.get).error, nil)
        expect(fixture.requests, ["request GET \(base)/orders/7?q=s3cret with old"])
    }

    @Test(arguments: [nil, "https://api.example"])
    func `a session is not sent to an API URL that differs from the API URL of its login`(url: String?) throws {
        let fixture = ClientFixture.sendingRequests(stored: Self.bound(to: url), apiURL: Self.api)
        let error = try #require(SendRequest(fixture.client).run(Self.get).error)
        error.expectMessage(in: "use-cases/requests", url ?? "none")
        #expect(fixture.requests.isEmpty)
    }

    @Test(arguments: ["http://api.example", "api.example"])
    func `an API URL that is invalid or not encrypted is rejected`(url: String) throws {
        let fixture = ClientFixture.sendingRequests(stored: Self.bound(to: url), apiURL: url)
        let error = try #require(SendRequest(fixture.client).run(Self.get).error)
        error.expectMessage(in: "use-cases/requests", "'\(url)'")
    }

    @Test func `a session from the environment is sent to the configured API URL`() {
        let fixture = ClientFixture.sendingRequests(
            .request(.success(Self.ok)), apiURL: "http://127.0.0.1:8000", environmentToken: "env")
        expect(SendRequest(fixture.client).run(Self.get).error, nil)
        expect(fixture.requests, ["request GET http://127.0.0.1:8000/orders/7?q=s3cret with env"])
    }

    @Test func `a login saves the configured API URL with the session, and a refresh keeps it`() throws {
        let fixture = ClientFixture.sendingRequests(
            .logIn(.success(.session(NewSession(user: .ada, session: .expired)))), Self.refresh,
            .request(.success(Self.ok)), stored: nil, apiURL: "https://api.example/v1/")
        _ = try LogIn(fixture.client).withPassword(.ada)
        expect(fixture.store.current?.apiURL, Self.api)
        expect(SendRequest(fixture.client).run(Self.get).error, nil)
        expect(fixture.store.current?.session.token, Secret("new"))
        expect(fixture.store.current?.apiURL, Self.api)
    }

    @Test func `an error response from the API URL is never reported as session-revoked`() throws {
        let fixture = ClientFixture.sendingRequests(
            .request(.success(Self.revoked)), stored: Self.bound(to: Self.api), apiURL: Self.api)
        let result = SendRequest(fixture.client).run(Self.get)
        expect(result.response, Self.revoked.response)
        expect(result.error?.reason, .tokenRefused)
        expect(fixture.store.current, Self.bound(to: Self.api))
    }

    @Test func `a session that the API URL rejects is refreshed at the account server`() {
        let stored = Self.bound(to: Self.api, .refreshable("old", refresh: "r1"))
        let fixture = ClientFixture.sendingRequests(
            .request(.success(Self.rejected)), Self.refresh, .request(.success(Self.ok)), stored: stored,
            apiURL: Self.api)
        expect(SendRequest(fixture.client).run(Self.get).error, nil)
        expect(fixture.requests.last, "request GET \(Self.api)/orders/7?q=s3cret with new")
    }
}

extension BackendError {
    /// The error of a request sent with `api`.
    static func response(_ reason: AuthError.Reason, _ message: String, ofStatus: Bool) -> BackendError {
        var error = BackendError(reason, message)
        error.isReasonOfStatus = ofStatus
        return error
    }
}
