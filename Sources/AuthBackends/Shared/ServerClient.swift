import AuthModel
import JSON
import Platform
import Transport

/// Sends the requests of a backend to its server.
struct ServerClient: Sendable {
    /// The base URL of the paths in `authctl api` requests, without a trailing slash.
    let base: String
    /// The transport to the base URL and all paths below it.
    var transport: any HTTPTransport
    /// Makes the transport to a different base URL, for `authctl api` requests.
    let stack: HTTPStack
    var cookies = RenewedCookies()

    var clock: WallClock { stack.clock }
    /// Registers the tokens in responses as secrets, and masks server messages in errors.
    var masker: Masker { stack.masker }

    init(_ base: String, _ transport: any HTTPTransport, _ stack: HTTPStack) {
        self.base = base
        self.transport = transport
        self.stack = stack
    }

    /// A client for the base URL and all paths below it.
    init(_ base: String, _ stack: HTTPStack) { self.init(base, stack.transport(to: base), stack) }

    /// - Parameter mayLackSlash: see `HTTPTransport.response`.
    func response(to call: Call, mayLackSlash: Bool = false) throws(BackendError) -> ServerResponse {
        let response = try answer(to: call.request, call.operation, through: transport, mayLackSlash: mayLackSlash)
        return ServerResponse(response, to: call.request, call.operation, at: clock.now(), masker)
    }

    /// Sends a request. If the server rejects it while the token is not valid yet by the server's clock, which may be
    /// behind the issuer's, waits for at most 5 s, and sends the request once more.
    private func answer(
        to request: HTTPRequest, _ operation: Operation, through route: any HTTPTransport, mayLackSlash: Bool
    ) throws(BackendError) -> HTTPResponse {
        let token = request.headers["Cookie"]
        // A logout may carry the cookie of a JWT alone.
        if let token, Cookies(Secret(token))?.csrf == nil, !request.method.isSafe,
            ![.logIn, .logOut].contains(operation)
        {
            throw .lacksCSRF
        }
        let request = cookies.completing(request)
        let response = try route.response(to: request, operation, mayLackSlash: mayLackSlash)
        if let token { cookies.read(response, to: token, masker) }
        guard [401, 403].contains(response.status), request.isRepeatable,
            let seconds = response.secondsUntilValid(request), seconds <= 5
        else { return response }
        stack.trace?("waiting \(seconds) s: the token is not valid yet by the server's clock")
        stack.pause(.seconds(seconds))
        return try route.response(to: request, operation, mayLackSlash: mayLackSlash)
    }

    /// Sends an `authctl api` request. If the response is an error, the result contains the matching `BackendError`.
    ///
    /// - Parameters:
    ///   - other: the base URL of the request if it is not this client's. No application keys are sent to it.
    ///   - application: the header fields that identify the application in a request without a session.
    ///   - isCustom: whether the app's own code below the server's URL answers, whose errors have any format.
    func send<Table: ErrorTable>(
        _ request: HTTPRequest, below other: String?, _ headers: SessionHeaders?, application: HTTPHeaders = [:],
        isCustom: Bool = false, errors table: Table.Type
    ) throws(BackendError) -> RequestAnswer {
        var sent = request
        if sent.headers["Accept"] == nil { sent.headers["Accept"] = "*/*" }
        if headers?.session.name == "Cookie", sent.loginPath == nil { sent.loginPath = "" }
        let own = headers?.all ?? application
        for field in other == nil ? own.fields : headers.map({ [$0.session] }) ?? [] {
            sent.headers[field.name] = field.value
        }
        let route = other.map(stack.transport) ?? transport
        let response = try self.answer(to: sent, .callAPI, through: route, mayLackSlash: true)
        if response.asksForLogin(sent) {
            let detail = ServerDetail(status: response.status)
            let error = BackendError(.tokenRefused, "the site asks for a login", server: detail)
            var answer = RequestAnswer(response, error, refusal: .denial)
            answer.mayBePage = true
            return answer
        }
        let answer = ServerResponse(response, to: sent, .callAPI, at: clock.now(), masker)
        let verdict = table.judge(answer, isForeign: other != nil, isCustom: isCustom)
        var error = verdict.error
        if response.isMissingSlash {
            let path = request.url.dropFirst((other ?? base).count).prefix { $0 != "?" }
            error?.message = "the site requires a slash at the end of the path (HTTP \(response.status))"
            error?.nextSteps = ["use the path '\(path)/'"]
        }
        return RequestAnswer(response, error, refusal: verdict.refusal)
    }

    /// Returns a client for all paths of the server's origin. `authctl api` also sends requests to views outside the
    /// base URL.
    func atOrigin() throws(BackendError) -> ServerClient {
        guard let origin = URLParts(base)?.origin else {
            throw BackendError(.internal, "the server URL '\(base)' has no origin")
        }
        var client = ServerClient(origin, stack)
        client.cookies = cookies
        return client
    }
}

/// A response from the server, with the data that the error table needs.
struct ServerResponse {
    let http: HTTPResponse
    let request: HTTPRequest
    let operation: Operation
    /// The time of the response.
    let now: Instant
    /// Masks the response text that an error shows.
    let masker: Masker

    init(_ http: HTTPResponse, to request: HTTPRequest, _ operation: Operation, at now: Instant, _ masker: Masker) {
        self.http = http
        self.request = request
        self.operation = operation
        self.now = now
        self.masker = masker
    }

    var isSuccess: Bool { (200..<300).contains(http.status) }

    /// The time since the account was created, by the clock of the server.
    ///
    /// - Parameter now: the time if the response has none: the embedded server uses the clock of this process.
    func age(of user: User, at now: Instant? = nil) -> Duration? {
        guard let now = http.headers["Date"].flatMap({ RetryAfter.date($0) }) ?? now, let start = user.createdAt else {
            return nil
        }
        return .milliseconds(now.milliseconds - start.milliseconds)
    }

    /// Returns the error for a response that has a success status but lacks the required content.
    ///
    /// - Parameter fault: the error message; `nil` if the body is not the required JSON.
    func invalid(_ fault: String? = nil) -> BackendError {
        BackendError(.invalidResponse, fault ?? http.formFault(masker), server: ServerDetail(status: http.status))
    }
}

extension BackendError {
    static let lacksCSRF = BackendError(
        .unsupported, "the session has no CSRF token, which requests that change something need",
        next: "the site keeps it in the session: for backend 'django', name a page with a form as userPath, and log in")
}

extension HTTPResponse {
    /// The seconds, by the `Date` of this response, until the JWT in the request is valid; `nil` if it is valid already,
    /// or if one of the times is unknown.
    func secondsUntilValid(_ request: HTTPRequest) -> Int64? {
        guard let token = request.headers["Authorization"]?.split(separator: " ").last,
            let start = JWT(Secret(String(token)))?.validFrom,
            let now = headers["Date"].flatMap({ RetryAfter.date($0) }),
            start > now
        else { return nil }
        return start.seconds - now.seconds
    }
}

extension RequestAnswer {
    /// The JSON object in the body of a successful response; `nil` if there is none.
    var heldObject: JSONObject? {
        guard error == nil, !response.body.isEmpty else { return nil }
        // `try?`: a body that is not JSON contains no object.
        return (try? JSONValue(parsing: response.body))?.object
    }
}
