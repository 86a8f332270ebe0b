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
    /// Creates a transport to a different base URL, for `authctl api` requests.
    var network: Transports.Network = { _ throws(AuthError) in
        throw AuthError(.internal, "no transport to another URL")
    }
    /// Provides the current time, for session expiry and for an HTTP-date in `Retry-After`.
    let clock: WallClock
    /// Registers the tokens in responses as secrets, and masks server messages in errors.
    var masker = Masker()

    /// - Parameter mayLackSlash: see `HTTPTransport.response`.
    func response(
        to request: HTTPRequest, _ operation: Operation, mayLackSlash: Bool = false
    ) throws(AuthError) -> ServerResponse {
        let response = try transport.response(to: request, operation, mayLackSlash: mayLackSlash)
        return ServerResponse(response, to: request, operation, at: clock.now(), masker)
    }

    /// Sends an `authctl api` request. If the response is an error, the result contains the matching `AuthError`.
    ///
    /// If the request has a separate base URL, no application keys are sent to it.
    ///
    /// - Parameter application: the header fields that identify the application in a request without a session.
    func send<Table: ErrorTable>(
        _ request: APIRequest, _ headers: SessionHeaders?, application: [HeaderField] = [], errors table: Table.Type
    ) throws(AuthError) -> APIResponse {
        let isOwnBase = request.base == nil
        let fields = headers.map { isOwnBase ? $0.all : [$0.session] } ?? (isOwnBase ? application : [])
        let sent = HTTPRequest(request, to: request.base ?? base, fields)
        let route = if let base = request.base { try network(base) } else { transport }
        let response = try route.response(to: sent, .callAPI, mayLackSlash: true)
        var error =
            (200..<300).contains(response.status) || response.status == 304
            ? nil : table.error(for: ServerResponse(response, to: sent, .callAPI, at: clock.now(), masker))
        if response.isMissingSlash {
            error?.message = "the site requires a slash at the end of the path (HTTP \(response.status))"
            error?.fact = .missingSlash(path: "\(request.path)/")
        }
        return APIResponse(
            response, error, wasPassedOn: sent.reception.sink?.hasBegun ?? false, url: sent.url)
    }

    /// Returns the request for the next page if the response contains its URL; see `LinkedPages`.
    func page(after response: APIResponse, _ list: JSONList, to request: APIRequest) throws(AuthError) -> APIRequest? {
        try LinkedPages.page(after: response, list, to: request, base: request.base ?? base, masker)
    }
}

extension ServerClient {
    init(_ site: Site, _ transports: Transports) throws(AuthError) {
        let base = try site.server()
        self.init(base, try transports.network(base), transports)
    }

    /// - Parameter transport: the transport to the base URL.
    init(_ base: String, _ transport: any HTTPTransport, _ transports: Transports) {
        self.init(
            base: base, transport: transport, network: transports.network, clock: transports.clock,
            masker: transports.masker)
    }

    /// Returns a client for all paths of the server's origin. `authctl api` also sends requests to views outside the
    /// base URL.
    func atOrigin() throws(AuthError) -> ServerClient {
        guard let origin = URLParts(base)?.origin else {
            throw AuthError(.internal, "the server URL '\(base)' has no origin")
        }
        return ServerClient(
            base: origin, transport: try network(origin), network: network, clock: clock, masker: masker)
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

    /// Returns the error for a response that has a success status but lacks the required content.
    ///
    /// - Parameter fault: the error message; `nil` if the body is not the required JSON.
    func invalid(_ fault: String? = nil) -> AuthError {
        AuthError(.invalidResponse, fault ?? http.formFault(masker), server: ServerDetail(status: http.status))
    }
}

extension HTTPResponse {
    /// Whether this is Django's error page for a request with a body and a missing slash. Django sends the page if
    /// `DEBUG` and `APPEND_SLASH` are on, because it cannot redirect such a request. Source:
    /// `CommonMiddleware.get_full_path_with_slash`, Django 4.2 and 5.2.
    fileprivate var isMissingSlash: Bool {
        status == 500
            && String(decoding: body, as: UTF8.self).holds("end in a slash and you have APPEND_SLASH set.")
    }
}

extension HTTPRequest {
    fileprivate init(_ request: APIRequest, to base: String, _ authentication: [HeaderField]) {
        var headers: HTTPHeaders = [:]
        for field in request.headers { headers.add(field.name, field.value.reveal()) }
        if headers["Accept"] == nil { headers["Accept"] = "*/*" }
        for field in authentication { headers[field.name] = field.value.reveal() }
        let reads = ["GET", "HEAD", "OPTIONS"].contains(request.method)
        self.init(
            Method(rawValue: request.method), base + request.path + (request.query.map { "?\($0)" } ?? ""),
            headers: headers, isIdempotent: reads)
        switch request.body {
        case .bytes(let bytes): body = bytes
        case .source(let source): bodySource = source
        case nil: break
        }
        stallLimit = request.stallLimit
        switch request.reception {
        // The response to a write may contain a new session. The session must be saved before the sink gets the body.
        case .stream(let sink): reception = .streamed(BodySink(sink, url: url), holdsSuccess: !reads)
        case .page(let limit): reception = .whole(limit: limit)
        }
    }
}

extension BodySink {
    fileprivate convenience init(_ sink: APIRequest.Sink, url: String) {
        self.init(
            begin: { response throws(Errno) in
                try sink.begin(APIResponse(response, nil, wasPassedOn: true, url: url))
            },
            write: sink.write)
    }
}

extension APIResponse {
    fileprivate init(_ response: HTTPResponse, _ error: AuthError?, wasPassedOn: Bool, url: String) {
        self.init(
            status: response.status, headers: response.headers.fields.map { Field($0.name, $0.value) },
            body: response.body, wasPassedOn: wasPassedOn, error: error, url: url)
    }

    /// The JSON object in the body of a successful response; `nil` if there is none.
    var heldObject: JSONObject? {
        guard error == nil, !body.isEmpty else { return nil }
        // `try?`: a body that is not JSON contains no object.
        return (try? JSONValue(parsing: body))?.object
    }
}
