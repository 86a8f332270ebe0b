extension String {
    /// Whether another text stands somewhere in it, byte by byte.
    ///
    /// The standard library's `contains` for texts comes with regular expressions, half a megabyte of them.
    package func holds(_ other: String) -> Bool {
        let (text, other) = (Array(utf8), Array(other.utf8))
        guard text.count >= other.count else { return false }
        return (0...(text.count - other.count)).contains { text[$0...].starts(with: other) }
    }

    /// Its first scalars: a single character can hold any number of combining marks.
    package func start(_ count: Int) -> String { String(unicodeScalars.prefix(count)) }

    /// As one word of a shell command.
    package var shellQuoted: String {
        let isPlain = utf8.allSatisfy { $0.isASCIILetterOrDigit || "/._-+:@%".utf8.contains($0) }
        if isPlain, !isEmpty { return self }
        // By scalars: before a combining mark a quote is no character of its own, but ends the word all the same.
        let escaped = unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }
        return "'\(escaped.joined())'"
    }
}
