import AuthModel
import CommandLineKit
import JSON

/// Prints a shell completion script.
enum CompletionCommand: Command {
    enum Shell: String, CaseIterable, Sendable {
        case bash, zsh, fish
    }

    struct Options: CommandOptions {
        var shell = Shell.bash
    }

    static let name = "completion"
    static let usesProfile = false
    static let heedsOutputVariable = false
    static let spec = CommandSpec<Options>(
        name,
        summary: "Print the script that completes commands in a shell",
        discussion: """
            The script knows commands, options and their values; the names of profiles are read from the configuration \
            at the time. Installed beside the program it is found by itself.
            """,
        examples: [
            Example("eval \"$(authctl completion bash)\"", "In ~/.bashrc, where the script is not installed."),
            Example("eval \"$(authctl completion zsh)\"", "In ~/.zshrc, behind `compinit`."),
            Example("authctl completion fish > ~/.config/fish/completions/authctl.fish", "Once, for fish."),
        ],
        exitCodes: [0, 2],
        arguments: [.positional(Shell.self, { $0.shell = $1 }, "SHELL", help: "Which shell.")])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        Output(shell: options.shell)
    }

    struct Output: CommandOutput {
        let shell: Shell

        func text(_ style: TextStyle) -> String { script }

        var json: JSONValue {
            ["v": 1, "kind": "completion", "shell": .string(shell.rawValue), "script": .string(script)]
        }

        private var script: String {
            let tree = CompletionTree(
                program: GlobalOptions.spec.description, commands: CommandRegistry.all.map { $0.description },
                shortNames: CommandRegistry.shortNames, topics: HelpTopics.rows, lister: CompletionLists.word)
            return switch shell {
            case .bash: BashCompletion(tree).script
            case .zsh: ZshCompletion(tree).script
            case .fish: FishCompletion(tree).script
            }
        }
    }
}
