import AuthClient
import AuthModel
import JSON
import Platform

/// The output of `signup` and `login`.
struct LogInOutput: MailOutput {
    let isSignUp: Bool
    let result: LogInResult
    let settings: Settings
    let hints: HintRenderer
    var wasPrinted = false

    func text(_ style: TextStyle) -> String {
        let name = style.strong((result.user.displayName ?? "").shownShort)
        let place = settings.place
        if let pending = result.pending { return text(pending, name) }
        if result.session == nil { return "created account \(name) \(place)\n" }
        if isSignUp, result.createdAccount == true { return "created account \(name) and logged in \(place)\n" }
        let kind = result.createdAccount == true ? ", a new account" : ""
        // The server need not name the user of a token.
        return "logged in\(name.isEmpty ? "" : " as \(name)")\(kind) \(place)\n" + filledText(result.filled)
    }

    private func text(_ pending: Pending, _ name: String) -> String {
        // The user may continue in another shell, where AUTHCTL_PROFILE and AUTHCTL_AS are not set.
        let selection =
            (settings.profile.origin == .builtIn ? [] : ["-p", settings.profile.value])
            + (settings.sessionName.map { ["--as", $0.value] } ?? [])
        let code = hints.commandLine(["verify-email"] + selection + ["--key-stdin"])
        if pending.step == .phoneVerification, pending.token == nil {
            return "\(beginning(pending, name))\nPass the code from the message to: \(code)\n"
        }
        if pending.step != .emailVerification {
            let logIn = ["login"] + selection + .argument(result.user.displayName ?? "NAME")
            let finish =
                takesLinks
                ? "Pass the \(key) to: \(hints.commandLine(logIn + ["--key-stdin"]))"
                : "Enter the code: \(hints.commandLine(logIn + ["--otp", "CODE"]))"
            return "\(sentence(pending, name))\n\(finish)\n"
        }
        if lacksEmail {
            return """
                created account \(name), but it cannot log in: the server requires a verified e-mail, and the account has none
                Ask the administrator of the server to add an e-mail to the account.

                """
        }
        return """
            \(beginning(pending, name))
            Follow the link in the e-mail, then run: \(hints.commandLine(["login"] + selection))
            Or pass the link\(pending.token == nil ? "" : " or code") to: \(code)
            If no e-mail arrives, check the address and the spam folder.

            """
    }

    /// A server may not reveal whether a login has an account, and whether a signup has created one.
    private func sentence(_ pending: Pending, _ name: String) -> String {
        if result.createdAccount == true { return "created account \(name): the server has sent a \(key)" }
        let condition = isSignUp || pending.isCertain ? "" : "if there is such an account, "
        return "\(condition)a \(key) was sent to \(name)"
    }

    /// A text message has a code.
    private var takesLinks: Bool { settings.backend.value.codes.contains(.withAddress) && result.user.email != nil }
    private var key: String { takesLinks ? "link or code" : "code" }

    /// Whether the account is new and has no address to which the server could send a verification e-mail.
    var lacksEmail: Bool {
        result.createdAccount == true && result.user.email == nil && result.pending?.step != .phoneVerification
    }

    private func beginning(_ pending: Pending, _ name: String) -> String {
        if pending.step == .phoneVerification { return "a message with a code was sent to \(name)" }
        let address = (result.user.email ?? "the e-mail of the account").shownShort
        if !pending.isCertain { return "if this address is new, an e-mail was sent to \(address)" }
        let done =
            result.createdAccount == true
            ? "created account \(name)" : "\(name) cannot log in yet"
        return "\(done): an e-mail was sent to \(address)"
    }

    /// Without a session, only a login shows the state of the account, such as whether its e-mail is verified.
    var stateCommand: [String]? {
        result.session == nil && result.pending?.step != .logInCode
            ? ["login", "--", result.user.displayName ?? "NAME"] : ["whoami"]
    }

    var json: JSONValue {
        [
            "v": 1, "kind": isSignUp ? "signup" : "login",
            "profile": .string(settings.profile.value), "as": JSONValue(settings.sessionName?.value),
            "backend": .string(settings.connection.backend),
            "server": JSONValue(settings.connection.server),
            "created": result.createdAccount.map(JSONValue.bool) ?? .null,
            "user": result.user.json,
            "session": JSONValue(result.session, \.json),
            "pending": JSONValue(result.pending?.step.rawValue),
            "filled": JSONValue(result.filled) { JSONValue($0) },
            "warnings": [],
        ]
    }
}

extension Connection {
    /// The server, or a name for the local accounts, for messages.
    var placeName: String { server ?? "local accounts" }
}

/// The line about the user fields that were filled in from Facebook; empty if there are none.
func filledText(_ fields: [String]?) -> String {
    guard let fields, !fields.isEmpty else { return "" }
    return "filled in from Facebook: \(fields.map(\.shownShort).joined(separator: ", "))\n"
}
