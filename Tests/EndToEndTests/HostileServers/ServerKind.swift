/// What a hostile server pretends to be.
enum ServerKind: String, CaseIterable {
    case parse
    case restAuth = "rest-auth"
    case allauth, kii

    /// Kii knows no end of a session: nothing is asked there.
    static let knowingLogOut = allCases.filter { $0.deeds.contains(.logout) }

    /// What it is asked for.
    var deeds: [Deed] { self == .kii ? [.whoami, .login, .signup] : Deed.common }

    /// Whether `Authorization` is where its own keys or sessions stand.
    func usesAuthorization(for deed: Deed) -> Bool {
        self == .kii || self == .restAuth && [.whoami, .logout].contains(deed)
    }

    var appID: String? { [.parse, .kii].contains(self) ? Attempt.appID : nil }

    /// What a command needs to know besides the server.
    var options: [String] { appID.map { ["--app-id", $0] } ?? [] }
}
