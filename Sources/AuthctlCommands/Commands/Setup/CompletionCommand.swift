import AuthModel
import CommandLineKit
import JSON

enum CompletionCommand: Command {
    enum Shell: String, CaseIterable, Sendable {
        case bash, zsh, fish
    }

    struct Options: CommandOptions {
        var shell = Shell.bash
    }

    static let name = "completion"
    static let summary = "Print a shell completion script"
    static let usesProfile = false
    static let readsOutputVariable = false
    static let spec = declaration(
        discussion: """
            The script completes commands, options, option values, profile names and session names. An installed \
            authctl needs no setup, because the installation includes the scripts; bash requires the package \
            bash-completion.
            """,
        examples: [
            Example("eval \"$(authctl completion bash)\"", "Add this line to ~/.bashrc."),
            Example("eval \"$(authctl completion zsh)\"", "Add this line to ~/.zshrc, after `compinit`."),
            Example(
                "mkdir -p ~/.config/fish/completions && authctl completion fish > ~/.config/fish/completions/authctl.fish",
                "Install for fish."),
        ],
        exitCodes: [0, 2],
        arguments: [
            .positional(
                { $0.shell = Shell(rawValue: $1) ?? $0.shell }, "SHELL", choices: Shell.allCases.map(\.rawValue),
                help: "Shell.")
        ])

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
            switch shell {
            case .bash: CompletionScripts.bash
            case .zsh: CompletionScripts.zsh
            case .fish: CompletionScripts.fish
            }
        }
    }
}
