import CSodium
internal import Platform

/// The secret a client shows to act as a user.
///
/// On the wire `r:` and 32 hexadecimal digits, 128 random bits, as Parse makes them; any other text is just a token
/// that nobody has.
struct SessionToken {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    init(from randomness: Randomness) {
        self.init("r:" + randomness.hex(byteCount: 16))
    }

    /// What the database knows of a token: BLAKE2b, 32 bytes. Neither salt nor cost is needed, since nobody can guess
    /// the token; and who reads the database gets no session out of it.
    var hash: [UInt8] {
        var hash = [UInt8](repeating: 0, count: 32)
        let bytes = Array(text.utf8)
        crypto_generichash(&hash, hash.count, bytes, UInt64(bytes.count), nil, 0)
        return hash
    }
}

/// Identifiers of users and sessions: 10 characters of A-Z, a-z, 0-9, as Parse makes them. Names that are made up have
/// 25.
enum ObjectID {
    static func make(from randomness: Randomness, length: Int = 10) -> String {
        var characters: [UInt8] = []
        while characters.count < length {
            // 248 is the greatest multiple of 62 in a byte; the bytes above would make the first characters likelier.
            let fair = randomness.bytes(16).filter { $0 < 248 }
            characters += fair.map { alphabet[Int($0) % alphabet.count] }
        }
        return String(decoding: characters.prefix(length), as: UTF8.self)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
}
