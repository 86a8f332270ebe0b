import JSON
internal import SQLite
internal import Transport

/// The handler for control requests with one method and path; `table` lists all routes.
struct ControlRoute: Sendable {
    typealias Handler = @Sendable (TestControls) -> (ControlRequest) throws(ControlError) -> HTTPResponse

    let method: HTTPRequest.Method
    /// The path segments below the secret one; `:id` matches any value.
    let path: [String]
    let handler: Handler

    init(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler) {
        self.method = method
        self.path = path.split(separator: "/").map { String($0) }
        self.handler = handler
    }

    static let table: [ControlRoute] = [
        ControlRoute(.delete, "/users", TestControls.deleteUsers),
        ControlRoute(.get, "/mails", TestControls.listMails),
        ControlRoute(.post, "/clock", TestControls.advanceClock),
        ControlRoute(.post, "/snapshots", TestControls.makeSnapshot),
        ControlRoute(.post, "/snapshots/:id/restore", TestControls.restoreSnapshot),
        ControlRoute(.put, "/faults", TestControls.setFaults),
    ]

    /// The path parameter of a matching path, empty if the route has none; `nil` if the path does not match.
    func parameter(in path: ArraySlice<String>) -> String? {
        guard path.count == self.path.count else { return nil }
        var parameter = ""
        for (part, wanted) in zip(path, self.path) {
            if wanted == ":id" { parameter = part } else if part != wanted { return nil }
        }
        return parameter
    }
}

/// A request to the test controls.
struct ControlRequest {
    /// The value of `:id`.
    let id: String
    /// The first value of each name.
    let query: JSONObject
    private let body: [UInt8]

    init(_ request: HTTPRequest, _ target: RequestTarget, id: String) {
        self.id = id
        query = JSONObject(firstOf: target.query)
        body = request.body ?? []
    }

    /// The body as JSON, whatever its content type is.
    func json() throws(ControlError) -> JSONValue {
        do throws(JSONSyntaxError) {
            return try JSONValue(parsing: body)
        } catch {
            throw .invalid("the body is not JSON: \(error.description) at byte \(error.offset)")
        }
    }
}

/// Why a control request failed.
enum ControlError: Error {
    case invalid(String)
    case unknownSnapshot
    case tooLarge
    case database(SQLiteError)
}
