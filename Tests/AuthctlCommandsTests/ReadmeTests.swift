import AuthBackends
import AuthModel
import CommandLineKit
import Expectations
import Foundation

@testable import AuthctlCommands

/// The tables of the README agree with the declarations of commands, backends and exit codes.
///
/// If the environment contains `AUTHCTL_RENDER=1`, the tests write the tables instead of comparing them.
@Suite(.serialized) struct ReadmeTests {
    private static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("README.md")

    private static let commands =
        ["| command | description |", "|---|---|"]
        + CommandRegistry.all.map { "| `\($0.name)` | \($0.description.summary) |" }

    private static let exitCodes =
        ["| code | name | when |", "|---|---|---|", "| 0 | `ok` | success, or nothing to do |"]
        + Outcome.allCases.map { "| \($0.rawValue) | `\($0.code)` | \($0.meaning) |" }

    private static let backends =
        ["| backend | tried with | how | date |", "|---|---|---|---|"]
        + BackendRegistry.standard.descriptors.flatMap { backend in
            backend.trials.map { trial in
                "| \(backend.words.map { "`\($0)`" }.joined(separator: ", ")) | \(trial.versions) "
                    + "| \(trial.method.rawValue) | \(trial.date) |"
            }
        }

    private static let abilities =
        ["| command | backends |", "|---|---|"] + HelpTopics.abilities.map { "| \($0.command) | \($0.backends) |" }

    @Test(arguments: [
        ("commands", commands), ("abilities", abilities), ("backends", backends), ("exit-codes", exitCodes),
    ])
    func `a table in the README equals the table rendered from the declarations`(
        marker: String, rows: [String]
    ) throws {
        let (start, end) = ("<!-- \(marker) -->\n", "<!-- /\(marker) -->\n")
        let text = try String(contentsOf: Self.path, encoding: .utf8)
        let first = try #require(text.range(of: start)?.upperBound)
        let last = try #require(text.range(of: end)?.lowerBound)
        let table = rows.map { $0 + "\n" }.joined()
        if ProcessInfo.processInfo.environment["AUTHCTL_RENDER"] == "1" {
            try text.replacingCharacters(in: first..<last, with: table)
                .write(to: Self.path, atomically: true, encoding: .utf8)
        } else {
            #expect(text[first..<last] == table, "to write the table, run Tests/messages")
        }
    }

    @Test func `the README has at most 320 lines`() throws {
        let text = try String(contentsOf: Self.path, encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 321)
    }
}
