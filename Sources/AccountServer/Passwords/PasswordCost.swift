/// The work factor of a password hash.
package struct PasswordCost: Sendable, Equatable {
    /// Kibibytes, at least 8.
    package var memory: Int
    /// Passes over the memory, at least 1.
    package var passes: Int

    package init(memory: Int, passes: Int) {
        self.memory = memory
        self.passes = passes
    }

    /// About 40 ms and 21 MiB. Source: OWASP Password Storage, argon2id, second row.
    package static let standard = PasswordCost(memory: 19_456, passes: 2)
    /// The minimum that libsodium allows; for tests.
    package static let minimum = PasswordCost(memory: 8, passes: 1)
}

extension PasswordCost {
    /// Parses the cost of a stored hash, `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<key>`; `nil` for any other format.
    init?(storedIn hash: String) {
        let parts = hash.split(separator: "$")
        guard parts.count == 5, parts[0] == "argon2id" else { return nil }
        var memory: Int?
        var passes: Int?
        for setting in parts[2].split(separator: ",") {
            if setting.hasPrefix("m=") { memory = Int(setting.dropFirst(2)) }
            if setting.hasPrefix("t=") { passes = Int(setting.dropFirst(2)) }
        }
        // The range that libsodium accepts; other values mean a damaged hash.
        guard let memory, let passes, 8...0xFFFF_FFFF ~= memory, 1...0xFFFF_FFFF ~= passes else { return nil }
        self.init(memory: memory, passes: passes)
    }

    /// Whether a hash of this cost should be replaced, because it uses less memory or fewer passes than `current`.
    ///
    /// libsodium's `crypto_pwhash_str_needs_rehash` reports any difference, so it would also weaken stronger hashes.
    func isWeaker(than current: PasswordCost) -> Bool {
        memory < current.memory || passes < current.passes
    }
}
