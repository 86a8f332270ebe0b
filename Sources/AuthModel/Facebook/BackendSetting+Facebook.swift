/// What all kinds of backend need to know of Facebook, for whoever logs in there or links an account.
extension BackendSetting {
    package static let facebookAppID = BackendSetting(
        "facebookAppId", .word, variable: "AUTHCTL_FACEBOOK_APP_ID",
        summary: "the id of the Facebook app whose tokens the server takes")

    /// Of the app's settings at Facebook, "Advanced". It names the app and is no app secret.
    package static let facebookClientToken = BackendSetting(
        "facebookClientToken", .secret, variable: "AUTHCTL_FACEBOOK_CLIENT_TOKEN",
        summary: "a file with the client token of that app")

    /// Source: Facebook SDK for iOS, whose default it was in June 2026.
    package static let facebookGraphVersion = BackendSetting(
        "facebookGraphVersion", .graphVersion, standard: "v21.0", summary: "the version of Facebook's Graph to ask")

    package static let facebook = [facebookAppID, facebookClientToken, facebookGraphVersion]
}
