import CommandLineKit
import CommandTestSupport
import Foundation
import Testing

@testable import AuthctlCommands

/// The manual pages agree with the help pages.
@Suite struct ManualPagesTests {
    /// The order of man-pages(7).
    private static let order = [
        "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES", "STANDARDS", "NOTES",
        "CAVEATS", "BUGS", "EXAMPLES", "SEE ALSO",
    ]

    @Test func `the program, each command and both file formats have a manual page`() {
        let commands = CommandRegistry.all.map { "authctl-\($0.name.replacingOccurrences(of: " ", with: "-")).1" }
        #expect(
            Set(ManualPages.all.map(\.fileName))
                == Set(["authctl.1", "authctl-json.5", "authctl-files.5"] + commands))
    }

    @Test func `the sections of a manual page follow the order of man-pages(7)`() {
        for page in ManualPages.all {
            let titles = page.text.matches(of: /\n\.SH (.*)/).map { String($0.1) }
            #expect(titles == Self.order.filter(titles.contains), "\(page.fileName)")
            #expect(titles.contains("NAME") && titles.contains("SEE ALSO"))
        }
    }

    @Test(arguments: [""] + CommandRegistry.all.map { $0.name })
    func `a manual page lists the options of the help page`(command: String) throws {
        let words = command.split(separator: " ").map(String.init)
        let help = options(TestContext().run(words: ["help"] + words).stdout)
        let name = (["authctl"] + words).joined(separator: "-")
        let page = try #require(ManualPages.all.first { $0.name == name })
        let section = page.text.components(separatedBy: ".SH OPTIONS\n")[1].components(separatedBy: "\n.SH ")[0]
        let plain = section.replacingOccurrences(of: "\\-", with: "-").replacingOccurrences(of: "\\fP", with: " ")
        #expect(options(plain) == help)
        #expect(help.contains("--help") && help.contains("--profile"))
    }

    @Test func `manual pages refer to existing pages only`() {
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

    /// The long options in the lists of a text, including the line of global options.
    private func options(_ text: String) -> Set<String> {
        let lists =
            text.components(separatedBy: "\nARGUMENTS\n").last?.components(separatedBy: "\nOPTIONS\n").last ?? ""
        let start = lists.components(separatedBy: "\nGLOBAL OPTIONS\n")
        let part = start.count > 1 && text.hasPrefix("Usage: authctl [GLOBAL") ? start[1] : lists
        return Set(part.matches(of: /(?:^|[ ,\n]|fB)(--[a-z][a-z-]+)/).map { String($0.1) })
    }
}
