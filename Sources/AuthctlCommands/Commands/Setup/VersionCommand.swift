package import AuthModel
package import CommandLineKit
package import JSON

/// Prints the version.
package enum VersionCommand: Command {
    package struct Options: CommandOptions {
        package init() {}
    }

    /// Semantic versioning, as of the contract with scripts.
    package static let version = "0.1.0"

    package static let name = "version"
    package static let heedsOutputVariable = false
    package static let spec = CommandSpec<Options>(
        name,
        summary: "Print the version",
        examples: [Example("authctl version --json", "The same, for scripts.")],
        exitCodes: [0, 2])

    package static func run(_ options: Options, in context: Context) throws(AuthError) -> Output { Output() }

    package struct Output: CommandOutput {
        package func text(_ style: TextStyle) -> String { "authctl \(version)\n" }
        package var json: JSONValue { ["v": 1, "kind": "version", "version": .string(version)] }
    }
}
