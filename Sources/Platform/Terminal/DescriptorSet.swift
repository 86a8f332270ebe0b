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
    /// - Throws: `Errno`, also `EINTR`.
    mutating func keepReadable() throws(Errno) {
        if select(end, &bits, nil, nil, nil) < 0 { throw .current }
    }
}
