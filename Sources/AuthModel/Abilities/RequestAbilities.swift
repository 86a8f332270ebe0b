package import JSON
package import Transport

/// A backend that can send any request that the user specifies, with or without a session.
package protocol RequestSending: Backend {
    /// The header fields that authenticate a request with a session. No other code builds these fields.
    func headers(of session: Session) -> SessionHeaders

    /// The base URL of a request's path, without a trailing slash: the server URL, or the site's origin.
    func requestBase() throws(BackendError) -> String

    /// Sends a request with its complete URL.
    ///
    /// - Parameters:
    ///   - base: the base URL of the request if it is not `requestBase`. It receives no application keys.
    ///   - session: if `nil`, only the application's header fields are added to the request.
    /// - Throws: an error if there is no response. A response with any status is returned.
    func send(_ request: HTTPRequest, below base: String?, with session: Session?) throws(BackendError) -> Reply<
        RequestAnswer
    >

    /// The request for the first page of a list.
    func firstPage(of request: HTTPRequest, below base: String?) throws(BackendError) -> HTTPRequest

    /// The request for the next page; `nil` if the list was the last page.
    ///
    /// - Throws: `BackendError` `redirect` if the next page is not below the base URL.
    func page(after list: JSONList, to request: HTTPRequest, below base: String?) throws(BackendError) -> HTTPRequest?
}

/// A backend whose web pages read their session from the browser's storage.
package protocol BrowserSessionStoring: Backend {
    /// - Parameter saved: the saved user; without an id if only the token is known.
    /// - Throws: `BackendError` `unsupported` if no web page of the server can use this session.
    func browserEntry(of session: Session, _ saved: User) throws(BackendError) -> BrowserEntry
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
    package let application: HTTPHeaders
    /// The field that carries the session.
    package let session: HTTPHeaders.Field
    /// The authentication scheme, such as `Bearer`; `nil` if the session is not in the `Authorization` field.
    package let scheme: String?

    /// Puts the session into a field other than `Authorization`.
    package init(_ name: String, _ session: Session, application: HTTPHeaders = [:]) {
        self.application = application
        self.session = HTTPHeaders.Field(name: name, value: session.token.reveal())
        scheme = nil
    }

    /// Puts the session into the `Authorization` field.
    package init(scheme: String, _ session: Session) {
        application = [:]
        self.session = HTTPHeaders.Field(
            name: "Authorization", value: "\(scheme) \(session.token.reveal())")
        self.scheme = scheme
    }

    package var all: HTTPHeaders { HTTPHeaders(application.fields + [session]) }
}

/// The response to a request from the user.
package struct RequestAnswer: Sendable, Equatable {
    /// The body is empty if the request's sink received it.
    package let response: HTTPResponse
    /// The error that the response indicates; `nil` for status 2xx or 304.
    package var error: BackendError?

    package init(_ response: HTTPResponse, _ error: BackendError? = nil) {
        self.response = response
        self.error = error
    }
}
