/// Whether a member of a user must not be seen: sites add what they like.
func isSecretMember(_ name: String) -> Bool {
    switch name {
    case "key", "token", "access", "refresh", "access_token", "refresh_token", "session_token", "ephemeral_token",
        "password":
        true
    default: name.hasPrefix("_")
    }
}
