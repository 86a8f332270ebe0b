import LibC

/// A folder that no other process changes meanwhile.
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

    /// Finds out whether so many bytes could be written now, without leaving anything behind.
    ///
    /// No promise: others fill the disk, too, and some file systems tell only later.
    package borrowing func requireRoom(_ count: Int) throws(FileError) {
        do throws(Errno) {
            try tryRoom(in: folder, count)
        } catch {
            throw .writing(path, error)
        }
    }

    /// Puts a file in the place of one of that name, whole or not at all.
    ///
    /// The order is the promise: written, synchronised, renamed, folder synchronised.
    ///
    /// - Returns: whether others could read the old file or the folder until now.
    package borrowing func replace(_ name: String, with bytes: [UInt8]) throws(FileError) -> Bool {
        let wasLoose = try narrow()
        return try replaceFile(name, in: folder, at: path, with: bytes) || wasLoose
    }

    /// The same for a file that may stand elsewhere, behind a link; the folder there is left as it is.
    package borrowing func replace(_ file: FileLocation, with bytes: [UInt8]) throws(FileError) -> Bool {
        if file.folder.path == path { return try replace(file.name, with: bytes) }
        guard let target = try file.folder.openTrusted() else { throw .writing(file.path, .noSuchFile) }
        return try replaceFile(file.name, in: target, at: file.folder.path, with: bytes)
    }

    /// Removes a file for good, with what killed writers left of it; one that is not there is gone already.
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
            throw .unsettled(filePath, "removed", error)
        }
    }

    /// Makes an empty file, for a library that fills it by its path.
    package borrowing func create(_ name: String) throws(FileError) {
        do throws(Errno) {
            try writeNewFile(name, in: folder, [])
        } catch {
            throw .writing("\(path)/\(name)", error)
        }
    }

    /// Gives a file another name; there is none of that name.
    package borrowing func rename(_ name: String, to newName: String) throws(FileError) {
        do throws(Errno) {
            try retryingInterrupts { renameat(folder.number, name, folder.number, newName) }
            try retryingInterrupts { fsync(folder.number) }
        } catch {
            throw .writing("\(path)/\(newName)", error)
        }
    }

    /// Closes the folder to readers.
    ///
    /// - Returns: whether it was open to them.
    private borrowing func narrow() throws(FileError) -> Bool {
        do throws(Errno) {
            let isLoose = try folder.status().isReadableByOthers
            if isLoose { try retryingInterrupts { fchmod(folder.number, 0o700) } }
            return isLoose
        } catch {
            throw .writing(path, error)
        }
    }
}
