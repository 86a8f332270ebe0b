import AuthClient
import AuthModel
import CommandLineKit
import JSON

enum AccountUpdateCommand: Command {
    struct Options: CommandOptions, TakesPassword {
        var passwordFile: String?
        var email: String?
        var username: String?
        var textFields: [String] = []
        var jsonFields: [String] = []
        var unset: [String] = []
    }

    static let name = "account update"
    static let summary = "Change the e-mail, username or fields of the account"
    static let spec = declaration(
        discussion: """
            Changes only the values set by options. With rest-auth and dj-rest-auth, you can change the username and \
            the site's own fields, but not the e-mail; with allauth, only the e-mail. Some servers change the e-mail \
            only after verifying the new address. The password is used only if the server asks for it, as Firebase does \
            for the first e-mail of an account.
            """,
        examples: [
            Example("authctl account update --email ada@example.com", "Change the e-mail."),
            Example("authctl account update --field-json level=3 --unset nickname", "Set one field, remove another."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12],
        variables: [HelpTopics.password],
        arguments: [
            .option({ $0.email = $1 }, "email", value: "ADDRESS", help: "New e-mail address."),
            .option({ $0.username = $1 }, "username", value: "NAME", help: "New username."),
            .list(
                { $0.textFields.append($1) }, "field", value: "NAME=TEXT",
                help: "Set a custom field of the user to a string."),
            .list(
                { $0.jsonFields.append($1) }, "field-json", value: "NAME=JSON",
                help: "Set a custom field of the user to a JSON value."),
            .list(
                { $0.unset.append($1) }, "unset", value: "NAME",
                help: "Remove a field of the user, such as `email`."),
        ] + .passwordSources(),
        rules: [.onePassword])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> AccountOutput {
        let change = try change(options)
        let client = try context.client(reauthenticatingBy: options)
        let result = try UpdateAccount(client).run(change)
        let text =
            switch (result.changed, result.pending) {
            case (false, _): "nothing to change for the account"
            case (true, nil): "updated the account"
            case (true, _?): "sent the change of the account"
            }
        return AccountOutput(
            kind: "account.update", text: text, settings: client.settings, user: result.user, changed: result.changed,
            pending: .some(result.pending))
    }

    private static func change(_ options: Options) throws(AuthError) -> UserChange {
        for (value, what) in [(options.email, "e-mail"), (options.username, "username")] {
            guard let value else { continue }
            guard !value.isEmpty else { throw AuthError(.usage, "the \(what) is empty") }
            try value.requirePlain(what)
        }
        let fields = try FieldOptions.userFields(text: options.textFields, json: options.jsonFields)
        let change = UserChange(
            username: options.username, email: options.email, fields: fields, unset: options.unset)
        if let name = options.unset.first(where: { ["", "username", "password"].contains($0) }) {
            throw AuthError(.usage, "'\(name)' cannot be removed (option '--unset')")
        }
        try FieldOptions.requireDistinct(options.unset)
        if let name = options.unset.first(where: { fields[$0] != nil || $0 == "email" && options.email != nil }) {
            throw AuthError(.usage, "'\(name)' cannot be set and removed at once")
        }
        guard change != UserChange() else {
            throw AuthError(
                .usage, "no changes specified", next: "add --email, --username, --field, --field-json or --unset")
        }
        return change
    }
}

/// The output of `account update` and `account delete`.
struct AccountOutput: CommandOutput {
    let kind: String
    /// The action, such as "updated the account".
    let text: String
    let settings: Settings
    let user: User
    let changed: Bool
    /// The step that an update waits for; the outer `nil` for a deletion.
    var pending: Pending.Step??

    func text(_ style: TextStyle) -> String {
        "\(text) \(style.strong((user.displayName ?? "").shownShort)) \(settings.place)\n"
    }

    var stateCommand: [String]? { ["whoami"] }

    var json: JSONValue {
        var document: JSONObject = [
            "v": 1, "kind": .string(kind), "profile": .string(settings.profile.value), "changed": .bool(changed),
        ]
        if let pending { document["pending"] = JSONValue(pending?.rawValue) }
        document["user"] = user.json
        return .object(document)
    }
}
