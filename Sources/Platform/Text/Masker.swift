import Synchronization

/// Masks the secrets of this process in text from external sources: server messages, header values, URLs.
///
/// A secret is registered when it enters the process (prompt, standard input, file, environment, saved session) or is
/// decoded from a response. `mask` finds it in plain, percent-encoded and JSON-escaped form. authctl's own messages and
/// the names that the user typed are not masked, so they stay readable even if the password is `password`.
package final class Masker: Sendable {
    private struct Secret: Equatable {
        let bytes: [UInt8]
        /// Whether the secret is so short that it may occur within other words. Then it is masked only as a whole word.
        let isShort: Bool
        /// Whether the secret is a password that may be a plain word of the server's language: up to ten letters a to z.
        let isPlainWord: Bool
    }

    private let outer: Masker?
    private let own = Mutex<[Secret]>([])

    /// - Parameter outer: a masker whose secrets this masker also masks. In a bulk command, each thread has a masker
    ///   within the masker of the process.
    package init(within outer: Masker? = nil) {
        self.outer = outer
    }

    /// - Parameter isPassword: whether a person may have chosen the secret. A password such as `password` is then not
    ///   masked as a word of a sentence: "This password is too common." does not tell that it is the password.
    package func register(_ text: String, isPassword: Bool = false) {
        guard !text.isEmpty else { return }
        let isPlainWord = isPassword && text.utf8.count <= 10 && text.utf8.allSatisfy { $0 >= 0x61 && $0 <= 0x7A }
        let secret = Secret(bytes: Array(text.utf8), isShort: text.count < 6, isPlainWord: isPlainWord)
        own.withLock { if !$0.contains(secret) { $0.append(secret) } }
    }

    /// Forgets the secrets registered in this masker, but not those in `outer`.
    package func forget() { own.withLock { $0 = [] } }

    private var secrets: [Secret] { own.withLock { $0 } + (outer?.secrets ?? []) }

    /// The maximum length of a masked text in Unicode scalars. Limits the time that malicious input can take.
    private static let longestText = 16_384

    /// Returns the text, cut to 16,384 scalars, with `<redacted>` in place of each secret.
    package func mask(_ text: String) -> String {
        let secrets = secrets
        // Read beyond the limit, so that no secret is cut at the limit. An escape has up to six characters per byte.
        let longest = secrets.reduce(0) { max($0, $1.bytes.count) }
        let bytes = Array(text.start(Self.longestText + 6 * longest).utf8)
        var isMasked = [Bool](repeating: false, count: bytes.count)
        for decoded in DecodedText.all(bytes) {
            for secret in secrets {
                var end = 0
                for place in decoded.places(of: secret.bytes) where !secret.isShort || decoded.isWord(place) {
                    if secret.isPlainWord, decoded.isWordOfSentence(place) { continue }
                    let range = decoded.starts[place.lowerBound]..<decoded.starts[place.upperBound]
                    for index in max(range.lowerBound, end)..<range.upperBound { isMasked[index] = true }
                    end = range.upperBound
                }
            }
        }
        var masked: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if !isMasked[index] {
                masked.append(byte)
            } else if index == 0 || !isMasked[index - 1] {
                masked += "<redacted>".utf8
            }
        }
        return String(decoding: masked, as: UTF8.self).start(Self.longestText)
    }
}

/// Text with its escapes decoded, and the position of each decoded byte in the original text.
private struct DecodedText {
    private var bytes: [UInt8] = []
    /// The positions of the decoded bytes in the original text. The last element is the length of the original text.
    private(set) var starts: [Int] = []

    /// Returns up to three forms of the text: unchanged, percent-decoded, and with JSON escapes decoded.
    static func all(_ bytes: [UInt8]) -> [DecodedText] {
        [DecodedText(bytes, from: nil) { _ in nil }]
            + (bytes.contains(UInt8(ascii: "%")) ? [DecodedText(bytes, from: UInt8(ascii: "%"), percentDecoded)] : [])
            + (bytes.contains(UInt8(ascii: "\\")) ? [DecodedText(bytes, from: UInt8(ascii: "\\"), unescaped)] : [])
    }

    /// - Parameters:
    ///   - mark: the byte that begins an escape.
    ///   - decode: returns the decoded bytes of the escape at the start of its argument, and the length of the escape.
    private init(
        _ original: [UInt8], from mark: UInt8?, _ decode: (ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)?
    ) {
        var place = 0
        while place < original.count {
            let escape = original[place] == mark ? decode(original[place...]) : nil
            for byte in escape?.bytes ?? [original[place]] {
                bytes.append(byte)
                starts.append(place)
            }
            place += escape?.length ?? 1
        }
        starts.append(original.count)
    }

    /// Decodes an escape such as `%c3`.
    private static func percentDecoded(_ text: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
        number(text.dropFirst().prefix(2), digits: 2).map { ([UInt8($0)], 3) }
    }

    /// Decodes an escape: `\"`, `\/`, `\n`, `\u00e4`, `\ud83d\ude00`. Source: RFC 8259, section 7.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
        guard let letter = text.dropFirst().first else { return nil }
        switch letter {
        case UInt8(ascii: "b"): return ([0x08], 2)
        case UInt8(ascii: "f"): return ([0x0C], 2)
        case UInt8(ascii: "n"): return ([0x0A], 2)
        case UInt8(ascii: "r"): return ([0x0D], 2)
        case UInt8(ascii: "t"): return ([0x09], 2)
        case UInt8(ascii: "u"):
            guard let unit = number(text.dropFirst(2).prefix(4), digits: 4) else { return nil }
            if let scalar = Unicode.Scalar(unit) { return (Array(String(scalar).utf8), 6) }
            guard unit < 0xDC00, let second = number(text.dropFirst(8).prefix(4), digits: 4), second >= 0xDC00,
                let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00))
            else { return nil }
            return (Array(String(scalar).utf8), 12)
        default: return ([letter], 2)
        }
    }

    private static func number(_ text: ArraySlice<UInt8>, digits: Int) -> UInt32? {
        let values = text.compactMap(\.hexDigitValue)
        return values.count == digits ? values.reduce(0) { $0 << 4 | UInt32($1) } : nil
    }

    /// All occurrences of a secret, including those that overlap.
    func places(of secret: [UInt8]) -> [Range<Int>] {
        guard bytes.count >= secret.count else { return [] }
        return (0...bytes.count - secret.count).filter { bytes[$0...].starts(with: secret) }
            .map { $0..<$0 + secret.count }
    }

    /// Whether the place is a word of a sentence of at least three words, and not a value in quotes or after `:` or `=`.
    func isWordOfSentence(_ place: Range<Int>) -> Bool {
        let space = UInt8(ascii: " ")
        let neighbours = [place.lowerBound - 1, place.upperBound].filter(bytes.indices.contains).map { bytes[$0] }
        return neighbours.allSatisfy { " ./,;!?()-".utf8.contains($0) }
            && !":=".utf8.contains(bytes[..<place.lowerBound].last { $0 != space } ?? space)
            && bytes.contains(space) && bytes.split { !$0.isASCIILetter }.count >= 3
    }

    /// Whether the place has no letter, digit, `_` or non-ASCII byte next to it.
    func isWord(_ place: Range<Int>) -> Bool {
        [place.lowerBound - 1, place.upperBound].allSatisfy { index in
            guard bytes.indices.contains(index) else { return true }
            return !bytes[index].isASCIILetterOrDigit && bytes[index] != UInt8(ascii: "_") && bytes[index] < 0x80
        }
    }
}
