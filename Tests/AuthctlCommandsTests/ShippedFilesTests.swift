import CommandTestSupport
import Foundation
import Testing

@testable import AuthctlCommands

/// The completion scripts and manual pages in the repository agree with the declarations of the commands. The changelog
/// agrees with the program version.
///
/// If the environment contains `AUTHCTL_RENDER=1`, the tests write the scripts and pages before they compare them.
@Suite(.serialized) struct ShippedFilesTests {
    private static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static let writes = ProcessInfo.processInfo.environment["AUTHCTL_RENDER"] == "1"

    @Test func `the completion files equal the scripts that 'authctl completion' prints`() throws {
        let files = [("authctl.bash", "bash"), ("_authctl", "zsh"), ("authctl.fish", "fish")].map { file, shell in
            (file, TestContext().run("completion", shell).stdout)
        }
        try compare("completions", files)
    }

    @Test func `the manual page files equal the pages rendered from the declarations`() throws {
        try compare("man", ManualPages.all.map { ($0.fileName, $0.text) })
    }

    @Test func `the newest version in the changelog is the version of the program`() throws {
        let changelog = try String(
            contentsOf: Self.top.appendingPathComponent(".github/CHANGELOG.md"), encoding: .utf8)
        let newest = try #require(changelog.firstMatch(of: /\n## \[(?<version>\d\S+)\] - (?<date>\S+)\n/))
        #expect(newest.version == programVersion)
        #expect(newest.date == "Unreleased" || newest.date == programDate, "the date that the manual pages show")
    }

    private func compare(_ folder: String, _ files: [(name: String, text: String)]) throws {
        let folder = Self.top.appendingPathComponent(folder)
        if Self.writes {
            try? FileManager.default.removeItem(at: folder)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        for (name, text) in files {
            let path = folder.appendingPathComponent(name)
            if Self.writes { try text.write(to: path, atomically: true, encoding: .utf8) }
            let shipped = FileManager.default.contents(atPath: path.path).map { String(decoding: $0, as: UTF8.self) }
            #expect(shipped == text, "\(name) is missing or differs; to write it, run Tests/messages")
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == files.map(\.name).sorted(),
            "to remove files of no declaration, run Tests/messages")
    }
}
