package import JSON
package import Platform

/// A backend that can send any request that the user specifies, with or without a session.
package protocol RequestSending: Backend {
    /// The header fields that authenticate a request with a session. No other code builds these fields.
    func headers(of session: Session) -> SessionHeaders

    /// - Parameter session: if `nil`, only the application's header fields are added to the request.
    /// - Throws: an error if there is no response. A response with any status is returned.
    func send(_ request: APIRequest, with session: Session?) throws(AuthError) -> Reply<APIResponse>

    /// The request for the first page of a list.
    func firstPage(of request: APIRequest) throws(AuthError) -> APIRequest

    /// The request for the next page; `nil` if the response was the last page.
    ///
    /// - Throws: `AuthError` `redirect` if the next page is not below the base URL.
    func page(after response: APIResponse, _ list: JSONList, to request: APIRequest) throws(AuthError) -> APIRequest?
}

/// A backend whose web pages read their session from the browser's storage.
package protocol BrowserSessionStoring: Backend {
    /// - Parameter saved: the saved user; without an id if only the token is known.
    /// - Throws: `AuthError` `unsupported` if no web page of the server can use this session.
    func browserEntry(of session: Session, _ saved: User) throws(AuthError) -> BrowserEntry
}

/// An entry in a browser's storage.
package enum BrowserEntry: Sendable, Equatable {
    case localStorage(name: String, value: Secret)
    /// A cookie for the server's host. `usualName` is the default name of the cookie, which a site can change.
    case cookie(usualName: String, value: Secret)
}

/// The header fields that authenticate a request.
package struct SessionHeaders: Sendable, Equatable {
    /// The fields that identify the application: Parse's application id and REST key.
    package let application: [HeaderField]
    /// The field that carries the session.
    package let session: HeaderField
    /// The authentication scheme, such as `Bearer`; `nil` if the session is not in the `Authorization` field.
    package let scheme: String?

    /// Puts the session into a field other than `Authorization`.
    package init(_ name: String, _ session: Session, application: [HeaderField] = []) {
        self.application = application
        self.session = HeaderField(name, session.token.reveal())
        scheme = nil
    }

    /// Puts the session into the `Authorization` field.
    package init(scheme: String, _ session: Session) {
        application = []
        self.session = HeaderField("Authorization", "\(scheme) \(session.token.reveal())")
        self.scheme = scheme
    }

    package var all: [HeaderField] { application + [session] }
}

/// A request from the user, without the header fields that authenticate it.
package struct APIRequest: Sendable {
    package enum Body: Sendable {
        case bytes([UInt8])
        /// A source that is read while the request is sent.
        case source(ByteSource)
    }

    package var method: String
    /// The percent-encoded path below the base URL. It begins with `/` and has no dot segments.
    package var path: String
    /// The percent-encoded query, without the `?`.
    package var query: String?
    package var headers: [HeaderField]
    package var body: Body?
    /// The base URL to which `path` is appended; `nil` for the server's base URL.
    package var base: String?
    /// How long the transfer may stall; if `nil`, a time limit applies to the whole request instead.
    package var stallLimit: Duration?
    package var reception: Reception

    /// What happens to the body of the response.
    package enum Reception: Sendable {
        /// The body is passed to the sink while it arrives. Exception: if the status is not 2xx, or the method is not
        /// GET, HEAD or OPTIONS, a body of up to 1 MiB is returned.
        case stream(Sink)
        /// The body of every response is returned. A body of more than `limit` bytes is an error.
        case page(limit: Int)
    }

    /// Receives a response while it arrives: first its head, then the pieces of its body.
    package struct Sink: Sendable {
        package let begin: @Sendable (APIResponse) throws(Errno) -> Void
        package let write: @Sendable (UnsafeRawBufferPointer) throws(Errno) -> Void

        package init(
            begin: @escaping @Sendable (APIResponse) throws(Errno) -> Void,
            write: @escaping @Sendable (UnsafeRawBufferPointer) throws(Errno) -> Void
        ) {
            self.begin = begin
            self.write = write
        }
    }

    package init(
        _ method: String, _ path: String, query: String? = nil, headers: [HeaderField] = [], body: Body? = nil,
        base: String? = nil, stallLimit: Duration? = nil, reception: Reception
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.base = base
        self.stallLimit = stallLimit
        self.reception = reception
    }
}

/// A response to a request from the user.
package struct APIResponse: Sendable, Equatable {
    package struct Field: Sendable, Equatable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package let status: Int
    package let headers: [Field]
    /// The body; empty if the sink received it.
    package let body: [UInt8]
    /// Whether the sink received the response. If so, the request must not be repeated.
    package let wasPassedOn: Bool
    /// The error that the response indicates; `nil` for status 2xx or 304.
    package var error: AuthError?
    /// The URL of the request.
    package let url: String

    package init(
        status: Int, headers: [Field] = [], body: [UInt8] = [], wasPassedOn: Bool = false, error: AuthError? = nil,
        url: String = ""
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.wasPassedOn = wasPassedOn
        self.error = error
        self.url = url
    }

    /// The value of the first header field with this name. `name` must be lowercase.
    package func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
}
