#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The bytes of a file that somebody named, up to a limit and one more.
///
/// - Throws: `FileError` `unreadable`, also for a folder.
package func readFile(at path: String, limit: Int) throws(FileError) -> [UInt8] {
    let number = openUninterrupted(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw .reading(path, .current) }
    let file = FileDescriptor(number)
    do throws(Errno) {
        return try file.read(upTo: limit)
    } catch {
        throw .reading(path, error)
    }
}
