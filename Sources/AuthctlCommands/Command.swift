import AuthModel
import CommandLineKit
import JSON

/// A command: its declaration and its implementation.
///
/// A command turns options into an output. It does not print, and uses the outside world only through its context.
protocol Command: SendableMetatype {
    associatedtype Options: CommandOptions
    associatedtype Output: CommandOutput

    /// One or two words; available without building the declaration.
    static var name: String { get }
    static var spec: CommandSpec<Options> { get }
    /// Whether the command respects `AUTHCTL_OUTPUT` in addition to the option `--output`.
    static var readsOutputVariable: Bool { get }
    /// Whether the command uses the current profile. If so, hints repeat the options for profile and connection.
    static var usesProfile: Bool { get }

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output
}

extension Command {
    static var readsOutputVariable: Bool { true }
    static var usesProfile: Bool { true }
    static var description: CommandDescription { spec.description }
}

/// The result of a command, for users and for scripts.
protocol CommandOutput: Sendable {
    /// The text for users, as complete lines; may be empty.
    func text(_ style: TextStyle) -> String
    /// The JSON document of the contract, beginning with `v` and `kind`.
    var json: JSONValue { get }
    /// A command that shows the new state if the output cannot be written; `nil` if nothing was changed.
    var stateCommand: [String]? { get }
    /// Whether nothing is left to print, because it was printed before the command ended or because there is only an
    /// error.
    var wasPrinted: Bool { get }
    var exitCode: Int32 { get }
    /// The error in the reported state; the command exits with its code.
    var error: AuthError? { get }
}

extension CommandOutput {
    var stateCommand: [String]? { nil }
    var wasPrinted: Bool { false }
    var error: AuthError? { nil }

    var exitCode: Int32 { error?.outcome.exitCode ?? 0 }
}
