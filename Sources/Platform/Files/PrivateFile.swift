import LibC

// What is done with a file in a folder that is open and trusted.

// MARK: - Writing

/// Writes, synchronises, renames, synchronises the folder: in this order. The caller holds the lock.
///
/// - Returns: whether others could read the old file.
/// - Throws: `FileError`; the old file is there then, and so is the new one only where the message says so.
func replaceFile(
    _ name: String, in folder: borrowing FileDescriptor, at path: String, with bytes: [UInt8]
) throws(FileError) -> Bool {
    let filePath = "\(path)/\(name)"
    // Kept open: what is in it is put back should the very last step fail.
    let old = try PlainFile.open(name, in: folder, at: filePath)
    let wasLoose: Bool
    switch old {
    case .some(let old): wasLoose = old.status.isReadableByOthers
    case .none: wasLoose = false
    }
    removeLeftovers(in: folder, at: path)
    let temporary = temporaryName()
    do throws(Errno) {
        try writeNewFile(temporary, in: folder, bytes)
        try retryingInterrupts { renameat(folder.number, temporary, folder.number, name) }
    } catch {
        unlinkat(folder.number, temporary, 0)
        throw .writing(filePath, error)
    }
    do throws(Errno) {
        try retryingInterrupts { fsync(folder.number) }
    } catch {
        guard putBack(old, name, in: folder, by: temporary) else { throw .unsettled(filePath, "written", error) }
        throw .writing(filePath, error)
    }
    return wasLoose
}

/// Makes a file what it was before: `old`, or none. Not synchronised: that has failed before.
///
/// - Returns: whether it is so now.
private func putBack(
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

/// Writes so many bytes and takes them away again; nothing need be synchronised for that. The caller holds the lock.
func tryRoom(in folder: borrowing FileDescriptor, _ count: Int) throws(Errno) {
    let name = temporaryName()
    let file = try newFile(name, in: folder)
    // Gone with its last descriptor, however this ends.
    try retryingInterrupts { unlinkat(folder.number, name, 0) }
    try file.write([UInt8](repeating: 0, count: count))
}

func writeNewFile(_ name: String, in folder: borrowing FileDescriptor, _ bytes: [UInt8]) throws(Errno) {
    let file = try newFile(name, in: folder)
    try file.write(bytes)
    try retryingInterrupts { fsync(file.number) }
}

private func newFile(_ name: String, in folder: borrowing FileDescriptor) throws(Errno) -> FileDescriptor {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    return FileDescriptor(try retryingInterrupts { openat(folder.number, name, flags, 0o600) })
}

/// Removes what a process left that was killed in the middle of a write. Nobody else writes now.
func removeLeftovers(in folder: borrowing FileDescriptor, at path: String) {
    // `try?`: this is tidiness; a folder that cannot be listed will fail the write itself.
    let leftovers = (try? names(in: folder, at: path)) ?? []
    for name in leftovers where name.hasPrefix(leftoverPrefix) {
        unlinkat(folder.number, name, 0)
    }
}

/// One that nothing is in the way of, whatever somebody put there.
private func temporaryName() -> String { "\(leftoverPrefix)\(Randomness.system.hex(byteCount: 8))" }

/// No profile's file begins like this, since no profile's name begins with a dot.
private let leftoverPrefix = ".authctl-new-"

// MARK: - Reading

/// A file that is open for reading, found to be in nobody else's hands.
struct PlainFile: ~Copyable {
    let file: FileDescriptor
    let status: stat

    /// `nil` where there is none: only where the system says so, since what is taken for absent is overwritten.
    static func open(
        _ name: String, in folder: borrowing FileDescriptor, at path: String
    ) throws(FileError) -> PlainFile? {
        // What is no plain file is not waited for, and is never read: a pipe would be emptied.
        let number = openUninterrupted(name, in: folder.number, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else {
            let failure = Errno.current
            if failure == .noSuchFile { return nil }
            throw failure.code == ELOOP ? .notPlain(path) : .reading(path, failure)
        }
        let file = FileDescriptor(number)
        let status: stat
        do throws(Errno) {
            status = try file.status()
        } catch {
            throw .reading(path, error)
        }
        if let distrust = distrust(status, path) { throw distrust }
        return PlainFile(file: file, status: status)
    }
}

func readFile(
    _ name: String, in folder: borrowing FileDescriptor, at path: String, limit: Int
) throws(FileError) -> [UInt8]? {
    let filePath = "\(path)/\(name)"
    guard let plain = try PlainFile.open(name, in: folder, at: filePath) else { return nil }
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

/// What forbids to use a file: that it is not plain, or that others own it or may write to it.
func distrust(_ status: stat, _ path: String) -> FileError? {
    guard status.isRegularFile else { return .notPlain(path) }
    guard status.st_uid == geteuid() else { return .foreignOwner(path, status.st_uid) }
    return status.st_mode & 0o022 == 0 ? nil : .writableByOthers(path)
}

func names(in folder: borrowing FileDescriptor, at path: String) throws(FileError) -> [String] {
    // A descriptor of its own: closing the listing closes it, and reading it moves its position.
    let copy = openUninterrupted(".", in: folder.number, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let listing = fdopendir(copy) else { throw .reading(path, .current) }
    defer { closedir(listing) }
    var names: [String] = []
    while true {
        // The end and a failure look the same but for this.
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

extension FileError {
    static func notPlain(_ path: String) -> FileError {
        FileError(
            .unsafe, "'\(path)' is a link or not a regular file",
            hint: "check it (ls -ld \(path.shellQuoted)), then move it away")
    }
}
