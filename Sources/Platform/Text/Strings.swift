extension String {
    /// Whether it contains another string, compared by bytes.
    ///
    /// The standard library's `contains` for strings links the regular expression engine, half a megabyte.
    package func holds(_ other: String) -> Bool {
        let (text, other) = (Array(utf8), Array(other.utf8))
        guard text.count >= other.count else { return false }
        return (0...(text.count - other.count)).contains { text[$0...].starts(with: other) }
    }

    /// The text with another one in every place of `part`, which is not empty.
    package func replacing(_ part: String, with other: String) -> String {
        var (rest, bytes) = (Array(utf8)[...], [UInt8]())
        while let first = rest.first {
            if rest.starts(with: part.utf8) {
                bytes += other.utf8
                rest = rest.dropFirst(part.utf8.count)
            } else {
                bytes.append(first)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The first `count` scalars. Not characters: one character can have any number of combining marks.
    package func start(_ count: Int) -> String { String(unicodeScalars.prefix(count)) }

    /// The text as one word of a shell command.
    package var shellQuoted: String {
        let isPlain = utf8.allSatisfy { $0.isASCIILetterOrDigit || "/._-+:@%".utf8.contains($0) }
        if isPlain, !isEmpty { return self }
        // By scalars: a quote and a combining mark form one character, but the shell still ends the word at the quote.
        let escaped = unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }
        return "'\(escaped.joined())'"
    }
}

extension [String] {
    /// The first texts, and the number of the others: `a, b and 3 more`.
    package func list(atMost limit: Int) -> String {
        let texts = prefix(limit).joined(separator: ", ")
        return count > limit ? "\(texts) and \(count - limit) more" : texts
    }

    /// The same with each text in quotes: `'a', 'b' and 3 more`.
    package func quotedList(atMost limit: Int) -> String { map { "'\($0)'" }.list(atMost: limit) }
}
