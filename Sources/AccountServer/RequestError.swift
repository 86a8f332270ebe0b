internal import Platform
internal import SQLite
internal import Transport

/// Why the server cannot fulfill a request.
enum RequestError: Error {
    case refused(ParseError)
    /// A rejection that is not in Parse's error format.
    case answered(HTTPResponse)
    /// Too much work is in progress, or the client is gone.
    case busy
    case database(SQLiteError)
    /// The file of an e-mail could not be written.
    case file(FileError)
    case outOfMemory

    static func refused(_ code: Int64, _ text: String) -> RequestError { .refused(ParseError(code: code, text: text)) }

    /// - Parameter database: the database file; `nil` if the accounts are in memory.
    func transportError(_ database: FileLocation?) -> TransportError {
        switch self {
        case .database(let error): StorageProblem.translate(error, database?.path ?? "memory")
        case .file(let error): TransportError(error)
        case .refused, .answered, .busy, .outOfMemory: .outOfMemory
        }
    }
}
