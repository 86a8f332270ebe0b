import AuthModel
import JSON
import Platform
import Transport

/// Sends requests of the user.
struct APISender: Sendable {
    typealias Failure = AuthError

    /// The URL that the paths of requests are relative to, without a trailing slash.
    let base: String
    /// The transport to that URL and everything below it.
    let transport: @Sendable () throws(Failure) -> any HTTPTransport
    /// The transport to another base URL.
    let network: Transports.Network
    let clock: WallClock
    let masker: Masker

    /// Sends a request. A response without a success status has an error from the table.
    ///
    /// Application keys go only to the server's own base.
    ///
    /// - Parameter application: the fields that identify the application in a request without a session.
    func send<Table: ErrorTable>(
        _ request: APIRequest, _ headers: SessionHeaders?, application: [HeaderField] = [], errors table: Table.Type
    ) throws(AuthError) -> APIResponse {
        let base = request.base ?? self.base
        let isOwnBase = request.base == nil
        let fields = headers.map { isOwnBase ? $0.all : [$0.session] } ?? (isOwnBase ? application : [])
        let sent = HTTPRequest(request, to: base, fields)
        let route = request.base == nil ? try transport() : try network(base)
        let response = try route.response(to: sent, .callAPI, mayLackSlash: true)
        var error =
            (200..<300).contains(response.status) || response.status == 304
            ? nil : table.error(for: response, to: sent, .callAPI, now: clock.now(), masker)
        if response.isMissingSlash {
            error?.message = "the site requires a slash at the end of the path (HTTP \(response.status))"
            error?.fact = .missingSlash(path: "\(request.path)/")
        }
        return APIResponse(
            response, error, wasPassedOn: sent.reception.sink?.hasBegun ?? false, url: sent.url)
    }
}

extension APISender {
    /// For a site whose requests may reach any path of its origin.
    init(ofSite server: String, network: @escaping Transports.Network, clock: WallClock, _ masker: Masker)
        throws(AuthError)
    {
        guard let origin = URLParts(server)?.origin else {
            throw AuthError(.internal, "the server URL '\(server)' has no origin")
        }
        self.init(
            base: origin, transport: { () throws(AuthError) in try network(origin) }, network: network, clock: clock,
            masker: masker)
    }
}

extension HTTPResponse {
    /// Whether it is the page of a Django site with `DEBUG` and `APPEND_SLASH`, which cannot redirect a request with a
    /// body. Source: `CommonMiddleware.get_full_path_with_slash`, Django 4.2 and 5.2.
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
        // The response to a change may carry a new session, which must be saved before anything else.
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

    /// The object in the body of a successful response that was held for it.
    var heldObject: JSONObject? {
        guard error == nil, !body.isEmpty else { return nil }
        // `try?`: a body of another kind carries no session.
        return (try? JSONValue(parsing: body))?.object
    }
}
