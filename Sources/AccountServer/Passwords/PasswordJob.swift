import CSodium

/// An argon2id computation that a worker thread can run while the request is paused.
package struct PasswordJob: Sendable {
    package enum Completion: Sendable, Equatable {
        /// The stored form of the password.
        case hash(String)
        case matches, differs
        /// There was not enough memory.
        case failed
        /// The account is locked, so nothing was computed.
        case locked
    }

    private enum Work {
        case hash(PasswordCost)
        case compare(stored: String)
    }

    private let password: PasswordBytes
    private let work: Work
    /// `nil`: this check is not counted.
    private var attempt: LoginAttempt?

    /// Derives the stored form of a password.
    ///
    /// Format: libsodium's `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<key>`, at most 127 ASCII characters, with a new
    /// random salt of 16 bytes. The whole password counts, whatever its length.
    static func hash(_ password: String, cost: PasswordCost) -> PasswordJob {
        precondition(!password.isEmpty, "an empty password is refused before: argon2 would take it")
        return PasswordJob(password: PasswordBytes(password), work: .hash(cost))
    }

    /// Compares a password with its stored form in constant time.
    static func compare(_ password: String, stored: String) -> PasswordJob {
        PasswordJob(password: PasswordBytes(password), work: .compare(stored: stored))
    }

    /// The same job, which fails with `locked` if too many passwords of the account were wrong.
    func counted(as attempt: LoginAttempt) -> PasswordJob {
        var job = self
        job.attempt = attempt
        return job
    }

    /// Takes tens of milliseconds by design, and `PasswordCost.memory` of memory.
    package func run() -> Completion {
        guard Sodium.isReady else { return .failed }
        return attempt.map { $0.run(compute) } ?? compute()
    }

    private func compute() -> Completion {
        switch work {
        case .hash(let cost): derive(cost)
        case .compare(let stored): compare(stored)
        }
    }

    private func derive(_ cost: PasswordCost) -> Completion {
        var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
        let result = crypto_pwhash_str_alg(
            &text, password.start, UInt64(password.count), UInt64(cost.passes), cost.memory * 1024,
            crypto_pwhash_ALG_ARGON2ID13)
        guard result == 0 else { return .failed }
        return .hash(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(truncatingIfNeeded:)), as: UTF8.self))
    }

    /// Not `crypto_pwhash_str_verify`, which reports a lack of memory as a wrong password.
    private func compare(_ stored: String) -> Completion {
        let parts = stored.split(separator: "$")
        guard let cost = PasswordCost(storedIn: stored), let salt = bytes(parts[3], Int(crypto_pwhash_SALTBYTES)),
            let key = bytes(parts[4], 32)
        else { return .differs }
        var derived = [UInt8](repeating: 0, count: key.count)
        let result = crypto_pwhash(
            &derived, UInt64(key.count), password.start, UInt64(password.count), salt, UInt64(cost.passes),
            cost.memory * 1024, crypto_pwhash_ALG_ARGON2ID13)
        guard result == 0 else { return .failed }
        return sodium_memcmp(derived, key, key.count) == 0 ? .matches : .differs
    }

    /// Decodes base64 without padding; `nil` if the result does not have `count` bytes.
    private func bytes(_ text: Substring, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var length = 0
        let result = sodium_base642bin(
            &bytes, count, String(text), text.utf8.count, nil, &length, nil,
            sodium_base64_VARIANT_ORIGINAL_NO_PADDING)
        return result == 0 && length == count ? bytes : nil
    }
}

/// A copy of a password, overwritten with zeros when its last reference ends: the hash is computed, or its client has
/// gone.
// Unchecked because of the pointer: nothing is written between `init` and `deinit`.
private final class PasswordBytes: @unchecked Sendable {
    let start: UnsafeMutablePointer<CChar>
    let count: Int

    init(_ text: String) {
        var text = text
        (start, count) = text.withUTF8 { bytes in
            let start = UnsafeMutablePointer<CChar>.allocate(capacity: max(1, bytes.count))
            for (index, byte) in bytes.enumerated() { start[index] = CChar(truncatingIfNeeded: byte) }
            return (start, bytes.count)
        }
    }

    deinit {
        sodium_memzero(start, count)
        start.deallocate()
    }
}

/// Initialises libsodium once per process.
enum Sodium {
    /// `false` only if the system has no source of randomness.
    static let isReady = sodium_init() >= 0
}
