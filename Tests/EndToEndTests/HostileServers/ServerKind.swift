/// The backend that a hostile server imitates.
enum ServerKind: String, CaseIterable {
    case parse
    case restAuth = "rest-auth"
    case allauth, kii

    /// Kii cannot revoke a session, so a logout there sends no request.
    static let knowingLogOut = allCases.filter { $0.operations.contains(.logout) }

    /// The operations that send a request.
    var operations: [Operation] { self == .kii ? [.whoami, .login, .signup] : Operation.common }

    var appID: String? { [.parse, .kii].contains(self) ? OperationRun.appID : nil }

    /// The options in addition to the server's URL.
    var options: [String] { appID.map { ["--app-id", $0] } ?? [] }
}
