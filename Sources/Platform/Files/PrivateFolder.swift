import LibC

/// A folder whose files only their owner may read and change.
///
/// Files are read whole and replaced whole, so a reader sees the old or the new state and needs no lock. A write that
/// was reported as successful survives a power failure. Folders are created with mode 0700 and files with 0600. The
/// process sets umask 077, because an inherited umask could remove bits of the owner. Loose *read* bits are narrowed at
/// the next write. Files that other users could have written are rejected: see `PathTrust`.
package struct PrivateFolder: Sendable, Equatable {
    package let path: String
    /// The home folder that the path was derived from. It must exist.
    package let home: String?

    package init(path: String, home: String?) {
        self.path = path
        self.home = home
    }

    package func subfolder(_ name: String) -> PrivateFolder {
        PrivateFolder(path: "\(path)/\(name)", home: home)
    }

    /// Returns the content of a file; `nil` if the file or the folder does not exist.
    ///
    /// - Throws: `FileError` `unreadable`, `unsafe`, or `corrupt` for more than `limit` bytes.
    package func read(_ name: String, limit: Int) throws(FileError) -> [UInt8]? {
        guard let folder = try openTrusted() else { return nil }
        return try readFile(name, in: folder, at: path, limit: limit)
    }

    /// The names of the files, unordered; empty if the folder does not exist.
    package func fileNames() throws(FileError) -> [String] {
        guard let folder = try openTrusted() else { return [] }
        return try names(in: folder, at: path)
    }

    /// Creates the folder if it is missing, and waits for the exclusive lock on its content.
    ///
    /// - Throws: `FileError` `locked` if other processes held the lock for all of `patience`.
    package func lock(patience: Duration = .seconds(10)) throws(FileError) -> LockedFolder {
        try create()
        guard let folder = try openTrusted() else { throw .writing(path, .noSuchFile) }
        return try LockedFolder(folder, path: path, patience: patience)
    }

    /// Creates the folder if it is missing, and waits for a separate lock file in it, which does not block writers.
    ///
    /// - Parameter name: the name of the lock file.
    /// - Throws: `FileError` `locked` if another process held it for all of `patience`.
    package func lock(_ name: String, patience: Duration) throws(FileError) -> FileLock {
        try create()
        guard let folder = try openTrusted() else { throw .writing(path, .noSuchFile) }
        return try FileLock.acquire(name, in: folder, at: path, subject: "\(path)/\(name)", patience: patience)
    }

    /// Waits for an advisory lock (`flock`) on the folder itself, which creates no file in it.
    ///
    /// Used for the target folder of a link: links in several folders may point to it, and it may hold other files of
    /// the user. Lock order: the lock of the folder with the link first.
    ///
    /// - Throws: `FileError` `locked` if another process held it for all of `patience`.
    package func hold(patience: Duration = .seconds(10)) throws(FileError) -> FileDescriptor {
        guard let folder = try openTrusted() else { throw .writing(path, .noSuchFile) }
        // NFS locks only descriptors open for writing, which a folder never is. There the other lock must suffice.
        if flock(folder.number, LOCK_EX | LOCK_NB) != 0, Errno.current != .badDescriptor {
            try FileLock.wait(for: folder.number, path: path, patience: patience)
        }
        return folder
    }

    /// Creates the folder and its missing parents with mode 0700, but never the home folder itself.
    private func create() throws(FileError) {
        if let home { try requireFolder(home) }
        try makeFolder(path)
    }

    /// The size of a file that a library opens by path; `nil` if the file or the folder does not exist.
    ///
    /// Checks that only this user can change the file, and removes the read permission of other users. The file is not
    /// opened: closing it would drop the `fcntl` locks that this process holds on it.
    package func size(of name: String) throws(FileError) -> Int? {
        guard let folder = try openTrusted() else { return nil }
        var status = stat()
        guard fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            let failure = Errno.current
            if failure == .noSuchFile { return nil }
            throw .reading("\(path)/\(name)", failure)
        }
        if let distrust = distrust(status, "\(path)/\(name)") { throw distrust }
        // If this fails, the file cannot be written either, and the write reports the error.
        if status.isReadableByOthers { fchmodat(folder.number, name, 0o600, 0) }
        return Int(status.st_size)
    }

    /// Whether the file system is mounted read-only.
    package var isReadOnly: Bool { access(path, W_OK) != 0 && Errno.current.code == EROFS }

    /// The path with all links resolved.
    package func resolvedPath() throws(FileError) -> String {
        guard let resolved = realpath(path, nil) else { throw .reading(path, .current) }
        defer { free(resolved) }
        return try exactText(resolved, of: path)
    }

    private func requireFolder(_ home: String) throws(FileError) {
        var status = stat()
        guard stat(home, &status) == 0, status.isFolder else {
            throw FileError(
                .notWritten, "home folder '\(home)' does not exist", hint: "set HOME, or AUTHCTL_CONFIG_DIR")
        }
    }

    private func makeFolder(_ path: String) throws(FileError) {
        let existing = openUninterrupted(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if existing >= 0 {
            close(existing)
            return
        }
        let failure = Errno.current
        guard failure == .noSuchFile, let parent = path.parentPath else { throw .writing(path, failure) }
        try PathTrust(home: home).checkLinks(on: path)
        try makeFolder(parent)
        try checkPlace(parent)
        if mkdir(path, 0o700) != 0, Errno.current != .exists { throw .writing(path, .current) }
    }

    /// Rejects a parent folder that another user can change.
    private func checkPlace(_ path: String) throws(FileError) {
        let folder = openUninterrupted(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .writing(path, .current) }
        try PathTrust(home: home).check(place: FileDescriptor(folder), path: path)
    }

    /// Opens the folder and checks that only this user can change it; `nil` if it does not exist.
    func openTrusted() throws(FileError) -> FileDescriptor? {
        let folder = openUninterrupted(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else {
            let failure = Errno.current
            guard failure == .noSuchFile else { throw .reading(path, failure) }
            try PathTrust(home: home).checkLinks(on: path)
            return nil
        }
        let descriptor = FileDescriptor(folder)
        try PathTrust(home: home).check(folder: descriptor, path: path)
        return descriptor
    }
}
