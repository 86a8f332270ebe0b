import AuthClient
import AuthModel
import CommandLineKit
import JSON

enum PasswordChangeCommand: Command {
    struct Options: CommandOptions, TakesPassword {
        var passwordFile: String?
        /// Whether standard input has the current and the new password.
        var readsBoth = false
        var newPasswordFile: String?
        var code: String?
    }

    static let name = "password change"
    static let summary = "Change the password of the account"
    static let spec = declaration(
        discussion: """
            Prompts for the current password and, twice, for the new one, unless an option or a variable supplies \
            them. Without `--new-password-file`, `--password-stdin` reads two lines: the current password, then the \
            new one. The server may revoke all sessions of the account; authctl then saves a new session. Supabase can require \
            a code: the command then exits with code 5, and the server sends it. An account of Supabase or \
            Firebase without a password gets one with `--new-password-file` alone.
            """,
        examples: [
            Example("authctl password change", "Prompt for the current and the new password."),
            Example("authctl password change --password-stdin < both.txt", "Read two lines: current and new password."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 7, 8, 9, 10, 12],
        variables: [HelpTopics.password, HelpTopics.newPassword],
        arguments: [
            .flag(
                { ($0.passwordFile, $0.readsBoth) = ("-", $1) }, "password-stdin",
                help: "Read the password from standard input."),
            .passwordFile,
            .option(
                { $0.newPasswordFile = $1 }, "new-password-file", value: "FILE",
                help: "Read the new password from FILE."),
            .option({ $0.code = $1 }, "otp", value: "CODE", help: "Code that the server has sent for the change."),
        ],
        rules: [.onePassword])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let client = try context.client()
        _ = try client.sessions.current()
        let change = ChangePassword(client)
        let prompt = CredentialsPrompt(context: context)
        let code = try options.code.map { code throws(AuthError) in try prompt.code(code) }
        let passwords = try prompt.passwordChange(
            options, readsBoth: options.readsBoth, newFile: options.newPasswordFile, for: change)
        func run(from current: Secret?) throws(AuthError) -> Output {
            let session = try change.run(from: current, to: passwords.new, code: code)
            return Output(settings: client.settings, session: session)
        }
        do throws(AuthError) {
            return try run(from: passwords.current)
        } catch {
            guard passwords.current == nil, error.fact == .wantsPassword, context.prompts.areAllowed else {
                throw error
            }
            return try run(from: try prompt.password(options))
        }
    }

    struct Output: CommandOutput {
        let settings: Settings
        /// `nil` if the server has revoked it, and a login requires a second factor.
        let session: Session?

        func text(_ style: TextStyle) -> String { "changed the password \(settings.place)\n" }

        var stateCommand: [String]? { ["whoami"] }

        var json: JSONValue {
            [
                "v": 1, "kind": "password.change", "profile": .string(settings.profile.value),
                "session": JSONValue(session, \.json),
            ]
        }
    }
}
