import CPseudoTerminal
package import Foundation

/// The encodings in which a secret could leak: raw, hexadecimal, percent-encoded, escaped in JSON, and base64 (in both
/// alphabets, and at offsets 0 to 2 in a longer text).
package struct SecretForms {
    package let secret: String
    private let forms: [Data]

    package init(_ secret: String) {
        self.secret = secret
        let bytes = Array(secret.utf8)
        let hex = bytes.map { String(format: "%02x", $0) }.joined()
        let percent = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret
        let escaped = secret.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let ascii = escaped.unicodeScalars.map { $0.isASCII ? String($0) : String(format: "\\u%04x", $0.value) }
        let encoded = (0..<3).flatMap { offset -> [String] in
            let text = Self.base64(of: bytes, at: offset)
            return [text, text.replacing("+", with: "-").replacing("/", with: "_")]
        }
        let texts: Set = [secret, escaped, ascii.joined(), hex, hex.uppercased(), percent, percent.lowercased()]
        forms = texts.union(encoded).map { Data($0.utf8) }
    }

    /// Whether the bytes contain the secret in one of its encodings.
    package func isFound(in bytes: Data) -> Bool {
        bytes.withUnsafeBytes { all in
            forms.contains { form in
                form.withUnsafeBytes { holds_bytes(all.baseAddress, all.count, $0.baseAddress, $0.count) != 0 }
            }
        }
    }

    package func isFound(in text: String) -> Bool { isFound(in: Data(text.utf8)) }

    /// The part of the base64 text that does not depend on the bytes before and after the secret.
    private static func base64(of bytes: [UInt8], at offset: Int) -> String {
        let padded = Data([UInt8](repeating: 0, count: offset) + bytes).base64EncodedString()
        let whole = (offset + bytes.count) / 3 * 4
        return String(padded.prefix(whole).dropFirst(offset == 0 ? 0 : offset + 1))
    }
}
