import Platform
import Transport

/// A validated request with its proxy and its time limits.
struct CurlTransfer {
    let request: HTTPRequest
    let url: CurlURL
    let proxy: Proxy?
    let limit: Duration
    let connectLimit: Duration
    /// Header lines for libcurl: `Name: value`, `Name;` for an empty value, `Name:` to remove libcurl's default.
    let headerLines: [String]
    /// The path of a file with trusted CA certificates, if the user set one.
    let authorities: String?

    /// - Throws: `TransportError` `unavailable` if the URL, the method or a header line is invalid; `unusableSetting`
    ///   if the URL of the proxy is invalid.
    init(_ request: HTTPRequest, _ settings: NetworkSettings) throws(TransportError) {
        guard let url = CurlURL(request.url), ["http", "https"].contains(url.scheme), !url.hasUser else {
            throw TransportError(.unavailable, "cannot send a request to this URL")
        }
        guard request.method.rawValue.isHTTPToken else {
            throw TransportError(.unavailable, "cannot send a request with this method")
        }
        self.request = request
        self.url = url
        proxy = try Proxy.onTheWay(to: url, settings)
        limit = request.timeLimit ?? settings.timeLimit
        authorities = settings.authorities
        connectLimit = min(settings.connectLimit, limit)
        headerLines = try lines(of: request.headers)
    }

    /// The body to send. POST and PUT always have a body, so that `Content-Length: 0` is sent (RFC 9110, section 8.6).
    var body: [UInt8]? {
        let isExpected = request.method == .post || request.method == .put
        return request.body ?? (isExpected ? [] : nil)
    }
}

private func lines(of headers: HTTPHeaders) throws(TransportError) -> [String] {
    var lines: [String] = []
    for field in headers.fields {
        guard field.name.isHTTPToken, !field.value.utf8.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D }) else {
            throw TransportError(.unavailable, "cannot send an invalid header line")
        }
        let isBlank = field.value.utf8.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        lines.append(isBlank ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    for name in ["Accept", "Content-Type", "Expect"] where headers[name] == nil { lines.append("\(name):") }
    return lines
}
