/// Static facts about a kind of backend, known before any request.
package struct BackendDescriptor: Sendable, Equatable {
    /// An alternative name for a kind of backend, with or without a default server.
    package struct Alias: Sendable, Equatable {
        package let word: String
        /// The default base URL.
        package let server: String?

        package init(_ word: String, server: String? = nil) {
            self.word = word
            self.server = server
        }
    }

    /// How accounts on a server are identified.
    package enum Naming: Sendable, Equatable {
        /// Every account has a username.
        case username
        /// A username, an e-mail or both, depending on the site's configuration. The server reports missing fields.
        case usernameOrEmail
        /// An e-mail address, or a phone number; never a username.
        case email

        /// The placeholder for the name in a login command; `NAME` stands for a username or an e-mail.
        package var placeholder: String {
            switch self {
            case .username: "USERNAME"
            case .usernameOrEmail: "NAME"
            case .email: "ADDRESS"
            }
        }

        /// The arguments of `signup` in the hint that suggests creating an account.
        package var newAccount: [String] {
            switch self {
            case .username: ["USERNAME"]
            // The prompts ask for what the site wants.
            case .usernameOrEmail: []
            case .email: ["--email", "ADDRESS"]
            }
        }
    }

    /// The facts about a kind of backend that are either so or not.
    package struct Traits: OptionSet, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// The generic initializer costs a twelfth of the start of a command.
        package init(arrayLiteral traits: Traits...) {
            rawValue = traits.reduce(0) { $0 | $1.rawValue }
        }

        /// The backend has a server URL.
        package static let takesServer = Traits(rawValue: 1 << 0)
        /// A server hosts several applications, so the profile must name one.
        package static let takesApplication = Traits(rawValue: 1 << 1)
        /// Accounts can have a phone number, with or without a username or e-mail.
        package static let takesPhone = Traits(rawValue: 1 << 2)
        /// authctl validates username, password and e-mail before it sends them.
        package static let checksNewAccounts = Traits(rawValue: 1 << 3)
        /// The server ignores white space around a password.
        package static let trimsPasswords = Traits(rawValue: 1 << 4)
        /// A login response lacks the session's id and times, and the server may extend the session later: see
        /// `SessionDescribing`.
        package static let omitsSessionTimes = Traits(rawValue: 1 << 5)
        /// The server cannot revoke single sessions. A password change revokes all sessions of the account.
        package static let endsSessionsByPasswordChange = Traits(rawValue: 1 << 6)
        /// The server sends the proof of an identity to the provider. It cannot check which app an access token was
        /// issued to.
        package static let asksProvider = Traits(rawValue: 1 << 7)
        /// Users have the members of Parse's objects, such as `objectId` and `ACL`, which a signup cannot set.
        package static let hasParseUsers = Traits(rawValue: 1 << 8)
        /// The server has a different key for each kind of client, such as Parse's REST key.
        package static let hasKeyPerClient = Traits(rawValue: 1 << 9)
        /// Names that differ by letter case belong to different accounts.
        package static let distinguishesCase = Traits(rawValue: 1 << 10)
        /// A login can contain fields other than name and password.
        package static let takesLogInFields = Traits(rawValue: 1 << 11)
        /// Of the server, only the login is known: see `SessionsOnly`.
        package static let hasOnlyLogin = Traits(rawValue: 1 << 12)
        /// The server checks the nonce of an ID token.
        package static let takesNonce = Traits(rawValue: 1 << 13)
        /// A profile can name the application, which only some requests need.
        package static let mayNameApplication = Traits(rawValue: 1 << 14)
        /// An account may have no password. A password change then sets one. The server may require a code for it.
        package static let setsFirstPassword = Traits(rawValue: 1 << 15)
        /// The server treats a session that has ended like none.
        package static let hidesEndedSessions = Traits(rawValue: 1 << 16)
    }

    /// Versions of a server, and the evidence that the backend works with them.
    package struct Trial: Sendable, Equatable {
        package enum Method: String, Sendable {
            case realServer = "run by the tests"
            case recorded = "recorded responses"
            case documents = "from documentation"
        }

        /// The server and its versions, such as `Parse Server 7.1.0, 8.2.2`.
        package let versions: String
        package let method: Method
        /// The day when responses were recorded, documents read, or tested versions updated: `2026-11-20`.
        package let date: String

        package init(_ versions: String, _ method: Method, _ date: String) {
            self.versions = versions
            self.method = method
            self.date = date
        }
    }

    /// What the option `--admin-key-file` reads.
    package struct AdminKey: Sendable, Equatable {
        /// The name in messages, such as `master key`.
        package let name: String
        /// How to get the key, for help: a sentence without a final period.
        package let source: String
        /// The collection whose users' sessions are such keys; `nil` if no session is one.
        package let collection: String?

        package init(_ name: String, source: String, collection: String? = nil) {
            self.name = name
            self.source = source
            self.collection = collection
        }
    }

    /// The name on the command line and in output: `local`, `parse`, …
    package let kind: String
    package let traits: Traits
    package let refresh: RefreshPolicy
    /// What `--app-id` names, for help, such as `Kii AppID`; `nil` if the server has no applications.
    package let application: String?
    /// The client key for help, such as `Parse REST key`; `nil` if no client sends one.
    package let clientKey: String?
    /// Alternative names on the command line. Output always shows `kind`.
    package let aliases: [Alias]
    /// The server versions that the backend supports, with the evidence, for help and README.
    package let trials: [Trial]
    /// The URLs of the servers that can be selected by name.
    package let namedServers: [String: String]
    /// The base URL of a server that all users of this kind share. Any other server is an emulator, which accepts every
    /// administrator.
    package let usualServer: String?
    /// The variable in which the server's own tools name the host and port of an emulator.
    package let emulatorVariable: String?
    /// The only such variable. Searching all descriptors for it would delay the start of every command.
    package static let firebaseEmulator = "FIREBASE_AUTH_EMULATOR_HOST"
    /// A path at which the API is often mounted, for hints: `/parse`.
    package let usualMount: String?
    /// The settings that a profile can have in addition to its connection.
    package let settings: [BackendSetting]
    package let naming: Naming
    /// How a login takes the code of a second factor; empty if no account has one.
    package let codes: LogInCodes
    package let verification: VerificationNeed
    /// Fields that the server adds to every user. Text output omits these fields; JSON output contains them.
    package let systemFields: [String]
    /// The key that grants all rights on the server; `nil` if no command uses one.
    package let adminKey: AdminKey?
    /// What the server keeps of an account.
    package let accounts: AccountKeeping
    /// The default rate limits of the server for one client address; `nil` if there is no limit.
    package let signUpsPerMinute: Int?
    package let logInsPerMinute: Int?

    package init(
        kind: String, _ traits: Traits, refresh: RefreshPolicy = RefreshPolicy(.nothing), application: String? = nil,
        clientKey: String? = nil, aliases: [Alias] = [], trials: [Trial] = [], namedServers: [String: String] = [:],
        usualServer: String? = nil, emulatorVariable: String? = nil, usualMount: String? = nil,
        settings: [BackendSetting] = [], naming: Naming = .username, codes: LogInCodes = [],
        verification: VerificationNeed = .nothing, systemFields: [String] = [], adminKey: AdminKey? = nil,
        accounts: AccountKeeping = AccountKeeping(), signUpsPerMinute: Int? = nil, logInsPerMinute: Int? = nil
    ) {
        self.kind = kind
        self.traits = traits
        self.refresh = refresh
        self.application = application
        self.clientKey = clientKey
        self.aliases = aliases
        self.trials = trials
        self.namedServers = namedServers
        self.usualServer = usualServer
        self.emulatorVariable = emulatorVariable
        self.usualMount = usualMount
        self.settings = settings
        self.naming = naming
        self.codes = codes
        self.verification = verification
        self.systemFields = systemFields
        self.adminKey = adminKey
        self.accounts = accounts
        self.signUpsPerMinute = signUpsPerMinute
        self.logInsPerMinute = logInsPerMinute
    }

    package func has(_ trait: Traits) -> Bool { traits.contains(trait) }

    /// Whether `--app-id` can name something.
    package var knowsApplications: Bool { has(.takesApplication) || has(.mayNameApplication) }

    /// Whether a client can send a key.
    package var knowsClientKeys: Bool { has(.takesApplication) || clientKey != nil }

    /// The project that issued a session, where a setting need not name it: the `aud` of Firebase's ID tokens.
    package func project(of session: Session) -> String? {
        has(.mayNameApplication) ? JWT.payload(of: session.token)?["aud"]?.string : nil
    }

    /// All names of this kind of backend, starting with `kind`.
    package var words: [String] { [kind] + aliases.map(\.word) }

    /// The URL of the server with this name; `server` itself if no server has this name.
    package func url(named server: String) -> String {
        namedServers[server] ?? server
    }

    /// The default server of a name or alias; `nil` if there is none.
    package func server(meantBy word: String) -> String? {
        word == kind ? usualServer : aliases.first { $0.word == word }?.server
    }
}

