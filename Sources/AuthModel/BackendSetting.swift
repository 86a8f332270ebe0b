/// A setting of a profile for one kind of backend.
package struct BackendSetting: Sendable, Equatable {
    /// The syntax of a value.
    package enum Form: Sendable, Equatable {
        /// A path below the base URL, without a leading slash: `google/connect/`.
        case path
        /// One word of printable characters, such as an id.
        case word
        /// A secret word. It is read from a file and never shown.
        case secret
        /// A version of Facebook's Graph API: `v25.0`.
        case graphVersion
        /// A base URL with https, or on this machine.
        case secureURL
        /// A base URL, checked again when it is used.
        case url
        /// An absolute path.
        case folder
    }

    /// The key in a profile: `registrationPath`.
    package let key: String
    package let form: Form
    /// The environment variable that overrides the profile, if there is one.
    package let variable: String?
    /// The default, if there is one.
    package let standard: String?
    /// A phrase for help.
    package let summary: String
    /// Whether the setting exists once for each identity provider: `key` is followed by `.PROVIDER`.
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

    /// The setting with this key, for one provider if there is one for each.
    package func matching(key: String) -> BackendSetting? {
        guard isPerProvider else { return key == self.key ? self : nil }
        guard key.hasPrefix("\(self.key)."), let provider = IdentityProvider(String(key.dropFirst(self.key.count + 1)))
        else { return nil }
        let standard = standard.map { provider.name + $0.dropFirst("PROVIDER".count) }
        return BackendSetting(key, form, variable: variable, standard: standard, summary: summary)
    }

    /// The key for help: `socialLoginPath.PROVIDER`.
    package var placeholder: String { isPerProvider ? "\(word).PROVIDER" : word }

    /// The key on the command line. For a secret, the key of the file that contains it.
    package var word: String { form == .secret ? key + "File" : key }
}

extension BackendSetting {
    /// Every kind of backend has this setting: an app sends the session of its account server to the app's API.
    package static let apiURL = BackendSetting(
        "apiURL", .secureURL, variable: "AUTHCTL_API_URL",
        summary: "base URL of `authctl api` (default: the server)")

    /// The site or app that the links in e-mails lead to.
    package static let linkOrigin = BackendSetting(
        "linkOrigin", .secureURL, summary: "origin that links from e-mails must have")

    package static let mailFolder = BackendSetting(
        "mailDir", .folder, summary: "folder of e-mails (Django's EMAIL_FILE_PATH)")

    package static let mailpit = BackendSetting(
        "mailpit", .url, summary: "URL of the Mailpit server with the e-mails")

    /// The settings of every kind of backend.
    package static let shared = [apiURL, linkOrigin, mailFolder, mailpit] + facebook
}

/// The Facebook settings, which all kinds of backend have.
extension BackendSetting {
    package static let facebookAppID = BackendSetting(
        "facebookAppId", .word, variable: "AUTHCTL_FACEBOOK_APP_ID",
        summary: "id of the server's Facebook app")

    /// From the app's "Advanced" settings at Facebook. It identifies the app and is not the app secret.
    package static let facebookClientToken = BackendSetting(
        "facebookClientToken", .secret, variable: "AUTHCTL_FACEBOOK_CLIENT_TOKEN",
        summary: "file with the client token of that app")

    /// Facebook supports a version for about two years; `facebookGraphEnd` is the last day of the default.
    ///
    /// Source: https://developers.facebook.com/docs/graph-api/changelog/versions, read in November 2026.
    package static let facebookGraphVersion = BackendSetting(
        "facebookGraphVersion", .graphVersion, standard: "v25.0", summary: "version of Facebook's Graph API")

    package static let facebookGraphEnd = "2028-07-29"

    package static let facebook = [facebookAppID, facebookClientToken, facebookGraphVersion]
}
