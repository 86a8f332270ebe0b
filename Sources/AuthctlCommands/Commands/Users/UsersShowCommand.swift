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