/// The kinds of backend. Each descriptor is built on access, so a search builds none after the first match.
package struct BackendKinds: RandomAccessCollection, Sendable {
    private let descriptions: [@Sendable () -> BackendDescriptor]

    package init(_ descriptions: [@Sendable () -> BackendDescriptor]) {
        self.descriptions = descriptions
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { descriptions.count }
    package subscript(index: Int) -> BackendDescriptor { descriptions[index]() }

    /// The kind of backend with this name or alias; `nil` if there is none.
    package func meant(by word: String) -> BackendDescriptor? { first { $0.words.contains(word) } }

    /// What `--app-id` names: `Parse application id, Kii AppID`.
    package var applications: String { compactMap(\.application).joined(separator: ", ") }

    /// The client keys: `Parse REST key, Kii AppKey`.
    package var clientKeys: String { compactMap(\.clientKey).joined(separator: ", ") }

    /// The settings of all kinds of backend, without duplicates.
    package var settings: [BackendSetting] {
        flatMap(\.settings).reduce(into: []) { settings, setting in
            if !settings.contains(where: { $0.key == setting.key }) { settings.append(setting) }
        }
    }

    /// The settings that all kinds of backend have in common.
    package var sharedSettings: [BackendSetting] {
        settings.filter { setting in allSatisfy { $0.settings.contains(setting) } }
    }
}

extension [BackendSetting] {
    /// The setting whose key on the command line is `word`.
    package func named(_ word: String) -> BackendSetting? {
        lazy.compactMap { $0.word == $0.key ? $0.matching(key: word) : $0.word == word ? $0 : nil }.first
    }

    /// The setting whose key in a profile is `key`.
    package func keyed(_ key: String) -> BackendSetting? { lazy.compactMap { $0.matching(key: key) }.first }
}
