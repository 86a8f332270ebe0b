/// All commands, in the order in which help shows them.
enum CommandRegistry {
    static let groups: [(title: String, commands: [any Command.Type])] = [
        (
            "ACCOUNT",
            [
                SignupCommand.self, LoginCommand.self, LogoutCommand.self, WhoamiCommand.self,
                LinkFacebookCommand.self, SessionsListCommand.self, SessionsRevokeCommand.self,
                PasswordChangeCommand.self, PasswordResetCommand.self, VerifyEmailCommand.self,
            ]
        ),
        ("SCRIPTING", [TokenCommand.self, ExecCommand.self]),
        (
            "SETUP",
            [
                ProfileListCommand.self, ProfileShowCommand.self, ProfileAddCommand.self, ProfileSetCommand.self,
                ProfileUseCommand.self, ProfileRemoveCommand.self, CompletionCommand.self, HelpCommand.self,
                VersionCommand.self,
            ]
        ),
        ("SERVER", [ServeCommand.self]),
    ]

    static var all: [any Command.Type] { groups.flatMap(\.commands) }

    /// All names that can be typed.
    static var names: [String] { all.map { $0.name } + shortNames.map(\.short) }

    static func command(named name: String) -> (any Command.Type)? {
        let fullName = shortNames.first { $0.short == name }?.full ?? name
        return all.first { $0.name == fullName }
    }

    /// Whether the name is a short name without its second word.
    static func isShort(_ name: String) -> Bool {
        shortNames.contains { $0.short == name }
    }

    /// Names that leave out their second word.
    static let shortNames = [(short: "sessions", full: SessionsListCommand.name)]
}
