import LibC
import Synchronization

/// An append-only file of lines, such as a journal. Only one process can open it at a time. Any thread may write.
///
/// The file is created with mode 0600. It must be a regular file, not a link, that only this user can change. A killed
/// process leaves at most one incomplete line at the end. That line is never read, and the next new line replaces it.
package final class AppendFile: Sendable {
    package let path: String
    /// Whether the file, when it was opened, was empty or contained only an incomplete line that `append` replaces.
    package let wasEmpty: Bool
    private let number: Int32
    /// The length of the kept content in bytes, and whether an incomplete line follows it.
    private let end: Mutex<(length: off_t, hasRest: Bool)>

    /// Opens a file that the user named.
    ///
    /// - Parameter creates: whether a missing file is created.
    /// - Throws: `FileError` `locked` if another process has the file open, or if the file system does not support
    ///   locks; `unsafe`, `unreadable`, `notWritten`, `noSpace`.
    package convenience init(
        path: String, creates: Bool = true, warn: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(FileError) {
        let location = try FileLocation(path: path, FolderRules(examinesFolder: false, warn: warn))
        guard let folder = try location.folder.open() else { throw .writing(path, .noSuchFile) }
        let file = FileDescriptor(try Self.open(location.name, in: folder, path, creates: creates))
        let status = try file.status(at: path)
        try folder.rules.requireTrust(inFile: status, at: path, rootMayOwn: false)
        try FileLock.wait(for: file.number, path: path, patience: .zero)
        do throws(Errno) {
            if status.isReadableByOthers {
                try retryingInterrupts { fchmod(file.number, 0o600) }
                folder.rules.warnOfLooseMode(path)
            }
            let length = try file.status().st_size
            let end = try Self.endOfLines(in: file.number, length: length)
            // Sync the folder, so that the name of a new file, and not only its lines, survives a power failure.
            if end == 0 { try syncToDisk(folder.descriptor.number) }
            try self.init(
                path: path, number: retryingInterrupts { fcntl(file.number, F_DUPFD_CLOEXEC, 0) },
                end: end, hasRest: end < length)
        } catch {
            throw .writing(path, error)
        }
    }

    private init(path: String, number: Int32, end: off_t, hasRest: Bool) {
        self.path = path
        self.number = number
        self.end = Mutex((end, hasRest))
        wasEmpty = end == 0
    }

    deinit {
        FileLock.release(number)
        close(number)
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

    /// The length of the file without an incomplete last line.
    private static func endOfLines(in number: Int32, length: off_t) throws(Errno) -> off_t {
        var end = length
        var chunk = [UInt8](repeating: 0, count: 4096)
        while end > 0 {
            let start = max(0, end - off_t(chunk.count))
            let count = try retryingInterrupts { pread(number, &chunk, Int(end - start), start) }
            if let last = chunk[..<count].lastIndex(of: UInt8(ascii: "\n")) { return start + off_t(last) + 1 }
            end = start
        }
        // An incomplete first line that is not JSON is kept, because authctl did not write it.
        return chunk[0] == UInt8(ascii: "{") ? 0 : length
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

    /// Appends complete lines: all lines, or none if the write fails.
    package func append(_ lines: [UInt8]) throws(FileError) {
        do throws(Errno) {
            try end.withLock { end throws(Errno) in
                if end.hasRest { try retryingInterrupts { ftruncate(number, end.length) } }
                end.hasRest = false
                do throws(Errno) {
                    try writeAll(lines, to: number)
                    end.length += off_t(lines.count)
                } catch {
                    _ = ftruncate(number, end.length)
                    throw error
                }
            }
        } catch {
            throw .writing(path, error)
        }
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
