/// The environment variables that select a connection, its keys and its session.
enum ConnectionVariables {
    /// The variables that `doctor` reports, because they override the profile in use.
    static let overriding = selecting + ["AUTHCTL_API_URL", "AUTHCTL_ALLOW_HTTP"]

    /// The variables that select a session.
    static let ofSession = ["AUTHCTL_PROFILE", "AUTHCTL_AS", "AUTHCTL_TOKEN", "AUTHCTL_TOKEN_FILE"]

    /// The variables that name a connection.
    static let ofConnection = [
        "AUTHCTL_BACKEND", "AUTHCTL_SERVER", "AUTHCTL_APP_ID", "AUTHCTL_CLIENT_KEY", "AUTHCTL_CLIENT_KEY_FILE",
    ]

    private static let selecting = ofSession + ofConnection + ["AUTHCTL_SETTINGS"]

    /// The changes to the environment of a command that gets a connection: the variables to set, or to unset where the
    /// value is `nil`. If the command runs authctl, that process must not use the caller's sessions, profiles and keys.
    static func changes(_ values: [String: String?], allowsHTTP: Bool) -> [String: String?] {
        var changes = values
        for name in selecting + ["AUTHCTL_ADMIN_KEY_FILE"] where !values.keys.contains(name) {
            changes.updateValue(nil, forKey: name)
        }
        if allowsHTTP { changes["AUTHCTL_ALLOW_HTTP"] = "1" }
        return changes
    }
}
