/// How a login takes the code of a second factor.
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
}
