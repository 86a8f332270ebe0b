import AuthModel

/// A row of the table of what each backend can do.
package struct BackendAbility: Sendable {
    /// The command, or the commands, such as `login --anonymous`.
    package let command: String
    private let isIn: @Sendable (any Backend.Type) -> Bool

    package static let all = [
        // The requirements of `Backend`.
        BackendAbility(
            "signup, login, whoami, logout, api, check, token, exec, users create, users verify, users login"
        ) { _ in true },
        BackendAbility("login --token-stdin, password change, password reset, verify-email, account update, link") {
            _ in true
        },
        BackendAbility("login --otp") { $0 is any SecondFactor.Type || $0 is any PendingSecondFactor.Type },
        BackendAbility("login --anonymous") { $0 is any AnonymousLogin.Type },
        BackendAbility("login --impersonate") { $0 is any Impersonating.Type },
        BackendAbility("a refresh of the session, users refresh") { $0 is any SessionRefreshing.Type },
        BackendAbility("sessions list, sessions revoke: all sessions") { $0 is any SessionListing.Type },
        BackendAbility("sessions revoke --others, --all") {
            $0 is any SessionListing.Type || $0 is any SessionsEnding.Type
        },
        BackendAbility("account delete") { $0 is any AccountDeleting.Type },
        BackendAbility("login --facebook --fill-user, link-facebook --fill-user") { $0 is any UserFilling.Type },
        // Firebase's SDK keeps the session where no browser state reaches it.
        BackendAbility("storage-state") { $0 is any BrowserSessionStoring.Type && !($0 is FirebaseBackend.Type) },
        BackendAbility("users list, users export") { $0 is any UserListing.Type },
        BackendAbility("users create with the key of the administrator") { $0 is any AdminCreating.Type },
        BackendAbility("users delete with the key of the administrator") { $0 is any AdminDeleting.Type },
    ]

    private init(_ command: String, _ isIn: @escaping @Sendable (any Backend.Type) -> Bool) {
        self.command = command
        self.isIn = isIn
    }

    /// The kinds of backend that can do it, in the order of the registry.
    package func backends(of registry: BackendRegistry) -> [String] { registry.kinds(where: isIn) }
}
