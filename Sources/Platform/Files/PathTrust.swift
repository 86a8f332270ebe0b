import LibC

/// Checks that no other user can change the file or folder at a path.
///
/// The file, its folder and every parent up to the home folder must belong to this user and be writable by no other
/// user. Outside the home folder and above it, two more kinds of folder are accepted: those of root, and those writable
/// by all with the sticky bit set, which stops users from renaming the files of others (`/tmp`). The same rules apply
/// to every link in the path and to the folder that contains the link.
struct PathTrust {
    /// The home folder; its parents are not checked. `nil`: all parents up to the root are checked.
    let home: String?

    /// Checks an open folder, its parents, and the links in its path.
    ///
    /// - Parameter path: the path as given, which may contain links.
    func check(folder: borrowing FileDescriptor, path: String) throws(FileError) {
        try check(".", in: folder.number, path, isPlace: false)
        try checkLinks(on: path)
    }

    /// Checks a folder in which another one will be created: outside the home folder it may belong to root.
    func check(place folder: borrowing FileDescriptor, path: String) throws(FileError) {
        try check(".", in: folder.number, path, isPlace: true)
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
        guard path != home, let parent = path.parentPath else { return }
        try checkLinks(on: parent, &linksLeft)
        var status = stat()
        // If `lstat` fails, opening the file fails too, and that error is reported then.
        guard lstat(path, &status) == 0, status.isLink else { return }
        guard status.st_uid == geteuid() || status.st_uid == 0 else { throw .foreignLink(path, status.st_uid) }
        try check(parent, in: AT_FDCWD, parent, isPlace: true)
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
        _ name: String, in folder: Int32, _ path: String, isPlace: Bool
    ) throws(FileError) {
        let above: [stat]
        do throws(Errno) {
            above = try chain(from: name, in: folder)
        } catch {
            throw .reading(path, error)
        }
        let homeIndex = try indexOfHome(in: above)
        for (level, status) in above.enumerated() {
            if let homeIndex, level > homeIndex { break }
            let isOwn = homeIndex != nil || level == 0 && !isPlace
            try check(status, ancestor(level, of: path), isOwn: isOwn)
        }
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

    private func indexOfHome(in above: [stat]) throws(FileError) -> Int? {
        guard let home else { return nil }
        var status = stat()
        do throws(Errno) {
            try retryingInterrupts { stat(home, &status) }
        } catch {
            throw .reading(home, error)
        }
        return above.firstIndex { $0.isSame(as: status) }
    }

    /// - Parameter path: evaluated only for an error message.
    private func check(_ status: stat, _ path: @autoclosure () -> String, isOwn: Bool) throws(FileError) {
        let isOwnersOrRoots = status.st_uid == geteuid() || !isOwn && status.st_uid == 0
        guard isOwnersOrRoots else {
            throw .foreignOwner(path(), status.st_uid)
        }
        let isSticky = !isOwn && status.st_mode & S_ISVTX != 0
        guard status.st_mode & 0o022 == 0 || isSticky else {
            throw .writableByOthers(path())
        }
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
    static func foreignOwner(_ path: String, _ owner: uid_t) -> FileError {
        FileError(
            .unsafe, "'\(path)' belongs to another user (uid \(owner))",
            // Root must not lock the owner out, and other users must not take over files.
            hint: geteuid() == 0
                ? "run authctl as that user; or, if root should own it: chown 0 \(path.shellQuoted)"
                : "run: sudo chown \(geteuid()) \(path.shellQuoted)")
    }

    static func foreignLink(_ path: String, _ owner: uid_t) -> FileError {
        FileError(
            .unsafe, "'\(path)' is a link that belongs to another user (uid \(owner))",
            hint: "check its target (ls -l \(path.shellQuoted)), then create the link again")
    }

    static func brokenLink(_ path: String) -> FileError {
        FileError(.unsafe, "'\(path)' is a dangling symbolic link", hint: "fix or remove the link")
    }

    static func writableByOthers(_ path: String) -> FileError {
        FileError(.unsafe, "'\(path)' is writable by other users", hint: "run: chmod go-w \(path.shellQuoted)")
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
