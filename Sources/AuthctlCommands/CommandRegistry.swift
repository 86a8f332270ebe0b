/// All commands, in the order in which help shows them.
package enum CommandRegistry {
    package static let groups: [(title: String, commands: [any Command.Type])] = [
        (
            "ACCOUNT",
            [
                SignupCommand.self, LoginCommand.self, LogoutCommand.self, WhoamiCommand.self,
                SessionsListCommand.self, SessionsRevokeCommand.self,
            ]
        ),
        ("SCRIPTING", [TokenCommand.self]),
        (
            "SETUP",
            [
                ProfileListCommand.self, ProfileShowCommand.self, ProfileAddCommand.self, ProfileSetCommand.self,
                ProfileUseCommand.self, ProfileRemoveCommand.self, HelpCommand.self, VersionCommand.self,
            ]
        ),
    ]

    package static var all: [any Command.Type] { groups.flatMap(\.commands) }

    /// Every name that can be typed.
    package static var names: [String] { all.map { $0.name } + shortNames.map(\.short) }

    package static func command(named name: String) -> (any Command.Type)? {
        let fullName = shortNames.first { $0.short == name }?.full ?? name
        return all.first { $0.name == fullName }
    }

    /// Names that leave out their second word.
    private static let shortNames = [(short: "sessions", full: SessionsListCommand.name)]
}
