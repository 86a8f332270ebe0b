package import JSON
package import Platform

package struct HTTPRequest: Sendable, Equatable {
    /// A method name, as sent in the request line.
    package struct Method: RawRepresentable, Sendable, Equatable {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        package static let get = Method(rawValue: "GET")
        package static let post = Method(rawValue: "POST")
        package static let put = Method(rawValue: "PUT")
        package static let patch = Method(rawValue: "PATCH")
        package static let delete = Method(rawValue: "DELETE")
        package static let head = Method(rawValue: "HEAD")
        package static let options = Method(rawValue: "OPTIONS")
    }

    package var method: Method
    /// The absolute URL, percent-encoded, with its query.
    package var url: String
    package var headers: HTTPHeaders
    /// `nil`: no body, and no `Content-Length` except for methods that expect a body.
    package var body: [UInt8]?
    /// A body that is read while it is sent, instead of `body`.
    package var bodySource: ByteSource?
    package var reception = Reception.masked
    /// Whether the request is idempotent, so that it may be retried.
    package var isIdempotent: Bool
    /// The time limit of the whole request; `nil`: the transport's own limit.
    package var timeLimit: Duration?
    /// How long both directions may be idle. If it is set, `timeLimit` limits only the time in which retries start.
    package var stallLimit: Duration?
    /// Whether the request needs a new connection: a reused one may be dead, and libcurl would send the request twice.
    package var wantsNewConnection = false
    /// The secrets of the request, and the other tokens of its session: `RedactingTransport` masks them.
    package var secrets: [String] = []
    /// The application keys in the request. They are often plain words (`test`), and successful responses do not repeat
    /// them: `RedactingTransport` masks them only in error responses.
    package var applicationKeys: [String] = []
    /// Names that the user typed. A string of the response that equals one of them, in any case, is not masked, even if
    /// a secret is the same word.
    package var publicValues: [String] = []
    /// The JSON members whose values the backend reads as tokens: `access_token`, `meta.session_token`.
    ///
    /// `RedactingTransport` does not change these members, and masks their values everywhere else in the response. A
    /// token in a member that is not listed is not masked, unless it equals a secret of the request.
    package var tokenMembers: [String] = []

    /// - Parameter isIdempotent: `nil`: true for GET only.
    package init(
        _ method: Method, _ url: String, headers: HTTPHeaders = [:], body: [UInt8]? = nil, isIdempotent: Bool? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.isIdempotent = isIdempotent ?? (method == .get)
    }
}

/// A complete response.
package struct HTTPResponse: Sendable, Equatable {
    /// 100 to 599.
    package var status: Int
    package var headers: HTTPHeaders
    /// Empty if there was none, or if a sink received it.
    package var body: [UInt8]
    /// The body as JSON; `nil` if it is not JSON. Set by `RedactingTransport`; `nil` in the transports inside it.
    package var json: JSONValue?

    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
