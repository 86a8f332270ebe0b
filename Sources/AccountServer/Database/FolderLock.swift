#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An exclusive lock on a folder, held while a database in it comes into being; freed when it goes.
///
/// The folder itself is locked, not a file in it: there is no further file whose mode, owner or type could be wrong.
/// `flock` is right for it because SQLite's own locks are of the other kind (`fcntl`), and those would be lost as soon
/// as any descriptor of the database file were closed in this process.
final class FolderLock {
    private let descriptor: Int32

    /// - Throws: `SystemError`, with `EWOULDBLOCK` if others held the lock all the time.
    init(_ folder: String, timeout: Duration) throws(SystemError) {
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 { throw SystemError.last }
        // A wait with an end: `flock` alone has none, and a signal that would cut it short belongs to the program.
        let deadline = Deadline(in: timeout)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let error = SystemError.last
            guard error.number == EWOULDBLOCK || error.number == EINTR, deadline.pause() else {
                close(descriptor)
                throw error
            }
        }
    }

    /// Makes the names in the folder outlive a power cut.
    func synchronize() throws(SystemError) {
        if fsync(descriptor) != 0 { throw SystemError.last }
    }

    deinit {
        close(descriptor)
    }
}

/// An `errno`.
struct SystemError: Error, Equatable {
    let number: Int32

    /// That of the call that has just failed.
    static var last: SystemError { SystemError(number: errno) }

    var text: String { String(cString: strerror(number)) }
}
