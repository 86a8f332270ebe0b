import LibC

/// A folder for one run of the program. Only this user can open it.
///
/// If the process is killed, the next run deletes the folder. A running process holds a lock (`flock`) on its folder,
/// so a folder without a lock is a leftover of a killed process.
package struct TemporaryFolder: ~Copyable {
    package let path: String
    private let folder: FileDescriptor

    /// Each name is this prefix and 16 hexadecimal digits: `authctl-serve-0f3a…`.
    private static let prefix = "authctl-serve-"
    private static let digits = 16

    /// Creates a folder in `parent`, and deletes the folders of killed processes in `parent`.
    package init(in parent: String, _ rules: FolderRules) throws(FileError) {
        Self.deleteLeftovers(in: parent)
        var failure = Errno.exists
        // The number of attempts is limited: on a file system without `flock`, for example, every attempt fails.
        for _ in 0..<100 {
            let name = "\(Self.prefix)\(Randomness.system.hex(byteCount: Self.digits / 2))"
            let path = "\(parent == "/" ? "" : parent)/\(name)"
            guard mkdir(path, 0o700) == 0 else {
                failure = .current
                if failure == .exists { continue }
                throw rules.unusable(.writing(path, failure), failure)
            }
            guard let folder = Self.lock(path) else {
                // Another process may have locked the new folder, because it looked like a leftover. Try another name.
                failure = .current
                rmdir(path)
                continue
            }
            self.path = path
            self.folder = folder
            return
        }
        throw rules.unusable(.writing(parent, failure), failure)
    }

    /// Creates a subfolder.
    ///
    /// - Returns: the path of the subfolder.
    package func makeSubfolder(_ name: String) throws(FileError) -> String {
        guard mkdirat(folder.number, name, 0o700) == 0 else { throw .writing("\(path)/\(name)", .current) }
        return "\(path)/\(name)"
    }

    /// Deletes the folder with its content.
    package func delete() { deleteTree(path) }

    private static func deleteLeftovers(in parent: String) {
        let number = openUninterrupted(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { return }
        let folder = FileDescriptor(number)
        // `try?`: best effort; a parent that cannot be listed may still be usable.
        let leftovers = (try? names(in: folder, at: parent))?.filter(isName) ?? []
        for name in leftovers {
            let path = "\(parent)/\(name)"
            // The lock is held until the folder is deleted.
            guard let lock = lock(path) else { continue }
            deleteTree(path)
            _ = consume lock
        }
    }

    private static func isName(_ name: String) -> Bool {
        let digits = name.utf8.dropFirst(prefix.utf8.count)
        return name.hasPrefix(prefix) && digits.count == Self.digits
            && digits.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    /// Locks a folder; `nil` if the path is not a folder of this user, if another process has locked or deleted the
    /// folder, or if the file system does not support locks.
    private static func lock(_ path: String) -> FileDescriptor? {
        let number = openUninterrupted(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else { return nil }
        let folder = FileDescriptor(number)
        var (status, current) = (stat(), stat())
        guard flock(number, LOCK_EX | LOCK_NB) == 0, fstat(number, &status) == 0, status.st_uid == geteuid(),
            lstat(path, &current) == 0, status.isSame(as: current)
        else { return nil }
        return folder
    }
}

/// Deletes a file, or a folder with its content, without following links. Entries that cannot be deleted stay.
private func deleteTree(_ name: String, in parent: Int32 = AT_FDCWD) {
    var status = stat()
    guard fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
    guard status.isFolder else {
        unlinkat(parent, name, 0)
        return
    }
    let number = openUninterrupted(name, in: parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if number >= 0 {
        let folder = FileDescriptor(number)
        // Make the folder writable: a command may have created read-only folders, such as Go's module cache.
        fchmod(number, 0o700)
        // `try?`: if the folder cannot be listed, it stays.
        for entry in (try? names(in: folder, at: name)) ?? [] { deleteTree(entry, in: number) }
    }
    unlinkat(parent, name, AT_REMOVEDIR)
}
