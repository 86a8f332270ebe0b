package import JSON

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
