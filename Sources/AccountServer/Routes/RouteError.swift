internal import Platform
internal import SQLite
internal import Transport

/// Why a handler stopped.
enum RouteError: Error {
    case refused(ParseError)
    /// A rejection that is not in Parse's error format.
    case answered(HTTPResponse)
    case database(SQLiteError)
    /// An e-mail could not be written.
    case file(FileError)
    case outOfMemory

    static func refused(_ code: Int64, _ text: String) -> RouteError { .refused(ParseError(code: code, text: text)) }

    /// - Parameter database: the file; `nil` if the accounts are in memory.
    func transportError(_ database: FileLocation?) -> TransportError {
        switch self {
        case .database(let error): StorageProblem.translate(error, database?.path ?? "memory")
        case .file(let error): TransportError(error)
        case .refused, .answered, .outOfMemory: .outOfMemory
        }
    }
}
