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

    /// A server that has a name of its own.
    package struct NamedServer: Sendable, Equatable {
        package let name: String
        package let url: String

        package init(_ name: String, url: String) {
            self.name = name
            self.url = url
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
    /// What it was tried with, for help: "Parse Server 3.10 to 8.2".
    package let checkedAgainst: String
    /// Whether it is reached at a URL.
    package let takesServer: Bool
    /// Servers that can be named in the place of their URL.
    package let namedServers: [NamedServer]
    /// Whether its server has several applications, of which one must be named.
    package let takesApplication: Bool
    /// A path that its API is often mounted at, for hints: `/parse`.
    package let usualMount: String?
    /// What a profile can say beside server and application.
    package let settings: [BackendSetting]
    package let naming: Naming
    /// Whether accounts can have a phone number, and be known by it alone.
    package let takesPhone: Bool
    /// Whether user name, password and e-mail are checked here before they are sent.
    package let checksNewAccounts: Bool
    /// Whether its servers take no account of white space around a password.
    package let trimsPasswords: Bool

    package init(
        kind: String, aliases: [Alias] = [], summary: String, checkedAgainst: String = "", takesServer: Bool,
        namedServers: [NamedServer] = [], takesApplication: Bool = false, usualMount: String? = nil,
        settings: [BackendSetting] = [], naming: Naming = .username, takesPhone: Bool = false,
        checksNewAccounts: Bool, trimsPasswords: Bool = false
    ) {
        self.kind = kind
        self.aliases = aliases
        self.summary = summary
        self.checkedAgainst = checkedAgainst
        self.takesServer = takesServer
        self.namedServers = namedServers
        self.takesApplication = takesApplication
        self.usualMount = usualMount
        self.settings = settings
        self.naming = naming
        self.takesPhone = takesPhone
        self.checksNewAccounts = checksNewAccounts
        self.trimsPasswords = trimsPasswords
    }

    /// Every word for it, the first spelling first.
    package var words: [String] { [kind] + aliases.map(\.word) }

    /// The URL of a server that was named so; any other text as it is.
    package func url(named server: String) -> String {
        namedServers.first { $0.name == server }?.url ?? server
    }

    /// The base URL that one of the words stands for.
    package func server(meantBy word: String) -> String? {
        aliases.first { $0.word == word }?.server
    }
}

extension [BackendDescriptor] {
    /// The kind that a word means.
    package func meant(by word: String) -> BackendDescriptor? { first { $0.words.contains(word) } }

    /// The settings of all kinds, each once.
    package var settings: [BackendSetting] {
        flatMap(\.settings).reduce(into: []) { settings, setting in
            if !settings.contains(where: { $0.key == setting.key }) { settings.append(setting) }
        }
    }

    /// The settings that every kind has.
    package var sharedSettings: [BackendSetting] {
        settings.filter { setting in allSatisfy { $0.settings.contains(setting) } }
    }

    /// The settings of all kinds by their words on the command line.
    package var settingWords: [String] { settings.map(\.word) }
}
