import AuthClient
import AuthModel
import CommandLineKit

enum ProfileRemoveCommand: Command {
    struct Options: CommandOptions {
        var profile = ""
        var force = false
    }

    static let name = "profile remove"
    static let usesProfile = false
    static let spec = CommandSpec<Options>(
        name,
        summary: "Remove a profile",
        examples: [Example("authctl profile remove ci", "Remove a profile; log out of it first.")],
        exitCodes: [0, 2, 12],
        arguments: [
            .positional({ $0.profile = $1 }, "NAME", help: "Profile name.").completed(by: .profiles),
            .flag(
                { $0.force = $1 }, "force",
                help: "Also delete a saved session, without revoking it on the server."),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> ProfileOutput {
        let name = options.profile
        let book = try ProfileBook(context)
        guard book.configuration[name] != nil else { throw unremovable(name) }
        let item = book.item(name)
        var hadSession = false
        var change: (from: String?, to: String?)
        try book.forgetSessions(
            name,
            after: { hasSession throws(AuthError) in
                guard !hasSession || options.force else { throw loggedIn(item) }
                hadSession = hasSession
            },
            { () throws(AuthError) in
                if hadSession {
                    context.events.warn(
                        "deleted the session of profile '\(name)'; it may still be valid on the server")
                }
                _ = try context.changeProfile(name, "") { configuration throws(AuthError) in
                    change.from = configuration.current
                    configuration.remove(name)
                    change.to = configuration.current
                }
            })
        if change.from == name {
            context.events.note("the current profile is now '\(change.to ?? Profile.defaultName)'")
        }
        return ProfileOutput(item: item, message: "removed profile '\(name)'")
    }

    private static func loggedIn(_ item: ProfileItem) -> AuthError {
        let others = item.otherSessions.map {
            NextStep("log out of \($0.connection.name)", run: ["logout", "-p", item.name] + $0.connection.options)
        }
        let own = [NextStep("log out of it", run: ["logout", "-p", item.name])]
        return AuthError(
            .usage, "profile '\(item.name)' has a saved session",
            nextSteps: (item.username != nil || others.isEmpty ? own : []) + others
                + ["to delete the session here only, add --force"])
    }

    private static func unremovable(_ name: String) -> AuthError {
        guard name == Profile.defaultName else { return .unknownProfile(Setting(name, from: .builtIn)) }
        return AuthError(.usage, "profile '\(name)' is built in and cannot be removed")
    }
}
