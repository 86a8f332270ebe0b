import AuthModel
import CommandLineKit
import JSON

/// One thing that can be done: what its words mean, and how to do it.
///
/// A command takes options and returns an output; it does not print, and reaches the world only through the context.
protocol Command: SendableMetatype {
    associatedtype Options: CommandOptions
    associatedtype Output: CommandOutput

    /// One word or two; known without building the declaration.
    static var name: String { get }
    static var spec: CommandSpec<Options> { get }
    /// Whether `AUTHCTL_OUTPUT` counts, beside the option `--output`.
    static var heedsOutputVariable: Bool { get }
    /// Whether it works with the profile in use; then hints repeat the options that choose profile and connection.
    static var usesProfile: Bool { get }

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output
}

extension Command {
    static var heedsOutputVariable: Bool { true }
    static var usesProfile: Bool { true }
    static var description: CommandDescription { spec.description }
}

/// What a command found or did, for people and for scripts alike.
protocol CommandOutput: Sendable {
    /// For people: lines with their ends; empty for nothing to say.
    func text(_ style: TextStyle) -> String
    /// The document of the contract, `v` and `kind` first.
    var json: JSONValue { get }
    /// The command that shows what was done, if the output cannot be written; `nil` if nothing was done.
    var shownBy: [String]? { get }
    /// Whether nothing is left to print: it was printed before the command ended, or there is only an error.
    var wasAnnounced: Bool { get }
    var exitCode: Int32 { get }
    /// What is wrong with the state that the output reports; the command fails with it.
    var error: AuthError? { get }
}

extension CommandOutput {
    var shownBy: [String]? { nil }
    var wasAnnounced: Bool { false }
    var error: AuthError? { nil }

    var exitCode: Int32 { error?.outcome.exitCode ?? 0 }
}
