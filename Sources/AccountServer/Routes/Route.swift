internal import SQLite
internal import Transport

/// One row of the table in `ParseRoutes`.
struct Route: Sendable {
    typealias Handler = @Sendable (ParseRoutes, ParseRequest) throws(RouteError) -> Step

    /// What happens with the session token before the handler runs.
    enum TokenUse {
        /// A wrong or expired one is refused; none is no fault.
        case checked
        /// The handler does what is to be done.
        case ignored
    }

    let method: HTTPRequest.Method
    /// The path's parts; one such as `:id` takes anything, and the handler finds it in `parameters`.
    let path: [String]
    let token: TokenUse
    let handler: Handler

    init(_ method: HTTPRequest.Method, _ path: String, token: TokenUse = .checked, _ handler: @escaping Handler) {
        self.method = method
        self.path = path.split(separator: "/").map(String.init)
        self.token = token
        self.handler = handler
    }
}

/// Why a handler ends early.
enum RouteError: Error {
    case refused(ParseError)
    /// A refusal in another form than Parse's errors.
    case answered(HTTPResponse)
    case database(SQLiteError)
}

extension HTTPResponse {
    static func refusal(_ status: Int, _ text: String) -> HTTPResponse { ParseAnswer.refusal(status, text) }
}
