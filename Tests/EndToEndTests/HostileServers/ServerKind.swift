/// What a hostile server pretends to be.
enum ServerKind: String, CaseIterable {
    case parse
    case restAuth = "rest-auth"
    case allauth, kii

    /// Kii knows no end of a session: nothing is asked there.
    static let knowingLogOut = allCases.filter { $0.operations.contains(.logout) }

    /// What it is asked for.
    var operations: [Operation] { self == .kii ? [.whoami, .login, .signup] : Operation.common }

    /// Whether `Authorization` is where its own keys or sessions stand.
    func usesAuthorization(for operation: Operation) -> Bool {
        self == .kii || self == .restAuth && [.whoami, .logout].contains(operation)
    }

    var appID: String? { [.parse, .kii].contains(self) ? OperationRun.appID : nil }

    /// What a command needs to know besides the server.
    var options: [String] { appID.map { ["--app-id", $0] } ?? [] }
}
