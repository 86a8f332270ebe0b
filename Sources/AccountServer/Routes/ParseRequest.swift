import JSON
internal import Transport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request after everything that concerns all routes: read, admitted, and its caller known.
struct ParseRequest {
    /// Who sent it, proved by a session token.
    struct Caller {
        let token: SessionToken
        let session: Session
    }

    /// 1 MiB. Parse's default is 20 MB, for files, which are not kept here.
    static let maximumBodySize = 1 << 20

    let headers: HTTPHeaders
    let target: RequestTarget
    /// What the pattern of the route took from the path.
    var parameters: [String: String] = [:]
    /// Empty where the body was, and where it was an array.
    let body: JSONObject
    var caller: Caller?

    /// The token as it was sent; `nil` if there was none.
    var sentToken: SessionToken? {
        guard let text = headers["X-Parse-Session-Token"], !text.isEmpty else { return nil }
        return SessionToken(text)
    }

    var installationID: String? {
        guard let id = headers["X-Parse-Installation-Id"], !id.isEmpty else { return nil }
        return id
    }

    /// The session of the caller, for routes that nobody else may use.
    func requiredCaller() throws(RouteError) -> Caller {
        guard let caller else { throw .refused(.invalidSessionToken) }
        return caller
    }

    init(_ request: HTTPRequest, target: RequestTarget) throws(RouteError) {
        headers = request.headers
        self.target = target
        body = try Self.body(of: request)
    }

    /// Parse reads JSON whatever the content type says, and nothing where no type was given.
    private static func body(of request: HTTPRequest) throws(RouteError) -> JSONObject {
        guard var data = request.body, !data.isEmpty else { return [:] }
        guard data.count <= maximumBodySize else { throw .answered(.refusal(413, "request entity too large")) }
        guard let type = request.headers["Content-Type"], !type.isEmpty else { return [:] }
        if data.starts(with: [0xEF, 0xBB, 0xBF]) { data = data.dropFirst(3) }
        switch try json(data) {
        case .object(let object): return object
        case .array: return [:]
        default: throw .answered(.refusal(400, "the body is JSON, but neither an object nor an array"))
        }
    }

    /// Parse's text quotes the body around the fault, maybe the password; ours tells the place only.
    private static func json(_ data: Data) throws(RouteError) -> JSONValue {
        do {
            return try JSONValue(parsing: Data(data))
        } catch {
            throw .answered(.refusal(400, "the body is not JSON: \(error.description) at byte \(error.offset)"))
        }
    }
}
