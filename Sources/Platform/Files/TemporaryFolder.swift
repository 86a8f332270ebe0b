import LibC

/// A folder for one run of a program, which only this user can open.
///
/// If the process is killed, the next run deletes the folder: the lock (`flock`) that the process holds on its folder
/// tells a leftover from a folder in use. A file that names the folder tells a leftover from a folder that the user made,
/// copied or renamed.
package struct TemporaryFolder: ~Copyable {
    package let path: String
    private let folder: FileDescriptor

    /// The start of the names, `authctl-serve-0f3a…` with 16 hexadecimal digits.
    private static let prefix = "authctl-serve-"
    private static let digits = 16
    /// The name of the file that marks a folder as authctl's.
    private static let marker = ".authctl-serve"

    /// Creates a folder in `parent`, and deletes the leftovers there.
    package init(in parent: String, _ rules: FolderRules) throws(FileError) {
        Self.deleteLeftovers(in: parent)
        while true {
            let name = "\(Self.prefix)\(Randomness.system.hex(byteCount: Self.digits / 2))"
            let path = "\(parent == "/" ? "" : parent)/\(name)"
            guard mkdir(path, 0o700) == 0 else {
                let failure = Errno.current
                if failure == .exists { continue }
                throw rules.unusable(.writing(path, failure), failure)
            }
            guard let folder = Self.lock(path) else {
                // Another process holds it for a moment, to see whether it is a leftover.
                rmdir(path)
                continue
            }
            do throws(FileError) {
                try Self.mark(folder, name, path)
            } catch {
                deleteTree(path)
                throw error
            }
            self.path = path
            self.folder = folder
            return
        }
    }

    /// Creates a folder in it.
    ///
    /// - Returns: its path.
    package func makeSubfolder(_ name: String) throws(FileError) -> String {
        guard mkdirat(folder.number, name, 0o700) == 0 else { throw .writing("\(path)/\(name)", .current) }
        return "\(path)/\(name)"
    }

    /// Deletes the folder with its content.
    package func delete() { deleteTree(path) }

    private static func content(_ name: String) -> [UInt8] {
        Array("authctl made the folder \(name) and deletes it\n".utf8)
    }

    private static func mark(_ folder: borrowing FileDescriptor, _ name: String, _ path: String) throws(FileError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let number = openUninterrupted(marker, in: folder.number, flags)
        guard number >= 0 else { throw .writing("\(path)/\(marker)", .current) }
        let file = FileDescriptor(number)
        do throws(Errno) {
            try file.write(content(name))
        } catch {
            throw .writing("\(path)/\(marker)", error)
        }
    }

    private static func isMarked(_ folder: borrowing FileDescriptor, _ name: String) -> Bool {
        let number = openUninterrupted(
            marker, in: folder.number, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { return false }
        let file = FileDescriptor(number)
        // `try?`: without a readable marker, the folder is not authctl's.
        return (try? file.read(upTo: 128)) == content(name)
    }

    private static func deleteLeftovers(in parent: String) {
        let number = openUninterrupted(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { return }
        let folder = FileDescriptor(number)
        // `try?`: best effort; a parent that cannot be listed may still be usable.
        let leftovers = (try? names(in: folder, at: parent))?.filter(isName) ?? []
        for name in leftovers {
            let path = "\(parent)/\(name)"
            // The lock is held until the folder is gone.
            guard let lock = lock(path), isMarked(lock, name) else { continue }
            deleteTree(path)
            _ = consume lock
        }
    }

    private static func isName(_ name: String) -> Bool {
        let digits = name.utf8.dropFirst(prefix.utf8.count)
        return name.hasPrefix(prefix) && digits.count == Self.digits
            && digits.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    /// Returns `nil` if it is not a folder of this user, or if another process has locked or deleted it.
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

/// Deletes a file, or a folder with its content. Links are not followed. Best effort: what cannot be deleted stays.
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
        // A command may have left a folder that it cannot write itself, as caches of downloads are.
        fchmod(number, 0o700)
        // `try?`: the folder then stays, as it is not empty.
        for entry in (try? names(in: folder, at: name)) ?? [] { deleteTree(entry, in: number) }
    }
    unlinkat(parent, name, AT_REMOVEDIR)
}
