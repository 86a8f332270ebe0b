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
        // The limit bounds memory use. A link or code stands near the start.
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 50_000, omittingEmptySubsequences: false)
            .map { line in line.last == UInt8(ascii: "\r") ? line.dropLast() : line }
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

    /// The values of all header fields with this name, with their encoded words.
    func values(_ name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }

    /// The parts with text: plain text, then HTML, then attachments.
    var textParts: [MailPart] {
        let parts = leaves(depth: 0).map { (rank: $0.isAttachment ? 2 : $0.isHTML ? 1 : 0, message: $0) }
        return (0...2).flatMap { rank in parts.filter { $0.rank == rank } }.map { part in
            MailPart(part.message.decodedBody, isHTML: part.message.isHTML, isAttachment: part.rank == 2)
        }
    }

    /// The parts with text. A part may itself have parts, such as text and HTML before an attachment.
    private func leaves(depth: Int) -> [MIMEMessage] {
        guard let boundary = type.hasPrefix("multipart/") ? parameter("boundary") : nil else {
            return depth == 0 || type.hasPrefix("text/") ? [self] : []
        }
        guard depth < 8 else { return [] }
        return Self.parts(of: body, between: "--\(boundary)").flatMap { $0.leaves(depth: depth + 1) }
    }

    private var type: String { (header("content-type") ?? "text/plain").lowercased() }

    private var isHTML: Bool { type.hasPrefix("text/html") }

    /// Other text than plain text and HTML, such as a calendar, counts as an attachment.
    private var isAttachment: Bool {
        header("content-disposition")?.lowercased().hasPrefix("attachment") ?? false
            || type.hasPrefix("text/") && !isHTML && !type.hasPrefix("text/plain")
    }

    /// A parameter of the content type.
    private func parameter(_ name: String) -> String? {
        for parameter in (header("content-type") ?? "").split(separator: ";").dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, String(pair[0]).trimmingSpaces.lowercased() == name else { continue }
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
            case "base64": Self.base64Decoded(body)
            case "quoted-printable": QuotedPrintable.decoded(body)
            default: Array(body.joined(separator: [UInt8(ascii: "\n")]))
            }
        let text = String(decoding: bytes, as: UTF8.self)
        // Lines that end with a space continue on the next line. With `delsp`, the space is not part of the text, so it
        // may be within a link. Source: RFC 3676, section 4.
        guard parameter("delsp")?.lowercased() == "yes" else { return text }
        return text.replacing("\r\n", with: "\n").replacing(" \n", with: "")
    }

    /// Decodes base64 up to a line that is not base64, such as the footer of a mailing list.
    private static func base64Decoded(_ lines: ArraySlice<ArraySlice<UInt8>>) -> [UInt8] {
        let encoded = lines.drop { $0.isEmpty }.prefix { line in
            !line.isEmpty && line.allSatisfy { $0.isASCIILetterOrDigit || "+/= \t".utf8.contains($0) }
        }
        // `[]`: no other character is left.
        return [UInt8](base64: String(decoding: encoded.joined().filter { !" \t".utf8.contains($0) }, as: UTF8.self))
            ?? []
    }
}

/// The transfer encoding quoted-printable. Source: RFC 2045, section 6.7.
private enum QuotedPrintable {
    static func decoded(_ lines: ArraySlice<ArraySlice<UInt8>>) -> [UInt8] {
        var bytes: [UInt8] = []
        for line in lines {
            // Spaces at the end of a line were added on the way.
            let end = line.lastIndex { !" \t".utf8.contains($0) }
            let line = end.map { line[...$0] } ?? []
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
