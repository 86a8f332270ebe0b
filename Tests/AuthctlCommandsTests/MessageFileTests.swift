import Foundation
import MessageSnapshots
import Testing

/// The files under `Tests/Messages` have no unused sections.
@Suite struct MessageFileTests {
    @Test func `every section of the message files has a test`() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let sources = try FileManager.default.subpathsOfDirectory(atPath: tests.path).filter {
            $0.hasSuffix(".swift")
        }
        .map { try String(contentsOf: tests.appendingPathComponent($0), encoding: .utf8) }
        let known = Set(sources.flatMap { $0.matches(of: /func `([^`]+)`/).map { String($0.1) } })
        for (file, names) in try MessageFile.testNames() {
            #expect(names.subtracting(known).isEmpty, "\(file)")
        }
    }
}
