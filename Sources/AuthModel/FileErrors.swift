package import Platform

extension AuthError {
    /// A file that could not be used, as the user is told.
    package init(_ error: FileError) {
        self.init(Reason(error.kind), error.message, next: error.hint.map { NextStep($0) })
    }
}

extension AuthError.Reason {
    /// Why a file or a database could not be used.
    package init(_ kind: FileError.Kind) {
        switch kind {
        case .unreadable: self = .unreadable
        case .unsafe: self = .unsafe
        case .corrupt: self = .corrupt
        case .newerVersion: self = .newerVersion
        case .locked: self = .locked
        case .noSpace: self = .noSpace
        case .notWritten: self = .notWritten
        }
    }
}

/// Does something with files; what goes wrong is told as the user is told.
package func mappingFileErrors<Result: ~Copyable>(
    _ body: () throws(FileError) -> Result
) throws(AuthError) -> Result {
    do throws(FileError) {
        return try body()
    } catch {
        throw AuthError(error)
    }
}
