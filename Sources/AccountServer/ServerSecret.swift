import CSodium
import Platform

/// A secret of the server: a client key or an app secret. Prints as `<redacted>`.
package struct ServerSecret: Sendable {
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Compares digests of equal length in constant time, so that timing reveals neither the length of the secret nor a
    /// common prefix.
    func matches(_ guess: String) -> Bool {
        sodium_memcmp(Self.digest(text), Self.digest(guess), 32) == 0
    }

    /// HMAC-SHA256 of the message with this secret as the key, in lowercase hexadecimal.
    func authenticationCode(of message: String) -> String {
        var state = crypto_auth_hmacsha256_state()
        var code = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
        let (key, bytes) = (Array(text.utf8), Array(message.utf8))
        // The one-shot function does not accept keys of any length.
        crypto_auth_hmacsha256_init(&state, key, key.count)
        crypto_auth_hmacsha256_update(&state, bytes, UInt64(bytes.count))
        crypto_auth_hmacsha256_final(&state, &code)
        return code.hexadecimal
    }

    private static func digest(_ text: String) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let bytes = Array(text.utf8)
        crypto_generichash(&digest, digest.count, bytes, UInt64(bytes.count), nil, 0)
        return digest
    }
}

extension ServerSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
