import LibC

/// The content of a file named by the user.
package struct UserFile: Sendable {
    package let bytes: [UInt8]
    /// The permission bits of group and others. 0 for pipes and devices.
    package let modeOfOthers: UInt32

    package init(_ bytes: [UInt8], modeOfOthers: UInt32 = 0) {
        self.bytes = bytes
        self.modeOfOthers = modeOfOthers
    }
}

/// Returns the first `limit` + 1 bytes of a file named by the user; more than `limit` bytes mean that it is too large.
///
/// - Throws: `FileError` `unreadable`, also for a folder.
package func readFile(at path: String, limit: Int) throws(FileError) -> UserFile {
    try readFile(at: path, limit: limit, isPlain: false)
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
        // For a folder, the read itself fails with the right error.
        if !isPlain || status.isRegularFile || status.isFolder {
            let bytes = try file.read(upTo: limit)
            return UserFile(bytes, modeOfOthers: status.isRegularFile ? UInt32(status.st_mode & 0o077) : 0)
        }
    } catch {
        throw .reading(path, error)
    }
    throw FileError(.unreadable, "'\(path)' is not a regular file")
}
