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
    package var reception = Reception.whole(limit: 1 << 20)
    /// Whether the request is idempotent, so that it may be retried.
    package var isIdempotent: Bool
    /// The time limit of the whole request; `nil`: the transport's own limit.
    package var timeLimit: Duration?
    /// How long both directions may be idle. If it is set, `timeLimit` limits only the time in which retries start.
    package var stallLimit: Duration?
    /// Whether the request needs a new connection: a reused one may be dead, and libcurl would send the request twice.
    package var wantsNewConnection = false

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

package struct HTTPResponse: Sendable, Equatable {
    /// 100 to 599.
    package var status: Int
    package var headers: HTTPHeaders
    /// Empty if there was none, or if a sink received it.
    package var body: [UInt8]

    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
