import Foundation

/// The ways in which a secret could be written down.
struct SecretForms {
    let secret: String
    private let forms: [Data]

    init(_ secret: String) {
        self.secret = secret
        let bytes = Array(secret.utf8)
        // Within a longer text the encoding begins at one of three places.
        let base64 = (0..<3).map { start in
            Data([UInt8](repeating: 0, count: start) + bytes).base64EncodedString()
                .dropFirst(start == 0 ? 0 : start + 1).prefix(max((bytes.count - 3) / 3 * 4, 4))
        }
        .map { String($0) }
        let base64URL = base64.map { $0.replacing("+", with: "-").replacing("/", with: "_") }
        let hex = bytes.map { String(format: "%02x", $0) }.joined()
        let escaped = secret.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let percent = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!
        let texts = [secret, escaped, escaped.replacing("/", with: "\\/"), hex, hex.uppercased(), percent]
        forms = Set(texts + base64 + base64URL).map { Data($0.utf8) }
    }

    func isIn(_ bytes: Data) -> Bool { forms.contains { bytes.range(of: $0) != nil } }

    func isIn(_ text: String) -> Bool { isIn(Data(text.utf8)) }
}
