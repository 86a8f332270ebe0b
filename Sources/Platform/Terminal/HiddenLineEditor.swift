import LibC

/// The keys that edit a line while the terminal does not echo it.
struct HiddenLineEditor {
    /// Bytes of a line; as much as from standard input.
    static let limit = 65_536

    private let erase: UInt8
    private let eraseWord: UInt8
    private let eraseLine: UInt8
    private let endOfInput: UInt8

    init(_ settings: termios) {
        erase = settings.control(VERASE)
        eraseWord = settings.control(VWERASE)
        eraseLine = settings.control(VKILL)
        endOfInput = settings.control(VEOF)
    }

    func endsInput(_ byte: UInt8) -> Bool { isKey(byte) && byte == endOfInput }

    /// - Returns: whether the byte was a key that changed the line.
    func edits(_ line: inout [UInt8], by byte: UInt8) -> Bool {
        guard isKey(byte) else { return false }
        switch byte {
        case erase: Self.removeCharacter(of: &line)
        case eraseWord:
            while line.last == UInt8(ascii: " ") { line.removeLast() }
            while let last = line.last, last != UInt8(ascii: " ") { line.removeLast() }
        case eraseLine: line = []
        default: return false
        }
        return true
    }

    /// Keys that are switched off have the value 0 or, on macOS, 255.
    private func isKey(_ byte: UInt8) -> Bool { byte != 0 && byte != 255 }

    /// Removes the bytes of one UTF-8 scalar.
    private static func removeCharacter(of line: inout [UInt8]) {
        while let last = line.popLast(), last & 0xC0 == 0x80 {}
    }
}

extension termios {
    func control(_ key: Int32) -> UInt8 { withUnsafeBytes(of: c_cc) { $0[Int(key)] } }

    mutating func setControl(_ key: Int32, _ value: UInt8) {
        withUnsafeMutableBytes(of: &c_cc) { $0[Int(key)] = value }
    }
}
