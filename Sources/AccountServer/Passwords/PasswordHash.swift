import CSodium
import Platform

/// Hashes passwords with argon2id. Each call takes tens of milliseconds, and `PasswordCost.memory` KiB of memory.
enum PasswordHash {
    /// The outcome of a comparison.
    enum Outcome {
        case matches, differs
        /// There was not enough memory, or libsodium is not ready.
        case failed
    }

    /// Derives the stored form of a password; `nil` if there was not enough memory, or if libsodium is not ready.
    ///
    /// Format: libsodium's `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<key>`, at most 127 ASCII characters, with a new
    /// random salt of 16 bytes. Passwords of any length are hashed completely.
    static func derive(_ password: String, cost: PasswordCost) -> String? {
        precondition(!password.isEmpty, "the caller must reject an empty password, because argon2 accepts it")
        guard Sodium.isReady else { return nil }
        var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
        let result = wiped(password) { start, count in
            crypto_pwhash_str_alg(
                &text, start, UInt64(count), UInt64(cost.passes), cost.memory * 1024,
                crypto_pwhash_ALG_ARGON2ID13)
        }
        guard result == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(truncatingIfNeeded:)), as: UTF8.self)
    }

    /// Compares a password with its stored form in constant time.
    static func compare(_ password: String, with stored: String) -> Outcome {
        let parts = stored.split(separator: "$")
        guard Sodium.isReady else { return .failed }
        guard let cost = PasswordCost(storedIn: stored) else { return .differs }
        guard let salt = [UInt8](base64: parts[3]), let key = [UInt8](base64: parts[4]),
            salt.count == Int(crypto_pwhash_SALTBYTES), key.count == 32, parts[2].hasSuffix(",p=1")
        else { return compare(password, withImported: stored, cost) }
        var derived = [UInt8](repeating: 0, count: key.count)
        let result = wiped(password) { start, count in
            crypto_pwhash(
                &derived, UInt64(key.count), start, UInt64(count), salt,
                UInt64(cost.passes), cost.memory * 1024, crypto_pwhash_ALG_ARGON2ID13)
        }
        guard result == 0 else { return .failed }
        return sodium_memcmp(derived, key, key.count) == 0 ? .matches : .differs
    }

    /// Compares a password with a hash of several lanes or of other lengths, which another server has derived.
    private static func compare(_ password: String, withImported stored: String, _ cost: PasswordCost) -> Outcome {
        if wiped(password, { crypto_pwhash_str_verify(stored, $0, UInt64($1)) }) == 0 { return .matches }
        // libsodium reports a lack of memory as a wrong password, so the same memory must be there for one pass.
        return derive(password, cost: PasswordCost(memory: cost.memory, passes: 1)) == nil ? .failed : .differs
    }

    /// Whether a new account can have this hash of another server: one that libsodium can read, with at most 128 MiB and
    /// 10 passes, so that a login takes about a second at most.
    static func isImportable(_ hash: String) -> Bool {
        guard Sodium.isReady, let cost = PasswordCost(storedIn: hash) else { return false }
        return cost.memory <= 131_072 && cost.passes <= 10
            && crypto_pwhash_str_needs_rehash(hash, UInt64(cost.passes), cost.memory * 1024) >= 0
    }

    /// Passes a copy of the password to `body`, and then overwrites the copy with zeros.
    private static func wiped(_ password: String, _ body: (UnsafePointer<CChar>, Int) -> Int32) -> Int32 {
        var characters = Array(password.utf8CString)
        defer { sodium_memzero(&characters, characters.count) }
        // The count does not include the terminating NUL.
        return body(characters, characters.count - 1)
    }
}

/// Initializes libsodium once per process.
enum Sodium {
    /// `false` only if the system has no source of randomness.
    static let isReady = sodium_init() >= 0
}

/// The work factor of a password hash.
package struct PasswordCost: Sendable, Equatable {
    /// The memory in KiB, at least 8.
    package var memory: Int
    /// The number of passes over the memory, at least 1.
    package var passes: Int

    /// About 40 ms and 19 MiB. Source: OWASP Password Storage Cheat Sheet, second configuration of argon2id.
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

    /// Whether a hash with this cost should be replaced, because it uses less memory or fewer passes than `current`.
    ///
    /// libsodium's `crypto_pwhash_str_needs_rehash` reports any difference, so relying on it would also weaken stronger
    /// hashes.
    func isWeaker(than current: PasswordCost) -> Bool {
        memory < current.memory || passes < current.passes
    }
}
