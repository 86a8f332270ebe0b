import AuthModel

/// A row of the table of what each backend can do.
package struct BackendAbility: Sendable {
    /// The command, or the commands, such as `login --anonymous`.
    package let command: String
    private let isIn: @Sendable (any Backend.Type, BackendDescriptor) -> Bool

    package static let all = [
        // The requirements of `Backend`.
        BackendAbility(
            "login, login --token-stdin, whoami, logout, api, check, token, exec, users login"
        ) { _, _ in true },
        BackendAbility("signup, users create, users verify") { _, backend in !backend.has(.hasOnlyLogin) },
        BackendAbility("password change, password reset, verify-email, account update, link") { _, backend in
            !backend.has(.hasOnlyLogin)
        },
        BackendAbility("login --otp") { _, descriptor in !descriptor.codes.isEmpty },
        BackendAbility("login --send-code, signup --send-code, users login --send-code") { _, descriptor in
            descriptor.codes.contains(.withoutPassword)
        },
        BackendAbility("password reset --otp") { _, descriptor in descriptor.codes.contains(.atReset) },
        BackendAbility("login --anonymous") { type, _ in type is any AnonymousLogin.Type },
        BackendAbility("a refresh of the session, users refresh") { type, _ in type is any SessionRefreshing.Type },
        BackendAbility("sessions list, sessions revoke: all sessions") { type, _ in type is any SessionListing.Type },
        BackendAbility("sessions revoke --others, --all") {
            type, _ in type is any SessionListing.Type || type is any SessionsEnding.Type
        },
        BackendAbility("account delete") { type, _ in type is any AccountDeleting.Type },
        BackendAbility("login --facebook --fill-user, link-facebook --fill-user") { type, _ in
            type is any UserFilling.Type
        },
        BackendAbility("storage-state, users login --storage-states") { type, _ in
            type is any BrowserSessionStoring.Type
        },
        BackendAbility(
            """
            users list, users show, users export, users set, users create --admin-key-file, \
            users delete --admin-key-file, login --impersonate
            """
        ) { type, _ in type is any Administering.Type },
    ]

    private init(_ command: String, _ isIn: @escaping @Sendable (any Backend.Type, BackendDescriptor) -> Bool) {
        self.command = command
        self.isIn = isIn
    }

    /// The kinds of backend that can do it, in the order of the registry.
    package func backends(of registry: BackendRegistry) -> [String] { registry.kinds(where: isIn) }
}
