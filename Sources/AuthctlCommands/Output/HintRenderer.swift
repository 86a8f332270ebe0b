import AuthModel
import Platform

/// Writes next steps as hints: the sentence, and the command with the program's name and the options in force.
///
///     reset the password: authctl password reset -p ci ada@example.org
struct HintRenderer: Sendable {
    /// The words that choose the profile and the connection, as the user typed them: `-p ci --server URL`.
    private let options: [String]

    init(options: [String]) {
        self.options = options
    }

    init(_ globals: GlobalOptions) {
        let given = [
            ("-p", globals.profile), ("--backend", globals.backend), ("--server", globals.server),
            ("--app-id", globals.appID), ("--client-key-file", globals.clientKeyFile),
        ]
        options =
            given.flatMap { name, value in value.map { [name, $0] } ?? [] }
            + (globals.allowsHTTP ? ["--allow-http"] : [])
    }

    /// One line without its end.
    func hint(_ step: NextStep) -> String {
        step.command.isEmpty ? step.sentence : "\(step.sentence): \(commandLine(step.command))"
    }

    /// A command line to paste.
    func commandLine(_ command: [String]) -> String {
        (["authctl"] + words(command)).map(\.shellQuoted).joined(separator: " ")
    }

    /// A command with the options in force behind its name, unless it names a profile itself or works on none.
    func words(_ command: [String]) -> [String] {
        let names = [2, 1].map { Array(command.prefix($0)) }
        guard let name = names.first(where: { CommandRegistry.command(named: $0.joined(separator: " ")) != nil }),
            let type = CommandRegistry.command(named: name.joined(separator: " ")), type.usesProfile,
            !command.contains("-p")
        else { return command }
        return name + options + command.dropFirst(name.count)
    }
}
