internal import Transport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file of a database as the file system sees it: what it must be before SQLite may touch it.
///
/// Nothing here opens a file that is already a database. Closing a descriptor of it would drop the locks that SQLite
/// holds on it in this process (POSIX: `fcntl` locks go with the first close).
struct DatabaseFile {
    enum Content {
        case missing, empty, present
    }

    let path: String
    /// With the folder's links resolved: the folder may be reached through a link, the file may not.
    let resolvedPath: String
    let folder: String

    /// - Throws: `.unreadable` if the folder is not there.
    init(_ path: String) throws(TransportError) {
        self.path = path
        let slash = path.lastIndex(of: "/")
        let written = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard let resolved = realpath(written, nil) else {
            throw StorageProblem.unreadable(path, SystemError.last.text)
        }
        defer { free(resolved) }
        folder = String(cString: resolved)
        resolvedPath = folder + "/" + (slash.map { String(path[path.index(after: $0)...]) } ?? path)
    }

    /// What there is, after its type, owner and mode were found to be safe. Readers other than the owner are shut out
    /// on the way.
    ///
    /// - Throws: `.unsafe` for a link, a folder or another special file, another's file, one that others may write.
    func inspect() throws(TransportError) -> Content {
        var status = stat()
        if lstat(resolvedPath, &status) != 0 {
            let error = SystemError.last
            if error.number == ENOENT { return .missing }
            throw StorageProblem.unreadable(path, error.text)
        }
        try checkType(status.st_mode)
        try checkOwner(status.st_uid)
        try checkMode(status.st_mode)
        return status.st_size == 0 ? .empty : .present
    }

    /// Creates the file, empty and 0600 from its first moment; the folder's lock must be held.
    func create() throws(TransportError) {
        let descriptor = open(resolvedPath, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw StorageProblem.notWritten(path, SystemError.last) }
        // Needed only where the umask takes rights from the owner.
        let result = fchmod(descriptor, 0o600)
        let error = SystemError.last
        close(descriptor)
        if result != 0 { throw StorageProblem.notWritten(path, error) }
    }

    private func checkType(_ mode: mode_t) throws(TransportError) {
        switch mode & S_IFMT {
        case S_IFREG: return
        case S_IFLNK: throw StorageProblem.unsafe(path, "it is a symbolic link", hint: "name the file it leads to")
        case S_IFDIR: throw StorageProblem.unsafe(path, "it is a directory", hint: "name a file")
        default: throw StorageProblem.unsafe(path, "it is not a regular file", hint: "name a regular file")
        }
    }

    private func checkOwner(_ owner: uid_t) throws(TransportError) {
        if owner == geteuid() { return }
        let quoted = StorageProblem.shellQuoted(path)
        throw StorageProblem.unsafe(
            path, "it belongs to another user", hint: "if you trust it, run: chown \(geteuid()) \(quoted)")
    }

    private func checkMode(_ mode: mode_t) throws(TransportError) {
        if mode & 0o022 != 0 {
            let quoted = StorageProblem.shellQuoted(path)
            throw StorageProblem.unsafe(
                path, "other users may write to it", hint: "if you trust it, run: chmod 600 \(quoted)")
        }
        // By its name, since nothing may be opened here; the file is ours, so is who could exchange it. A failure
        // shows up as soon as something is written.
        if mode & 0o077 != 0 { _ = chmod(resolvedPath, 0o600) }
    }
}
