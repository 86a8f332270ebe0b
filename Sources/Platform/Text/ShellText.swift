extension String {
    /// As one word of a shell command.
    package var shellQuoted: String {
        let isPlain = utf8.allSatisfy { $0.isASCIILetterOrDigit || "/._-+:@%".utf8.contains($0) }
        if isPlain, !isEmpty { return self }
        // By scalars: before a combining mark a quote is no character of its own, but ends the word all the same.
        let escaped = unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }
        return "'\(escaped.joined())'"
    }
}
