import JSON
internal import Transport

/// A request after everything that concerns all routes: read, admitted, and its caller known.
struct ParseRequest {
    /// Who sent it, proved by a session token.
    struct Caller {
        let token: SessionToken
        let session: SessionRow
        var userID: String { session.userID }
    }

    /// What is asked for: `GET` for a `HEAD`, and what `_method` says in the body of a `POST`.
    let method: HTTPRequest.Method
    let headers: HTTPHeaders
    let target: RequestTarget
    let keys: RequestKeys
    /// What the pattern of the route took from the path.
    var parameters: [String: String] = [:]
    /// Without members that begin with an underscore: those are about the request, and no fields.
    let body: JSONObject
    var caller: Caller?

    /// The token as it was sent; `nil` if there was none.
    var sentToken: SessionToken? { keys.sessionToken.map(SessionToken.init) }
    var installationID: String? { keys.installationID }
    /// The `:id` of the path.
    var pathID: String { parameters["id"] ?? "" }
    /// Whether a script sent it, and wants no page.
    var isFromScript: Bool { headers["X-Requested-With"]?.lowercased() == "xmlhttprequest" }

    /// The session of the caller, for routes that nobody else may use.
    func requiredCaller(_ refusal: ParseError = .invalidSessionToken) throws(RouteError) -> Caller {
        guard let caller else { throw .refused(refusal) }
        return caller
    }

    /// - Parameter application: the id that opens this server.
    init(_ request: HTTPRequest, target: RequestTarget, application: String) throws(RouteError) {
        let fields = try RequestBody.fields(of: request)
        headers = request.headers
        self.target = target
        keys = RequestKeys(request.headers, fields, application: application)
        method = Self.method(request.method, fields)
        body = JSONObject(fields.members.filter { !$0.name.hasPrefix("_") })
    }

    private static func method(_ sent: HTTPRequest.Method, _ fields: JSONObject) -> HTTPRequest.Method {
        if sent == .head { return .get }
        guard sent == .post, let wanted = fields["_method"]?.string else { return sent }
        return HTTPRequest.Method(rawValue: wanted)
    }

    /// What a reading request asks for: the query, then the body, which a browser's `POST` uses for it.
    var options: JSONObject {
        JSONObject(JSONObject(firstOf: target.query).members + body.members)
    }

    /// The fields of a login: those of the body, or the query's where the body names nobody.
    var credentials: JSONObject {
        let query = JSONObject(firstOf: target.query)
        let isInQuery = ["username", "email"].contains { name in
            (body[name] ?? .null).isFalsy && !(query[name] ?? .null).isFalsy
        }
        return isInQuery ? query : body
    }
}
