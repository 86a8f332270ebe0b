import LibC

/// An open folder that satisfies the trust rule of `FolderRules`. Its files are opened relative to its descriptor.
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
    /// - Throws: `FileError` `unreadable` or `unsafe`; `corrupt` if the file has more than `limit` bytes.
    package borrowing func read(_ name: String, limit: Int) throws(FileError) -> [UInt8]? {
        let filePath = "\(path)/\(name)"
        guard let file = try openFile(name) else { return nil }
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try file.read(upTo: limit)
        } catch {
            throw .reading(filePath, error)
        }
        guard bytes.count <= limit else {
            throw FileError(
                .corrupt, "'\(filePath)' is larger than \(limit) bytes",
                hint: "check the file (ls -l \(filePath.shellQuoted)), then move it away")
        }
        return bytes
    }

    /// Opens a file and checks the trust rule.
    ///
    /// - Returns: `nil` only if the file does not exist (`ENOENT`), because callers then create the file.
    private borrowing func openFile(_ name: String) throws(FileError) -> FileDescriptor? {
        let filePath = "\(path)/\(name)"
        // `O_NONBLOCK`: opening a FIFO must not block. `requireTrust` then rejects the FIFO.
        let number = openUninterrupted(name, in: descriptor.number, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else {
            let failure = Errno.current
            if failure == .noSuchFile { return nil }
            throw failure.code == ELOOP ? .notPlain(filePath) : .reading(filePath, failure)
        }
        let file = FileDescriptor(number)
        try rules.requireTrust(
            inFile: try file.status(at: filePath), at: filePath, rootMayOwn: rules.rootMayOwnFiles)
        return file
    }

    /// Writes and syncs a temporary file, renames it, then syncs the folder. authctl's own files are replaced only
    /// through `LockedFolder`, which holds a lock.
    ///
    /// Warns if other users could read the old file. The new file has mode 0600.
    ///
    /// - Throws: `FileError`. The old file is still in place, unless the message reports that the new file was written:
    ///   then only the sync of the folder failed.
    borrowing func replace(_ name: String, with bytes: [UInt8]) throws(FileError) {
        let filePath = "\(path)/\(name)"
        let wasReadableByOthers: Bool
        switch try openFile(name) {
        case .some(let old): wasReadableByOthers = try old.status(at: filePath).isReadableByOthers
        case .none: wasReadableByOthers = false
        }
        let (number, temporary) = (descriptor.number, temporaryName())
        do throws(Errno) {
            try writeNewFile(temporary, bytes)
            try retryingInterrupts { renameat(number, temporary, number, name) }
        } catch {
            unlinkat(number, temporary, 0)
            throw .writing(filePath, error)
        }
        do throws(Errno) {
            try syncToDisk(number)
        } catch {
            throw .notSynced(filePath, "written", error)
        }
        if wasReadableByOthers { rules.warnOfLooseMode(filePath) }
    }

    borrowing func writeNewFile(_ name: String, _ bytes: [UInt8]) throws(Errno) {
        let file = try newFile(name)
        try file.write(bytes)
        try syncToDisk(file.number)
    }

    private borrowing func newFile(_ name: String) throws(Errno) -> FileDescriptor {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        return FileDescriptor(try retryingInterrupts { openat(descriptor.number, name, flags, 0o600) })
    }

    /// Writes `count` bytes to a temporary file and deletes it, without a sync. Called only by `LockedFolder`.
    borrowing func checkSpace(_ count: Int) throws(Errno) {
        let name = temporaryName()
        let file = try newFile(name)
        // The file is unlinked before the write, so the system deletes it when its descriptor is closed.
        try retryingInterrupts { unlinkat(descriptor.number, name, 0) }
        try file.write([UInt8](repeating: 0, count: count))
    }

    /// Removes temporary files of processes that were killed during a write. Called only by `LockedFolder`.
    borrowing func removeLeftovers() {
        // `try?`: best effort; if the folder cannot be listed, the next write reports the error.
        for name in (try? fileNames()) ?? [] where name.hasPrefix(leftoverPrefix) {
            unlinkat(descriptor.number, name, 0)
        }
    }

    borrowing func fileNames() throws(FileError) -> [String] { try names(in: descriptor, at: path) }

    /// Nanoseconds since 1970; 0 if the file is gone.
    borrowing func timeOfChange(of name: String) -> Int {
        var status = stat()
        guard fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return 0 }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// Checks that this user may create files in the folder.
    borrowing func requireWritable(toCreate path: String) throws(FileError) {
        guard faccessat(descriptor.number, ".", W_OK | X_OK, 0) != 0 else { return }
        let failure = Errno.current
        throw rules.unusable(.writing(path, failure), failure)
    }
}

/// A random name for a temporary file.
func temporaryName() -> String { "\(leftoverPrefix)\(Randomness.system.hex(byteCount: 8))" }

/// Profile names never begin with a dot, so no profile's file has this prefix.
private let leftoverPrefix = ".authctl-new-"

func names(in folder: borrowing FileDescriptor, at path: String) throws(FileError) -> [String] {
    // Use a separate descriptor, because `readdir` moves the position and `closedir` closes the descriptor.
    let copy = openUninterrupted(".", in: folder.number, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let listing = fdopendir(copy) else { throw .reading(path, .current) }
    defer { closedir(listing) }
    var names: [String] = []
    while true {
        // `readdir` returns NULL at the end and on failure. Only `errno` distinguishes the two cases.
        errno = 0
        guard let entry = readdir(listing) else { break }
        let name = withUnsafePointer(to: entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw .reading(path, .current) }
    return names
}
