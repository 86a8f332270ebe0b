extension [UInt8] {
    /// Two lowercase hexadecimal digits for each byte, in ASCII.
    package var hexadecimalBytes: [UInt8] {
        // A plain loop over an array: `flatMap` of pairs took 37,000 instructions for 16 bytes.
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * count)
        for byte in self {
            digits.append((byte >> 4).hexadecimalDigit)
            digits.append((byte & 15).hexadecimalDigit)
        }
        return digits
    }

    /// Two lowercase hexadecimal digits for each byte, as a string.
    package var hexadecimal: String { String(decoding: hexadecimalBytes, as: UTF8.self) }
}

extension UInt8 {
    /// The digit of a number from 0 to 15.
    fileprivate var hexadecimalDigit: UInt8 { self < 10 ? self + 0x30 : self - 10 + 0x61 }
}
