#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A private file that is open, to read parts of it.
package struct OpenPrivateFile: ~Copyable {
    private let plain: PlainFile
    private let path: String
    /// Which file it is and when it was changed last: any write to it, and any other file in its place, has another.
    package let stamp: String
    /// Bytes.
    package let size: Int

    fileprivate init(_ plain: consuming PlainFile, path: String) {
        let status = plain.status
        #if canImport(Glibc)
            let (modified, changed) = (status.st_mtim, status.st_ctim)
        #else
            let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #endif
        stamp =
            "\(status.st_dev):\(status.st_ino):\(status.st_size):\(modified.tv_sec).\(modified.tv_nsec)"
            + ":\(changed.tv_sec).\(changed.tv_nsec)"
        size = Int(status.st_size)
        self.plain = plain
        self.path = path
    }

    /// Up to `count` bytes from an offset on; fewer at the end of the file.
    package borrowing func read(from offset: Int, count: Int) throws(FileError) -> [UInt8] {
        let number = plain.file.number
        do throws(Errno) {
            var bytes = [UInt8](repeating: 0, count: count)
            let length = try retryingInterrupts {
                bytes.withUnsafeMutableBytes { pread(number, $0.baseAddress, count, off_t(offset)) }
            }
            return Array(bytes.prefix(length))
        } catch {
            throw .reading(path, error)
        }
    }
}

extension FileLocation {
    /// Opens the file, if it is there, found to be in nobody else's hands.
    package func open() throws(FileError) -> OpenPrivateFile? {
        guard let folder = try folder.openTrusted() else { return nil }
        guard let plain = try PlainFile.open(name, in: folder, at: path) else { return nil }
        return OpenPrivateFile(plain, path: path)
    }
}
