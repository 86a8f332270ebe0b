import AuthModel
import CommandLineKit

/// A command: its declaration and its implementation.
///
/// A command turns options into an output. It prints nothing, and accesses files and the network only through its
/// context.
protocol Command: SendableMetatype {
    associatedtype Options: CommandOptions
    associatedtype Output: CommandOutput

    /// The command's name, one or two words. It is available without building `spec`.
    static var name: String { get }
    /// The summary in help. It is available without building `spec`, because lists of all commands show it.
    static var summary: String { get }
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

    /// The spec with the command's name and summary; see `CommandSpec.init`.
    static func declaration(
        discussion: @autoclosure @escaping @Sendable () -> String = "",
        table: @autoclosure @escaping @Sendable () -> (title: String, rows: [HelpRow])? = nil,
        examples: [Example] = [], exitCodes: [Int] = [], variables: [HelpRow] = [],
        notes: @autoclosure @escaping @Sendable () -> [HelpTopic.Block] = [], arguments: [Argument<Options>] = [],
        rules: [OptionRule] = []
    ) -> CommandSpec<Options> {
        CommandSpec(
            name, summary: summary, discussion: discussion(), table: table(), examples: examples,
            exitCodes: exitCodes, variables: variables, notes: notes(), arguments: arguments, rules: rules)
    }
}
