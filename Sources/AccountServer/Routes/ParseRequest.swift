import JSON
internal import Transport

/// A request after the steps common to all routes: its body is parsed, its keys are checked, and its caller is known.
struct ParseRequest {
    /// The effective method: `GET` for a `HEAD`, and `_method` in the body of a `POST`.
    let method: HTTPRequest.Method
    let headers: HTTPHeaders
    let target: RequestTarget
    let keys: RequestKeys
    /// The values of the path parameters.
    var parameters: [String: String] = [:]
    /// Without the members that describe the request and are not fields.
    let body: JSONObject
    var caller: Caller?
    /// Whether no client waits for the response any more.
    var isAbandoned: @Sendable () -> Bool = { false }
    /// Whether the body is large, see `ParseRoutes.large`.
    var isLarge = false

    /// The token as sent; `nil` if there was none.
    var sentToken: SessionToken? { keys.sessionToken.map(SessionToken.init) }
    var installationID: String? { keys.installationID }
    /// The path parameter `:id`.
    var pathID: String { parameters["id"] ?? "" }
    /// Whether a script sent the request and expects JSON instead of a page.
    var isFromScript: Bool { headers["X-Requested-With"]?.lowercased() == "xmlhttprequest" }

    /// The caller, for routes that require a session.
    func requiredCaller(_ refusal: ParseError = .invalidSessionToken) throws(RouteError) -> Caller {
        guard let caller else { throw .refused(refusal) }
        return caller
    }

    /// Parse's SDKs for browsers send these members instead of headers, and all SDKs send members that begin with two
    /// underscores, such as `__type`. Source: Parse Server, `middlewares.js`.
    private static func describesRequest(_ name: String) -> Bool {
        switch name {
        case "_method", "_noBody", "_ApplicationId", "_JavaScriptKey", "_ClientVersion", "_InstallationId",
            "_SessionToken", "_MasterKey", "_RevocableSession", "_ContentType", "_context":
            true
        default: name.hasPrefix("__")
        }
    }

    /// The effective method of a request with these fields.
    static func method(_ sent: HTTPRequest.Method, _ fields: JSONObject) -> HTTPRequest.Method {
        if sent == .head { return .get }
        guard sent == .post, let wanted = fields["_method"]?.string else { return sent }
        return HTTPRequest.Method(rawValue: wanted)
    }

    /// The parameters of a GET request: the query, then the body, because browsers send the parameters in a `POST`
    /// body.
    var options: JSONObject {
        JSONObject(JSONObject(firstOf: target.query).members + body.members)
    }

    /// The fields of a login: the body, or the query if the body contains no username or address.
    var credentials: JSONObject {
        let query = JSONObject(firstOf: target.query)
        let isInQuery = ["username", "email"].contains { name in
            (body[name] ?? .null).isFalsy && !(query[name] ?? .null).isFalsy
        }
        return isInQuery ? query : body
    }
}

extension ParseRequest {
    /// - Parameter application: the server's application id.
    init(_ request: HTTPRequest, target: RequestTarget, application: String) throws(RouteError) {
        let fields = try RequestBody.fields(of: request)
        self.init(
            method: Self.method(request.method, fields), headers: request.headers, target: target,
            keys: RequestKeys(request.headers, fields, application: application), body: Self.fields(in: fields))
    }

    /// A request in a batch, with the credentials of the batch.
    func subrequest(_ method: HTTPRequest.Method, _ target: RequestTarget, body: JSONObject) -> ParseRequest {
        ParseRequest(
            method: method, headers: headers, target: target, keys: keys, body: Self.fields(in: body), caller: caller,
            isAbandoned: isAbandoned, isLarge: isLarge)
    }

    private static func fields(in body: JSONObject) -> JSONObject {
        JSONObject(body.members.filter { !describesRequest($0.name) })
    }
}
