import LibC

/// The bytes of a file that somebody named, up to a limit and one more.
///
/// - Throws: `FileError` `unreadable`, also for a folder.
package func readFile(at path: String, limit: Int) throws(FileError) -> [UInt8] {
    try readFile(at: path, limit: limit, isPlain: false)
}

/// The same of a file that can be read again: no pipe and no device, which might also have no end.
package func readPlainFile(at path: String, limit: Int) throws(FileError) -> [UInt8] {
    try readFile(at: path, limit: limit, isPlain: true)
}

private func readFile(at path: String, limit: Int, isPlain: Bool) throws(FileError) -> [UInt8] {
    let number = openUninterrupted(path, O_RDONLY | O_CLOEXEC | (isPlain ? O_NONBLOCK : 0))
    guard number >= 0 else { throw .reading(path, .current) }
    let file = FileDescriptor(number)
    do throws(Errno) {
        let status = try file.status()
        // A folder is told by the attempt to read it.
        if !isPlain || status.isRegularFile || status.isFolder { return try file.read(upTo: limit) }
    } catch {
        throw .reading(path, error)
    }
    throw FileError(.unreadable, "'\(path)' is not a regular file")
}
