import AuthModel
import Platform

/// Renders next steps as hints: the sentence, and the command with the program's name and the options in force.
///
///     reset the password: authctl password reset -p ci ada@example.org
struct HintRenderer: Sendable {
    /// `-p` and the profile, if the user typed the option.
    private let profile: [String]
    /// `--as` and the session name, if the user typed the option.
    private let sessionName: [String]
    /// The connection options as typed, such as `--server URL`.
    private let connection: [String]
    /// Whether the command with this name uses a profile; `false` for words that are not a command.
    private let usesProfile: @Sendable (_ name: String) -> Bool

    init(
        profile: String?, sessionName: [String] = [], connection: [String] = [],
        usesProfile: @escaping @Sendable (_ name: String) -> Bool
    ) {
        self.usesProfile = usesProfile
        self.profile = profile.map { ["-p", $0] } ?? []
        self.sessionName = sessionName
        self.connection = connection
    }

    init(_ globals: GlobalOptions, usesProfile: @escaping @Sendable (_ name: String) -> Bool) {
        let given = [
            ("--backend", globals.backend), ("--server", globals.server), ("--app-id", globals.appID),
            ("--client-key-file", globals.clientKeyFile),
        ]
        self.init(
            profile: globals.profile, sessionName: globals.sessionName.map { ["--as", $0] } ?? [],
            connection: given.flatMap { name, value in value.map { [name, $0] } ?? [] }
                + (globals.allowsHTTP ? ["--allow-http"] : []), usesProfile: usesProfile)
    }

    /// A renderer for hints about a session other than the one that the command line selects.
    func replacing(profile: String, sessionName: [String], connection: [String]) -> HintRenderer {
        HintRenderer(profile: profile, sessionName: sessionName, connection: connection, usesProfile: usesProfile)
    }

    /// A hint in one line, without a newline.
    func hint(_ step: NextStep) -> String {
        step.command.isEmpty ? step.sentence : "\(step.sentence): \(commandLine(step.command))"
    }

    /// A command line that the user can paste.
    func commandLine(_ command: [String]) -> String {
        (["authctl"] + words(command)).map(\.shellQuoted).joined(separator: " ")
    }

    /// The words of a command line. If the command uses a profile, the options in force follow the command's name.
    ///
    /// - Parameter command: the words of a command, which may already contain `-p`, `--as` and `--backend`.
    func words(_ command: [String]) -> [String] {
        let name = [2, 1].map { command.prefix($0).joined(separator: " ") }.first(where: usesProfile)
        guard let name else { return command }
        let count = name.split(separator: " ").count
        // Options in the command replace the options in force; `--backend` replaces all connection options.
        let options =
            (command.contains("-p") ? [] : profile) + (command.contains("--as") ? [] : sessionName)
            + (command.contains("--backend") ? [] : connection)
        return command.prefix(count) + options + command.dropFirst(count)
    }
}
