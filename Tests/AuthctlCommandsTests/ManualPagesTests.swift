import CommandLineKit
import CommandTestSupport
import Foundation
import ManualRendering

@testable import AuthctlCommands

/// The manual pages agree with the declarations of the commands.
@Suite struct ManualPagesTests {
    /// The section order of man-pages(7).
    private static let order = [
        "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES", "STANDARDS", "NOTES",
        "CAVEATS", "BUGS", "EXAMPLES", "SEE ALSO",
    ]

    @Test func `the program, each command, each command group and three topics have a manual page`() {
        let names = CommandRegistry.all.map { $0.name } + CommandRegistry.commandGroups.map(\.name)
        let commands = names.map { "authctl-\($0.replacingOccurrences(of: " ", with: "-")).1" }
        expect(
            Set(ManualPages.all.map(\.fileName)),
            Set(["authctl.1", "authctl-json.5", "authctl-files.5", "authctl-recipes.7"] + commands))
    }

    @Test func `the sections of a manual page follow the order of man-pages(7)`() {
        for page in ManualPages.all {
            let titles = page.text.matches(of: /\n\.SH (.*)/).map { String($0.1) }
            expect(titles, Self.order.filter(titles.contains), "\(page.fileName)")
            #expect(titles.contains("NAME") && titles.contains("SEE ALSO"))
        }
    }

    @Test(arguments: CommandRegistry.all.map { $0.name })
    func `the manual page of a command lists its options and the global options`(name: String) throws {
        let command = try #require(CommandRegistry.command(named: name))
        let declared = (command.description.arguments + GlobalOptions.spec.description.arguments)
            .filter(\.isVisibleOption).map(\.spelling)
        try expect(options(of: "authctl-" + name.replacingOccurrences(of: " ", with: "-")), Set(declared + ["--help"]))
    }

    @Test func `the manual page of the program lists the global options`() throws {
        let declared = GlobalOptions.spec.description.arguments.filter(\.isVisibleOption).map(\.spelling)
        try expect(options(of: "authctl"), Set(declared + ["--help", "--version"]))
    }

    @Test func `example command lines of manual pages fit 80 columns and keep their words`() {
        for page in ManualPages.all {
            for code in page.text.matches(of: /\n\.RS 4\n\.EX\n([^$]*?)\n\.EE/) {
                for line in code.1.split(separator: "\n") {
                    let shown = line.replacing("\\(aq", with: "'").replacing("\\(dq", with: "\"").replacing(
                        "\\e", with: "\\"
                    )
                    .replacing("\\-", with: "-").replacing("\\&", with: "").replacing(/\\\(../, with: "~")
                    #expect(shown.count <= 69, "\(page.fileName): \(shown)")
                }
            }
        }
    }

    @Test func `manual pages refer only to existing pages`() {
        let pages = ManualPages.all
        for page in pages {
            let references = page.text.replacingOccurrences(of: "\\-", with: "-").matches(
                of: /\\fB([a-z-]+)\\fP\((\d)\)/)
            #expect(!references.isEmpty)
            for reference in references {
                #expect(pages.contains { $0.fileName == "\(reference.1).\(reference.2)" }, "\(reference.0)")
            }
        }
    }

    @Test(arguments: CommandRegistry.all.map { $0.name })
    func `help --full shows the notes, rules, variables and examples of a command's manual page`(name: String) throws {
        let command = try #require(CommandRegistry.command(named: name)).description
        let notes = command.notes.flatMap { block in
            switch block {
            case .paragraph(let text), .paragraphs(let text), .code(let text): [text]
            case .rows(let rows): rows.map(\.text)
            }
        }
        let texts =
            notes + command.ruleSentences + command.environmentRows.map(\.term)
            + command.examples.flatMap { [$0.commandLine, $0.explanation] }
        func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        let page = words(TestContext().run(words: ["help", "--full"] + name.components(separatedBy: " ")).stdout)
        for text in texts { #expect(page.contains(words(text))) }
    }

    /// The long options in the section OPTIONS of a manual page.
    private func options(of name: String) throws -> Set<String> {
        let page = try #require(ManualPages.all.first { $0.name == name })
        let section = page.text.components(separatedBy: ".SH OPTIONS\n")[1].components(separatedBy: "\n.SH ")[0]
        let plain = section.replacingOccurrences(of: "\\-", with: "-").replacingOccurrences(of: "\\fP", with: " ")
        return Set(plain.matches(of: /(?:^|[ ,\n]|fB)(--[a-z][a-z-]+)/).map { String($0.1) })
    }
}

/// The manual pages, rendered from declarations and help topics. `ShippedFilesTests` compares them with the files in `man`.
enum ManualPages {
    static var all: [Manual.Page] {
        Manual(
            program: GlobalOptions.spec.description,
            groups: CommandRegistry.groups.map { ($0.title, $0.commands.map { $0.description }) },
            commandGroups: CommandRegistry.commandGroups,
            exitCodes: HelpPages.exitCodes,
            parts: Manual.Parts(
                exitCodes: HelpTopics.exitCodeRows, environment: HelpTopics.environment, files: HelpTopics.fileRows,
                notes: HelpTopics.security),
            topics: [HelpTopics.json, HelpTopics.files, HelpTopics.recipes],
            version: programVersion, date: programDate
        ).pages
    }
}
