import LibC

/// An open folder that passed the trust rule, see `FolderRules`. Its files are opened relative to its descriptor.
package struct OpenFolder: ~Copyable {
    let descriptor: FileDescriptor
    let path: String
    let rules: FolderRules

    /// - Throws: `FileError` `unsafe` if another user can change the folder.
    init(_ descriptor: consuming FileDescriptor, path: String, _ rules: FolderRules) throws(FileError) {
        try rules.requireTrust(inFolder: try descriptor.status(at: path), at: path)
        self.descriptor = descriptor
        self.path = path
        self.rules = rules
    }

    /// Returns the content of a file; `nil` if the file does not exist.
    ///
    /// - Throws: `FileError` `unreadable`, `unsafe`, or `corrupt` for more than `limit` bytes.
    package borrowing func read(_ name: String, limit: Int) throws(FileError) -> [UInt8]? {
        try readFile(name, in: descriptor, at: path, limit: limit, rules)
    }

    /// Whether this user may create files in it.
    borrowing func requireWritable(toCreate path: String) throws(FileError) {
        guard faccessat(descriptor.number, ".", W_OK | X_OK, 0) != 0 else { return }
        let failure = Errno.current
        throw rules.unusable(.writing(path, failure), failure)
    }
}

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

    /// Checks that `count` bytes could be written now, and leaves no file behind.
    ///
    /// This is no guarantee: other processes use the disk too, and some file systems report a full disk only later.
    package borrowing func requireSpace(_ count: Int) throws(FileError) {
        do throws(Errno) {
            try checkSpace(in: folder.descriptor, count)
        } catch {
            throw .writing(path, error)
        }
    }

    /// Replaces a file atomically: write, sync, rename, sync the folder, in this order. Warns if other users could read
    /// the old file until now. Removes the temporary files of killed writers.
    package borrowing func replace(_ name: String, with bytes: [UInt8]) throws(FileError) {
        removeLeftovers()
        try overwrite(name, with: bytes)
    }

    /// Replaces a file like `replace`, without listing the folder, which takes long in one with thousands of files.
    package borrowing func overwrite(_ name: String, with bytes: [UInt8]) throws(FileError) {
        try replaceFile(name, in: folder.descriptor, at: path, with: bytes, folder.rules)
    }

    /// Writes a file like `overwrite` that the next `removeLeftovers` removes.
    package borrowing func writeLeftover(_ bytes: [UInt8]) throws(FileError) {
        try overwrite(temporaryName(), with: bytes)
    }

    /// Replaces a file that may be in another folder, the target of a link.
    package borrowing func replace(_ file: FileLocation, with bytes: [UInt8]) throws(FileError) {
        if file.folder.path == path { return try replace(file.name, with: bytes) }
        guard let target = try file.folder.open() else { throw .writing(file.path, .noSuchFile) }
        Platform.removeLeftovers(in: target.descriptor, at: target.path)
        try replaceFile(file.name, in: target.descriptor, at: target.path, with: bytes, target.rules)
    }

    /// Removes a file and the temporary files of killed writers. Does nothing if the file does not exist.
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

    /// Removes the files of `writeLeftover` and the temporary files of killed writers.
    package borrowing func removeLeftovers() {
        Platform.removeLeftovers(in: folder.descriptor, at: path)
    }

    /// Creates an empty file, for a library that opens it by path.
    package borrowing func create(_ name: String) throws(FileError) {
        do throws(Errno) {
            try writeNewFile(name, in: folder.descriptor, [])
        } catch {
            throw .writing("\(path)/\(name)", error)
        }
    }

    /// Renames a file. A file that has the new name is replaced.
    package borrowing func rename(_ name: String, to newName: String) throws(FileError) {
        let number = folder.descriptor.number
        do throws(Errno) {
            try retryingInterrupts { renameat(number, name, number, newName) }
            try syncToDisk(number)
        } catch {
            throw .writing("\(path)/\(newName)", error)
        }
    }
}
