import LibC

/// Where unpredictable bytes come from.
package struct Randomness: Sendable {
    /// Gives that many bytes.
    package var bytes: @Sendable (_ count: Int) -> [UInt8]

    package init(bytes: @escaping @Sendable (_ count: Int) -> [UInt8]) {
        self.bytes = bytes
    }

    /// The kernel's generator, never user-space state that a fork could repeat.
    package static let system = Randomness { count in
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            // getentropy gives 256 bytes at most per call; with a valid buffer of that size it only fails where the
            // system has no generator at all, and nothing may go on then.
            let chunk = min(256, count - filled)
            let result = bytes.withUnsafeMutableBytes { getentropy($0.baseAddress! + filled, chunk) }
            precondition(result == 0, "the system has no source of randomness")
            filled += chunk
        }
        return bytes
    }

    /// That many random bytes as lowercase hexadecimal digits, two for each.
    package func hex(byteCount: Int) -> String { bytes(byteCount).hexadecimal }
}
