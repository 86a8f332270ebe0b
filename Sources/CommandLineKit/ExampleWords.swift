/// Parses shell lines, as far as examples in help need it.
enum ExampleWords {
    /// Returns the arguments of the program's first call in the line; `nil` if the line does not call it.
    ///
    /// Removes quotes. A pipe, a redirection or the end of `$(...)` ends the call.
    static func call(of program: String, in line: String) -> [String]? {
        let start = line.indices.first { index in
            let before = line[..<index].last ?? " "
            let rest = line[index...]
            guard before == " " || before == "(", rest.hasPrefix(program) else { return false }
            let after = rest.dropFirst(program.count).first ?? " "
            return after == " " || endings.contains(after)
        }
        return start.map { words(line[$0...].dropFirst(program.count)) }
    }

    private static let endings: [Character] = ["|", "<", ">", ";", "&", ")"]

    private static func words(_ text: Substring) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in text {
            switch (character, quote) {
            case (quote, .some):
                quote = nil
            case (_, .some):
                word?.append(character)
            case ("'", nil), ("\"", nil):
                quote = character
                word = word ?? ""
            case (" ", nil):
                if let word { words.append(word) }
                word = nil
            case (_, nil) where endings.contains(character):
                // In `2>errors` the number is part of the redirection.
                if let word, !word.allSatisfy(\.isNumber) { words.append(word) }
                return words
            case (_, nil):
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }
}
