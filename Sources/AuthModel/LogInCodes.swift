/// How a login takes codes: that of a second factor, or one in place of the password.
package struct LogInCodes: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// In place of the generic initializer, which costs a twelfth of the start of a command.
    package init(arrayLiteral codes: LogInCodes...) { rawValue = codes.reduce(0) { $0 | $1.rawValue } }

    /// Together with the password.
    package static let withPassword = LogInCodes(rawValue: 1 << 0)
    /// Alone, for a login that waits.
    package static let alone = LogInCodes(rawValue: 1 << 1)
    /// The word `request` in place of the code makes the server send one.
    package static let onRequest = LogInCodes(rawValue: 1 << 2)
    /// In place of the password: the server sends a code or a link to an address.
    package static let withoutPassword = LogInCodes(rawValue: 1 << 3)
    /// The same. The code or link needs only the address, so any client may have requested it, and it may be a link.
    package static let withAddress = LogInCodes(rawValue: 1 << 4)
    /// Before a link resets the password.
    package static let atReset = LogInCodes(rawValue: 1 << 5)
}

extension Secret {
    /// The token of a login that needs only the address: `address:ADDRESS`. The address alone would be masked in output.
    package static func forAddress(_ address: String) -> Secret { Secret("address:\(address)") }

    package var address: String { reveal().hasPrefix("address:") ? String(reveal().dropFirst(8)) : reveal() }
}
