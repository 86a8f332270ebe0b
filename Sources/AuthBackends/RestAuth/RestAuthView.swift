import AuthModel

/// The views that a site may have put elsewhere, or made itself: their paths are settings of a profile.
///
/// All other views stand where the packages have them, below the base URL.
enum RestAuthView: String, CaseIterable {
    case registration = "registrationPath"
    case secondFactor = "secondFactorPath"
    case facebook = "facebookPath"
    case facebookConnect = "facebookConnectPath"
    case socialAccounts = "socialAccountsPath"

    /// As the documentation of the packages names them.
    var standardPath: String {
        switch self {
        case .registration: "registration/"
        case .secondFactor: "mfa/verify/"
        case .facebook: "facebook/"
        case .facebookConnect: "facebook/connect/"
        case .socialAccounts: "socialaccounts/"
        }
    }

    private var summary: String {
        switch self {
        case .registration: "where accounts are made"
        case .secondFactor: "where the code of a second factor is taken"
        case .facebook: "where somebody logs in with Facebook"
        case .facebookConnect: "where Facebook is linked to an account"
        case .socialAccounts: "where the linked identities are listed"
        }
    }

    var setting: BackendSetting { BackendSetting(rawValue, .path, standard: standardPath, summary: summary) }
}
