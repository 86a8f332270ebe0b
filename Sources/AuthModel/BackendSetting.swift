/// Something that a profile can say of the servers of one kind of backend.
package struct BackendSetting: Sendable, Equatable {
    /// What a value must be.
    package enum Form: Sendable, Equatable {
        /// A path below the base URL, without a slash before it: `facebook/connect/`.
        case path
        /// One word of visible characters, as ids are.
        case word
        /// One word that is nobody else's business: it is given in a file, and not shown.
        case secret
        /// A version of Facebook's Graph: `v21.0`.
        case graphVersion
    }

    /// The key in a profile: `facebookPath`.
    package let key: String
    package let form: Form
    /// The variable that outranks the profile, where there is one.
    package let variable: String?
    /// What holds where nobody says anything, if anything does.
    package let standard: String?
    /// Half a sentence for help.
    package let summary: String

    package init(
        _ key: String, _ form: Form, variable: String? = nil, standard: String? = nil, summary: String
    ) {
        self.key = key
        self.form = form
        self.variable = variable
        self.standard = standard
        self.summary = summary
    }

    /// The key on the command line: of a secret, that of the file that holds it.
    package var word: String { form == .secret ? key + "File" : key }
}

/// The Facebook settings, which all kinds of backend have.
extension BackendSetting {
    package static let facebookAppID = BackendSetting(
        "facebookAppId", .word, variable: "AUTHCTL_FACEBOOK_APP_ID",
        summary: "id of the Facebook app whose tokens the server accepts")

    /// Of the app's settings at Facebook, "Advanced". It names the app and is no app secret.
    package static let facebookClientToken = BackendSetting(
        "facebookClientToken", .secret, variable: "AUTHCTL_FACEBOOK_CLIENT_TOKEN",
        summary: "file with the client token of that app")

    /// Source: Facebook SDK for iOS, whose default it was in June 2026.
    package static let facebookGraphVersion = BackendSetting(
        "facebookGraphVersion", .graphVersion, standard: "v21.0", summary: "version of the Facebook Graph API")

    package static let facebook = [facebookAppID, facebookClientToken, facebookGraphVersion]
}
