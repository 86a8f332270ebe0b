import LibC

/// A source of unpredictable bytes.
package struct Randomness: Sendable {
    /// Returns `count` bytes.
    package var bytes: @Sendable (_ count: Int) -> [UInt8]

    package init(bytes: @escaping @Sendable (_ count: Int) -> [UInt8]) {
        self.bytes = bytes
    }

    /// The random generator of the kernel. A generator in user space could return the same bytes twice after a fork.
    package static let system = Randomness { count in
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            // getentropy returns at most 256 bytes per call. With a valid buffer, getentropy fails only if the system
            // has no random generator; the process must then stop.
            let chunk = min(256, count - filled)
            let result = bytes.withUnsafeMutableBytes { getentropy($0.baseAddress! + filled, chunk) }
            precondition(result == 0, "the system has no source of randomness")
            filled += chunk
        }
        return bytes
    }

    /// Random bytes as lowercase hexadecimal digits, two per byte.
    package func hex(byteCount: Int) -> String { bytes(byteCount).hexadecimal }
}
