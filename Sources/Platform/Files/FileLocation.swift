import LibC

/// A file, identified by its folder and name.
package struct FileLocation: Sendable {
    package let folder: PrivateFolder
    package let name: String

    package var path: String { "\(folder.path)/\(name)" }

    package init(folder: PrivateFolder, name: String) {
        self.folder = folder
        self.name = name
    }
}

extension FileLocation {
    /// Locates a file that the user named. A relative path is relative to the working folder.
    package init(path: String, _ rules: FolderRules = FolderRules()) throws(FileError) {
        let folder = path.hasPrefix("/") ? path.parentPath ?? "/" : try workingFolder(path)
        let name = path.lastComponent
        guard !name.isEmpty, name != ".", name != ".." else {
            throw FileError(.unreadable, "'\(path)' does not name a file")
        }
        self.init(folder: PrivateFolder(path: folder, rules), name: name)
    }
}

extension FileLocation {
    /// Whether both paths lead to the same file, even through links. The file need not exist.
    package func isSameFile(as other: FileLocation) -> Bool {
        if path == other.path { return true }
        if let identity = FileIdentity(path: path) { return identity == FileIdentity(path: other.path) }
        guard name == other.name else { return false }
        if let folder = FileIdentity(path: folder.path) { return folder == FileIdentity(path: other.folder.path) }
        return folder.path.creatablePath == other.folder.path.creatablePath
    }
}

extension String {
    /// The absolute path without links and `..`; missing parts of it count as folders that are yet to be created.
    fileprivate var creatablePath: String {
        if let whole = resolvedLinks { return whole }
        guard let parent = parentPath?.creatablePath else { return self }
        switch lastComponent {
        case ".": return parent
        case "..": return parent.parentPath ?? "/"
        case let name: return parent == "/" ? "/\(name)" : "\(parent)/\(name)"
        }
    }
}

private func workingFolder(_ path: String) throws(FileError) -> String {
    guard let current = ".".resolvedLinks else { throw .reading(".", .current) }
    return "\(current)/\(path)".parentPath ?? "/"
}

extension FileLocation {
    /// Atomically creates or replaces a file that the user named. The new file has mode 0600.
    package func replace(with bytes: [UInt8]) throws(FileError) {
        guard let folder = try folder.open() else { throw .writing(path, .noSuchFile) }
        try folder.replace(name, with: bytes)
    }
}

extension FileLocation {
    /// Checks, before any work, that `replace` can write a file that the user named.
    ///
    /// - Parameter beginning: the bytes with which a file begins that may be replaced.
    /// - Returns: `false` if there is another file, or a link, a folder, a pipe or a device.
    /// - Throws: `FileError` `notWritten` if the folder is missing or cannot be written; `unsafe` if other users can change
    ///   the file.
    package func isReplaceable(beginning: [UInt8]) throws(FileError) -> Bool {
        guard let folder = try folder.open() else { throw .writing(path, .noSuchFile) }
        var status = stat()
        if fstatat(folder.descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 {
            guard status.isRegularFile else { return false }
            try folder.rules.requireTrust(inFile: status, at: path)
            guard try readPlainFile(at: path, limit: beginning.count).starts(with: beginning) else { return false }
        } else if case let failure = Errno.current, failure != .noSuchFile {
            throw .writing(path, failure)
        }
        try folder.requireWritable(toCreate: path)
        return true
    }
}

extension PrivateFolder {
    /// The target if the file is a symbolic link, such as one from a dotfile manager; otherwise the file itself.
    ///
    /// - Throws: `FileError` `unsafe` for a dangling link; `unreadable` if the link cannot be followed.
    package func followingLink(_ name: String) throws(FileError) -> FileLocation {
        let path = "\(path)/\(name)"
        guard path.isLink else { return FileLocation(folder: self, name: name) }
        guard let target = path.resolvedLinks else {
            let failure = Errno.current
            throw failure == .noSuchFile ? .brokenLink(path) : .reading(path, failure)
        }
        var rules = rules
        rules.trust = .all
        return try FileLocation(path: target, rules)
    }
}

/// The device and inode of a file. If the file is replaced, the new file at the same path has a different identity.
package struct FileIdentity: Sendable, Equatable {
    private let device: dev_t
    private let number: ino_t

    /// `nil` if the file does not exist or `stat` fails.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        device = status.st_dev
        number = status.st_ino
    }
}

extension String {
    /// The last component of a path; empty for the root.
    var lastComponent: String {
        utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
    }

    /// The path of the parent folder; `nil` for the root, and for a relative path without a slash.
    package var parentPath: String? {
        let path = withoutFinalSlashes.utf8
        guard path.count > 1, let cut = path.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return String(Substring(path[...cut])).withoutFinalSlashes
    }

    /// The path without trailing slashes; `/` for the root.
    package var withoutFinalSlashes: String {
        guard let end = utf8.lastIndex(where: { $0 != UInt8(ascii: "/") }) else { return isEmpty ? "" : "/" }
        return String(Substring(utf8[...end]))
    }
}

/// The content of a file that the user named.
package struct UserFile: Sendable {
    package let bytes: [UInt8]
    /// The permission bits of group and others; 0 for pipes and devices, and for a file that root provides.
    package let modeOfOthers: UInt32

    package init(_ bytes: [UInt8], modeOfOthers: UInt32 = 0) {
        self.bytes = bytes
        self.modeOfOthers = modeOfOthers
    }
}

/// Reads at most `limit` + 1 bytes of a file that the user named. More than `limit` bytes mean that the file is too
/// large.
///
/// - Throws: `FileError` `unreadable`, for example if the path is a folder.
package func readFile(at path: String, limit: Int) throws(FileError) -> UserFile {
    try readFile(at: path, limit: limit, isPlain: false)
}

/// Whether this user may change the permissions of a file; `true` if the file cannot be examined.
package func mayChangeMode(of path: String) -> Bool {
    var status = stat()
    return geteuid() == 0 || stat(path, &status) != 0 || status.st_uid == geteuid()
}

/// Like `readFile`, but rejects pipes and devices, which cannot be read twice and may be endless.
package func readPlainFile(at path: String, limit: Int) throws(FileError) -> [UInt8] {
    try readFile(at: path, limit: limit, isPlain: true).bytes
}

private func readFile(at path: String, limit: Int, isPlain: Bool) throws(FileError) -> UserFile {
    let number = openUninterrupted(path, O_RDONLY | O_CLOEXEC | (isPlain ? O_NONBLOCK : 0))
    guard number >= 0 else { throw .reading(path, .current) }
    let file = FileDescriptor(number)
    do throws(Errno) {
        let status = try file.status()
        // Accept a folder, because `read` then fails with the right error.
        if !isPlain || status.isRegularFile || status.isFolder {
            let bytes = try file.read(upTo: limit)
            let isExamined = status.isRegularFile && !file.isProvidedByRoot(status)
            return UserFile(bytes, modeOfOthers: isExamined ? UInt32(status.st_mode & 0o077) : 0)
        }
    } catch {
        throw .reading(path, error)
    }
    throw FileError(.unreadable, "'\(path)' is not a regular file")
}
