import Foundation
import Testing

/// The files of a target mention each other's types without large cycles, so that each can be read and tested alone.
///
/// Types are found by name, without a compiler: extension members and type inference are not followed.
@Suite struct TypeCycleTests {
    /// Two types that mirror each other are fine, and so is a type with its parts.
    private static let mostFiles = 5

    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources")

    @Test(arguments: try FileManager.default.contentsOfDirectory(atPath: sources.path).sorted())
    func `no cycle of type references has more than 5 files of a target`(target: String) throws {
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

    @Test func `a cycle is found, with the reference that holds it together`() {
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
    func `comments, strings and types of the same name elsewhere are no references`(source: String) {
        #expect(TypeGraph(["A.swift": source, "B.swift": "struct B {}"]).references["A.swift"] == [:])
    }

    @Test(arguments: [#"let text = "\(f("x", B()))""#, "let b: C.B", "extension B {}", ##"let text = #"\#(B.x)"#"##])
    func `interpolations, extensions and qualified names are references`(source: String) {
        let graph = TypeGraph(["A.swift": source, "B.swift": "struct C { struct B {} }"])
        #expect(graph.references["A.swift"]?["B.swift"]?.contains("B") == true)
    }
}

/// Which files mention types that other files declare.
private struct TypeGraph {
    /// The names of types by the file that mentions them, then by the file that declares them. A name that several files
    /// declare counts for none.
    private(set) var references: [String: [String: Set<String>]]

    /// - Parameter files: the sources by path.
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
                // A qualified name refers to a type of another target, not to a type with the same last name.
                if let outer = word.qualifier, owners[outer] == nil { continue }
                guard let owner = owners[word.text], owner.count == 1, let owner = owner.first, owner != file else {
                    continue
                }
                references[file]?[owner, default: []].insert(word.text)
            }
        }
    }

    /// The files that reach each other, at least two each; the largest cycle first.
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

    /// The references whose removal leaves the smallest cycle, at most five.
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

/// The words of a Swift source outside comments and strings, with those in interpolations.
private struct SourceWords {
    struct Word {
        let text: String
        /// The capitalised word before the dot: `Outer` in `Outer.Inner`.
        var qualifier: String?
        /// Whether it declares a generic parameter: `Value` in `func first<Value: Sendable>`.
        var isGenericParameter: Bool
    }

    private let bytes: [UInt8]
    private var index = 0
    private(set) var words: [Word] = []
    /// The punctuation before the index; 0 after a word.
    private var punctuation: UInt8 = 0
    private var isInGenericParameters = false

    init(_ source: String) {
        bytes = Array(source.utf8)
        readCode()
    }

    /// - Parameter isInterpolation: whether the code ends at an unmatched parenthesis.
    private mutating func readCode(isInterpolation: Bool = false) {
        var depth = 0
        while index < bytes.count {
            if starts("//") {
                skip(to: "\n")
            } else if starts("/*") {
                skip(to: "*/")
            } else if let hashes = hashesOfString {
                readString(hashes)
            } else if isWordByte {
                readWord()
            } else {
                if isInterpolation, starts("(") { depth += 1 }
                if isInterpolation, starts(")") {
                    depth -= 1
                    if depth < 0 {
                        index += 1
                        return
                    }
                }
                if starts("<"), beginsGenericParameters { isInGenericParameters = true }
                if starts(">") { isInGenericParameters = false }
                if !starts(" ") { punctuation = bytes[index] }
                index += 1
            }
        }
    }

    private mutating func readWord() {
        let start = index
        while index < bytes.count, isWordByte { index += 1 }
        let outer = punctuation == UInt8(ascii: ".") ? words.last?.text : nil
        words.append(
            Word(
                text: String(decoding: bytes[start..<index], as: UTF8.self),
                qualifier: outer?.first?.isUppercase == true ? outer : nil,
                isGenericParameter: isInGenericParameters
                    && [UInt8(ascii: "<"), UInt8(ascii: ",")].contains(punctuation)))
        punctuation = 0
    }

    /// Whether a declaration's name, or `init`, precedes the index.
    private var beginsGenericParameters: Bool {
        guard punctuation == 0, let last = words.last?.text else { return false }
        return last == "init" || ["func", "struct", "class", "enum", "typealias"].contains(words.dropLast().last?.text)
    }

    /// The number of `#` before the quotation mark at the index; `nil` if no string begins there.
    private var hashesOfString: Int? {
        let hashes = bytes[index...].prefix { $0 == UInt8(ascii: "#") }.count
        return index + hashes < bytes.count && bytes[index + hashes] == UInt8(ascii: "\"") ? hashes : nil
    }

    private mutating func readString(_ hashes: Int) {
        index += hashes
        let marks = String(repeating: "#", count: hashes)
        let quotes = starts("\"\"\"") ? "\"\"\"" : "\""
        index += quotes.utf8.count
        while index < bytes.count, !starts(quotes + marks) {
            if starts("\\\(marks)(") {
                index += hashes + 2
                readCode(isInterpolation: true)
            } else {
                index += starts("\\" + marks) ? hashes + 2 : 1
            }
        }
        index += quotes.utf8.count + hashes
        punctuation = 0
    }

    private var isWordByte: Bool {
        switch bytes[index] {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    private func starts(_ text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

    private mutating func skip(to end: String) {
        while index < bytes.count, !starts(end) { index += 1 }
        index = min(index + end.utf8.count, bytes.count)
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
