import LibC

/// Checks that no other user can change the file or folder at a path.
///
/// Every folder on the way must belong to this user or root, and be writable by no other user. Others may write to a
/// folder with the sticky bit, which stops users from renaming the files of others (`/tmp`), unless it is authctl's own
/// folder. The parents of the home folder are not checked. The same rules apply to every link in the path and to the
/// folder that contains the link. `FolderRules` has the exceptions.
struct PathTrust {
    let rules: FolderRules
    /// How many folders at the end of the path are authctl's own: 2 for `…/authctl/sessions`.
    let ownFolders: Int

    /// Checks an open folder, its parents, and the links in its path.
    ///
    /// - Parameter path: the path as given, which may contain links.
    func check(_ folder: borrowing FileDescriptor, path: String) throws(FileError) {
        try check(".", in: folder.number, path, ownFolders)
        try checkLinks(on: path)
    }

    /// Checks every link in a path, also if the path does not exist: a user who can replace a link chooses its target.
    ///
    /// - Throws: `FileError` `unsafe`, also for a broken link: its target may be unmounted, not deleted.
    func checkLinks(on path: String) throws(FileError) {
        var linksLeft = 40
        try checkLinks(on: path, &linksLeft)
    }

    private func checkLinks(on path: String, _ linksLeft: inout Int) throws(FileError) {
        guard path != rules.home, let parent = path.parentPath else { return }
        try checkLinks(on: parent, &linksLeft)
        var status = stat()
        // If `lstat` fails, opening the file fails too, and that error is reported then.
        guard lstat(path, &status) == 0, status.isLink else { return }
        guard status.st_uid == geteuid() || status.st_uid == 0 else { throw .foreignLink(path, status.st_uid) }
        try check(parent, in: AT_FDCWD, parent, 0)
        linksLeft -= 1
        guard linksLeft >= 0 else { throw .reading(path, Errno(ELOOP)) }
        try checkLinks(on: try target(of: path, in: parent), &linksLeft)
        guard stat(path, &status) != 0 else { return }
        let failure = Errno.current
        throw failure == .noSuchFile ? .brokenLink(path) : .reading(path, failure)
    }

    /// The target of a link, without trailing slashes: with one, `lstat` would follow the link.
    private func target(of link: String, in parent: String) throws(FileError) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &buffer, buffer.count)
        guard count >= 0 else { throw .reading(link, .current) }
        let bytes = buffer[..<count].map(UInt8.init(truncatingIfNeeded:))
        let end = bytes.lastIndex { $0 != UInt8(ascii: "/") } ?? 0
        let target = String(decoding: bytes[...end], as: UTF8.self)
        // Invalid UTF-8 was repaired, so the text would name another file.
        guard target.utf8.elementsEqual(bytes[...end]) else { throw .reading(link, Errno(EILSEQ)) }
        return target.hasPrefix("/") ? target : "\(parent)/\(target)"
    }

    private func check(
        _ name: String, in folder: Int32, _ path: String, _ ownFolders: Int
    ) throws(FileError) {
        let above: [stat]
        do throws(Errno) {
            above = try chain(from: name, in: folder)
        } catch {
            throw .reading(path, error)
        }
        let homeLevel = try levelOfHome(in: above)
        let home = homeLevel.map { above[$0] }
        for (level, status) in above.enumerated() {
            if let homeLevel, level > homeLevel { break }
            let isOwn = level < ownFolders && level != homeLevel
            if status.st_uid != geteuid(), status.st_uid != 0 {
                guard !isOwn, rules.acceptsForeignHome(of: status.st_uid, home?.st_uid) else {
                    throw rules.foreignOwner(
                        ancestor(level, of: path), status.st_uid, place(of: level, homeLevel, home))
                }
            }
            let isSticky = !isOwn && status.st_mode & S_ISVTX != 0
            let isShared = rules.isWritableByOthers(
                status, at: descriptorPath(folder, name + String(repeating: "/..", count: level)))
            guard isSticky || !isShared else {
                throw rules.writableByOthers(
                    ancestor(level, of: path), status.st_uid, place(of: level, homeLevel, home))
            }
        }
        if let path = rules.home, let owner = home?.st_uid, owner != 0, geteuid() == 0 {
            rules.warn("home folder '\(path)' belongs to another user (uid \(owner)), who can remove authctl's files")
        }
    }

    private func place(of level: Int, _ homeLevel: Int?, _ home: stat?) -> FolderRules.Place {
        if level == homeLevel { return .home }
        if level < ownFolders - 1 { return .own }
        guard let homeLevel, let home, level < homeLevel else { return .elsewhere }
        // Other users may have folders of their own in a shared home such as '/tmp'.
        return home.st_uid == geteuid() && home.st_mode & S_IWOTH == 0 ? .inHome : .elsewhere
    }

    /// The status of the folder and of all its parents, up to the root.
    ///
    /// Appending `..` needs only search permission; opening each folder would need read permission.
    private func chain(from first: String, in folder: Int32) throws(Errno) -> [stat] {
        var above: [stat] = []
        var name = first
        while above.count < 256 {
            var status = stat()
            try retryingInterrupts { fstatat(folder, name, &status, 0) }
            if let last = above.last, last.isSame(as: status) { break }
            above.append(status)
            name += "/.."
        }
        return above
    }

    private func levelOfHome(in above: [stat]) throws(FileError) -> Int? {
        guard let home = rules.home else { return nil }
        var status = stat()
        do throws(Errno) {
            try retryingInterrupts { stat(home, &status) }
        } catch {
            throw .reading(home, error)
        }
        return above.firstIndex { $0.isSame(as: status) }
    }

    /// The path of the parent `level` steps up, for error messages.
    private func ancestor(_ level: Int, of path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        var folder = String(cString: resolved)
        for _ in 0..<level { folder = folder.parentPath ?? "/" }
        return folder
    }
}

extension FileError {
    static func foreignLink(_ path: String, _ owner: uid_t) -> FileError {
        FileError(
            .unsafe, "'\(path)' is a link that belongs to another user (uid \(owner))",
            hint: "check its target (ls -l \(path.shellQuoted)), then create the link again")
    }

    static func brokenLink(_ path: String) -> FileError {
        FileError(.unsafe, "'\(path)' is a dangling symbolic link", hint: "fix or remove the link")
    }
}

extension stat {
    func isSame(as other: stat) -> Bool { st_dev == other.st_dev && st_ino == other.st_ino }
    var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
    var isLink: Bool { st_mode & S_IFMT == S_IFLNK }
    var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
    /// Whether group or others may read the file.
    var isReadableByOthers: Bool { st_mode & 0o044 != 0 }
}
