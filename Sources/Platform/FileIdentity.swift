#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Which file it is that stands at a path: another one of the same name is another.
package struct FileIdentity: Sendable, Equatable {
    private let device: dev_t
    private let number: ino_t

    /// `nil` where there is none, or none that can be looked at.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = status.st_dev
        number = status.st_ino
    }
}
