import LibC
import Synchronization

/// An append-only file of lines, such as a journal. Only one process can open it at a time. Any thread may write.
///
/// The file is created with mode 0600. It must be a regular file, not a link, that only this user can change. A killed
/// process leaves at most one unfinished line at the end. That line is never read, and the next new line replaces it.
/// Opening an existing file does not change it, because another program may have written it.
package final class AppendFile: Sendable {
    package let path: String
    /// Whether the file, when it was opened, was empty or contained only an unfinished line.
    package let wasEmpty: Bool
    private let number: Int32
    private let end: Mutex<End>
    private let rules: FolderRules

    private struct End {
        /// The length of the kept content in bytes.
        var length: off_t
        /// Whether an unfinished line follows the kept content.
        var hasRest = false
        /// Whether the last line is complete except for its newline.
        var lacksNewline = false
        var isReadableByOthers = false
    }

    /// Opens a file that the user named.
    ///
    /// - Parameters:
    ///   - creates: whether a missing file is created.
    ///   - isUnfinished: whether the bytes after the last newline are an unfinished line of a killed process. All other
    ///     bytes are kept.
    /// - Throws: `FileError` `locked` if another process has the file open, or if the file system does not support
    ///   locks; `unsafe`, `unreadable`, `notWritten`, `noSpace`.
    package convenience init(
        path: String, creates: Bool = true, isUnfinished: ([UInt8]) -> Bool = { _ in false },
        warn: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(FileError) {
        let location = try FileLocation(path: path, FolderRules(trusting: .all, warn: warn))
        guard let folder = try location.folder.open() else { throw .writing(path, .noSuchFile) }
        let file = try Self.locked(at: path) { () throws(FileError) in
            let file = FileDescriptor(try Self.open(location.name, in: folder, path, creates: creates))
            try folder.rules.requireTrust(inFile: try file.status(at: path), at: path, rootMayOwn: false)
            return file
        }
        let status = try file.status(at: path)
        do throws(Errno) {
            let length = try file.status().st_size
            let rest = try Self.rest(in: file.number, length: length)
            let isUnfinished = !rest.isEmpty && rest.count < Self.longestLine && isUnfinished(rest)
            let end = End(
                length: isUnfinished ? length - off_t(rest.count) : length, hasRest: isUnfinished,
                lacksNewline: !rest.isEmpty && !isUnfinished, isReadableByOthers: status.isReadableByOthers)
            // Sync the folder, so that the name of a new file, and not only its lines, survives a power failure.
            if end.length == 0 { try syncToDisk(folder.descriptor.number) }
            try self.init(
                path: path, number: retryingInterrupts { fcntl(file.number, F_DUPFD_CLOEXEC, 0) }, end, folder.rules)
        } catch {
            throw .writing(path, error)
        }
    }

    private init(path: String, number: Int32, _ end: End, _ rules: FolderRules) {
        self.path = path
        self.number = number
        self.end = Mutex(end)
        self.rules = rules
        wasEmpty = end.length == 0
    }

    /// Whether the file has no complete lines now.
    package var isEmpty: Bool { end.withLock { $0.length == 0 } }

    deinit {
        FileLock.release(number)
        close(number)
    }

    /// Opens and locks the file. Opens it again if another process has replaced it before the lock was taken: lines in
    /// the old file would be lost.
    ///
    /// - Parameter tries: a limit for file systems that do not tell files apart.
    static func locked(
        at path: String, tries: Int = 10, _ open: () throws(FileError) -> FileDescriptor
    ) throws(FileError) -> FileDescriptor {
        let file = try open()
        try FileLock.wait(for: file.number, path: path, patience: .zero)
        let identity = FileIdentity(try file.status(at: path))
        if tries == 1 || identity == FileIdentity(path: path) { return file }
        return try locked(at: path, tries: tries - 1, open)
    }

    private static func open(
        _ name: String, in folder: borrowing OpenFolder, _ path: String, creates: Bool
    ) throws(FileError) -> Int32 {
        let flags = O_RDWR | O_APPEND | (creates ? O_CREAT : 0) | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        let number = openUninterrupted(name, in: folder.descriptor.number, flags)
        guard number < 0 else { return number }
        let failure = Errno.current
        if failure == .noSuchFile { throw .reading(path, failure) }
        throw failure.code == ELOOP ? .notPlain(path) : .writing(path, failure)
    }

    /// No line of authctl has this many bytes.
    private static let longestLine = 1 << 20

    /// The bytes after the last newline; only the last `longestLine` bytes if there are more.
    private static func rest(in number: Int32, length: off_t) throws(Errno) -> [UInt8] {
        var tail = [UInt8](repeating: 0, count: min(Int(length), longestLine))
        let count = try retryingInterrupts { pread(number, &tail, tail.count, length - off_t(tail.count)) }
        let end = tail[..<count]
        return Array(end.lastIndex(of: UInt8(ascii: "\n")).map { end[($0 + 1)...] } ?? end)
    }

    /// The complete lines that the file contains now.
    package func source() -> ByteSource {
        let position = Mutex<off_t>(0)
        let count = end.withLock { Int($0.length) }
        return ByteSource(
            count: count,
            input: { [self] buffer throws(Errno) in
                try position.withLock { position throws(Errno) in
                    let most = min(buffer.count, count - Int(position))
                    let read = try retryingInterrupts { pread(number, buffer.baseAddress, most, position) }
                    position += off_t(read)
                    return read
                }
            }, goBack: nil)
    }

    /// Appends complete lines: all lines, or none if the write fails. Removes the read permission of other users.
    package func append(_ lines: [UInt8]) throws(FileError) {
        do throws(Errno) {
            try end.withLock { end throws(Errno) in
                if end.isReadableByOthers {
                    try retryingInterrupts { fchmod(number, 0o600) }
                    end.isReadableByOthers = false
                    rules.warnOfLooseMode(path)
                }
                if end.hasRest { try retryingInterrupts { ftruncate(number, end.length) } }
                end.hasRest = false
                let bytes = end.lacksNewline ? [UInt8(ascii: "\n")] + lines : lines
                do throws(Errno) {
                    try writeAll(bytes, to: number)
                    end.length += off_t(bytes.count)
                    end.lacksNewline = false
                } catch {
                    _ = ftruncate(number, end.length)
                    throw error
                }
            }
        } catch {
            throw .writing(path, error)
        }
    }

    /// Removes all lines.
    package func clear() throws(FileError) {
        do throws(Errno) {
            try end.withLock { end throws(Errno) in
                try retryingInterrupts { ftruncate(number, 0) }
                (end.length, end.hasRest, end.lacksNewline) = (0, false, false)
            }
        } catch {
            throw .writing(path, error)
        }
    }

    /// Atomically replaces the whole content. Afterwards, the object must not be used again.
    package func replace(with lines: [UInt8]) throws(FileError) {
        try FileLocation(path: path, rules).replace(with: lines)
    }

    /// Renames the file to `FILE.N`, where N is the first free number. Afterwards, the object must not be used again.
    ///
    /// - Returns: the new path.
    package func setAside() throws(FileError) -> String {
        for suffix in 1...Int(UInt16.max) {
            let other = "\(path).\(suffix)"
            // Replacing a file that this process has created never replaces another one.
            let placeholder = openUninterrupted(other, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)
            guard placeholder >= 0 else {
                if Errno.current.code == EEXIST { continue }
                throw .writing(other, .current)
            }
            close(placeholder)
            do throws(Errno) {
                try retryingInterrupts { rename(path, other) }
                return other
            } catch {
                unlink(other)
                throw .writing(path, error)
            }
        }
        throw FileError(.notWritten, "'\(path)' has too many old versions")
    }

    /// Writes the lines to the disk, so that they survive a power failure.
    package func sync() throws(FileError) {
        do throws(Errno) {
            try syncToDisk(number)
        } catch {
            throw .writing(path, error)
        }
    }
}
