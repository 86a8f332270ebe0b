import AuthBackends
import AuthModel
import CommandLineKit
import Foundation
import Testing

@testable import AuthctlCommands

/// The tables of the README equal the declarations.
///
/// With `AUTHCTL_RENDER=1` in the environment they are written instead of compared.
@Suite(.serialized) struct ReadmeTests {
    private static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("README.md")

    private static let commands =
        ["| command | what it does |", "|---|---|"]
        + CommandRegistry.all.map { "| `\($0.name)` | \($0.description.summary) |" }

    private static let exitCodes =
        ["| code | name | when |", "|---|---|---|", "| 0 | `ok` | done, or already so |"]
        + Outcome.allCases.map { "| \($0.rawValue) | `\($0.code)` | \($0.meaning) |" }

    private static let options =
        ["| option | environment | what it says |", "|---|---|---|"]
        + GlobalOptions.spec.description.arguments.filter(\.isVisibleOption).compactMap { option in
            let variables = option.environment.map { "`\($0)`" }.joined(separator: ", ")
            return option.helpRow.map { row in
                "| `\(row.term.replacingOccurrences(of: "|", with: "\\|"))` | \(variables) | \(option.help) |"
            }
        }

    private static let backends =
        ["| backend | what it is | checked against |", "|---|---|---|"]
        + BackendRegistry.standard.descriptors.map { backend in
            "| \(backend.words.map { "`\($0)`" }.joined(separator: ", ")) | \(backend.summary) "
                + "| \(backend.checkedAgainst) |"
        }

    /// The settings of some kinds of backend only.
    private static let settings = table(
        BackendRegistry.standard.descriptors.settings.filter {
            !BackendRegistry.standard.descriptors.sharedSettings.contains($0)
        })

    private static let facebookSettings = table(BackendSetting.facebook)

    private static func table(_ settings: [BackendSetting]) -> [String] {
        ["| setting | standard | what stands there |", "|---|---|---|"]
            + settings.map { setting in
                "| `\(setting.word)` | \(setting.standard.map { "`\($0)`" } ?? "") | \(setting.summary) |"
            }
    }

    @Test(arguments: [
        ("commands", commands), ("options", options), ("backends", backends), ("settings", settings),
        ("facebook-settings", facebookSettings),
        ("exit-codes", exitCodes),
    ])
    func `a table of the README equals its declarations`(marker: String, rows: [String]) throws {
        let (start, end) = ("<!-- \(marker) -->\n", "<!-- /\(marker) -->\n")
        let text = try String(contentsOf: Self.path, encoding: .utf8)
        let first = try #require(text.range(of: start)?.upperBound)
        let last = try #require(text.range(of: end)?.lowerBound)
        let table = rows.map { $0 + "\n" }.joined()
        if ProcessInfo.processInfo.environment["AUTHCTL_RENDER"] == "1" {
            try text.replacingCharacters(in: first..<last, with: table)
                .write(to: Self.path, atomically: true, encoding: .utf8)
        } else {
            #expect(text[first..<last] == table)
        }
    }
}
