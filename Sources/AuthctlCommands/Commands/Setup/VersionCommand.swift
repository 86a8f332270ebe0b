import AuthModel
import CommandLineKit
import JSON

/// The version of the program. Semantic versioning applies to the interface for scripts.
package let programVersion = "0.1.0"

/// The release date, for the manual pages and the clock check of `authctl doctor`.
let programDate = "2026-11-20"

/// The full hash of the commit that the program was built from. `.ci/package` sets the hash in its clone of the
/// repository.
let programCommit: String? = nil

enum VersionCommand: Command {
    struct Options: CommandOptions {}

    static let name = "version"
    static let summary = "Print the version"
    static let usesProfile = false
    static let readsOutputVariable = false
    static let spec = declaration(
        examples: [Example("authctl version --json", "Print the version as JSON.")],
        exitCodes: [0, 2])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output { Output() }

    struct Output: CommandOutput {
        func text(_ style: TextStyle) -> String { "authctl \(programVersion)\n" }
        var json: JSONValue {
            [
                "v": 1, "kind": "version", "version": .string(programVersion),
                "commit": programCommit.map(JSONValue.string) ?? .null,
            ]
        }
    }
}
