import Platform

/// A part of an e-mail with text: plain text or HTML.
package struct MailPart: Sendable, Equatable {
    /// In the order of the text; only visible ASCII.
    let links: [String]
    /// The distinct words that may be a verification or reset code; only visible ASCII.
    let codes: [String]
    let isAttachment: Bool

    package init(_ source: String, isHTML: Bool = false, isAttachment: Bool = false) {
        let (links, text) = isHTML ? Self.content(ofHTML: source) : ("", source.decodingCharacterReferences)
        self.links = Self.links(in: links) + Self.links(in: text)
        codes = Self.codes(in: text)
        self.isAttachment = isAttachment
    }

    /// Elements within a line of text.
    private static let inline: Set = [
        "a", "b", "code", "em", "font", "i", "small", "span", "strong", "tt", "u", "wbr",
    ]

    /// Returns the attributes of the links of an HTML document, and its text with a line for each block.
    private static func content(ofHTML source: String) -> (links: String, text: String) {
        var (links, text) = ("", "")
        for piece in source.split(separator: "<", omittingEmptySubsequences: false) {
            let end = piece.firstIndex(of: ">")
            let tag = end.map { piece[..<$0] } ?? ""
            let name = tag.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }.lowercased()
            if ["script", "style"].contains(name), !tag.hasPrefix("/") { continue }
            if name == "a" { links += "\(tag)\n" }
            if !inline.contains(name) { text += "\n" }
            text += String((end.map { piece[$0...].dropFirst() } ?? piece).map { $0.isNewline ? " " : $0 })
        }
        return (links.decodingCharacterReferences, text.decodingCharacterReferences)
    }

    private static func beginsLink(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.first?.lowercasedASCII == UInt8(ascii: "h") else { return false }
        let start = bytes.prefix(9).map(\.lowercasedASCII)
        return ["http://", "https://"].contains { start.starts(with: $0.utf8) && start.count > $0.utf8.count }
    }

    /// Returns the links anywhere in a text, such as `<URL:https://…>` and `'https://…'`.
    private static func links(in text: String) -> [String] {
        let bytes = Array(text.utf8)
        var (links, place) = ([String](), 0)
        while place < bytes.count {
            let before = place > 0 ? bytes[place - 1] : UInt8(ascii: " ")
            guard !before.isASCIILetterOrDigit, beginsLink(bytes[place...]) else {
                place += 1
                continue
            }
            let ends = before == UInt8(ascii: "'") ? "<>\"([\'" : "<>\"(["
            let word = bytes[place...].prefix { $0.isVisibleASCII && !ends.utf8.contains($0) }
            // A punctuation mark or closing bracket after a link belongs to the sentence around it.
            let end = word.lastIndex { !".,;:!?)]'".utf8.contains($0) } ?? place
            links.append(String(decoding: word[...end], as: UTF8.self))
            place = word.endIndex
        }
        return links
    }

    /// Returns the codes that are alone on their lines, else those in lines with a word such as "code".
    private static func codes(in text: String) -> [String] {
        let lines = text.split { $0.isNewline }.map { String($0).trimmingSpaces }
        let alone = lines.filter { isCode($0) }
        var known: Set<String> = []
        return (alone.isEmpty ? lines.flatMap { codes(inSentence: $0) } : alone).filter { known.insert($0).inserted }
    }

    /// In a sentence, a code without digits must have groups without vowels, such as `MPDF-FRQW`.
    private static func codes(inSentence line: String) -> [String] {
        let words = line.split { $0.isWhitespace }.filter { !String($0).holds("://") }
            .flatMap { $0.split { !$0.isLetter && !$0.isNumber && $0 != "-" } }.map { String($0) }
        guard words.contains(where: { ["code", "passcode", "one-time", "otp", "pin"].contains($0.lowercased()) }) else {
            return []
        }
        return words.filter { word in
            isCode(word) && (word.utf8.contains { $0.isASCIIDigit } || word.contains("-") && !hasVowel(word))
        }
    }

    /// Whether a word has 4 to 16 capital letters, digits and hyphens, such as `MPDF-FRQW` or `123456`.
    ///
    /// A word such as `THANKS` is not a code: allauth's codes have no vowels, as RFC 8628, section 6.1, recommends.
    private static func isCode(_ word: String) -> Bool {
        guard 4...16 ~= word.utf8.count else { return false }
        let groups = word.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let isPlainWord = groups.count == 1 && hasVowel(word) && !word.utf8.contains { $0.isASCIIDigit }
        return !isPlainWord
            && groups.allSatisfy { group in
                !group.isEmpty && group.allSatisfy { $0.isASCIIDigit || $0.isASCIILetter && $0 < 0x61 }
            }
    }

    private static func hasVowel(_ word: String) -> Bool { word.utf8.contains { "AEIOUY".utf8.contains($0) } }
}
