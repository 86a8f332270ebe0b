import CommandTestSupport
import Foundation

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
        let changelog = try String(contentsOf: Self.top.appendingPathComponent(".github/CHANGELOG.md"), encoding: .utf8)
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
            expect(shipped, text, "\(name) is missing or differs; to write it, run Tests/messages")
        }
        try expect(
            FileManager.default.contentsOfDirectory(atPath: folder.path).sorted(), files.map(\.name).sorted(),
            "to remove files of no declaration, run Tests/messages")
    }
}

/// The size of the help pages. The snapshots of the manual pages cover the text of the help pages.
@Suite struct HelpPageTests {
    @Test(arguments: CommandRegistry.all.map { $0.name })
    func `the help page of a command fits one screen of 40 lines, with few exceptions`(command: String) {
        let page = TestContext().run(words: ["help"] + command.split(separator: " ").map(String.init)).stdout
        let isLong = [
            "signup", "login", "link", "link-facebook", "profile set", "serve", "users create", "users login",
            "users set",
        ].contains(command)
        #expect(isLong || page.split(separator: "\n", omittingEmptySubsequences: false).count <= 41)
    }

    @Test func `authctl without a command prints at most 12 lines`() {
        #expect(TestContext().run().stderr.split(separator: "\n", omittingEmptySubsequences: false).count <= 13)
    }
}

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
