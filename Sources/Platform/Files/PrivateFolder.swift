import LibC

/// A folder whose files only their owner may see and change.
///
/// Files are read whole and replaced whole: a reader sees an old or a new state and needs no lock, and what was
/// reported as written survives a power cut. Folders are 0700 and files 0600 from creation on (the process runs with
/// umask 077; a foreign one could take bits away); loose *read* bits are narrowed at the next write.
/// What others could have written is refused: see `PathTrust`.
package struct PrivateFolder: Sendable, Equatable {
    package let path: String
    /// The home folder that the path was derived from: it must exist.
    package let home: String?

    package init(path: String, home: String?) {
        self.path = path
        self.home = home
    }

    package func subfolder(_ name: String) -> PrivateFolder {
        PrivateFolder(path: "\(path)/\(name)", home: home)
    }

    /// The bytes of a file; `nil` where there is no such file or folder.
    ///
    /// - Throws: `FileError` `unreadable`, `unsafe`, or `corrupt` for more than `limit` bytes.
    package func read(_ name: String, limit: Int) throws(FileError) -> [UInt8]? {
        guard let folder = try openTrusted() else { return nil }
        return try readFile(name, in: folder, at: path, limit: limit)
    }

    /// The names of the files in it, in no order; none where there is no such folder.
    package func fileNames() throws(FileError) -> [String] {
        guard let folder = try openTrusted() else { return [] }
        return try names(in: folder, at: path)
    }

    /// Makes the folder if it is missing, and waits for the sole right to change what is in it.
    ///
    /// - Throws: `FileError` `locked` when others changed it all the time.
    package func lock(patience: Duration = .seconds(10)) throws(FileError) -> LockedFolder {
        try create()
        guard let folder = try openTrusted() else { throw .writing(path, .noSuchFile) }
        return try LockedFolder(folder, path: path, patience: patience)
    }

    /// Makes the folder if it is missing, and waits for a lock of its own name in it, which keeps no writer away.
    ///
    /// - Parameter name: of the lock's file.
    /// - Throws: `FileError` `locked` when another process held it all the time.
    package func lock(_ name: String, patience: Duration) throws(FileError) -> FileLock {
        try create()
        guard let folder = try openTrusted() else { throw .writing(path, .noSuchFile) }
        return try FileLock.acquire(name, in: folder, at: path, subject: "\(path)/\(name)", patience: patience)
    }

    /// Waits until nobody else holds the folder in this manner, and leaves no file in it: it may be somebody's own, that
    /// links of several folders lead to. To be taken after the lock of the folder that the link is in.
    ///
    /// - Throws: `FileError` `locked` when another process held it all the time.
    package func hold(patience: Duration = .seconds(10)) throws(FileError) -> FileDescriptor {
        guard let folder = try openTrusted() else { throw .writing(path, .noSuchFile) }
        // NFS locks only what is open for writing, as no folder is: there that other lock must do.
        if flock(folder.number, LOCK_EX | LOCK_NB) != 0, Errno.current != .badDescriptor {
            try FileLock.wait(for: folder.number, path: path, patience: patience)
        }
        return folder
    }

    /// Makes the folder and those above it, each 0700, and narrows one that others may read.
    ///
    /// The home folder itself is never made.
    private func create() throws(FileError) {
        if let home { try requireFolder(home) }
        try makeFolder(path)
    }

    /// Bytes of a file that another library opens by its path, found to be in nobody else's hands; `nil` where there
    /// is no such file or folder. Readers other than the owner are shut out.
    ///
    /// The file itself is not opened: closing it again would drop locks that this process holds on it (`fcntl`).
    package func size(of name: String) throws(FileError) -> Int? {
        guard let folder = try openTrusted() else { return nil }
        var status = stat()
        guard fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            let failure = Errno.current
            if failure == .noSuchFile { return nil }
            throw .reading("\(path)/\(name)", failure)
        }
        if let distrust = distrust(status, "\(path)/\(name)") { throw distrust }
        // Should this fail, the file cannot be written either, and that is told then.
        if status.isReadableByOthers { fchmodat(folder.number, name, 0o600, 0) }
        return Int(status.st_size)
    }

    /// Whether nobody can write there, because its file system is mounted for reading alone.
    package var isReadOnly: Bool { access(path, W_OK) != 0 && Errno.current.code == EROFS }

    /// The path with all links in it followed.
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

    /// Nothing is made in a folder that is in somebody else's hands.
    private func checkPlace(_ path: String) throws(FileError) {
        let folder = openUninterrupted(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .writing(path, .current) }
        try PathTrust(home: home).check(place: FileDescriptor(folder), path: path)
    }

    /// The folder, found to be in nobody else's hands; `nil` where there is none.
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
