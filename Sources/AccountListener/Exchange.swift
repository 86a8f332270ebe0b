import CLibevent
import Transport

/// A request that libevent owns, and its response.
///
/// The request is valid until the response is sent or the connection closes.
final class Exchange {
    private let request: OpaquePointer
    let method: HTTPRequest.Method
    /// The request target as sent: path and query.
    let target: String
    private(set) var isOver = false
    /// The job that the request waits for.
    var job: UInt64?
    /// When the database was first locked for the request.
    var lockedSince: Duration?

    init(_ request: OpaquePointer) {
        self.request = request
        method = HTTPRequest.Method(evhttp_request_get_command(request))
        target = evhttp_request_get_uri(request).map { String(cString: $0) } ?? ""
    }

    var connection: OpaquePointer? { evhttp_request_get_connection(request) }

    /// The path without the query, for the log.
    var path: Substring { target.prefix { $0 != "?" } }

    func headers(named name: String) -> [String] {
        headers.values(name)
    }

    lazy var headers: HTTPHeaders = {
        var fields: [HTTPHeaders.Field] = []
        fields.reserveCapacity(16)
        var next = evhttp_request_get_input_headers(request)?.pointee.tqh_first
        while let field = next {
            fields.append(
                HTTPHeaders.Field(
                    name: String(cString: field.pointee.key), value: String(cString: field.pointee.value)))
            next = field.pointee.next.tqe_next
        }
        return HTTPHeaders(fields)
    }()

    /// The request in the form that the account server takes.
    func httpRequest(origin: String) -> HTTPRequest {
        HTTPRequest(method, origin + target, headers: headers, body: body)
    }

    private var body: [UInt8]? {
        guard let buffer = evhttp_request_get_input_buffer(request) else { return nil }
        let count = evbuffer_get_length(buffer)
        guard count > 0, let bytes = evbuffer_pullup(buffer, -1) else { return nil }
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    /// Sends the response, at most once.
    func answer(_ response: HTTPResponse) {
        guard !isOver else { return }
        isOver = true
        let output = evhttp_request_get_output_headers(request)
        for field in response.headers.fields {
            // Passing strings would create an array for each.
            field.name.withCString { name in
                field.value.withCString { value in _ = evhttp_add_header(output, name, value) }
            }
        }
        let buffer = evbuffer_new()
        defer { evbuffer_free(buffer) }
        response.body.withUnsafeBytes { bytes in
            _ = evbuffer_add(buffer, bytes.baseAddress, bytes.count)
        }
        evhttp_send_reply(request, Int32(response.status), nil, buffer)
    }

    /// The connection has closed, and no response can be sent.
    func abandon() {
        isOver = true
        // libevent leaves a request without a response to its owner if the client disconnects.
        if connection == nil { evhttp_request_free(request) }
    }

    /// Calls `completed` when the response has been sent.
    func whenSent(
        _ completed: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void,
        _ context: UnsafeMutableRawPointer
    ) {
        evhttp_request_set_on_complete_cb(request, completed, context)
    }
}

extension HTTPRequest.Method {
    fileprivate init(_ command: evhttp_cmd_type) {
        switch command {
        case EVHTTP_REQ_GET: self = .get
        case EVHTTP_REQ_POST: self = .post
        case EVHTTP_REQ_PUT: self = .put
        case EVHTTP_REQ_DELETE: self = .delete
        case EVHTTP_REQ_HEAD: self = HTTPRequest.Method(rawValue: "HEAD")
        case EVHTTP_REQ_OPTIONS: self = HTTPRequest.Method(rawValue: "OPTIONS")
        default: self = HTTPRequest.Method(rawValue: "UNKNOWN")
        }
    }
}
