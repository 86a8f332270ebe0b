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
        let hasSession = try book.hasSession(name)
        guard !hasSession || options.force else {
            let others = item.otherSessions.map {
                NextStep("log out of \($0.connection.name)", run: ["logout", "-p", name] + $0.connection.options)
            }
            throw AuthError(
                .usage, "profile '\(name)' has a saved session",
                nextSteps: (item.username != nil || others.isEmpty
                    ? [NextStep("log out of it", run: ["logout", "-p", name])] : [])
                    + others + ["to delete the session here only, add --force"])
        }
        // Session first: a profile without a session is better than a token on disk without a profile.
        try book.forgetSessions(name)
        if hasSession {
            context.events.warn("deleted the session of profile '\(name)'; it may still be valid on the server")
        }
        var change: (from: String?, to: String?)
        _ = try context.changeProfile(name, "") { configuration throws(AuthError) in
            change.from = configuration.current
            configuration.remove(name)
            change.to = configuration.current
        }
        if change.from == name {
            context.events.note("the current profile is now '\(change.to ?? Profile.defaultName)'")
        }
        return ProfileOutput(item: item, message: "removed profile '\(name)'")
    }

    private static func unremovable(_ name: String) -> AuthError {
        guard name == Profile.defaultName else { return .unknownProfile(Setting(name, from: .builtIn)) }
        return AuthError(.usage, "profile '\(name)' is built in and cannot be removed")
    }
}
