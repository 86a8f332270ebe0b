import AuthModel

extension [String] {
    /// A value as an argument in the words of a command. Words that follow it are no options if it begins with `-`.
    static func argument(_ value: String) -> [String] { value.hasPrefix("-") ? ["--", value] : [value] }

    /// A value as that of an option.
    static func option(_ name: String, _ value: String) -> [String] {
        value.hasPrefix("-") ? ["\(name)=\(value)"] : [name, value]
    }
}

extension String {
    /// Whether a login is probably an e-mail address.
    var looksLikeEmail: Bool { utf8.contains(UInt8(ascii: "@")) }
}

extension NextStep {
    /// For a login that waits for a code from an e-mail.
    static let completePendingLogin = NextStep(
        "follow the link in the e-mail, or enter its code", run: ["verify-email", "--key", "CODE"])
}

extension AuthError {
    /// Whether the server accepted the request, but its response cannot be read.
    var isUnreadableSuccess: Bool {
        reason == .brokenAnswer && (server.map { (200..<300).contains($0.status) } ?? false)
    }
}
