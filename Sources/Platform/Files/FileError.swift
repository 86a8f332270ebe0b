import LibC

/// The reason why a file could not be used.
package struct FileError: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case unreadable, unsafe, corrupt, newerVersion, locked, noSpace, notWritten
    }

    package let kind: Kind
    /// The cause with the path: lowercase, without a full stop.
    package let message: String
    /// The hints, most useful first, as commands where possible.
    package let hints: [String]

    /// - Parameter hint: a single hint; replaces `hints`.
    package init(_ kind: Kind, _ message: String, hint: String? = nil, hints: [String] = []) {
        self.kind = kind
        self.message = message
        self.hints = hint.map { [$0] } ?? hints
    }

    static func reading(_ path: String, _ failure: Errno) -> FileError {
        FileError(.unreadable, "cannot read '\(path)': \(failure.description)")
    }

    /// The error after a failed write. If an absolute path contains a link, the message also contains the target.
    static func writing(_ path: String, _ failure: Errno) -> FileError {
        let target = path.hasPrefix("/") ? path.resolved ?? path : path
        let clause = target == path ? "" : " (a link to '\(target)')"
        return FileError(
            failure.meansFull ? .noSpace : .notWritten, "cannot write '\(path)'\(clause): \(failure.description)",
            // A file that is a mount point of its own, as in containers, cannot be replaced.
            hint: failure.code == EBUSY ? "mount the folder of the file, not the file alone" : nil)
    }

    /// The error after a successful change if the folder could not be synced.
    static func notSynced(_ path: String, _ done: String, _ failure: Errno) -> FileError {
        FileError(.notWritten, "'\(path)' was \(done), but a power cut may undo it: \(failure.description)")
    }

    /// - Parameter otherwise: what else helps: a clause such as "use another file".
    package static func newerVersion(_ version: Int64, at path: String, _ otherwise: String) -> FileError {
        FileError(
            .newerVersion, "'\(path)' was written by a newer authctl (file version \(version))",
            hint: "update authctl, or \(otherwise)")
    }

    static func brokenLink(_ path: String) -> FileError {
        FileError(.unsafe, "'\(path)' is a dangling symbolic link", hint: "fix or remove the link")
    }

    static func notPlain(_ path: String) -> FileError {
        FileError(
            .unsafe, "'\(path)' is a link or not a regular file",
            hint: "check it (ls -ld \(path.shellQuoted)), then move it away")
    }
}

extension String {
    /// The path with all links resolved; `nil` on failure. The last component need not exist.
    fileprivate var resolved: String? {
        if let whole = resolvedLinks { return whole }
        return parentPath?.resolvedLinks.map { "\($0 == "/" ? "" : $0)/\(lastComponent)" }
    }

    /// The path with all links resolved; `nil` on failure; `errno` is then set.
    package var resolvedLinks: String? {
        guard let resolved = realpath(self, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
