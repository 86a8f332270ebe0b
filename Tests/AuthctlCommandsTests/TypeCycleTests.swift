import Foundation
import Testing

/// The files of a target refer to each other's types without large cycles, so that each file can be tested alone.
///
/// The test finds types by name, without a compiler. It does not follow extension members or type inference.
@Suite struct TypeCycleTests {
    /// Small cycles are allowed, for example between a type and its parts.
    private static let mostFiles = 5

    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources")

    @Test(arguments: try FileManager.default.contentsOfDirectory(atPath: sources.path).sorted())
    func `no cycle of type references spans more than 5 files of a target`(target: String) throws {
        let folder = Self.sources.appendingPathComponent(target)
        let paths = (FileManager.default.enumerator(atPath: folder.path)?.allObjects ?? []).compactMap { $0 as? String }
        let files = try paths.filter { $0.hasSuffix(".swift") }.map { path in
            (path, try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8))
        }
        let graph = TypeGraph(Dictionary(uniqueKeysWithValues: files))
        for cycle in graph.cycles where cycle.count > Self.mostFiles {
            Issue.record(
                """
                \(target): \(cycle.count) files in a cycle: \(cycle.joined(separator: ", "))
                Cut one of these references, for example with a received value or by moving a type:
                \(graph.bestCuts(of: cycle).joined(separator: "\n"))
                """)
        }
    }

    @Test func `a cycle of type references is reported with the reference whose removal breaks the cycle`() {
        let graph = TypeGraph([
            "A.swift": "struct A { let b: B }", "B.swift": "enum B { case c([C]) }",
            "C.swift": "func f(_: A) {}; class C {}",
            "D.swift": "typealias D = A",
        ])
        #expect(graph.cycles == [["A.swift", "B.swift", "C.swift"]])
        #expect(graph.bestCuts(of: graph.cycles[0]).first == "A.swift mentions B (B.swift); without it 1 file")
    }

    @Test(arguments: [
        "// B", "/* B */ let b = 1", #"let text = "B \" B""#, ##"let text = #"B" B"#"##,
        "let text = \"\"\"\n  \"B\"\n  \"\"\"",
        "let kind: Foreign.B", "func f<A, B: P>(_: B) {}", "init<B>(_: B) {}", "private struct B {}; let b: B",
    ])
    func `comments, strings and other types of the same name do not count as references to a type`(source: String) {
        #expect(TypeGraph(["A.swift": source, "B.swift": "struct B {}"]).references["A.swift"] == [:])
    }

    @Test(arguments: [#"let text = "\(f("x", B()))""#, "let b: C.B", "extension B {}", ##"let text = #"\#(B.x)"#"##])
    func `interpolations, extensions and qualified names count as type references`(source: String) {
        let graph = TypeGraph(["A.swift": source, "B.swift": "struct C { struct B {} }"])
        #expect(graph.references["A.swift"]?["B.swift"]?.contains("B") == true)
    }
}

/// A graph of files. Each reference leads from a file that mentions a type to the file that declares the type.
private struct TypeGraph {
    /// Type names, by the file that mentions them, then by the file that declares them. Names that several files
    /// declare are ignored.
    private(set) var references: [String: [String: Set<String>]]

    /// - Parameter files: the text of each source file, by path.
    init(_ files: [String: String]) {
        let words = files.mapValues { SourceWords($0).words }
        var owners: [String: Set<String>] = [:]
        for (file, words) in words {
            for type in words.declaredTypes where !type.isPrivate { owners[type.name, default: []].insert(file) }
        }
        references = words.mapValues { _ in [:] }
        for (file, words) in words {
            let own = Set(words.declaredTypes.map(\.name))
            for word in words where !own.contains(word.text) {
                // If no file declares the qualifier, it is another target's name, and the type belongs to that target.
                if let outer = word.qualifier, owners[outer] == nil { continue }
                guard let owner = owners[word.text], owner.count == 1, let owner = owner.first, owner != file else {
                    continue
                }
                references[file]?[owner, default: []].insert(word.text)
            }
        }
    }

    /// The cycles, largest first: groups of at least two files that refer to each other, directly or through other
    /// files.
    var cycles: [[String]] {
        let reach = references.keys.reduce(into: [:]) { $0[$1] = reachable(from: $1) }
        let groups = Set(
            reach.keys.map { file in (reach[file] ?? []).filter { reach[$0]?.contains(file) == true }.sorted() })
        return groups.filter { $0.count > 1 }.sorted { ($1.count, $0[0]) < ($0.count, $1[0]) }
    }

    private func reachable(from file: String) -> Set<String> {
        var (found, pending) = (Set<String>(), [file])
        while let next = pending.popLast() {
            for other in (references[next] ?? [:]).keys where found.insert(other).inserted { pending.append(other) }
        }
        return found
    }

    /// Up to five references, sorted by the size of the largest cycle that remains if the reference is removed.
    func bestCuts(of cycle: [String]) -> [String] {
        var part = self
        part.references = references.filter { cycle.contains($0.key) }
            .mapValues { $0.filter { cycle.contains($0.key) } }
        let cuts = part.references.flatMap { file, others in
            others.map { other, names in
                var rest = part
                rest.references[file]?[other] = nil
                let size = rest.cycles.first?.count ?? 1
                let types = names.sorted().joined(separator: ", ")
                let left = "\(size) file\(size == 1 ? "" : "s")"
                return (size, "\(file) mentions \(types) (\(other)); without it \(left)")
            }
        }
        return cuts.sorted { $0 < $1 }.prefix(5).map(\.1)
    }
}

/// The words of a Swift source outside comments and strings, including the words in interpolations.
private struct SourceWords {
    struct Word {
        let text: String
        /// The capitalized word before the dot: `Outer` in `Outer.Inner`.
        var qualifier: String?
        /// Whether the word declares a generic parameter: `Value` in `func first<Value: Sendable>`.
        var isGenericParameter: Bool
    }

    private(set) var words: [Word] = []
    /// The punctuation before the next word; empty after a word or a string.
    private var punctuation = ""
    private var isInGenericParameters = false

    init(_ source: String) {
        read(source)
    }

    /// Matches the content of parentheses, nested up to two levels deep.
    private static let enclosed = #"(?:[^()]|\((?:[^()]|\([^()]*\))*\))*"#
    /// Matches comments without a group, strings in group 1, words in group 3 and other characters in group 4.
    private static let tokens =
        #"//[^\n]*|/\*[\s\S]*?\*/|("""[\s\S]*?"""|(#+)"[\s\S]*?"\2|"(?:\\\(\#(enclosed)\)|\\.|[^"\\\n])*")|(\w+)|(\S)"#
    private static let interpolations = ##"\\#*\((\##(enclosed))\)"##

    private mutating func read(_ source: String) {
        for token in source.matches(Self.tokens) {
            if let string = token[1] {
                for interpolation in string.matches(Self.interpolations) { read(interpolation[1] ?? "") }
                punctuation = ""
            } else if let word = token[3] {
                add(word)
            } else if let mark = token[4] {
                if mark == "<", beginsGenericParameters { isInGenericParameters = true }
                if mark == ">" { isInGenericParameters = false }
                punctuation = mark
            }
        }
    }

    private mutating func add(_ word: String) {
        let outer = punctuation == "." ? words.last?.text : nil
        words.append(
            Word(
                text: word, qualifier: outer?.first?.isUppercase == true ? outer : nil,
                isGenericParameter: isInGenericParameters && ["<", ","].contains(punctuation)))
        punctuation = ""
    }

    /// Whether a `<` here begins generic parameters: it follows `init` or the name in a declaration.
    private var beginsGenericParameters: Bool {
        guard punctuation.isEmpty, let last = words.last?.text else { return false }
        return last == "init" || ["func", "struct", "class", "enum", "typealias"].contains(words.dropLast().last?.text)
    }
}

extension String {
    /// The groups of all matches; group 0 is the whole match.
    fileprivate func matches(_ pattern: String) -> [[String?]] {
        let text = NSString(string: self)
        // `try?`: an invalid pattern has no matches, so the tests of the graph fail.
        let found = (try? NSRegularExpression(pattern: pattern))?.matches(
            in: self, range: NSRange(location: 0, length: text.length))
        return (found ?? []).map { match in
            (0..<match.numberOfRanges).map { group in
                let range = match.range(at: group)
                return range.location == NSNotFound ? nil : text.substring(with: range)
            }
        }
    }
}

extension [SourceWords.Word] {
    fileprivate var declaredTypes: [(name: String, isPrivate: Bool)] {
        let keywords: Set = ["struct", "class", "enum", "protocol", "typealias", "actor"]
        return indices.dropLast().compactMap { index in
            let name = self[index + 1].text
            if self[index].isGenericParameter { return (self[index].text, true) }
            guard keywords.contains(self[index].text), name.first?.isUppercase == true else { return nil }
            let modifiers = self[..<index].suffix(2).map(\.text)
            let access = ["final", "indirect"].contains(modifiers.last) ? modifiers.first : modifiers.last
            return (name, access == "private" || access == "fileprivate")
        }
    }
}
