import LibC

/// The error number of a failed system call.
package struct Errno: Error, Sendable, Equatable {
    package let code: Int32

    package init(_ code: Int32) {
        self.code = code
    }

    /// The error of the last failed call. Read it before any further call.
    package static var current: Errno { Errno(errno) }

    /// The system's message, such as "no such file or directory", with a lowercase first letter.
    package var description: String {
        let text = String(cString: strerror(code))
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    package static let noSuchFile = Errno(ENOENT)
    package static let exists = Errno(EEXIST)
    package static let brokenPipe = Errno(EPIPE)
    package static let badDescriptor = Errno(EBADF)
}

/// Repeats a system call while a signal interrupts it (`EINTR`).
///
/// - Throws: `Errno` if the result is negative.
@discardableResult
package func retryingInterrupts<Result: BinaryInteger>(_ call: () -> Result) throws(Errno) -> Result {
    while true {
        let result = call()
        if result >= 0 { return result }
        let failure = Errno.current
        if failure.code != EINTR { throw failure }
    }
}

/// Writes a file or folder to the disk, so that it survives a power failure.
func syncToDisk(_ descriptor: Int32) throws(Errno) {
    #if canImport(Darwin)
        // On macOS, `fsync` does not flush the drive's cache. Some file systems support only `fsync`.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    try retryingInterrupts { fsync(descriptor) }
}

/// Like `open`, repeated on `EINTR`, which network file systems may return. Returns -1 and sets `errno` on failure.
func openUninterrupted(_ path: String, _ flags: Int32) -> Int32 {
    openUninterrupted(path, in: AT_FDCWD, flags)
}

/// Like `openat`, repeated on `EINTR`.
func openUninterrupted(_ name: String, in folder: Int32, _ flags: Int32, mode: mode_t = 0o600) -> Int32 {
    while true {
        let number = openat(folder, name, flags, mode)
        if number >= 0 || Errno.current.code != EINTR { return number }
    }
}

/// An open file descriptor, closed when the value is destroyed.
package struct FileDescriptor: ~Copyable {
    package let number: Int32

    package init(_ number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Reads to the end, but at most `limit` + 1 bytes. More than `limit` bytes mean that the file is too large.
    package borrowing func read(upTo limit: Int) throws(Errno) -> [UInt8] {
        try readAll(from: number, upTo: limit)
    }

    package borrowing func write(_ bytes: [UInt8]) throws(Errno) {
        try writeAll(bytes, to: number)
    }

    borrowing func status() throws(Errno) -> stat {
        var status = stat()
        try retryingInterrupts { fstat(number, &status) }
        return status
    }

    /// Whether root gives the file to this user, who cannot change its mode: a secret in a container.
    borrowing func isProvidedByRoot(_ status: stat) -> Bool {
        guard status.st_uid == 0, !status.isWritableByOthers else { return false }
        var system = statvfs()
        let isReadOnly = fstatvfs(number, &system) == 0 && system.f_flag & UInt(ST_RDONLY) != 0
        return isReadOnly || geteuid() != 0 && status.st_mode & 0o222 == 0
    }

    borrowing func status(at path: String) throws(FileError) -> stat {
        do throws(Errno) {
            return try status()
        } catch {
            throw .reading(path, error)
        }
    }
}

/// Reads to the end, but at most `limit` + 1 bytes. More than `limit` bytes mean that the input is too large.
package func readAll(from descriptor: Int32, upTo limit: Int) throws(Errno) -> [UInt8] {
    var bytes: [UInt8] = []
    // The buffer is small, because most inputs are small and clearing a large buffer would take longer than reading.
    var chunk = [UInt8](repeating: 0, count: min(limit + 1, 4096))
    while bytes.count <= limit {
        let wanted = min(chunk.count, limit + 1 - bytes.count)
        let count = try retryingInterrupts { chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, wanted) } }
        if count == 0 { break }
        bytes.append(contentsOf: chunk[..<count])
    }
    return bytes
}

package func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(Errno) {
    let outcome = bytes.withUnsafeBytes { bytes in Result { () throws(Errno) in try writeAll(bytes, to: descriptor) } }
    try outcome.get()
}

package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(Errno) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let piece = UnsafeRawBufferPointer(rebasing: rest)
        rest = rest.dropFirst(try retryingInterrupts { write(descriptor, piece.baseAddress, piece.count) })
    }
}

extension Errno {
    /// Whether the disk or the quota is full, or the file has reached the maximum size.
    package var meansFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
}

#if canImport(Glibc)
    private let (bothDirections, writing) = (Int32(SHUT_RDWR), Int32(SHUT_WR))
#else
    private let (bothDirections, writing) = (SHUT_RDWR, SHUT_WR)
#endif

/// Shuts a connection down in both directions. Its descriptor stays open.
package func shutdownSocket(_ descriptor: Int32) { _ = shutdown(descriptor, bothDirections) }

/// Shuts a connection down for writing: the peer reads end-of-file after all data sent so far.
package func shutdownWriting(_ descriptor: Int32) { _ = shutdown(descriptor, writing) }

/// Sets TCP_NODELAY on a connection or a listening socket; accepted connections inherit it. Otherwise the second
/// response to pipelined requests waits 40 ms, until the client acknowledges the first response.
package func sendWithoutDelay(_ descriptor: Int32) {
    var isOn: Int32 = 1
    setsockopt(
        descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout.size(ofValue: isOn)))
}

/// Keeps at most about 48 KiB that the peer has no room for in the system's send buffer, which otherwise grows to 4 MiB.
/// A successful `send` then means that the peer has received almost all earlier bytes.
package func limitUnsentBytes(_ descriptor: Int32) {
    var most: Int32 = 16 << 10
    setsockopt(
        descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &most, socklen_t(MemoryLayout.size(ofValue: most)))
}

/// Whether the peer has closed the connection, and all of its data was read.
package func isClosedByPeer(_ descriptor: Int32) -> Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return count == 0 || count < 0 && errno == ECONNRESET
}

/// The number of files and connections that this process can still open; -1 if the number is unlimited or unknown.
package func freeDescriptors() -> Int {
    let limit = sysconf(Int32(_SC_OPEN_MAX))
    guard limit >= 0 else { return -1 }
    // Check only descriptors below 1,024: the system assigns the lowest free one, so higher ones are rarely in use.
    var all = (0..<Int32(min(limit, 1024))).map { pollfd(fd: $0, events: 0, revents: 0) }
    guard poll(&all, nfds_t(all.count), 0) >= 0 else { return -1 }
    let open = all.count { Int32($0.revents) & Int32(POLLNVAL) == 0 }
    return limit - open
}

/// Whether data can be read from a descriptor, or a connection accepted, without waiting. Also true at the end of the
/// data and after an error.
package func isReadable(_ descriptor: Int32) -> Bool { isReady(descriptor, POLLIN) }

/// Whether a descriptor accepts data without waiting. Also true after an error, because `write` then fails immediately.
func isWritable(_ descriptor: Int32) -> Bool { isReady(descriptor, POLLOUT) }

private func isReady(_ descriptor: Int32, _ event: Int32) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    return poll(&waiting, 1, 0) > 0
}
