import LibC
import Synchronization

/// Bytes from memory, a file, a pipe or standard input. They are read in pieces, so a file may be larger than memory.
package final class ByteSource: Sendable {
    /// The number of bytes; `nil` if the number is unknown until the end of the input.
    package let count: Int?
    /// The permission bits of group and others; 0 for pipes and memory.
    package let modeOfOthers: UInt32
    private let input: @Sendable (UnsafeMutableRawBufferPointer) throws(Errno) -> Int
    private let goBack: (@Sendable () -> Bool)?
    private let state = Mutex(State())

    private struct State {
        var position = 0
        var failure: Failure?
    }

    /// The reason why not all bytes could be read.
    package enum Failure: Error, Equatable {
        case system(Errno)
        /// The file has fewer bytes than when it was opened.
        case truncated
    }

    /// - Parameters:
    ///   - input: fills the start of a buffer and returns the number of bytes; 0 at the end.
    ///   - goBack: returns to the start; `nil` if the input cannot be read again.
    package init(
        count: Int?, modeOfOthers: UInt32 = 0,
        input: @escaping @Sendable (UnsafeMutableRawBufferPointer) throws(Errno) -> Int,
        goBack: (@Sendable () -> Bool)?
    ) {
        self.count = count
        self.modeOfOthers = modeOfOthers
        self.input = input
        self.goBack = goBack
    }

    /// The number of bytes read since the start.
    package var position: Int { state.withLock { $0.position } }

    /// The first failure; `nil` if no read has failed.
    package var failure: Failure? { state.withLock { $0.failure } }

    /// Whether the source is at its start or can return to it.
    package var isRepeatable: Bool { goBack != nil || position == 0 }

    /// Fills the start of the buffer and returns the number of bytes; 0 at the end. Never returns more than `count`
    /// bytes in total, even if the file has grown.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
        let rest = count.map { $0 - position }
        let wanted = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(min(buffer.count, rest ?? buffer.count)))
        guard !wanted.isEmpty else { return 0 }
        do throws(Errno) {
            let number = try input(wanted)
            state.withLock { $0.position += number }
            guard number == 0, rest != nil else { return number }
        } catch {
            throw remember(.system(error))
        }
        throw remember(.truncated)
    }

    /// Reads from the start to the end, but at most `limit` + 1 bytes.
    package func bytes(limit: Int) throws(Failure) -> [UInt8] {
        guard rewind() else { throw .system(Errno(ESPIPE)) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var number = 0
        while number < bytes.count {
            let outcome = bytes.withUnsafeMutableBytes { all in
                Result { () throws(Failure) in try read(into: UnsafeMutableRawBufferPointer(rebasing: all[number...])) }
            }
            let more = try outcome.get()
            if more == 0 { break }
            number += more
        }
        return Array(bytes[..<number])
    }

    /// Returns to the start.
    ///
    /// - Returns: `false` if the bytes read so far cannot be read again.
    package func rewind() -> Bool {
        if position == 0 { return true }
        guard let goBack, goBack() else { return false }
        state.withLock { $0.position = 0 }
        return true
    }

    private func remember(_ failure: Failure) -> Failure {
        state.withLock { $0.failure = $0.failure ?? failure }
        return failure
    }
}

extension ByteSource: Equatable {
    package static func == (left: ByteSource, right: ByteSource) -> Bool { left === right }
}

extension ByteSource {
    /// A pipe with at most this number of bytes is buffered, so that its length is known and its bytes can be sent
    /// again.
    package static let bufferedLimit = 1 << 20

    package convenience init(bytes: [UInt8], modeOfOthers: UInt32 = 0) {
        let next = Mutex(0)
        self.init(
            count: bytes.count, modeOfOthers: modeOfOthers,
            input: { buffer throws(Errno) in
                next.withLock { next in
                    let number = min(buffer.count, bytes.count - next)
                    buffer.copyBytes(from: bytes[next..<next + number])
                    next += number
                    return number
                }
            },
            goBack: {
                next.withLock { $0 = 0 }
                return true
            })
    }

    /// The bytes of an open descriptor, starting at its current position.
    ///
    /// The length of a regular file is known. For a pipe, up to `bufferedLimit` bytes are read now. If the pipe ends
    /// within this limit, its length is also known.
    package static func opened(_ descriptor: Int32) throws(Errno) -> ByteSource {
        try opened(descriptor, owner: nil)
    }

    /// The bytes of a file that the user named. The file stays open until the source is released.
    ///
    /// - Throws: `FileError` `unreadable`, for example if the path is a folder.
    package static func file(at path: String) throws(FileError) -> ByteSource {
        let number = openUninterrupted(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw .reading(path, .current) }
        do throws(Errno) {
            return try opened(number, owner: DescriptorOwner(number))
        } catch {
            throw .reading(path, error)
        }
    }

    /// - Parameter owner: closes the descriptor; `nil` if the descriptor stays open.
    private static func opened(_ descriptor: Int32, owner: DescriptorOwner?) throws(Errno) -> ByteSource {
        var status = stat()
        try retryingInterrupts { fstat(descriptor, &status) }
        if status.isFolder { throw Errno(EISDIR) }
        let start = lseek(descriptor, 0, SEEK_CUR)
        if status.isRegularFile, start >= 0 {
            return ByteSource(
                count: max(0, Int(status.st_size) - Int(start)), modeOfOthers: UInt32(status.st_mode & 0o077),
                input: reading(descriptor, owner),
                goBack: { lseek(descriptor, start, SEEK_SET) == start })
        }
        let beginning = try readAll(from: descriptor, upTo: bufferedLimit)
        guard beginning.count > bufferedLimit else { return ByteSource(bytes: beginning) }
        let (first, rest) = (ByteSource(bytes: beginning), reading(descriptor, owner))
        return ByteSource(
            count: nil,
            input: { buffer throws(Errno) in
                // `try?`: bytes in memory can always be read.
                let number = (try? first.read(into: buffer)) ?? 0
                return number > 0 ? number : try rest(buffer)
            }, goBack: nil)
    }
}

/// A function, not a method, because `ByteSource.read` would hide the system's `read`.
private func reading(
    _ descriptor: Int32, _ owner: DescriptorOwner?
) -> @Sendable (UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    { buffer throws(Errno) in
        try retryingInterrupts { withExtendedLifetime(owner) { read(descriptor, buffer.baseAddress, buffer.count) } }
    }
}

/// Closes a descriptor when the source that reads it is released.
private final class DescriptorOwner: Sendable {
    private let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }
}
