import LibC

/// Which users may own and change the folders on the way to authctl's files, and what to suggest where they are unusable.
package struct FolderRules: Sendable {
    /// The home folder that the path was derived from. Its parents are not checked. `nil`: a variable or an option names
    /// the folder, and all parents up to the root are checked.
    package let home: String?
    /// Whether root acts for another user. Then it must not create files in that user's home folder.
    private let isUnderSudo: @Sendable () -> Bool
    /// The next step where the folder cannot be used.
    private let remedy: @Sendable () -> String?
    /// Whether a group consists of this user alone.
    private let isPrivateGroup: @Sendable (UInt32) -> Bool
    /// Receives warnings. The same one may come several times.
    let warn: @Sendable (String) -> Void

    package init(
        home: String? = nil, isUnderSudo: @escaping @Sendable () -> Bool = { false },
        remedy: @escaping @Sendable () -> String? = { nil },
        isPrivateGroup: @escaping @Sendable (UInt32) -> Bool = { PrivateGroup.isOfThisUser($0) },
        warn: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.home = home
        self.isUnderSudo = isUnderSudo
        self.remedy = remedy
        self.isPrivateGroup = isPrivateGroup
        self.warn = warn
    }

    /// Where a file or folder is. A hint suggests changing its mode or owner only where that cannot break the system.
    enum Place {
        /// A file, or a folder inside authctl's folder.
        case own
        /// A folder inside the user's own home folder.
        case inHome
        case home
        case elsewhere
    }

    /// Whether another user can write to a file or folder.
    ///
    /// - Parameter path: evaluated only if the group may write, to find further users in the access control list.
    func isWritableByOthers(_ status: stat, at path: @autoclosure () -> String) -> Bool {
        guard status.st_mode & 0o022 != 0 else { return false }
        let isGroupAlone = status.st_mode & 0o002 == 0
        return !isGroupAlone || !isPrivateGroup(status.st_gid) || hasAccessControlList(path())
    }

    /// Whether root accepts a folder of this owner, because the home folder is the owner's.
    func acceptsForeignHome(of owner: uid_t, _ homeOwner: uid_t?) -> Bool {
        geteuid() == 0 && owner == homeOwner && !isUnderSudo()
    }
}

// MARK: - Messages

extension FolderRules {
    func warnOfLooseMode(_ path: String) {
        warn("other users could read '\(path)'; its permissions are now fixed")
    }

    func foreignOwner(_ path: String, _ owner: uid_t, _ place: Place = .own) -> FileError {
        let isInside = place == .own || place == .inHome
        let hint: String? =
            switch geteuid() {
            case 0 where isUnderSudo(): "run the command without sudo"
            // Root must not lock the owner out, and other users must not take over files.
            case 0 where isInside:
                "run authctl as that user; or, if root should own it: chown 0 \(path.shellQuoted)"
            case let user where isInside: "run: sudo chown \(user) \(path.shellQuoted)"
            default: remedy()
            }
        return FileError(.unsafe, "'\(path)' belongs to another user (uid \(owner))", hint: hint)
    }

    func writableByOthers(_ path: String, _ owner: uid_t, _ place: Place = .own) -> FileError {
        let isChangeable =
            switch place {
            case .own, .inHome: true
            // A folder of root may be one of the system, such as '/tmp'.
            case .home, .elsewhere: geteuid() != 0
            }
        let change = isChangeable && owner == geteuid() ? "run: chmod go-w \(path.shellQuoted)" : nil
        return FileError(
            .unsafe, "'\(path)' is writable by other users",
            hints: [change, place == .home || change == nil ? remedy() : nil].compactMap { $0 })
    }

    /// Adds the next step to an error that means that the folder cannot be used.
    func unusable(_ error: FileError, _ failure: Errno) -> FileError {
        let isAboutFolder = [EACCES, EPERM, EROFS, ENOENT, ENOTDIR].contains(failure.code)
        guard isAboutFolder, error.hints.isEmpty, let step = remedy() else { return error }
        return FileError(error.kind, error.message, hint: step)
    }

    /// Throws if the home folder does not exist; authctl never creates it.
    func requireHome() throws(FileError) {
        guard let home else { return }
        var status = stat()
        guard stat(home, &status) == 0, status.isFolder else {
            throw unusable(FileError(.notWritten, "home folder '\(home)' does not exist"), .noSuchFile)
        }
    }
}
