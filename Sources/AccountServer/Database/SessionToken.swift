import CSodium
internal import Platform

/// The secret that authenticates a session.
///
/// Format: `r:` and 32 hexadecimal digits, 128 random bits, as in Parse. Any other text is a token that matches no
/// session.
struct SessionToken {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    init(from randomness: Randomness) {
        self.init("r:" + randomness.hex(byteCount: 16))
    }

    /// The stored form of the token: BLAKE2b, 32 bytes. It needs neither salt nor work factor, because 128 random bits
    /// cannot be guessed. A leaked database contains no usable tokens.
    var hash: [UInt8] {
        var hash = [UInt8](repeating: 0, count: 32)
        var text = text
        text.withUTF8 { bytes in
            _ = crypto_generichash(&hash, hash.count, bytes.baseAddress, UInt64(bytes.count), nil, 0)
        }
        return hash
    }
}

/// Ids of users and sessions: 10 characters of A-Z, a-z, 0-9, as in Parse. Generated usernames have 25.
enum ObjectID {
    static func make(from randomness: Randomness, length: Int = 10) -> String {
        var characters: [UInt8] = []
        while characters.count < length {
            // 248 is the largest multiple of 62 below 256; larger bytes would favour the first characters of the
            // alphabet.
            let fair = randomness.bytes(16).filter { $0 < 248 }
            characters += fair.map { alphabet[Int($0) % alphabet.count] }
        }
        return String(decoding: characters.prefix(length), as: UTF8.self)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
}
