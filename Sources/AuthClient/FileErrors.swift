package import AuthModel
package import Platform

extension AuthError {
    /// A file that could not be used, as the user is told.
    package init(_ error: FileError) {
        let reason: Reason =
            switch error.kind {
            case .unreadable: .unreadable
            case .unsafe: .unsafe
            case .corrupt: .corrupt
            case .newerVersion: .newerVersion
            case .locked: .locked
            case .noSpace: .noSpace
            case .notWritten: .notWritten
            }
        self.init(reason, error.message, hint: error.hint)
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
