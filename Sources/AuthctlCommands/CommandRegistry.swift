import CommandLineKit

/// All commands, in the order in which help shows them.
enum CommandRegistry {
    static let groups: [(title: String, commands: [any Command.Type])] = [
        (
            "Account",
            [
                SignupCommand.self, LoginCommand.self, LogoutCommand.self, WhoamiCommand.self,
                LinkCommand.self, LinkFacebookCommand.self, SessionsListCommand.self, SessionsRevokeCommand.self,
                PasswordChangeCommand.self, PasswordResetCommand.self, VerifyEmailCommand.self,
                AccountUpdateCommand.self, AccountDeleteCommand.self,
            ]
        ),
        (
            "Requests",
            [
                ApiCommand.self, CheckCommand.self, TokenCommand.self, ExecCommand.self, StorageStateCommand.self,
            ]
        ),
        (
            "Test users",
            [
                UsersCreateCommand.self, UsersVerifyCommand.self, UsersLoginCommand.self, UsersRefreshCommand.self,
                UsersListCommand.self, UsersShowCommand.self, UsersExportCommand.self, UsersSetCommand.self,
                UsersDeleteCommand.self,
            ]
        ),
        ("Server", [ServeCommand.self, MailCommand.self]),
        (
            "Setup",
            [
                ProfileListCommand.self, ProfileShowCommand.self, ProfileAddCommand.self, ProfileSetCommand.self,
                ProfileUseCommand.self, ProfileRemoveCommand.self, ProfileExportCommand.self, DoctorCommand.self,
                CompletionCommand.self, HelpCommand.self, VersionCommand.self,
            ]
        ),
    ]

    static let groupSummaries = [
        HelpRow("sessions", "List and revoke sessions"), HelpRow("password", "Change or reset the password"),
        HelpRow("account", "Update or delete the account"), HelpRow("profile", "Manage profiles"),
        HelpRow("users", "Create, list, change and delete accounts"),
    ]

    static var commandGroups: [CommandGroup] {
        groupSummaries.map { group in
            (group.term, group.text, all.filter { $0.name.hasPrefix("\(group.term) ") }.map { $0.description })
        }
    }

    static var all: [any Command.Type] { groups.flatMap(\.commands) }

    static var names: [String] { all.map { $0.name } + shortNames.map { $0.short } }

    static func command(named name: String) -> (any Command.Type)? {
        let fullName = shortNames.first { $0.short == name }?.full ?? name
        return all.first { $0.name == fullName }
    }

    /// Whether hints that contain the command repeat the options for profile and connection.
    @Sendable static func usesProfile(_ name: String) -> Bool { command(named: name)?.usesProfile ?? false }

    /// The authctl command for a word that other programs use, such as `login` for `signin`.
    static func name(meantBy words: ArraySlice<String>) -> String? {
        switch words.first {
        case "auth":
            let rest = words.dropFirst()
            return name(meantBy: rest) ?? names.first { $0 == rest.first }
        case "signin", "sign-in": return "login"
        case "signout", "sign-out": return "logout"
        case "register", "sign-up": return "signup"
        case "status", "me": return "whoami"
        case "passwd": return "password"
        case let group?:
            // Each row contains words that authctl, `gh` and `git` use for the same action.
            let synonyms = [["remove", "delete", "revoke", "rm"], ["add", "create", "new"], ["list", "ls"]]
            let second = words.dropFirst().first ?? ""
            return synonyms.first { $0.contains(second) }?.map { "\(group) \($0)" }.first(where: names.contains)
                ?? names.first { $0 == group.lowercased() }
        case nil: return nil
        }
    }

    /// The names that omit the second word, such as `sessions` for `sessions list`.
    static let shortNames = [(short: "sessions", full: SessionsListCommand.name)]
}
