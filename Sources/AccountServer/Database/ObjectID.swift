internal import Platform

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
