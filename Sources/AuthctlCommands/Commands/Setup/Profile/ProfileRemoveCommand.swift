import AuthClient
import AuthModel
import CommandLineKit

enum ProfileRemoveCommand: Command {
    struct Options: CommandOptions {
        var profile = ""
        var force = false
    }

    static let name = "profile remove"
    static let summary = "Remove a profile"
    static let usesProfile = false
    static let spec = declaration(
        examples: [Example("authctl profile remove ci", "Remove a profile that has no saved session.")],
        exitCodes: [0, 2, 12],
        arguments: [
            .positional({ $0.profile = $1 }, "NAME", help: "Profile name.").completed(by: .profiles),
            .flag(
                { $0.force = $1 }, "force",
                help: "Also delete the profile's saved sessions, without revoking them on the server."),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> ProfileOutput {
        let name = options.profile
        let book = try ProfileBook(context)
        try book.requireProfile(name)
        guard book.configuration[name] != nil else {
            throw AuthError(.usage, "profile '\(name)' is built in and cannot be removed")
        }
        let item = book.item(name)
        var hadSession = false
        var change: (from: String?, to: String?)
        try book.forgetSessions(
            name,
            after: { hasSession throws(AuthError) in
                guard !hasSession || options.force else { throw loggedIn(item, context) }
                hadSession = hasSession
            },
            { () throws(AuthError) in
                if hadSession {
                    let subject =
                        item.sessions.count > 1
                        ? "sessions of profile '\(name)'; they" : "session of profile '\(name)'; it"
                    context.events.warn("deleted the \(subject) may still be valid on the server")
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
        return ProfileOutput(
            item: item, message: "removed profile '\(name)'", current: change.to ?? Profile.defaultName)
    }

    private static func loggedIn(_ item: ProfileItem, _ context: Context) -> AuthError {
        let sessions = item.ownSessions + item.otherSessions
        let inForce = context.globals.sessionName ?? context.usualSessionName
        var steps = sessions.prefix(shownSessions).map { stored in
            let isOwn = stored.connection == item.connection
            return NextStep(
                "log out of \(isOwn ? stored.name.map { "session '\($0)'" } ?? "it" : stored.connection.name)",
                run: ["logout", "-p", item.name] + stored.key.nameOption(insteadOf: inForce)
                    + (isOwn ? [] : stored.connection.options))
        }
        // `steps` is empty if the saved session cannot be read.
        if steps.isEmpty { steps = [NextStep("log out of it", run: ["logout", "-p", item.name])] }
        if sessions.count > shownSessions {
            steps.append(NextStep("list its other sessions", run: ["profile", "show", item.name]))
        }
        let hasMany = sessions.count > 1
        return AuthError(
            .usage, "profile '\(item.name)' has \(hasMany ? "\(sessions.count) saved sessions" : "a saved session")",
            nextSteps: steps + ["to delete \(hasMany ? "them" : "the session") here only, add --force"])
    }

    private static let shownSessions = 5
}
