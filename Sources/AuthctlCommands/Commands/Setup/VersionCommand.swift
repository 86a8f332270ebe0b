import AuthModel
import CommandLineKit
import JSON

/// Of the program; semantic versioning, as of the contract with scripts.
package let programVersion = "0.1.0"

/// When that version was made: the date of the manual pages, whenever they are rendered.
let programDate = "2026-11-20"

/// Prints the version.
enum VersionCommand: Command {
    struct Options: CommandOptions {}

    static let name = "version"
    static let usesProfile = false
    static let heedsOutputVariable = false
    static let spec = CommandSpec<Options>(
        name,
        summary: "Print the version",
        examples: [Example("authctl version --json", "Print the version as JSON.")],
        exitCodes: [0, 2])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output { Output() }

    struct Output: CommandOutput {
        func text(_ style: TextStyle) -> String { "authctl \(programVersion)\n" }
        var json: JSONValue { ["v": 1, "kind": "version", "version": .string(programVersion)] }
    }
}
