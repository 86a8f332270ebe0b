import LibC

/// The trust rule for authctl's folders and files, and the hint for a folder that cannot be used.
///
/// A trusted folder or file belongs to this user or root, and neither group nor others can write to it. Only the owner
/// and the mode bits are checked. Folders above authctl's own folders are not checked.
package struct FolderRules: Sendable {
    /// The folders that are trusted.
    package enum Trust: Sendable {
        /// Those of this user and of root, unless group or others can write to them.
        case own
        /// Also sticky ones that others can write to, such as `/tmp`. Root trusts the folders of all users: those of a
        /// container may be a mounted workspace.
        case shared
        /// All folders, because the user named a file in it, or a link leads there. Then only the file is checked.
        case all
    }

    /// The home folder, if the folder's path was derived from it. authctl never creates the home folder.
    package let home: String?
    /// Whether root may own the files. Session files must belong to the user.
    var rootMayOwnFiles = true
    var trust: Trust
    /// The hint for a folder that cannot be used.
    let remedy: @Sendable () -> String?
    /// Receives warnings. The same warning may be passed more than once.
    let warn: @Sendable (String) -> Void

    package init(
        home: String? = nil, trusting trust: Trust = .own, remedy: @escaping @Sendable () -> String? = { nil },
        warn: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.home = home
        self.trust = trust
        self.remedy = remedy
        self.warn = warn
    }

    func requireTrust(inFolder status: stat, at path: String) throws(FileError) {
        if trust != .all { try requireTrust(in: status, at: path, rootMayOwn: true, isShared: trust == .shared) }
    }

    /// - Throws: `FileError` `unsafe` for an untrusted owner or mode, or if the file is not a regular file.
    func requireTrust(inFile status: stat, at path: String, rootMayOwn: Bool = true) throws(FileError) {
        guard status.isRegularFile else { throw .notPlain(path) }
        try requireTrust(in: status, at: path, rootMayOwn: rootMayOwn)
    }

    private func requireTrust(
        in status: stat, at path: String, rootMayOwn: Bool, isShared: Bool = false
    ) throws(FileError) {
        let user = geteuid()
        guard status.st_uid == user || rootMayOwn && status.st_uid == 0 || isShared && user == 0 else {
            throw FileError(
                .unsafe, "'\(path)' belongs to another user (uid \(status.st_uid))",
                hint: remedy() ?? "run authctl as that user")
        }
        guard status.isWritableByOthers, !isShared || status.st_mode & S_ISVTX == 0 else { return }
        // A folder with a sticky or setgid bit, such as '/tmp', is shared on purpose, so no hint suggests chmod.
        let isChangeable = status.st_uid == user && status.st_mode & (S_ISVTX | S_ISGID) == 0
        let change = isChangeable ? "run: chmod go-w \(path.shellQuoted)" : nil
        // For a folder, `remedy` follows the chmod hint, because some mounted file systems ignore chmod.
        let other = change == nil || status.isFolder ? remedy() : nil
        throw FileError(.unsafe, "'\(path)' is writable by other users", hints: [change, other].compactMap { $0 })
    }

    func warnOfLooseMode(_ path: String) {
        warn("other users could read '\(path)'; its permissions are now fixed")
    }

    /// Adds `remedy` as a hint to the error if the failure means that the folder cannot be used.
    func unusable(_ error: FileError, _ failure: Errno) -> FileError {
        let isAboutFolder = [EACCES, EPERM, EROFS, ENOENT, ENOTDIR].contains(failure.code)
        return isAboutFolder ? FileError(error.kind, error.message, hint: remedy()) : error
    }
}

/// The folder's owner, if this process runs as root and the owner is another user; otherwise `nil`.
package func ownerIfRootActsForAnotherUser(_ folder: String) -> UInt32? {
    var status = stat()
    return geteuid() == 0 && stat(folder, &status) == 0 && status.st_uid != 0 ? status.st_uid : nil
}

extension stat {
    func isSame(as other: stat) -> Bool { st_dev == other.st_dev && st_ino == other.st_ino }
    var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
    var isLink: Bool { st_mode & S_IFMT == S_IFLNK }
    var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
    var isReadableByOthers: Bool { st_mode & 0o044 != 0 }
    var isWritableByOthers: Bool { st_mode & 0o022 != 0 }
}

extension String {
    /// Whether the path names a symbolic link, even a dangling one.
    var isLink: Bool {
        var status = stat()
        return lstat(self, &status) == 0 && status.isLink
    }
}
