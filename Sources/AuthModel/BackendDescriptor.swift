/// What one needs to know of a kind of backend before any request.
package struct BackendDescriptor: Sendable, Equatable {
    /// Another word for the kind, with a server of its own or without.
    package struct Alias: Sendable, Equatable {
        package let word: String
        /// The base URL that is meant where no other one is named.
        package let server: String?

        package init(_ word: String, server: String? = nil) {
            self.word = word
            self.server = server
        }
    }

    /// What tells the accounts of a server apart.
    package enum Naming: Sendable, Equatable {
        /// A user name, which everybody has.
        case username
        /// A user name, an e-mail or both, as the site wants it; what it wants shows when something is missing.
        case usernameOrEmail
    }

    /// The word for it on the command line and in output: `local`, `parse`, …
    package let kind: String
    /// Other words for it on the command line; output says `kind`.
    package let aliases: [Alias]
    /// Half a sentence for help.
    package let summary: String
    /// Whether it is reached at a URL.
    package let takesServer: Bool
    /// Whether its server has several applications, of which one must be named.
    package let takesApplication: Bool
    /// A path that its API is often mounted at, for hints: `/parse`.
    package let usualMount: String?
    /// What a profile can say beside server and application.
    package let settings: [BackendSetting]
    package let naming: Naming
    /// Whether user name, password and e-mail are checked here before they are sent.
    package let checksNewAccounts: Bool
    /// Whether its servers take no account of white space around a password.
    package let trimsPasswords: Bool

    package init(
        kind: String, aliases: [Alias] = [], summary: String, takesServer: Bool, takesApplication: Bool = false,
        usualMount: String? = nil, settings: [BackendSetting] = [], naming: Naming = .username,
        checksNewAccounts: Bool, trimsPasswords: Bool = false
    ) {
        self.kind = kind
        self.aliases = aliases
        self.summary = summary
        self.takesServer = takesServer
        self.takesApplication = takesApplication
        self.usualMount = usualMount
        self.settings = settings
        self.naming = naming
        self.checksNewAccounts = checksNewAccounts
        self.trimsPasswords = trimsPasswords
    }

    /// Every word for it, the first spelling first.
    package var words: [String] { [kind] + aliases.map(\.word) }

    /// The base URL that one of the words stands for.
    package func server(meantBy word: String) -> String? {
        aliases.first { $0.word == word }?.server
    }
}
