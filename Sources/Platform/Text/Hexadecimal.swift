extension Sequence<UInt8> {
    /// Two lowercase hexadecimal digits for each byte, in ASCII.
    package var hexadecimalBytes: [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// Two lowercase hexadecimal digits for each byte, as a string.
    package var hexadecimal: String { String(decoding: hexadecimalBytes, as: UTF8.self) }
}
