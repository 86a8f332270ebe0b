#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

// What is done with a file in a folder that is open and trusted.

// MARK: - Writing

/// Writes, synchronises, renames, synchronises the folder: in this order. The caller holds the lock.
func replaceFile(
    _ name: String, in folder: borrowing FileDescriptor, at path: String, with bytes: [UInt8]
) throws(FileError) {
    removeLeftovers(in: folder, at: path)
    let temporary = "\(leftoverPrefix)\(Randomness.system.hex(byteCount: 8))"
    do throws(Errno) {
        try writeNewFile(temporary, in: folder, bytes)
        try retryingInterrupts { renameat(folder.number, temporary, folder.number, name) }
        try retryingInterrupts { fsync(folder.number) }
    } catch {
        unlinkat(folder.number, temporary, 0)
        throw .writing("\(path)/\(name)", error)
    }
}

/// Writes so many bytes and takes them away again; nothing need be synchronised for that. The caller holds the lock.
func tryRoom(in folder: borrowing FileDescriptor, _ count: Int) throws(Errno) {
    let name = "\(leftoverPrefix)room"
    unlinkat(folder.number, name, 0)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = FileDescriptor(try retryingInterrupts { openat(folder.number, name, flags, 0o600) })
    // Gone with its last descriptor, however this ends.
    try retryingInterrupts { unlinkat(folder.number, name, 0) }
    try file.write([UInt8](repeating: 0, count: count))
}

func writeNewFile(_ name: String, in folder: borrowing FileDescriptor, _ bytes: [UInt8]) throws(Errno) {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = FileDescriptor(try retryingInterrupts { openat(folder.number, name, flags, 0o600) })
    try file.write(bytes)
    try retryingInterrupts { fsync(file.number) }
}

/// Removes what a process left that was killed in the middle of a write. Nobody else writes now.
func removeLeftovers(in folder: borrowing FileDescriptor, at path: String) {
    // `try?`: this is tidiness; a folder that cannot be listed will fail the write itself.
    let leftovers = (try? names(in: folder, at: path)) ?? []
    for name in leftovers where name.hasPrefix(leftoverPrefix) {
        unlinkat(folder.number, name, 0)
    }
}

/// No profile's file begins like this, since no profile's name begins with a dot.
private let leftoverPrefix = ".authctl-new-"

// MARK: - Reading

func readFile(
    _ name: String, in folder: borrowing FileDescriptor, at path: String, limit: Int
) throws(FileError) -> [UInt8]? {
    let filePath = "\(path)/\(name)"
    let number = openUninterrupted(name, in: folder.number, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard number >= 0 else {
        let failure = Errno.current
        if failure == .noSuchFile { return nil }
        throw failure.code == ELOOP ? .notPlain(filePath) : .reading(filePath, failure)
    }
    let file = FileDescriptor(number)
    let (status, bytes): (stat, [UInt8]?)
    do throws(Errno) {
        status = try file.status()
        // What is no plain file is refused unread: a folder cannot be read, and a pipe would be emptied.
        bytes = status.isRegularFile ? try file.read(upTo: limit) : nil
    } catch {
        throw .reading(filePath, error)
    }
    if let distrust = distrust(status, filePath) { throw distrust }
    guard let bytes, bytes.count <= limit else {
        throw FileError(.corrupt, "'\(filePath)' is larger than \(limit) bytes")
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
    while let entry = readdir(listing) {
        let name = withUnsafePointer(to: entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { names.append(name) }
    }
    return names
}

extension FileError {
    static func notPlain(_ path: String) -> FileError {
        FileError(
            .unsafe, "'\(path)' is a link or no regular file",
            hint: "see what it is (ls -ld \(path.shellQuoted)), then move it away")
    }
}
