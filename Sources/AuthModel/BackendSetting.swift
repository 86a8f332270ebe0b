/// A profile setting of one or more kinds of backend.
package struct BackendSetting: Sendable, Equatable {
    /// The syntax of a value.
    package enum Form: Sendable, Equatable {
        /// A path below the base URL, without a leading slash: `google/connect/`.
        case path
        /// An absolute path below the base URL, such as `/auth/v1`; `/` for the base URL itself.
        case mount
        /// One word of visible ASCII characters, such as an id.
        case word
        /// A secret word. It is read from a file or an environment variable, and never shown.
        case secret
        /// A version of Facebook's Graph API: `v25.0`.
        case graphVersion
        /// A base URL with https, or with http if the host is a loopback address.
        case secureURL
        /// A base URL. The code that uses the setting checks the scheme.
        case url
        /// The absolute path of a folder.
        case folder
        /// The absolute path of a file.
        case file
    }

    /// The key in a profile, such as `registrationPath`.
    package let key: String
    package let form: Form
    /// The environment variable that overrides the profile, if there is one.
    package let variable: String?
    /// The default value, if there is one.
    package let standard: String?
    /// A short description for help.
    package let summary: String
    /// Whether each identity provider has a separate setting, whose key is `key` followed by `.PROVIDER`.
    package let isPerProvider: Bool

    package init(
        _ key: String, _ form: Form, variable: String? = nil, standard: String? = nil, summary: String,
        isPerProvider: Bool = false
    ) {
        self.key = key
        self.form = form
        self.variable = variable
        self.standard = standard
        self.summary = summary
        self.isPerProvider = isPerProvider
    }

    /// The setting for this key. If each provider has a separate setting, the key ends with `.PROVIDER`.
    package func matching(key: String) -> BackendSetting? {
        guard isPerProvider else { return key == self.key ? self : nil }
        guard key.hasPrefix("\(self.key)."), let provider = IdentityProvider(String(key.dropFirst(self.key.count + 1)))
        else { return nil }
        let standard = standard.map { provider.name + $0.dropFirst("PROVIDER".count) }
        return BackendSetting(key, form, variable: variable, standard: standard, summary: summary)
    }

    /// The key as help shows it. Ends with `.PROVIDER` if each provider has a separate setting.
    package var placeholder: String { isPerProvider ? "\(word).PROVIDER" : word }

    /// Whether the setting keeps its meaning if the profile gets another server.
    package var isIndependentOfServer: Bool { [.folder, .file, .url].contains(form) || key.hasPrefix("facebook") }

    /// The key on the command line. For a secret, it ends with `File`, because the value is the name of a file.
    package var word: String { form == .secret ? key + "File" : key }
}

extension BackendSetting {
    /// The base URL for requests by `authctl api`. All kinds of backend have this setting, because an app's own API may
    /// accept sessions from any account server.
    package static let apiURL = BackendSetting(
        "apiURL", .secureURL, variable: "AUTHCTL_API_URL",
        summary: "base URL for `authctl api` (default: the server)")

    /// The origin of the site or app that the links in e-mails open.
    package static let linkOrigin = BackendSetting(
        "linkOrigin", .secureURL, summary: "origin that links from e-mails must have")

    package static let mailFolder = BackendSetting(
        "mailDir", .folder, summary: "folder of e-mails (Django's EMAIL_FILE_PATH)")

    package static let authorities = BackendSetting(
        "caCert", .file, summary: "PEM file with the only CA certificates to trust")

    package static let mailpit = BackendSetting(
        "mailpit", .url, summary: "URL of the Mailpit server with the e-mails")

    /// The collection of a PocketBase server that has the accounts.
    package static let collection = BackendSetting(
        "collection", .word, standard: "users", summary: "auth collection")

    /// The word that a Django site expects before the token in `Authorization`, if authctl cannot find it out.
    package static let tokenScheme = BackendSetting(
        "tokenScheme", .word, summary: "word before the token in the header Authorization, such as JWT")

    /// The settings of every kind of backend.
    package static let shared = [apiURL, linkOrigin, mailFolder, mailpit, authorities] + facebook
}

/// The Facebook settings, which all kinds of backend have.
extension BackendSetting {
    package static let facebookAppID = BackendSetting(
        "facebookAppId", .word, variable: "AUTHCTL_FACEBOOK_APP_ID",
        summary: "id of the server's Facebook app")

    /// The client token from the app's "Advanced" settings on Facebook. It is not the app secret.
    package static let facebookClientToken = BackendSetting(
        "facebookClientToken", .secret, variable: "AUTHCTL_FACEBOOK_CLIENT_TOKEN",
        summary: "file with the client token of the Facebook app")

    /// The version of the Graph API. Facebook supports each version for about two years. `facebookGraphEnd` is the last
    /// day of support for the default version.
    ///
    /// Source: https://developers.facebook.com/docs/graph-api/changelog/versions, read in November 2026.
    package static let facebookGraphVersion = BackendSetting(
        "facebookGraphVersion", .graphVersion, standard: "v25.0", summary: "version of Facebook's Graph API")

    package static let facebookGraphEnd = "2028-07-29"

    package static let facebook = [facebookAppID, facebookClientToken, facebookGraphVersion]
}
