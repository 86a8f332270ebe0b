internal import Platform
internal import SQLite
internal import Transport

/// The handler for requests with one method and path; `table` lists all routes.
struct Route: Sendable {
    typealias Handler = @Sendable (ParseRoutes) -> (ParseRequest) throws(RouteError) -> HTTPResponse

    /// How the session token is checked before the handler runs.
    enum TokenUse {
        /// An invalid or expired token is rejected; a missing one is accepted.
        case checked
        /// Checked only if there is a query, like Parse Server at `/login`: a client that logs in again often sends an
        /// expired token.
        case checkedWithQuery
        /// The handler checks the token itself.
        case ignored
        /// A page for users; not even the application id is required.
        case page
    }

    let method: HTTPRequest.Method
    /// The path segments; a segment such as `:id` matches any value, which the handler finds in `parameters`.
    let path: [String]
    let token: TokenUse
    let handler: Handler

    init(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler, token: TokenUse = .checked) {
        self.method = method
        self.path = path.split(separator: "/").map(String.init)
        self.token = token
        self.handler = handler
    }

    func checksToken(_ target: RequestTarget) -> Bool {
        switch token {
        case .checked: true
        case .checkedWithQuery: !target.query.isEmpty
        case .ignored, .page: false
        }
    }
}

/// Why a handler stopped.
enum RouteError: Error {
    case refused(ParseError)
    /// A rejection that is not in Parse's error format.
    case answered(HTTPResponse)
    case database(SQLiteError)
    /// An e-mail could not be written.
    case file(FileError)
    case outOfMemory
}

extension HTTPResponse {
    static func refusal(_ status: Int, _ text: String) -> HTTPResponse { ParseResponses.refusal(status, text) }
}
