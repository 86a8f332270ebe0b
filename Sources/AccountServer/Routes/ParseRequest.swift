import JSON
internal import Transport

/// A request after the steps common to all routes: parsing the body, checking the keys, and finding the caller.
struct ParseRequest {
    /// The effective method: `GET` for a `HEAD` request, or `_method` from the body of a `POST` request.
    let method: HTTPRequest.Method
    let headers: HTTPHeaders
    let target: RequestTarget
    let keys: RequestKeys
    /// The values of the path parameters.
    var parameters: [String: String] = [:]
    /// The fields in the body, without members that describe the request, such as `_method`.
    let body: JSONObject
    var caller: Caller?
    /// Whether the body is large, see `ParseRoutes.large`.
    var isLarge = false
    /// Whether the client is gone.
    var isAbandoned: () -> Bool = { false }

    /// The session token that the client sent; `nil` if there was none.
    var sentToken: SessionToken? { keys.sessionToken.map(SessionToken.init) }
    var installationID: String? { keys.installationID }
    /// The path parameter `:id`.
    var pathID: String { parameters["id"] ?? "" }
    /// Whether a script sent the request and expects JSON instead of a page.
    var isFromScript: Bool { headers["X-Requested-With"]?.lowercased() == "xmlhttprequest" }

    /// The caller, for routes that require a session.
    func requiredCaller(_ refusal: ParseError = .invalidSessionToken) throws(RequestError) -> Caller {
        guard let caller else { throw .refused(refusal) }
        return caller
    }

    /// Whether a member describes the request. Parse's SDKs for browsers send such members instead of headers, and all
    /// SDKs send members that begin with two underscores, such as `__type`. Source: Parse Server, `middlewares.js`.
    private static func describesRequest(_ name: String) -> Bool {
        switch name {
        case "_method", "_noBody", "_ApplicationId", "_JavaScriptKey", "_ClientVersion", "_InstallationId",
            "_SessionToken", "_MasterKey", "_RevocableSession", "_ContentType", "_context":
            true
        default: name.hasPrefix("__")
        }
    }

    /// The effective method of a request with these fields in the body.
    static func method(_ sent: HTTPRequest.Method, _ fields: JSONObject) -> HTTPRequest.Method {
        if sent == .head { return .get }
        guard sent == .post, let wanted = fields["_method"]?.string else { return sent }
        return HTTPRequest.Method(rawValue: wanted)
    }

    /// The parameters of a GET request, from the query and then from the body. Browser SDKs send a GET request as a
    /// `POST` with the parameters in the body.
    var options: JSONObject {
        JSONObject(JSONObject(firstOf: target.query).members + body.members)
    }

    /// The fields of a login: the query if it contains a username or an address that the body lacks, otherwise the
    /// body. Parse Server makes the same choice.
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
    init(_ request: HTTPRequest, target: RequestTarget, application: String) throws(RequestError) {
        let fields = try RequestBody.fields(of: request)
        self.init(
            method: Self.method(request.method, fields), headers: request.headers, target: target,
            keys: RequestKeys(request.headers, fields, application: application), body: Self.fields(in: fields))
    }

    /// A request in a batch, with the credentials of the batch request.
    func subrequest(_ method: HTTPRequest.Method, _ target: RequestTarget, body: JSONObject) -> ParseRequest {
        ParseRequest(
            method: method, headers: headers, target: target, keys: keys, body: Self.fields(in: body), caller: caller,
            isLarge: isLarge, isAbandoned: isAbandoned)
    }

    private static func fields(in body: JSONObject) -> JSONObject {
        JSONObject(body.members.filter { !describesRequest($0.name) })
    }
}

/// Parses the fields of a request body.
enum RequestBody {
    /// 1 MiB. Parse's default of 20 MB is for files, which this server does not store.
    static let maximumSize = 1 << 20

    /// The result is empty if the body is empty or an array, or if there is no content type.
    ///
    /// As in Parse, a body of any content type other than a form is parsed as JSON.
    static func fields(of request: HTTPRequest) throws(RequestError) -> JSONObject {
        guard let data = request.body, !data.isEmpty else { return [:] }
        guard data.count <= maximumSize else { throw .answered(.refusal(413, "request entity too large")) }
        guard let type = request.headers["Content-Type"], !type.isEmpty else { return [:] }
        let parts = type.split(separator: ";").map { $0.trimmed.lowercased() }
        try checkCharacterSet(parts.dropFirst())
        if parts.first == "application/x-www-form-urlencoded" { return try form(data) }
        return try object(in: data)
    }

    private static func checkCharacterSet(_ parameters: ArraySlice<String>) throws(RequestError) {
        guard let parameter = parameters.first(where: { $0.hasPrefix("charset=") }) else { return }
        let name = parameter.dropFirst("charset=".count).filter { $0 != "\"" }
        guard name == "utf-8" else {
            throw .answered(.refusal(415, "unsupported charset \"\(name.uppercased())\""))
        }
    }

    private static func form(_ data: [UInt8]) throws(RequestError) -> JSONObject {
        let pairs = RequestTarget.pairs(String(decoding: data, as: UTF8.self)[...])
        guard !pairs.contains(where: { $0.name.hasTooManyMarks || $0.value.hasTooManyMarks }) else {
            throw .answered(.refusal(400, "too many combining marks in the form"))
        }
        return JSONObject(firstOf: pairs)
    }

    private static func object(in data: [UInt8]) throws(RequestError) -> JSONObject {
        switch try json(data) {
        case .object(let object): return object
        case .array: return [:]
        default: throw .answered(.refusal(400, "the body is JSON, but neither an object nor an array"))
        }
    }

    /// Invalid UTF-8 becomes U+FFFD, as in Parse.
    ///
    /// Parse's error message quotes a part of the body, and so may contain a password. This server reports only the
    /// offset of the error.
    private static func json(_ data: [UInt8]) throws(RequestError) -> JSONValue {
        do throws(JSONSyntaxError) {
            return try JSONValue(parsing: data)
        } catch {
            let repaired = Array(String(decoding: data, as: UTF8.self).utf8)
            // `try?`: if the second attempt fails, report the first error.
            if repaired != data, let value = try? JSONValue(parsing: repaired) { return value }
            throw .answered(.refusal(400, "the body is not JSON: \(error.description) at byte \(error.offset)"))
        }
    }
}

extension JSONObject {
    /// The names and values of a form or query. The first occurrence of a name wins.
    init(firstOf pairs: [(name: String, value: String)]) {
        var names: Set<String> = []
        self.init(
            pairs.filter { names.insert($0.name).inserted }.map { Member(name: $0.name, value: .string($0.value)) })
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        let end = start.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { start[...$0] } ?? ""
    }
}
