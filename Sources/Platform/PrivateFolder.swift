#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A folder whose files only their owner may see and change.
///
/// Files are read whole and replaced whole: a reader sees an old or a new state and needs no lock, and what was
/// reported as written survives a power cut. Folders are 0700 and files 0600 from creation on (the process runs with
/// umask 077; a foreign one could take bits away); loose *read* bits are narrowed at the next write.
/// What others could have written is refused: see `PathTrust`.
package struct PrivateFolder: Sendable {
    package let path: String
    /// The home folder that the path was derived from: it must exist.
    package let home: String?

    package init(path: String, home: String?) {
        self.path = path
        self.home = home
    }

    package func subfolder(_ name: String) -> PrivateFolder {
        PrivateFolder(path: "\(path)/\(name)", home: home)
    }

    /// The bytes of a file; `nil` where there is no such file or folder.
    ///
    /// - Throws: `FileError` `unreadable`, `unsafe`, or `corrupt` for more than `limit` bytes.
    package func read(_ name: String, limit: Int) throws(FileError) -> [UInt8]? {
        guard let folder = try openTrusted() else { return nil }
        return try readFile(name, in: folder, at: path, limit: limit)
    }

    /// The names of the files in it, in no order; none where there is no such folder.
    package func fileNames() throws(FileError) -> [String] {
        guard let folder = try openTrusted() else { return [] }
        return try names(in: folder, at: path)
    }

    /// Makes the folder if it is missing, and waits for the sole right to change what is in it.
    ///
    /// - Throws: `FileError` `locked` when others changed it all the time.
    package func lock(patience: Duration = .seconds(10)) throws(FileError) -> LockedFolder {
        try create()
        guard let folder = try openTrusted() else { throw .writing(path, .noSuchFile) }
        return try LockedFolder(folder, path: path, patience: patience)
    }

    /// Makes the folder and those above it, each 0700, and narrows one that others may read.
    ///
    /// The home folder itself is never made.
    private func create() throws(FileError) {
        if let home { try requireFolder(home) }
        try makeFolder(path)
    }

    /// Bytes of a file that another library opens by its path, found to be in nobody else's hands; `nil` where there
    /// is no such file or folder. Readers other than the owner are shut out.
    ///
    /// The file itself is not opened: closing it again would drop locks that this process holds on it (`fcntl`).
    package func size(of name: String) throws(FileError) -> Int? {
        guard let folder = try openTrusted() else { return nil }
        var status = stat()
        guard fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            let failure = Errno.current
            if failure == .noSuchFile { return nil }
            throw .reading("\(path)/\(name)", failure)
        }
        if let distrust = distrust(status, "\(path)/\(name)") { throw distrust }
        // Should this fail, the file cannot be written either, and that is told then.
        if status.isReadableByOthers { fchmodat(folder.number, name, 0o600, 0) }
        return Int(status.st_size)
    }

    /// The path with all links in it followed.
    package func resolvedPath() throws(FileError) -> String {
        guard let resolved = realpath(path, nil) else { throw .reading(path, .current) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private func requireFolder(_ home: String) throws(FileError) {
        var status = stat()
        guard stat(home, &status) == 0, status.isFolder else {
            throw FileError(
                .notWritten, "there is no home folder '\(home)'", hint: "set HOME, or AUTHCTL_CONFIG_DIR")
        }
    }

    private func makeFolder(_ path: String) throws(FileError) {
        let existing = openUninterrupted(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if existing >= 0 {
            close(existing)
            return
        }
        let failure = Errno.current
        guard failure == .noSuchFile, let parent = path.parentPath else { throw .writing(path, failure) }
        try makeFolder(parent)
        try checkPlace(parent)
        if mkdir(path, 0o700) != 0, Errno.current != .exists { throw .writing(path, .current) }
    }

    /// Nothing is made in a folder that is in somebody else's hands.
    private func checkPlace(_ path: String) throws(FileError) {
        let folder = openUninterrupted(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .writing(path, .current) }
        try PathTrust(home: home).check(place: FileDescriptor(folder), path: path)
    }

    /// The folder, found to be in nobody else's hands; `nil` where there is none.
    fileprivate func openTrusted() throws(FileError) -> FileDescriptor? {
        let folder = openUninterrupted(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else {
            let failure = Errno.current
            if failure == .noSuchFile { return nil }
            throw .reading(path, failure)
        }
        let descriptor = FileDescriptor(folder)
        try PathTrust(home: home).check(folder: descriptor, path: path)
        return descriptor
    }
}

/// A folder that no other process changes meanwhile.
package struct LockedFolder: ~Copyable {
    private let folder: FileDescriptor
    private let lock: FileLock
    private let path: String

    init(_ folder: consuming FileDescriptor, path: String, patience: Duration) throws(FileError) {
        lock = try FileLock.acquire(in: folder, at: path, patience: patience)
        self.folder = folder
        self.path = path
    }

    package borrowing func read(_ name: String, limit: Int) throws(FileError) -> [UInt8]? {
        try readFile(name, in: folder, at: path, limit: limit)
    }

    /// Puts a file in the place of one of that name, whole or not at all.
    ///
    /// The order is the promise: written, synchronised, renamed, folder synchronised.
    ///
    /// - Returns: whether others could read the old file or the folder until now.
    package borrowing func replace(_ name: String, with bytes: [UInt8]) throws(FileError) -> Bool {
        let wasLoose = try narrow(name)
        try replaceFile(name, in: folder, at: path, with: bytes)
        return wasLoose
    }

    /// The same for a file that may stand elsewhere, behind a link; the folder there is left as it is.
    package borrowing func replace(_ file: FileLocation, with bytes: [UInt8]) throws(FileError) -> Bool {
        if file.folder.path == path { return try replace(file.name, with: bytes) }
        guard let target = try file.folder.openTrusted() else { throw .writing(file.path, .noSuchFile) }
        var old = stat()
        let exists = fstatat(target.number, file.name, &old, AT_SYMLINK_NOFOLLOW) == 0
        if exists, let distrust = distrust(old, file.path) { throw distrust }
        try replaceFile(file.name, in: target, at: file.folder.path, with: bytes)
        return exists && old.isReadableByOthers
    }

    /// Removes a file for good; one that is not there is gone already.
    package borrowing func remove(_ name: String) throws(FileError) {
        do throws(Errno) {
            try retryingInterrupts { unlinkat(folder.number, name, 0) }
            try retryingInterrupts { fsync(folder.number) }
        } catch {
            if error != .noSuchFile { throw .writing("\(path)/\(name)", error) }
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

    /// Refuses to replace what is not a plain file of this user, and closes the folder to readers.
    private borrowing func narrow(_ name: String) throws(FileError) -> Bool {
        var old = stat()
        let exists = fstatat(folder.number, name, &old, AT_SYMLINK_NOFOLLOW) == 0
        if exists, let distrust = distrust(old, "\(path)/\(name)") { throw distrust }
        do throws(Errno) {
            let isLoose = try folder.status().isReadableByOthers
            if isLoose { try retryingInterrupts { fchmod(folder.number, 0o700) } }
            return isLoose || exists && old.isReadableByOthers
        } catch {
            throw .writing(path, error)
        }
    }
}

// MARK: - Writing

/// Writes, synchronises, renames, synchronises the folder: in this order. The caller holds the lock.
private func replaceFile(
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

private func writeNewFile(_ name: String, in folder: borrowing FileDescriptor, _ bytes: [UInt8]) throws(Errno) {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = FileDescriptor(try retryingInterrupts { openat(folder.number, name, flags, 0o600) })
    try file.write(bytes)
    try retryingInterrupts { fsync(file.number) }
}

/// Removes what a process left that was killed in the middle of a write. Nobody else writes now.
private func removeLeftovers(in folder: borrowing FileDescriptor, at path: String) {
    // `try?`: this is tidiness; a folder that cannot be listed will fail the write itself.
    let leftovers = (try? names(in: folder, at: path)) ?? []
    for name in leftovers where name.hasPrefix(leftoverPrefix) {
        unlinkat(folder.number, name, 0)
    }
}

/// No profile's file begins like this, since no profile's name begins with a dot.
private let leftoverPrefix = ".authctl-new-"

// MARK: - Reading

private func readFile(
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
private func distrust(_ status: stat, _ path: String) -> FileError? {
    guard status.isRegularFile else { return .notPlain(path) }
    guard status.st_uid == geteuid() else { return .foreignOwner(path, status.st_uid) }
    return status.st_mode & 0o022 == 0 ? nil : .writableByOthers(path)
}

private func names(in folder: borrowing FileDescriptor, at path: String) throws(FileError) -> [String] {
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
    fileprivate static func notPlain(_ path: String) -> FileError {
        FileError(
            .unsafe, "'\(path)' is a link or no regular file",
            hint: "see what it is (ls -ld \(path.shellQuoted)), then move it away")
    }
}

// MARK: - Through a link

/// A file by its folder and name.
package struct FileLocation: Sendable, Equatable {
    package let folder: PrivateFolder
    package let name: String

    package var path: String { "\(folder.path)/\(name)" }

    package init(folder: PrivateFolder, name: String) {
        self.folder = folder
        self.name = name
    }
}

extension FileLocation {
    /// A file that somebody named; a relative path starts in the working folder.
    package init(path: String) throws(FileError) {
        let folder = path.hasPrefix("/") ? path.parentPath ?? "/" : try workingFolder(path)
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
        guard !name.isEmpty, name != ".", name != ".." else {
            throw FileError(.unreadable, "'\(path)' does not name a file")
        }
        self.init(folder: PrivateFolder(path: folder, home: nil), name: name)
    }
}

private func workingFolder(_ path: String) throws(FileError) -> String {
    guard let current = getcwd(nil, 0) else { throw .reading(".", .current) }
    defer { free(current) }
    let whole = "\(String(cString: current))/\(path)"
    return whole.parentPath ?? "/"
}

extension PrivateFolder: Equatable {
    /// Where a file really is, if a link of this user stands in its place, as managers of dotfiles make it.
    ///
    /// - Throws: `FileError` `unsafe` for a link of somebody else, or one that leads nowhere.
    package func followingLink(_ name: String) throws(FileError) -> FileLocation {
        let path = "\(path)/\(name)"
        var status = stat()
        guard lstat(path, &status) == 0, status.isLink else { return FileLocation(folder: self, name: name) }
        guard status.st_uid == geteuid() else { throw .foreignOwner(path, status.st_uid) }
        guard let resolved = realpath(path, nil) else {
            throw FileError(.unsafe, "'\(path)' is a link that leads nowhere", hint: "fix or remove the link")
        }
        defer { free(resolved) }
        let target = String(cString: resolved)
        let folder = PrivateFolder(path: target.parentPath ?? "/", home: home)
        return FileLocation(folder: folder, name: String(target.split(separator: "/").last ?? ""))
    }
}
