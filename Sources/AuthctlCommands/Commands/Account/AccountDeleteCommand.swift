import AuthClient
import AuthModel
import CommandLineKit
import Platform

/// Deletes the account of the session.
enum AccountDeleteCommand: Command {
    struct Options: CommandOptions {
        var isConfirmed = false
    }

    static let name = "account delete"
    static let spec = CommandSpec<Options>(
        name,
        summary: "Delete the account",
        discussion: """
            Deletes the account of the current session on the server, all its sessions, and those that are saved here. On \
            a terminal, the username must be typed first; elsewhere `--yes` is required. Supported with local \
            accounts, Parse and Kii Cloud.
            """,
        examples: [
            Example("authctl account delete", "Prompt for the username as a confirmation."),
            Example("authctl account delete --yes", "Delete a test account from a script."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 7, 8, 9, 10, 12],
        arguments: [.flag({ $0.isConfirmed = $1 }, "yes", help: "Delete without a prompt.")])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> AccountOutput {
        if !options.isConfirmed, let reason = context.prompts.refusal { throw unconfirmed(reason) }
        let client = try context.clients.make()
        let user = try DeleteAccount(client).run { user throws(AuthError) in
            if !options.isConfirmed { try confirm(user, in: context) }
        }
        return AccountOutput(
            kind: "account.delete", text: "deleted the account", settings: client.settings, user: user, changed: true)
    }

    private static func confirm(_ user: User, in context: Context) throws(AuthError) {
        let name = user.displayName ?? ""
        let typed: String
        do throws(TerminalError) {
            typed = try context.world.terminal.ask("Type '\(name.shownShort)' to delete the account: ")
        } catch {
            if error == .unavailable { throw unconfirmed("no terminal is available") }
            throw CredentialsPrompt(context: context).promptFailure("username", error)
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
