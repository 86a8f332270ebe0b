import Platform
import Transport

/// The link of a verification e-mail: `<server>/apps/<application>/verify_email?token=…&username=…`. Source: Parse
/// Server, `UserController.sendVerificationEmail`.
struct VerificationLink {
    let applicationID: String
    let token: String
    /// Servers before version 7 need it.
    let username: String?

    /// `nil` for any other text, such as a token.
    init?(_ text: String) {
        guard let url = URLParts(text) else { return nil }
        let path = url.path.split(separator: "/").suffix(3).map { String($0).percentDecoded }
        guard path.count == 3, path[0] == "apps", path[2] == "verify_email" else { return nil }
        let pairs = (url.query ?? "").split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (name: parts[0], value: parts.count < 2 ? "" : Self.value(parts[1]))
        }
        guard let token = pairs.first(where: { $0.name == "token" })?.value, !token.isEmpty else { return nil }
        applicationID = path[1]
        self.token = token
        username = pairs.first { $0.name == "username" }?.value
    }

    private static func value(_ text: Substring) -> String {
        String(decoding: text.percentDecoded(plusIsSpace: true), as: UTF8.self)
    }
}
