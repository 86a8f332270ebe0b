import AuthClient
import AuthModel
import CommandLineKit
import Platform

enum AccountDeleteCommand: Command {
    struct Options: CommandOptions, TakesPassword {
        var passwordFile: String?
        var isConfirmed = false
    }

    static let name = "account delete"
    static let summary = "Delete the account"
    static let spec = declaration(
        discussion: """
            Deletes the current account, all its sessions on the server, and its saved sessions. On a terminal, you \
            must type the username first; without a terminal, `--yes` is required. \
            Backends: \(HelpTopics.backends(of: "account delete")). With the administrator's key, `users delete` \
            deletes accounts of \(HelpTopics.backends(of: "users list")). The password is used only if the server asks for it.
            """,
        examples: [
            Example("authctl account delete", "Delete the account after a prompt for its username."),
            Example("authctl account delete --yes", "Delete a test account from a script."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 7, 8, 9, 10, 12],
        variables: [HelpTopics.password],
        arguments: [.flag({ $0.isConfirmed = $1 }, "yes", help: "Delete without a prompt.")] + .passwordSources(),
        rules: [.onePassword])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> AccountOutput {
        let client = try context.client(reauthenticatingBy: options)
        let deletion = try DeleteAccount(client)
        if !options.isConfirmed, let reason = context.prompts.refusal { throw unconfirmed(reason) }
        let user = try deletion.run { user throws(AuthError) in
            if !options.isConfirmed { try confirm(user, in: context) }
        }
        return AccountOutput(
            kind: "account.delete", text: "deleted the account", settings: client.settings, user: user, changed: true)
    }

    private static func confirm(_ user: User, in context: Context) throws(AuthError) {
        let name = user.displayName ?? ""
        let prompt = "Type '\(name.shownShort)' to delete the account: "
        guard let typed = try CredentialsPrompt(context: context).ask(prompt, for: "username") else {
            throw unconfirmed("no terminal is available")
        }
        guard typed == name, !name.isEmpty else {
            throw AuthError(.cancelled, "cannot delete the account '\(name)': another name was typed")
        }
    }

    private static func unconfirmed(_ reason: String) -> AuthError {
        AuthError(
            .usage, "cannot delete the account: confirmation required, but \(reason)", next: "to confirm, add --yes")
    }
}
