import CommandLineKit
import CommandTestSupport
import Foundation
import Testing

@testable import AuthctlCommands

/// The manual pages and the help say the same.
@Suite struct ManualTests {
    /// The order of man-pages(7).
    private static let order = [
        "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES", "STANDARDS", "NOTES",
        "CAVEATS", "BUGS", "EXAMPLES", "SEE ALSO",
    ]

    @Test func `there is one for the program, each command and both formats`() {
        let commands = CommandRegistry.all.map { "authctl-\($0.name.replacingOccurrences(of: " ", with: "-")).1" }
        #expect(
            Set(ManualPages.all.map(\.fileName))
                == Set(["authctl.1", "authctl-json.5", "authctl-files.5"] + commands))
    }

    @Test func `sections stand in their order`() {
        for page in ManualPages.all {
            let titles = page.text.matches(of: /\n\.SH (.*)/).map { String($0.1) }
            #expect(titles == Self.order.filter(titles.contains), "\(page.fileName)")
            #expect(titles.contains("NAME") && titles.contains("SEE ALSO"))
        }
    }

    @Test(arguments: [""] + CommandRegistry.all.map { $0.name })
    func `options are those of the help`(command: String) throws {
        let words = command.split(separator: " ").map(String.init)
        let help = options(TestContext().run(words: ["help"] + words).stdout)
        let name = (["authctl"] + words).joined(separator: "-")
        let page = try #require(ManualPages.all.first { $0.name == name })
        let section = page.text.components(separatedBy: ".SH OPTIONS\n")[1].components(separatedBy: "\n.SH ")[0]
        let plain = section.replacingOccurrences(of: "\\-", with: "-").replacingOccurrences(of: "\\fP", with: " ")
        #expect(options(plain) == help)
        #expect(help.contains("--help") && help.contains("--profile"))
    }

    @Test func `pages refer only to pages there are`() {
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

    /// The long options in a text's lists, those of the line of global options among them.
    private func options(_ text: String) -> Set<String> {
        let lists =
            text.components(separatedBy: "\nARGUMENTS\n").last?.components(separatedBy: "\nOPTIONS\n").last ?? ""
        let start = lists.components(separatedBy: "\nGLOBAL OPTIONS\n")
        let part = start.count > 1 && text.hasPrefix("Usage: authctl [GLOBAL") ? start[1] : lists
        return Set(part.matches(of: /(?:^|[ ,\n]|fB)(--[a-z][a-z-]+)/).map { String($0.1) })
    }
}
