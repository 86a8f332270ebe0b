/// The reason why a file could not be used.
package struct FileError: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case unreadable, unsafe, corrupt, newerVersion, locked, noSpace, notWritten
    }

    package let kind: Kind
    /// The cause with the path: lowercase, without a full stop.
    package let message: String
    /// The next steps, the best one first, as commands where possible.
    package let hints: [String]

    package init(_ kind: Kind, _ message: String, hints: [String] = []) {
        self.kind = kind
        self.message = message
        self.hints = hints
    }

    package init(_ kind: Kind, _ message: String, hint: String?) {
        self.init(kind, message, hints: hint.map { [$0] } ?? [])
    }

    static func reading(_ path: String, _ failure: Errno) -> FileError {
        FileError(.unreadable, "cannot read '\(path)': \(failure.description)")
    }

    static func writing(_ path: String, _ failure: Errno) -> FileError {
        FileError(failure.meansFull ? .noSpace : .notWritten, "cannot write '\(path)': \(failure.description)")
    }

    /// The change was made, but the folder could not be synced.
    static func notSynced(_ path: String, _ done: String, _ failure: Errno) -> FileError {
        FileError(.notWritten, "'\(path)' was \(done), but a power cut may undo it: \(failure.description)")
    }
}
