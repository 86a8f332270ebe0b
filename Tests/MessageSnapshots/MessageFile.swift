#if canImport(Testing)
    import Foundation
    import Synchronization
    package import Testing

    /// A text file under `Tests/Messages` with output that users read, one section per test.
    ///
    /// A section has the test's name as its heading. The text below it is indented by four spaces:
    ///
    ///     ## a rejected login keeps the saved session
    ///         $ authctl login ada --password-stdin
    ///         authctl: error: cannot log in as 'ada': wrong username or password
    ///         exit 4
    ///
    /// A test that compares several outputs gives each of them a situation, which is a `###` heading.
    /// The script `Tests/messages` makes the tests write all files. Otherwise they compare their output with the files.
    package struct MessageFile: Sendable {
        /// The path without the extension, such as `commands/login`.
        let name: String

        package init(_ name: String) {
            self.name = name
        }

        /// Compares `text` with the section of the running test.
        package func expect(
            _ text: String, _ situation: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            guard let test = Test.current else {
                Issue.record("message snapshots need a running test", sourceLocation: sourceLocation)
                return
            }
            let section = Section(test: test.displayName ?? test.name, situation: situation)
            if Self.writes {
                let order = (test.sourceLocation.fileID, test.sourceLocation.line, situation ?? "")
                if !Self.files.withLock({ $0[name, default: WrittenFile()].write(text, section, order, to: path) }) {
                    Issue.record("'\(section)' is compared with two texts", sourceLocation: sourceLocation)
                }
                return
            }
            let sections = Self.read(path)
            guard let expected = sections[section] else {
                Issue.record(
                    "\(name).txt has no section '\(section)'; to write it: Tests/messages\n\(text)",
                    sourceLocation: sourceLocation)
                return
            }
            #expect(text.trimmingNewlines == expected, "\(name).txt", sourceLocation: sourceLocation)
        }

        /// The names of the tests that have a section, by file.
        package static func testNames() throws -> [String: Set<String>] {
            let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".txt") }
            return Dictionary(
                uniqueKeysWithValues: paths.map { path in
                    (path, Set(read(folder.appendingPathComponent(path)).keys.map(\.test)))
                })
        }

        private static let writes = ProcessInfo.processInfo.environment["AUTHCTL_RENDER"] == "1"

        private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Messages")

        private static let files = Mutex<[String: WrittenFile]>([:])

        private var path: URL { Self.folder.appendingPathComponent(name + ".txt") }

        private static func read(_ path: URL) -> [Section: String] {
            let text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
            return Dictionary(sections(of: text), uniquingKeysWith: { first, _ in first })
        }

        static func sections(of text: String) -> [(Section, String)] {
            var found: [(section: Section, lines: [String])] = []
            var test = ""
            for line in text.components(separatedBy: "\n") {
                if line.hasPrefix("## ") {
                    test = String(line.dropFirst(3))
                    found.append((Section(test: test, situation: nil), []))
                } else if line.hasPrefix("### ") {
                    found.append((Section(test: test, situation: String(line.dropFirst(4))), []))
                } else if !found.isEmpty {
                    found[found.count - 1].lines.append(line.hasPrefix("    ") ? String(line.dropFirst(4)) : line)
                }
            }
            return found.map { ($0.section, $0.lines.joined(separator: "\n").trimmingNewlines) }
                .filter { $0.0.situation != nil || !$0.1.isEmpty }
        }
    }

    struct Section: Hashable, CustomStringConvertible {
        let test: String
        let situation: String?

        var description: String { situation.map { "\(test): \($0)" } ?? test }
    }

    /// The sections that this process has written to a file. Writing keeps the other sections of the file.
    private struct WrittenFile {
        private var written: [Section: (text: String, order: (String, Int, String))] = [:]

        /// - Returns: false if this process has already written a different text to the section.
        mutating func write(_ text: String, _ section: Section, _ order: (String, Int, String), to path: URL) -> Bool {
            let text = text.trimmingNewlines
            if let known = written[section] { return known.text == text }
            written[section] = (text, order)
            let earlier = MessageFile.sections(of: (try? String(contentsOf: path, encoding: .utf8)) ?? "")
                .filter { written[$0.0] == nil }
            let sorted = written.sorted { $0.value.order < $1.value.order }.map { ($0.key, $0.value.text) }
            try? FileManager.default.createDirectory(
                at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
            try? Self.render(earlier + sorted).write(to: path, atomically: true, encoding: .utf8)
            return true
        }

        private static func render(_ sections: [(Section, String)]) -> String {
            var (result, test) = ("", "")
            for (section, text) in sections {
                if section.test != test { result += (result.isEmpty ? "" : "\n") + "## \(section.test)\n" }
                test = section.test
                if let situation = section.situation { result += "### \(situation)\n" }
                let lines = text.components(separatedBy: "\n").map { $0.isEmpty ? "" : "    " + $0 }
                result += lines.joined(separator: "\n") + "\n"
            }
            return result
        }
    }

    extension String {
        fileprivate var trimmingNewlines: String { trimmingCharacters(in: .newlines) }
    }
#endif
