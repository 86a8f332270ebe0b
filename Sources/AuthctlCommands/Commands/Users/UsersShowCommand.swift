import AuthClient
import AuthModel
import CommandLineKit
import JSON

enum UsersShowCommand: Command {
    struct Options: TakesAdminKey {
        var account = ""
        var admin = AdminKeyOptions()
    }

    static let name = "users show"
    static let summary = "Show one account"
    static let spec = declaration(
        discussion: """
            Shows an account of a backend: \(HelpTopics.backends(of: "users list")). A server requires the \
            administrator's key. NAME is a username, an e-mail, a phone number, or the id as `id:ID`.
            """,
        examples: [
            Example("authctl users show ada", "Show a local account."),
            Example("authctl users show id:g7y9tkhB7O --json | jq .roles", "Print the roles of an account."),
        ],
        exitCodes: UserPages.exitCodes,
        arguments: [
            .positional({ $0.account = $1 }, "NAME", help: "Username, e-mail, phone number or id:ID.")
        ] + .adminKeySources(),
        rules: [.oneAdminKey])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let client = try context.client()
        let user = try ListUsers(client).user(named: options.account) { () throws(AuthError) in
            try context.adminKey(options.admin, of: client.settings, for: "a look at an account")
        }
        if !user.hiddenFields.isEmpty {
            context.warn("the output leaves out \(user.hiddenFields.quotedList(atMost: 20))")
        }
        return Output(user: user, backend: client.settings.backend.value, times: TimeStyle(context))
    }

    struct Output: CommandOutput {
        let user: User
        let backend: BackendDescriptor
        let times: TimeStyle

        func text(_ style: TextStyle) -> String {
            var lines: [(name: String, text: String)] = []
            if let id = user.id { lines.append(("id", id)) }
            if let time = user.createdAt { lines.append(("created", times.text(time))) }
            let name = style.strong((user.displayName ?? "an unnamed user").shownShort)
            return "\(name)\n" + UserLines.text(UserLines.lines(of: user, backend, beside: lines))
        }

        var json: JSONValue { UsersListCommand.json(user) }
    }
}

/// What text output shows of a user, a line for each value.
enum UserLines {
    /// All but usernames, ids and times. Fields that the server adds to every user are left out.
    ///
    /// - Parameter more: lines before those of the fields.
    static func lines(
        of user: User, _ backend: BackendDescriptor, beside more: [(name: String, text: String)]
    ) -> [(name: String, text: String)] {
        var lines: [(name: String, text: String)] = []
        if let email = user.email {
            let verified = user.emailVerified.map { $0 ? " (verified)" : " (not verified)" } ?? ""
            lines.append(("e-mail", email.shownShort + verified))
        }
        if let phone = user.phone { lines.append(("phone", phone.shownShort)) }
        if let identities = user.identities, !identities.isEmpty {
            let names = identities.map { $0.provider.shownShort + ($0.id.map { " (\($0.shownShort))" } ?? "") }
            lines.append(("linked", names.joined(separator: ", ")))
        }
        if user.disabled == true { lines.append(("disabled", "nobody can log in")) }
        if let claims = user.claims, !claims.isEmpty {
            lines.append(("claims", JSONValue.object(claims).text.shownShort))
        }
        if let roles = user.roles, !roles.isEmpty {
            lines.append(("roles", roles.map(\.shownShort).joined(separator: ", ")))
        }
        lines += more
        for field in user.fields.members where !backend.systemFields.contains(field.name) && !field.value.isEmpty {
            lines.append((field.name.shownShort, (field.value.string ?? field.value.text).shownShort))
        }
        return lines
    }

    static func text(_ lines: [(name: String, text: String)]) -> String {
        // Not `map(\.name.columns).max()`, because key paths are slow at run time.
        let width = lines.reduce(0) { max($0, $1.name.columns) }
        return lines.reduce(into: "") { text, line in
            text += line.name + ":" + String(repeating: " ", count: width - line.name.columns + 1) + line.text + "\n"
        }
    }
}

extension JSONValue {
    /// Whether the value is null, or has no characters, elements or members.
    fileprivate var isEmpty: Bool {
        switch self {
        case .null, .string(""), .array([]): true
        case .object(let object): object.isEmpty
        default: false
        }
    }
}
