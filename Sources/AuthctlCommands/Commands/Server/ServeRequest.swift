package import AuthModel
package import Platform

/// The parameters of `World.serve`.
package struct ServeRequest: Sendable {
    package enum Accounts: Sendable, Equatable {
        /// The accounts of the backend `local`.
        case local
        case file(String)
        /// New accounts, which are lost when the server ends.
        case memory
    }

    package let address: IPAddress
    package let port: Int
    package let appID: String
    package let accounts: Accounts
    package let seed: AccountSeed?
    /// Always false with `local` accounts, because tests delete accounts.
    package let hasTestControls: Bool
    /// Whether identities of all providers are accepted without a verified signature. Only in memory and on loopback.
    package let hasTestIdentities: Bool
    /// `nil`: requests need no client key.
    package let clientKey: Secret?
    /// The folder for e-mails; `nil`: no e-mail is sent.
    package let mailFolder: String?
    /// Whether the number of wrong passwords, signups and e-mails is limited.
    package let isThrottled: Bool
    /// Host names in addition to loopback: lowercase, some with a port.
    package let allowedHosts: [String]
    package let allowedOrigins: [String]
    package let mostConnections: Int
    /// `nil`: Facebook logins are rejected.
    package let facebook: EmbeddedFacebook?
    /// Called after every request with a log line without secrets.
    package let log: (@Sendable (String) -> Void)?
    /// Called with an error of the database, but not for every request.
    package let report: @Sendable (String) -> Void
    package let warn: World.Warn
}

package struct ServerURLs: Sendable {
    package let parse: String
    /// The base URL of the test controls; `nil` without them.
    package let controls: Secret?

    package init(parse: String, controls: Secret?) {
        self.parse = parse
        self.controls = controls
    }
}

/// A server that is ready, for the environment of a command.
package struct RunningServer: Sendable {
    package let urls: ServerURLs
    /// The absolute path of the folder for e-mails.
    package let mailFolder: String
    /// The absolute path of a new folder.
    package let configurationFolder: String

    package init(urls: ServerURLs, mailFolder: String, configurationFolder: String) {
        self.urls = urls
        self.mailFolder = mailFolder
        self.configurationFolder = configurationFolder
    }
}

package enum CommandEnding: Sendable, Equatable {
    /// With its exit code, or with 128 + the number of the signal that ended it.
    case exited(Int32)
    case notStarted(Errno)
}
