package import JSON
package import Platform

/// A backend whose sessions authenticate requests of the user.
package protocol RequestSending: Backend {
    /// The header fields that carry a session. No other code knows them.
    func headers(of session: Session) -> SessionHeaders

    /// Sends a request of the user.
    ///
    /// - Parameter session: `nil`: the request carries only the application's header fields.
    /// - Throws: an error without a response. A response of any status is a result.
    func send(_ request: APIRequest, with session: Session?) throws(AuthError) -> Reply<APIResponse>

    /// The request for the first page of a list.
    func firstPage(of request: APIRequest) throws(AuthError) -> APIRequest

    /// The request for the page after a response; `nil` if it was the last one.
    ///
    /// - Throws: `AuthError` `redirect` if the next page is not below the base URL.
    func page(after response: APIResponse, _ list: JSONList, to request: APIRequest) throws(AuthError) -> APIRequest?
}

/// A backend whose web pages find their session in the browser's storage.
package protocol BrowserSessionStoring: Backend {
    /// - Parameter user: returns the saved user, or requests the user if only the token is known.
    /// - Throws: `AuthError` `unsupported` if no page can use this session.
    func browserEntry(
        of session: Session, _ user: () throws(AuthError) -> User
    ) throws(AuthError) -> BrowserEntry
}

/// An entry in the storage of a browser.
package enum BrowserEntry: Sendable, Equatable {
    case localStorage(name: String, value: Secret)
    /// A cookie for the server's host. A site can choose another name.
    case cookie(usualName: String, value: Secret)
}

/// The header fields that authenticate a request.
package struct SessionHeaders: Sendable, Equatable {
    /// The fields that identify the application: Parse's application id and REST key.
    package let application: [HeaderField]
    /// The field that carries the session.
    package let session: HeaderField
    /// The scheme, if that field is `Authorization`: `Bearer`.
    package let scheme: String?

    /// A session in a field other than `Authorization`.
    package init(_ name: String, _ session: Session, application: [HeaderField] = []) {
        self.application = application
        self.session = HeaderField(name, session.token.reveal())
        scheme = nil
    }

    /// A session in `Authorization`.
    package init(scheme: String, _ session: Session) {
        application = []
        self.session = HeaderField("Authorization", "\(scheme) \(session.token.reveal())")
        self.scheme = scheme
    }

    package var all: [HeaderField] { application + [session] }
}

/// A request of the user, without the header fields of the session.
package struct APIRequest: Sendable {
    package enum Body: Sendable {
        case bytes([UInt8])
        /// A source that is read while the request is sent.
        case source(ByteSource)
    }

    package var method: String
    /// Below the base, percent-encoded: begins with `/`, without dot segments.
    package var path: String
    /// Percent-encoded, without its `?`.
    package var query: String?
    package var headers: [HeaderField]
    package var body: Body?
    /// The URL that the path is relative to; `nil`: the server's own.
    package var base: String?
    /// How long the transfer may make no progress; `nil`: the time limit of all requests holds instead.
    package var stallLimit: Duration?
    package var reception: Reception

    /// Where the body of the response goes.
    package enum Reception: Sendable {
        /// Success bodies are passed on while they arrive.
        case stream(Sink)
        /// All bodies are returned, up to this number of bytes.
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

/// A response to a request of the user.
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
    /// The body, if it was not passed on.
    package let body: [UInt8]
    /// Whether the sink received the response, so that the request must not be repeated.
    package let wasPassedOn: Bool
    /// Why the status is not a success.
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

    /// The value of the first field of that name, which is in lower case.
    package func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
}
