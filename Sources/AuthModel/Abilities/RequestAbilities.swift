package import Transport

/// A backend whose web pages read their session from the browser's storage.
package protocol BrowserSessionStoring: Backend {
    /// - Parameter saved: the saved user; without an id if only the token is known.
    /// - Returns: `nil` if the site decides where its pages keep the session.
    /// - Throws: `BackendError` `unsupported` if no web page of the server can use this session.
    func browserState(
        of session: Session, _ saved: User, for page: BrowserPage
    ) throws(BackendError) -> BrowserState?
}

/// The header fields that authenticate a request.
package struct SessionHeaders: Sendable, Equatable {
    /// The fields that identify the application, such as Parse's application id and REST key.
    package let application: HTTPHeaders
    /// The field that carries the session.
    package let session: HTTPHeaders.Field
    /// The fields that show, beside cookies, that no other site has made the request.
    package let csrf: HTTPHeaders
    /// The authentication scheme, such as `Bearer`; `nil` if the session is not in the `Authorization` field.
    package let scheme: String?

    /// Puts the session into a field other than `Authorization`.
    package init(_ name: String, _ session: Session, application: HTTPHeaders = [:]) {
        self.application = application
        self.session = HTTPHeaders.Field(name: name, value: session.token.reveal())
        (csrf, scheme) = ([:], nil)
    }

    /// Sends the session as cookies, with what Django demands of requests that change something.
    ///
    /// - Parameter site: the base URL of the site.
    package init(_ cookies: Cookies, of site: String) {
        application = [:]
        session = HTTPHeaders.Field(name: "Cookie", value: cookies.token.reveal())
        csrf = cookies.csrf.map { ["X-CSRFToken": $0, "Referer": "\(site)/"] } ?? [:]
        scheme = nil
    }

    /// Puts the session into the `Authorization` field.
    package init(scheme: String, _ session: Session, application: HTTPHeaders = [:]) {
        self.application = application
        self.session = HTTPHeaders.Field(
            name: "Authorization", value: "\(scheme) \(session.token.reveal())")
        (csrf, self.scheme) = ([:], scheme)
    }

    package var all: HTTPHeaders { HTTPHeaders(application.fields + [session] + csrf.fields) }
}

/// A backend whose server responds alike whether a request changed rows or not, unless the request asks for them.
package protocol ChangedRowsShowing: Backend {
    /// The request, so that its response contains the rows that it changed.
    func showingChangedRows(of request: HTTPRequest, below base: String?) throws(BackendError) -> HTTPRequest

    /// The request `shown`, so that `Content-Range` in its response has the number of the rows, which requires no right
    /// to read them; `nil` if `shown` does not ask for rows.
    func countingChangedRows(of shown: HTTPRequest) -> HTTPRequest?
}

/// The response to a request from the user.
package struct RequestAnswer: Sendable, Equatable {
    /// The body is empty if the request's sink received it.
    package let response: HTTPResponse
    /// The error that the response indicates; `nil` for status 2xx or 304.
    package var error: BackendError?
    /// What an error shows about the user's rights; `nil` for a success. A server may also deny a list by an empty one.
    package let refusal: Refusal?
    /// Whether an HTML page is an answer of the site like any other.
    package var mayBePage = false

    package init(_ response: HTTPResponse, _ error: BackendError? = nil, refusal: Refusal? = nil) {
        self.response = response
        self.error = error
        self.refusal = refusal
    }
}

/// What an error shows about the rights of the user who sent the request.
package enum Refusal: Sendable, Equatable {
    /// The application decided that this user may not do it or, with status 401, that a user must log in.
    case denial
    /// The application rejects the request for another reason.
    case other
    /// Status 401, 403 or 404, but not in the form in which the application denies.
    case unclear
    /// Status 401, 403 or 404 in the form of a gateway, proxy or router.
    case gateway
    /// By the clock of the server, the token is not valid yet: the same request may succeed in some seconds.
    case tokenTooEarly
}
