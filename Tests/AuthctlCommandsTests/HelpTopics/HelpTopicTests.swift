import AuthBackends
import CommandLineKit
import CommandTestSupport
import Foundation

@testable import AuthctlCommands

/// Help topics are complete, and name only existing options and commands.
@Suite struct HelpTopicTests {
    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")

    @Test(arguments: HelpTopics.names)
    func `help lists and shows every topic`(name: String) throws {
        let page = TestContext().run("help", name)
        expect(page.exitCode, 0)
        let topic = try #require(HelpTopics.topic(named: name))
        #expect(page.stdout.hasPrefix("\(topic.summary)\n\n"))
        #expect(TestContext().run("help").stdout.contains("\n  \(name)"))
    }

    @Test(arguments: HelpTopics.names, [20, 40, 80, 200])
    func `help topics are at most 80 columns wide`(name: String, columns: Int) {
        let world = TestContext()
        world.environment = ["COLUMNS": "\(columns)"]
        let lines = world.run("help", name).stdout.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 80 })
    }

    @Test func `help suggests the topic with the closest spelling`() {
        TestContext().run("help", "enviroment").expectErrors(in: "help", "enviroment")
    }

    /// The options of other programs in examples and recipes: gcloud, firebase, swift build, hurl, bru and Playwright.
    private static let otherOptions: Set = [
        "--audiences", "--disable-local-rpath", "--env", "--isolated", "--no-deps", "--no-index", "--only", "--product",
        "--project", "--static-swift-stdlib", "--storage-state", "--test",
    ]

    @Test func `the texts in the source code and the README name only existing options`() throws {
        let commands = CommandRegistry.all.map { $0.description } + [GlobalOptions.spec.description]
        let options = Set(commands.flatMap(\.arguments).map(\.spelling) + ["--help", "--version"])
        let readme = Self.sources.deletingLastPathComponent().appendingPathComponent("README.md")
        for file in try Self.sourceFiles() + [readme] {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                let named = Set(line.matches(of: /(?:^|[^\w-])(--[a-z][a-z-]+)/).map { String($0.1) })
                #expect(named.subtracting(options).isSubset(of: Self.otherOptions), "\(line)")
            }
        }
    }

    private static func sourceFiles() throws -> [URL] {
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        return files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    }

    @Test(arguments: HelpTopics.names)
    func `a help topic names only existing commands`(name: String) {
        let text = TestContext().run("help", name).stdout
        for mention in text.matches(of: /`authctl ([a-z-]+)/) {
            #expect(CommandRegistry.names.contains { $0.hasPrefix(mention.1) }, "\(mention.1)")
        }
    }

    @Test(arguments: HelpTopics.abilities.map(\.command))
    func `a row of the backends topic names only existing commands and their options`(row: String) throws {
        for part in row.split(separator: ", ") {
            let words = part.split(separator: " ").map(String.init)
            let options = words.filter { $0.hasPrefix("--") }
            let name = words.prefix { !$0.hasPrefix("--") }.joined(separator: " ")
            guard let command = CommandRegistry.command(named: name) else {
                #expect(options.isEmpty || name.isEmpty, "\(part)")
                continue
            }
            let known = command.description.arguments.map(\.spelling)
            #expect(options.allSatisfy(known.contains), "\(part)")
        }
    }

    @Test func `the opening of help names every backend`() {
        let opening = GlobalOptions.spec.description.discussion.lowercased()
        expect(BackendRegistry.standard.descriptors.map(\.kind).filter { !opening.contains($0) }, [])
    }

    @Test(arguments: [("whoami", true), ("profile add", true), ("version", false)])
    func `the full help of a command with a connection explains the options for each kind of server`(
        command: String, isShown: Bool
    ) {
        let text = TestContext().run(words: ["help", "--full"] + command.split(separator: " ").map(String.init)).stdout
        for backend in BackendRegistry.standard.descriptors {
            for what in [backend.application, backend.clientKey].compactMap(\.self) {
                let words = text.split { $0.isWhitespace }.joined(separator: " ")
                expect(words.contains(what), isShown, "\(what)")
            }
        }
    }

    @Test func `the environment topic lists every variable that the source code reads`() throws {
        let text = TestContext().run("help", "environment").stdout
        let known = Set(text.matches(of: #/\n  ([A-Z_]{2,})[ \n]/#).map { String($0.1) })
        let read = try Self.sourceFiles().flatMap { file in
            let text = try String(contentsOf: file, encoding: .utf8)
            let direct = text.matches(of: /(?:environment\[|isOn\(|xdg: )"([A-Z_]+)"/).map { String($0.1) }
            return direct + text.matches(of: /"(AUTHCTL_[A-Z_]+)"/).map { String($0.1) }
        }
        // `exec` sets these variables for its command. The topic omits them: authctl does not read their values.
        let others: Set = ["AUTHCTL_USERNAME", "AUTHCTL_AUTH_HEADER"]
        expect(Set(read).subtracting(known), others)
        let declared = (CommandRegistry.all.map { $0.description } + [GlobalOptions.spec.description])
            .flatMap(\.arguments).flatMap(\.environment)
        expect(Set(declared).subtracting(known), [])
    }

    @Test func `the exit-codes topic lists every exit code and error reason`() {
        let text = TestContext().run("help", "exit-codes").stdout
        for outcome in Outcome.allCases { #expect(text.contains("\n  \(outcome.rawValue) ")) }
        for reason in AuthError.Reason.allCases { #expect(text.contains(reason.rawValue)) }
    }
}
