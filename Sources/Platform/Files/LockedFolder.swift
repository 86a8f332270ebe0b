import LibC

/// A folder whose lock this process holds: no other authctl process changes it.
package struct LockedFolder: ~Copyable {
    private let folder: FileDescriptor
    private let lock: FileLock
    private let path: String

    init(_ folder: consuming FileDescriptor, path: String, patience: Duration) throws(FileError) {
        lock = try FileLock.acquire(".lock", in: folder, at: path, subject: path, patience: patience)
        self.folder = folder
        self.path = path
    }

    package borrowing func read(_ name: String, limit: Int) throws(FileError) -> [UInt8]? {
        try readFile(name, in: folder, at: path, limit: limit)
    }

    /// Checks that `count` bytes could be written now, and leaves no file behind.
    ///
    /// This is no guarantee: other processes use the disk too, and some file systems report a full disk only later.
    package borrowing func requireSpace(_ count: Int) throws(FileError) {
        do throws(Errno) {
            try checkSpace(in: folder, count)
        } catch {
            throw .writing(path, error)
        }
    }

    /// Replaces a file atomically: write, sync, rename, sync the folder, in this order.
    ///
    /// - Returns: whether other users could read the old file or the folder until now.
    package borrowing func replace(_ name: String, with bytes: [UInt8]) throws(FileError) -> Bool {
        let wasReadableByOthers = try restrictAccess()
        return try replaceFile(name, in: folder, at: path, with: bytes) || wasReadableByOthers
    }

    /// Replaces a file that may be in another folder, the target of a link. The mode of that folder is not changed.
    package borrowing func replace(_ file: FileLocation, with bytes: [UInt8]) throws(FileError) -> Bool {
        if file.folder.path == path { return try replace(file.name, with: bytes) }
        guard let target = try file.folder.openTrusted() else { throw .writing(file.path, .noSuchFile) }
        return try replaceFile(file.name, in: target, at: file.folder.path, with: bytes)
    }

    /// Removes a file and the temporary files of killed writers. Does nothing if the file does not exist.
    package borrowing func remove(_ name: String) throws(FileError) {
        removeLeftovers(in: folder, at: path)
        let filePath = "\(path)/\(name)"
        do throws(Errno) {
            try retryingInterrupts { unlinkat(folder.number, name, 0) }
        } catch {
            if error == .noSuchFile { return }
            throw .writing(filePath, error)
        }
        do throws(Errno) {
            try retryingInterrupts { fsync(folder.number) }
        } catch {
            throw .notSynced(filePath, "removed", error)
        }
    }

    /// Creates an empty file, for a library that opens it by path.
    package borrowing func create(_ name: String) throws(FileError) {
        do throws(Errno) {
            try writeNewFile(name, in: folder, [])
        } catch {
            throw .writing("\(path)/\(name)", error)
        }
    }

    /// Renames a file. A file that has the new name is replaced.
    package borrowing func rename(_ name: String, to newName: String) throws(FileError) {
        do throws(Errno) {
            try retryingInterrupts { renameat(folder.number, name, folder.number, newName) }
            try retryingInterrupts { fsync(folder.number) }
        } catch {
            throw .writing("\(path)/\(newName)", error)
        }
    }

    /// Removes the read permission of other users from the folder.
    ///
    /// - Returns: whether they had it.
    private borrowing func restrictAccess() throws(FileError) -> Bool {
        do throws(Errno) {
            let isLoose = try folder.status().isReadableByOthers
            if isLoose { try retryingInterrupts { fchmod(folder.number, 0o700) } }
            return isLoose
        } catch {
            throw .writing(path, error)
        }
    }
}
