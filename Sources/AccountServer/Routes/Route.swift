internal import Platform
internal import SQLite
package import Transport

/// What happens with requests of one method and path; `table` has them all.
struct Route: Sendable {
    typealias Handler = @Sendable (ParseRoutes) -> (ParseRequest) throws(RouteError) -> Step

    /// What happens with the session token before the handler runs.
    enum TokenUse {
        /// A wrong or expired one is refused; none is no fault.
        case checked
        /// Checked only where there is a query, as Parse Server does at `/login`: who logs in again often still has a
        /// stale one.
        case checkedWithQuery
        /// The handler does what is to be done.
        case ignored
        /// A page for people: not even the application must be named.
        case page
    }

    let method: HTTPRequest.Method
    /// The path's parts; one such as `:id` takes anything, and the handler finds it in `parameters`.
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

/// Why a handler ends early.
enum RouteError: Error {
    case refused(ParseError)
    /// A refusal in another form than Parse's errors.
    case answered(HTTPResponse)
    case database(SQLiteError)
    /// A mail could not be written.
    case file(FileError)
}

extension HTTPResponse {
    static func refusal(_ status: Int, _ text: String) -> HTTPResponse { ParseAnswer.refusal(status, text) }
}

/// How far a request has come.
///
/// The jobs may run on any thread; their outcomes go to `resume`, on the thread that uses the database, and that gives
/// the next step.
package enum Step {
    case answer(HTTPResponse)
    /// A password must be hashed first.
    case hash(PasswordJob, resume: (PasswordJob.Completion) throws(TransportError) -> Step)
    /// Another server must be asked first.
    case fetch(FetchJob, resume: (FetchJob.Completion) throws(TransportError) -> Step)
}
