/// How much work one password hash is.
package struct PasswordCost: Sendable, Equatable {
    /// Kibibytes, 8 or more.
    package var memory: Int
    /// Times over the memory, 1 or more.
    package var passes: Int

    package init(memory: Int, passes: Int) {
        self.memory = memory
        self.passes = passes
    }

    /// About 40 ms and 21 MiB. Source: OWASP password storage, argon2id row 2.
    package static let standard = PasswordCost(memory: 19_456, passes: 2)
    /// The least libsodium allows; for tests.
    package static let minimum = PasswordCost(memory: 8, passes: 1)
}

extension PasswordCost {
    /// Reads the cost out of a stored hash, `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<key>`; `nil` if it is no such.
    init?(storedIn hash: String) {
        let parts = hash.split(separator: "$")
        guard parts.count == 5, parts[0] == "argon2id" else { return nil }
        var memory: Int?
        var passes: Int?
        for setting in parts[2].split(separator: ",") {
            if setting.hasPrefix("m=") { memory = Int(setting.dropFirst(2)) }
            if setting.hasPrefix("t=") { passes = Int(setting.dropFirst(2)) }
        }
        // What libsodium takes; else the hash is damaged.
        guard let memory, let passes, 8...0xFFFF_FFFF ~= memory, 1...0xFFFF_FFFF ~= passes else { return nil }
        self.init(memory: memory, passes: passes)
    }

    /// Whether a hash of this cost should be replaced: it took less memory or fewer passes than `current`.
    ///
    /// libsodium's `crypto_pwhash_str_needs_rehash` says yes to any difference, so it would also weaken hashes that
    /// were made stronger.
    func isWeaker(than current: PasswordCost) -> Bool {
        memory < current.memory || passes < current.passes
    }
}
