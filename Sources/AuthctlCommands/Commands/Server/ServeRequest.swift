package import AuthModel
package import Platform

/// The parameters of `World.serve` and `World.serveWhile`.
package struct ServeRequest: Sendable {
    package let options: ServeOptions
    package let port: Int
    package let appID: String
    package let seed: AccountSeed?
    /// `nil` if requests need no client key.
    package let clientKey: Secret?
    /// If `nil`, Facebook logins are rejected, unless test identities are accepted.
    package let facebook: EmbeddedFacebook?
    /// Called after every request with a log line without secrets.
    package let log: (@Sendable (String) -> Void)?
    /// Called with a database error. A repeated error is reported at most once a minute.
    package let report: @Sendable (String) -> Void
    /// Called with a warning about the requests of clients; `nil` to give none.
    package let warnOfRequest: (@Sendable (String) -> Void)?
    package let warn: World.Warn
}

package struct ServerURLs: Sendable {
    package let parse: String
    /// The base URL of the test controls; `nil` if there are none.
    package let controls: Secret?

    package init(parse: String, controls: Secret?) {
        self.parse = parse
        self.controls = controls
    }
}

/// The data of a running server, for the environment variables of a command.
package struct RunningServer: Sendable {
    package let urls: ServerURLs
    /// The absolute path of the folder for e-mails.
    package let mailFolder: String
    /// The absolute path of a new configuration folder for the command.
    package let configurationFolder: String

    package init(urls: ServerURLs, mailFolder: String, configurationFolder: String) {
        self.urls = urls
        self.mailFolder = mailFolder
        self.configurationFolder = configurationFolder
    }
}

package enum CommandEnding: Sendable, Equatable {
    /// The exit code of the command, or 128 plus the number of the signal that ended the command.
    case exited(Int32)
    case notStarted(Errno)
}
