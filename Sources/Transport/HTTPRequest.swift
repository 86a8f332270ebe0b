package import JSON

/// One request.
package struct HTTPRequest: Sendable, Equatable {
    /// A method name, as it stands in the request line.
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
    /// `nil`: none, and no `Content-Length` but for the methods that expect a body.
    package var body: [UInt8]?
    /// Whether a second one has no further effect, so that it may be sent again when an answer was lost.
    package var isRepeatable: Bool
    /// The longest that it may take from start to end, by the wall clock; `nil`: as the transport is set.
    package var timeLimit: Duration?
    /// Whether no connection is good for it that was there before: it may be dead, and libcurl would send it twice.
    package var wantsNewConnection = false
    /// The secrets that it carries, and the other tokens of its session: `RedactingTransport` masks them in the response.
    package var secrets: [String] = []
    /// The keys of the application in it. They are often plain words (`test`), and good responses do not repeat them:
    /// `RedactingTransport` masks them only where a server or a proxy reports an error.
    package var applicationKeys: [String] = []
    /// Names that the user typed. A string of the response that equals one of them, in any case, is not masked, even if a
    /// secret is the same word.
    package var publicValues: [String] = []
    /// The JSON members whose values the sender reads as tokens: `access_token`, `meta.session_token`.
    ///
    /// `RedactingTransport` leaves these members as they are, and masks their values everywhere else in the response. It
    /// does not know the token in any other member: that one passes unless it equals a secret of the request.
    package var tokenMembers: [String] = []

    /// - Parameter isRepeatable: `nil`: a GET is, others are not.
    package init(
        _ method: Method, _ url: String, headers: HTTPHeaders = [:], body: [UInt8]? = nil, isRepeatable: Bool? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.isRepeatable = isRepeatable ?? (method == .get)
    }
}

/// One whole response.
package struct HTTPResponse: Sendable, Equatable {
    /// 100 to 599.
    package var status: Int
    package var headers: HTTPHeaders
    /// Decoded; empty where there was none.
    package var body: [UInt8]
    /// The body as JSON; `nil` if it is not JSON. `RedactingTransport` sets it, below it is always `nil`.
    package var json: JSONValue?

    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
