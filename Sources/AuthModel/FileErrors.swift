package import Platform

extension AuthError {
    /// Converts a file error to the error that the user sees.
    package init(_ error: FileError) {
        self.init(Reason(error.kind), error.message, nextSteps: error.hints.map { NextStep($0) })
    }
}

extension AuthError.Reason {
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

/// Runs file operations and converts their errors to `AuthError`.
package func mappingFileErrors<Result: ~Copyable>(
    _ body: () throws(FileError) -> Result
) throws(AuthError) -> Result {
    do throws(FileError) {
        return try body()
    } catch {
        throw AuthError(error)
    }
}
