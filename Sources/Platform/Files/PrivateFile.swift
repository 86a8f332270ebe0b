import LibC

// Operations on a file in an open folder that passed the trust rule, see `FolderRules`.

// MARK: - Writing

/// Writes a temporary file, syncs it, renames it, and syncs the folder, in this order. The caller holds the lock.
///
/// Warns if other users could read the old file. The new one has mode 0600.
///
/// - Throws: `FileError`. The old file is still in place, unless the message says that the new one was written.
func replaceFile(
    _ name: String, in folder: borrowing FileDescriptor, at path: String, with bytes: [UInt8], _ rules: FolderRules
) throws(FileError) {
    let filePath = "\(path)/\(name)"
    // Stays open so that its content can be restored if the last step fails.
    let old = try PlainFile.open(name, in: folder, at: filePath, rules)
    let wasReadableByOthers: Bool
    switch old {
    case .some(let old): wasReadableByOthers = old.status.isReadableByOthers
    case .none: wasReadableByOthers = false
    }
    let temporary = temporaryName()
    do throws(Errno) {
        try writeNewFile(temporary, in: folder, bytes)
        try retryingInterrupts { renameat(folder.number, temporary, folder.number, name) }
    } catch {
        unlinkat(folder.number, temporary, 0)
        throw .writing(filePath, error)
    }
    do throws(Errno) {
        try syncToDisk(folder.number)
    } catch {
        guard restoreFile(old, name, in: folder, by: temporary) else { throw .notSynced(filePath, "written", error) }
        throw .writing(filePath, error)
    }
    if wasReadableByOthers { rules.warnOfLooseMode(filePath) }
}

/// Restores the previous state: the content of `old`, or no file. Does not sync, because the sync has just failed.
///
/// - Returns: whether the restore succeeded.
private func restoreFile(
    _ old: consuming PlainFile?, _ name: String, in folder: borrowing FileDescriptor, by temporary: String
) -> Bool {
    do throws(Errno) {
        if let old {
            let bytes = try old.file.read(upTo: Int(old.status.st_size))
            try newFile(temporary, in: folder).write(bytes)
            try retryingInterrupts { renameat(folder.number, temporary, folder.number, name) }
        } else {
            try retryingInterrupts { unlinkat(folder.number, name, 0) }
        }
        return true
    } catch {
        unlinkat(folder.number, temporary, 0)
        return false
    }
}

/// Writes `count` bytes and deletes them. Needs no sync. The caller holds the lock.
func checkSpace(in folder: borrowing FileDescriptor, _ count: Int) throws(Errno) {
    let name = temporaryName()
    let file = try newFile(name, in: folder)
    // Unlinked at once: the system deletes the file when its last descriptor is closed.
    try retryingInterrupts { unlinkat(folder.number, name, 0) }
    try file.write([UInt8](repeating: 0, count: count))
}

func writeNewFile(_ name: String, in folder: borrowing FileDescriptor, _ bytes: [UInt8]) throws(Errno) {
    let file = try newFile(name, in: folder)
    try file.write(bytes)
    try syncToDisk(file.number)
}

private func newFile(_ name: String, in folder: borrowing FileDescriptor) throws(Errno) -> FileDescriptor {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    return FileDescriptor(try retryingInterrupts { openat(folder.number, name, flags, 0o600) })
}

/// Removes temporary files of processes that were killed during a write. The caller holds the lock.
func removeLeftovers(in folder: borrowing FileDescriptor, at path: String) {
    // `try?`: best effort; if the folder cannot be listed, the write itself reports the error.
    let leftovers = (try? names(in: folder, at: path)) ?? []
    for name in leftovers where name.hasPrefix(leftoverPrefix) {
        unlinkat(folder.number, name, 0)
    }
}

/// A random name, so that no existing file can collide with it.
func temporaryName() -> String { "\(leftoverPrefix)\(Randomness.system.hex(byteCount: 8))" }

/// Profile names never begin with a dot, so no profile's file has this prefix.
private let leftoverPrefix = ".authctl-new-"

// MARK: - Reading

/// A file open for reading that only this user can change.
struct PlainFile: ~Copyable {
    let file: FileDescriptor
    let status: stat

    /// Returns `nil` only for `ENOENT`: a file taken for missing would be overwritten.
    static func open(
        _ name: String, in folder: borrowing FileDescriptor, at path: String, _ rules: FolderRules
    ) throws(FileError) -> PlainFile? {
        // `O_NONBLOCK`: opening a FIFO must not block. Only regular files are read, because reading empties a pipe.
        let number = openUninterrupted(name, in: folder.number, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else {
            let failure = Errno.current
            if failure == .noSuchFile { return nil }
            throw failure.code == ELOOP ? .notPlain(path) : .reading(path, failure)
        }
        let file = FileDescriptor(number)
        let status = try file.status(at: path)
        try rules.requireTrust(inFile: status, at: path, rootMayOwn: rules.rootMayOwnFiles)
        return PlainFile(file: file, status: status)
    }
}

func readFile(
    _ name: String, in folder: borrowing FileDescriptor, at path: String, limit: Int, _ rules: FolderRules
) throws(FileError) -> [UInt8]? {
    let filePath = "\(path)/\(name)"
    guard let plain = try PlainFile.open(name, in: folder, at: filePath, rules) else { return nil }
    let bytes: [UInt8]
    do throws(Errno) {
        bytes = try plain.file.read(upTo: limit)
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

func names(in folder: borrowing FileDescriptor, at path: String) throws(FileError) -> [String] {
    // A separate descriptor: `readdir` moves the position, and `closedir` closes the descriptor.
    let copy = openUninterrupted(".", in: folder.number, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let listing = fdopendir(copy) else { throw .reading(path, .current) }
    defer { closedir(listing) }
    var names: [String] = []
    while true {
        // `readdir` returns NULL at the end and on failure; only `errno` tells them apart.
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
