import LibC

/// A folder whose lock this process holds: no other authctl process changes it.
package struct LockedFolder: ~Copyable {
    private let folder: OpenFolder
    private let lock: FileLock

    private var path: String { folder.path }

    init(_ folder: consuming OpenFolder, patience: Duration) throws(FileError) {
        lock = try FileLock.acquire(".lock", in: folder, subject: folder.path, patience: patience)
        self.folder = folder
    }

    package borrowing func read(_ name: String, limit: Int) throws(FileError) -> [UInt8]? {
        try folder.read(name, limit: limit)
    }

    /// Checks that `count` bytes could be written now. Leaves no file behind.
    ///
    /// A later write may still fail: other processes use the disk, and some file systems report a full disk late.
    package borrowing func requireSpace(_ count: Int) throws(FileError) {
        do throws(Errno) {
            try folder.checkSpace(count)
        } catch {
            throw .writing(path, error)
        }
    }

    /// Replaces a file atomically: writes a temporary file, syncs it, renames it and syncs the folder. Warns if other
    /// users could read the old file. Removes the temporary files of killed processes.
    package borrowing func replace(_ name: String, with bytes: [UInt8]) throws(FileError) {
        removeLeftovers()
        try overwrite(name, with: bytes)
    }

    /// Like `replace`, but removes no temporary files, because listing a folder of thousands of files is slow.
    package borrowing func overwrite(_ name: String, with bytes: [UInt8]) throws(FileError) {
        try folder.replace(name, with: bytes)
    }

    /// Replaces a file that may be in a different folder, because it is the target of a link.
    package borrowing func replace(_ file: FileLocation, with bytes: [UInt8]) throws(FileError) {
        if file.folder.path == path { return try replace(file.name, with: bytes) }
        guard let target = try file.folder.open() else { throw .writing(file.path, .noSuchFile) }
        target.removeLeftovers()
        try target.replace(file.name, with: bytes)
    }

    /// Removes a file, which need not exist, and the temporary files of killed processes.
    package borrowing func remove(_ name: String) throws(FileError) {
        removeLeftovers()
        let filePath = "\(path)/\(name)"
        do throws(Errno) {
            try retryingInterrupts { unlinkat(folder.descriptor.number, name, 0) }
        } catch {
            if error == .noSuchFile { return }
            throw .writing(filePath, error)
        }
        do throws(Errno) {
            try syncToDisk(folder.descriptor.number)
        } catch {
            throw .notSynced(filePath, "removed", error)
        }
    }

    /// Removes the temporary files of killed processes.
    package borrowing func removeLeftovers() { folder.removeLeftovers() }

    /// Creates an empty file, which SQLite then opens by its path.
    package borrowing func create(_ name: String) throws(FileError) {
        do throws(Errno) {
            try folder.writeNewFile(name, [])
        } catch {
            throw .writing("\(path)/\(name)", error)
        }
    }
}
