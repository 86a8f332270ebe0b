import LibC

/// File descriptors to wait for with `select`.
///
/// Not with `poll`: on macOS it reports POLLNVAL for terminals.
struct DescriptorSet {
    private var bits = fd_set()
    private var end: Int32 = 0

    /// Adds a descriptor. One that `select` cannot wait for, 1024 or more, is never ready.
    mutating func insert(_ descriptor: Int32) {
        guard descriptor >= 0, descriptor < Int32(MemoryLayout<fd_set>.size * 8) else { return }
        withUnsafeMutableBytes(of: &bits) { $0[Int(descriptor / 8)] |= 1 << UInt8(descriptor % 8) }
        end = max(end, descriptor + 1)
    }

    func contains(_ descriptor: Int32) -> Bool {
        guard descriptor >= 0, descriptor < end else { return false }
        return withUnsafeBytes(of: bits) { $0[Int(descriptor / 8)] & 1 << UInt8(descriptor % 8) != 0 }
    }

    /// Waits until a descriptor is readable, and removes the others.
    ///
    /// - Parameter milliseconds: below 1000; `nil` waits without a limit.
    /// - Throws: `Errno`, also `EINTR`.
    mutating func keepReadable(within milliseconds: Int32? = nil) throws(Errno) {
        var limit = timeval(tv_sec: 0, tv_usec: suseconds_t(milliseconds ?? 0) * 1000)
        let count =
            milliseconds == nil ? select(end, &bits, nil, nil, nil) : select(end, &bits, nil, nil, &limit)
        if count < 0 { throw .current }
    }

    /// Whether a write to the descriptor would not block. Safe in a signal handler.
    static func isWritable(_ descriptor: Int32) -> Bool {
        var set = DescriptorSet()
        set.insert(descriptor)
        var limit = timeval()
        return select(set.end, nil, &set.bits, nil, &limit) > 0
    }
}
