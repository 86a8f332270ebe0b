import Platform

/// An e-mail in its transfer format: header fields and a body, whose parts may be encoded. Source: RFC 5322; RFC 2045
/// to 2047.
///
/// Always decodes text as UTF-8. This damages text in other character sets, but not links and codes, which are ASCII.
struct MIMEMessage {
    /// The header fields, with lowercase names and unfolded values.
    private let headers: [(name: String, value: String)]
    /// The lines of the body without their line endings.
    private let body: ArraySlice<ArraySlice<UInt8>>

    init(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }
        self.init(lines[...])
    }

    private init(_ lines: ArraySlice<ArraySlice<UInt8>>) {
        let head = lines.prefix { !$0.isEmpty }
        var fields: [String] = []
        for line in head {
            let text = String(decoding: line, as: UTF8.self)
            if let first = line.first, " \t".utf8.contains(first), !fields.isEmpty {
                fields[fields.count - 1] += " \(text.trimmingSpaces)"
            } else {
                fields.append(text)
            }
        }
        headers = fields.compactMap { field in
            let parts = field.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            return (parts[0].lowercased(), String(parts[1]).trimmingSpaces)
        }
        body = lines[head.endIndex...].dropFirst()
    }

    /// The decoded value of the first header field with this name.
    func header(_ name: String) -> String? {
        headers.first { $0.name == name }.map { EncodedWords.decoded($0.value) }
    }

    /// The decoded body; for a `multipart` body, its first plain-text part, or its first part if none is plain text.
    var text: String {
        guard let boundary else { return decodedBody }
        let parts = Self.parts(of: body, between: "--\(boundary)")
        let plain = parts.first { ($0.header("content-type") ?? "text/plain").lowercased().hasPrefix("text/plain") }
        // A part may itself have parts, such as text and HTML before an attachment.
        return (plain ?? parts.first)?.text ?? ""
    }

    /// The parameter `boundary` of a `multipart` body; `nil` for any other body.
    private var boundary: String? {
        guard let type = header("content-type"), type.lowercased().hasPrefix("multipart/") else { return nil }
        for parameter in type.split(separator: ";").dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, String(pair[0]).trimmingSpaces.lowercased() == "boundary" else { continue }
            let text = String(pair[1]).trimmingSpaces
            return text.hasPrefix("\"") ? String(text.dropFirst().prefix { $0 != "\"" }) : text
        }
        return nil
    }

    private static func parts(of body: ArraySlice<ArraySlice<UInt8>>, between boundary: String) -> [MIMEMessage] {
        let pieces = body.split(omittingEmptySubsequences: false) { line in
            line.starts(with: boundary.utf8) && line.dropFirst(boundary.utf8.count).allSatisfy(" \t\r-".utf8.contains)
        }
        // Drop the preamble before the first boundary and the epilogue after the last boundary.
        return pieces.dropFirst().dropLast().map { MIMEMessage($0) }
    }

    private var decodedBody: String {
        let bytes =
            switch header("content-transfer-encoding")?.lowercased() {
            case "base64":
                // `[]`: invalid base64 counts as an empty body.
                [UInt8](base64: String(decoding: body.joined(), as: UTF8.self).filter { !$0.isWhitespace }) ?? []
            case "quoted-printable": QuotedPrintable.decoded(body)
            default: Array(body.joined(separator: [UInt8(ascii: "\n")]))
            }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The transfer encoding quoted-printable. Source: RFC 2045, section 6.7.
private enum QuotedPrintable {
    static func decoded(_ lines: ArraySlice<ArraySlice<UInt8>>) -> [UInt8] {
        var bytes: [UInt8] = []
        for line in lines {
            let isSoft = line.last == UInt8(ascii: "=")
            bytes += decoded(isSoft ? line.dropLast() : line)
            if !isSoft { bytes.append(UInt8(ascii: "\n")) }
        }
        return bytes
    }

    static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var (bytes, rest) = ([UInt8](), text)
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { $0.hexDigitValue }
            guard byte == UInt8(ascii: "="), digits.count == 2 else {
                bytes.append(byte)
                continue
            }
            rest = rest.dropFirst(2)
            bytes.append(digits[0] << 4 | digits[1])
        }
        return bytes
    }
}

/// Encoded words in header fields, such as `=?utf-8?q?F=C3=BCr_Ada?=`. Source: RFC 2047.
private enum EncodedWords {
    static func decoded(_ value: String) -> String {
        guard value.holds("=?") else { return value }
        var (text, wasEncoded) = ("", false)
        for word in value.split(separator: " ") {
            let decoded = decodedWord(word)
            // Spaces between two encoded words are not part of the text.
            if !text.isEmpty, decoded == nil || !wasEncoded { text += " " }
            text += decoded ?? String(word)
            wasEncoded = decoded != nil
        }
        return text
    }

    private static func decodedWord(_ word: Substring) -> String? {
        let parts = word.split(separator: "?", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == "=", parts[4] == "=" else { return nil }
        if parts[2].lowercased() == "b" {
            return [UInt8](base64: parts[3]).map { String(decoding: $0, as: UTF8.self) }
        }
        let spaced = Array(parts[3].utf8).map { $0 == UInt8(ascii: "_") ? UInt8(ascii: " ") : $0 }
        return String(decoding: QuotedPrintable.decoded(spaced[...]), as: UTF8.self)
    }
}
