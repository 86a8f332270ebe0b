/// Static facts about a kind of backend, known before any request.
package struct BackendDescriptor: Sendable, Equatable {
    /// Another name of the kind, with or without a default server.
    package struct Alias: Sendable, Equatable {
        package let word: String
        /// The base URL if no other one is set.
        package let server: String?

        package init(_ word: String, server: String? = nil) {
            self.word = word
            self.server = server
        }
    }

    /// A server that can be selected by a name instead of its URL.
    package struct NamedServer: Sendable, Equatable {
        package let name: String
        package let url: String

        package init(_ name: String, url: String) {
            self.name = name
            self.url = url
        }
    }

    /// How accounts on a server are identified.
    package enum Naming: Sendable, Equatable {
        /// Every account has a username.
        case username
        /// A username, an e-mail or both, as the site is configured. The server reports what is missing.
        case usernameOrEmail

        /// The placeholder for the name in a login command: `NAME` for a username or an e-mail.
        package var placeholder: String {
            switch self {
            case .username: "USERNAME"
            case .usernameOrEmail: "NAME"
            }
        }

        /// The arguments of `signup` for a new account.
        package var newAccount: [String] {
            switch self {
            case .username: ["USERNAME"]
            case .usernameOrEmail: ["--email", "ADDRESS"]
            }
        }
    }

    /// What servers of this kind do, if next steps depend on it.
    package enum Trait: Sendable {
        /// The server asks the provider of an identity whether the proof is valid. It does not learn which app an access
        /// token was issued to, and may fail with status 500 if the proof is invalid.
        case asksProvider
        /// The server accepts an ID token once.
        case acceptsIDTokenOnce
        /// The server has a client key for each kind of client.
        case hasKeyPerClient
    }

    /// The name on the command line and in output: `local`, `parse`, …
    package let kind: String
    /// Other names on the command line; output shows `kind`.
    package let aliases: [Alias]
    /// A phrase for help.
    package let summary: String
    /// The tested versions, for help: "Parse Server 3.10 to 8.2".
    package let checkedAgainst: String
    /// Whether the backend has a server URL.
    package let takesServer: Bool
    /// Servers that can be selected by name.
    package let namedServers: [NamedServer]
    /// Whether a server hosts several applications, so that the profile must name one.
    package let takesApplication: Bool
    /// A path that the API is often mounted at, for hints: `/parse`.
    package let usualMount: String?
    /// The settings of a profile in addition to server and application.
    package let settings: [BackendSetting]
    package let naming: Naming
    /// Whether accounts can have a phone number, alone or with other identifiers.
    package let takesPhone: Bool
    /// Fields that the server adds to every user. Text for people leaves them out; JSON has them.
    package let systemFields: [String]
    /// Whether username, password and e-mail are validated before they are sent.
    package let checksNewAccounts: Bool
    /// Whether the servers ignore white space around a password.
    package let trimsPasswords: Bool
    /// Whether a login response lacks id and times of the session, and the server may extend it later: see
    /// `SessionDescribing`.
    package let omitsSessionTimes: Bool
    package let traits: Set<Trait>
    /// The requests per minute and address that servers of this kind accept by default; `nil`: not limited.
    package let signUpsPerMinute: Int?
    package let logInsPerMinute: Int?

    package init(
        kind: String, aliases: [Alias] = [], summary: String, checkedAgainst: String = "", takesServer: Bool,
        namedServers: [NamedServer] = [], takesApplication: Bool = false, usualMount: String? = nil,
        settings: [BackendSetting] = [], naming: Naming = .username, takesPhone: Bool = false,
        checksNewAccounts: Bool, trimsPasswords: Bool = false, omitsSessionTimes: Bool = false,
        systemFields: [String] = [], traits: Set<Trait> = [], signUpsPerMinute: Int? = nil, logInsPerMinute: Int? = nil
    ) {
        self.signUpsPerMinute = signUpsPerMinute
        self.logInsPerMinute = logInsPerMinute
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
        self.systemFields = systemFields
        self.checksNewAccounts = checksNewAccounts
        self.trimsPasswords = trimsPasswords
        self.omitsSessionTimes = omitsSessionTimes
        self.traits = traits
    }

    /// All names of the kind, `kind` first.
    package var words: [String] { [kind] + aliases.map(\.word) }

    /// The URL of the server with this name; any other text unchanged.
    package func url(named server: String) -> String {
        namedServers.first { $0.name == server }?.url ?? server
    }

    /// The default server of an alias.
    package func server(meantBy word: String) -> String? {
        aliases.first { $0.word == word }?.server
    }
}

/// The kinds of backend. A description is built when it is used, so that a search builds only those up to its result.
package struct BackendKinds: RandomAccessCollection, Sendable {
    private let descriptions: [@Sendable () -> BackendDescriptor]

    package init(_ descriptions: [@Sendable () -> BackendDescriptor]) {
        self.descriptions = descriptions
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { descriptions.count }
    package subscript(index: Int) -> BackendDescriptor { descriptions[index]() }

    /// The kind with this name or alias.
    package func meant(by word: String) -> BackendDescriptor? { first { $0.words.contains(word) } }

    /// The settings of all kinds, without duplicates.
    package var settings: [BackendSetting] {
        flatMap(\.settings).reduce(into: []) { settings, setting in
            if !settings.contains(where: { $0.key == setting.key }) { settings.append(setting) }
        }
    }

    /// The settings that all kinds have in common.
    package var sharedSettings: [BackendSetting] {
        settings.filter { setting in allSatisfy { $0.settings.contains(setting) } }
    }
}

extension [BackendSetting] {
    /// The setting with this key of the command line.
    package func named(_ word: String) -> BackendSetting? {
        lazy.compactMap { $0.word == $0.key ? $0.matching(key: word) : $0.word == word ? $0 : nil }.first
    }

    /// The setting with this key in a profile.
    package func keyed(_ key: String) -> BackendSetting? { lazy.compactMap { $0.matching(key: key) }.first }
}
