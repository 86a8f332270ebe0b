import AuthClient
import AuthModel
import CommandLineKit
import JSON

/// Creates an account and logs in with it.
enum SignupCommand: Command {
    struct Options: CommandOptions, TakesPassword {
        var username: String?
        var email: String?
        var phone: String?
        var readsPassword = false
        var passwordFile: String?
        var textFields: [String] = []
        var jsonFields: [String] = []
        var keepsSession = true
        var checks = true
    }

    static let name = "signup"
    static let spec = CommandSpec<Options>(
        name,
        summary: "Create an account and log in with it",
        discussion: """
            What is missing is asked for, the password twice and unseen. With the backends `local` and `parse`, before \
            anything is sent, the user name must have at least 3 characters, the password at least 8, and an e-mail must \
            look like one. Where accounts can be known by their e-mail alone, one of the two may be left out, as the \
            server wants it.
            """,
        examples: [
            Example("authctl signup ada --email ada@example.org", "Make an account; the password is asked for."),
            Example(
                "authctl signup ci --password-stdin --json < password.txt", "The same for scripts, in JSON."),
        ],
        exitCodes: [0, 2, 4, 5, 6, 7, 8, 9, 10, 12],
        arguments: [
            .optionalPositional(
                { $0.username = $1 }, "USERNAME",
                help: "The name of the new account; it can be left out where an e-mail will do."),
            .option({ $0.email = $1 }, "email", value: "ADDRESS", help: "The e-mail of the new account."),
            .option(
                { $0.phone = $1 }, "phone", value: "NUMBER",
                help: "The phone number of the new account, as in +819012345678; on Kii Cloud only."),
        ] + .passwordSources() + [
            .list(
                { $0.textFields.append($1) }, "field", value: "NAME=TEXT", help: "A further field of the user, as text."
            ),
            .list(
                { $0.jsonFields.append($1) }, "field-json", value: "NAME=JSON",
                help: "A further field of the user, as JSON."),
            .disablingFlag(
                { $0.keepsSession = $1 }, "no-login", help: "Only make the account; the session kept so far stays."),
            .disablingFlag({ $0.checks = $1 }, "skip-checks", help: "Leave it to the server what is a good account."),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> LogInOutput {
        try options.email?.requirePlain("e-mail")
        let client = try context.makeClient()
        let fields = try UserFields.fields(text: options.textFields, json: options.jsonFields)
        let prompt = CredentialsPrompt(context: context)
        let naming = try prompt.naming(
            options.username, email: options.email, phone: options.phone, of: client,
            asksPassword: !prompt.hasPassword(options))
        let account = NewAccount(
            username: naming.username, email: naming.email, phone: options.phone,
            password: try prompt.newPassword(options), fields: fields)
        let result = try SignUp(client).run(account, keepingSession: options.keepsSession, checking: options.checks)
        return LogInOutput(kind: .signup, result: result, settings: client.settings, hints: context.hints)
    }
}
