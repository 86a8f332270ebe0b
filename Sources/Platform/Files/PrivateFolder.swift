import LibC

/// A folder whose files only their owner may read and change.
///
/// Files are read and replaced as a whole, so a reader sees the old or the new content and needs no lock. After a
/// successful write, the new content survives a power failure. Folders are created with mode 0700 and files with mode
/// 0600. The process sets umask 077, because an inherited umask could remove permissions of the owner. An existing
/// folder keeps its mode. Writing a file removes other users' read access. See `FolderRules` for the trust rule.
package struct PrivateFolder: Sendable {
    package let path: String
    package let rules: FolderRules
    /// The number of folders at the end of the path that belong to authctl: 2 for `…/authctl/sessions`.
    private var ownFolders = 1

    package init(path: String, _ rules: FolderRules = FolderRules()) {
        self.path = path
        self.rules = rules
    }

    /// A subfolder whose files must belong to the user.
    package func subfolder(_ name: String) -> PrivateFolder {
        var rules = rules
        rules.rootMayOwnFiles = false
        var folder = PrivateFolder(path: "\(path)/\(name)", rules)
        folder.ownFolders = ownFolders + 1
        return folder
    }

    /// Opens the folder and checks the trust rule; `nil` if the folder does not exist.
    package func open() throws(FileError) -> OpenFolder? {
        let number = openUninterrupted(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else {
            let failure = Errno.current
            guard failure == .noSuchFile else { throw rules.unusable(.reading(path, failure), failure) }
            if path.isLink { throw .brokenLink(path) }
            return nil
        }
        var status = stat()
        if ownFolders > 1, let parent = path.parentPath, stat(parent, &status) == 0 {
            try rules.requireTrust(inFolder: status, at: parent)
        }
        return try OpenFolder(FileDescriptor(number), path: path, rules)
    }

    /// Returns the content of a file; `nil` if the file or the folder does not exist.
    ///
    /// - Throws: `FileError` `unreadable` or `unsafe`; `corrupt` if the file has more than `limit` bytes.
    package func read(_ name: String, limit: Int) throws(FileError) -> [UInt8]? {
        guard let folder = try open() else { return nil }
        return try folder.read(name, limit: limit)
    }

    /// The names of all files and subfolders, in any order; empty if the folder does not exist.
    package func fileNames() throws(FileError) -> [String] {
        guard let folder = try open() else { return [] }
        return try folder.fileNames()
    }

    /// The file names, sorted by the time of the last change, then by name.
    package func fileNamesByTime() throws(FileError) -> [String] {
        guard let folder = try open() else { return [] }
        return try folder.fileNames().map { name in (folder.timeOfChange(of: name), name) }.sorted { $0 < $1 }.map(\.1)
    }

    /// Creates the folder if it is missing, and waits for the exclusive lock on its content.
    ///
    /// - Throws: `FileError` `locked` if other processes do not release the lock within `patience`.
    package func lock(patience: Duration = .seconds(10)) throws(FileError) -> LockedFolder {
        try LockedFolder(try openOrCreate(), patience: patience)
    }

    /// Creates the folder if it is missing, and waits for a separate lock in it. That lock does not block writers.
    ///
    /// - Parameter name: the name of the lock file.
    /// - Throws: `FileError` `locked` if another process does not release the lock within `patience`.
    package func lock(_ name: String, patience: Duration) throws(FileError) -> FileLock {
        try FileLock.acquire(name, in: try openOrCreate(), subject: "\(path)/\(name)", patience: patience)
    }

    /// Checks that no other process holds the lock of the folder for longer than `patience`. Creates no file.
    ///
    /// - Throws: `FileError` `locked`; `unreadable` or `unsafe` if the folder cannot be opened.
    package func requireUnlocked(patience: Duration) throws(FileError) {
        guard let folder = try open() else { return }
        let number = openUninterrupted(".lock", in: folder.descriptor.number, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else { return }
        let file = FileDescriptor(number)
        try FileLock.wait(for: file.number, path: path, rules, patience: patience)
        FileLock.release(file.number)
    }

    /// Checks, without creating a file, that files can be written to the folder. If the folder is missing, checks that
    /// it can be created in its nearest existing parent.
    package func requireWritable() throws(FileError) {
        if let folder = try open() { return try folder.requireWritable(toCreate: path) }
        var (missing, failure) = (path, Errno.noSuchFile)
        while failure == .noSuchFile, missing != rules.home, let parent = missing.parentPath {
            if access(parent, W_OK | X_OK) == 0 { return }
            failure = .current
            if failure == .noSuchFile { missing = parent }
            if missing.isLink { throw .brokenLink(missing) }
        }
        throw rules.unusable(.writing(missing, failure), failure)
    }

    /// Creates the folder, unless it exists, and checks that files can be written to it.
    package func create() throws(FileError) { try openOrCreate().requireWritable(toCreate: path) }

    /// The size of a file that SQLite opens by its path; `nil` if the file or the folder does not exist.
    ///
    /// Checks that only this user can change the file, and changes nothing: another program may have written it. Does
    /// not open the file: closing it would drop the `fcntl` locks that SQLite holds on it in this process.
    package func size(of name: String) throws(FileError) -> Int? { try status(of: name).map { Int($0.st_size) } }

    package func isReadableByOthers(_ name: String) throws(FileError) -> Bool {
        try status(of: name)?.isReadableByOthers ?? false
    }

    /// Removes the read permission of other users from a file of authctl, and warns about it.
    package func removeReadPermission(of name: String) throws(FileError) {
        // If `fchmodat` fails, the file cannot be written either, and the write reports the error.
        guard let folder = try open(), try isReadableByOthers(name),
            fchmodat(folder.descriptor.number, name, 0o600, 0) == 0
        else { return }
        rules.warnOfLooseMode("\(path)/\(name)")
    }

    private func status(of name: String) throws(FileError) -> stat? {
        guard let folder = try open() else { return nil }
        let filePath = "\(path)/\(name)"
        var status = stat()
        guard fstatat(folder.descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            let failure = Errno.current
            if failure == .noSuchFile { return nil }
            throw .reading(filePath, failure)
        }
        try rules.requireTrust(inFile: status, at: filePath, rootMayOwn: false)
        return status
    }

    /// Whether the file system is mounted read-only.
    package var isReadOnly: Bool { access(path, W_OK) != 0 && Errno.current.code == EROFS }

    /// The path with all links resolved.
    package func resolvedPath() throws(FileError) -> String {
        guard let resolved = path.resolvedLinks else { throw .reading(path, .current) }
        return resolved
    }

    /// Opens the folder. Creates it and its missing parents with mode 0700, but never the home folder.
    private func openOrCreate() throws(FileError) -> OpenFolder {
        try OpenFolder(try openOrCreate(path, ownFolders), path: path, rules)
    }

    private func openOrCreate(_ path: String, _ ownFolders: Int) throws(FileError) -> FileDescriptor {
        let existing = openUninterrupted(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if existing >= 0 { return FileDescriptor(existing) }
        let failure = Errno.current
        guard failure == .noSuchFile, path != rules.home, let parent = path.parentPath else {
            throw rules.unusable(.writing(path, failure), failure)
        }
        if path.isLink { throw .brokenLink(path) }
        let place = try openOrCreate(parent, ownFolders - 1)
        if ownFolders > 1 { try rules.requireTrust(inFolder: try place.status(at: parent), at: parent) }
        // Create the folder relative to its opened parent, because the path may lead to a different parent now.
        let name = path.lastComponent
        if mkdirat(place.number, name, 0o700) != 0, Errno.current != .exists {
            let failure = Errno.current
            throw rules.unusable(.writing(path, failure), failure)
        }
        let made = openUninterrupted(name, in: place.number, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard made >= 0 else { throw .writing(path, .current) }
        return FileDescriptor(made)
    }
}
