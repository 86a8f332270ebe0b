import AuthClient
import AuthModel

/// The output of `authctl` without a command: the status and the next commands, at most 12 lines.
struct Welcome {
    let context: Context

    var text: String { status + "\nAll commands: authctl help\n" }

    private var status: String {
        do throws(AuthError) {
            let client = try context.client()
            let settings = client.settings
            let place = settings.place
            guard let user = try CurrentUser(client).offline().active?.user else {
                let waiting = client.sessions.pending.stepToComplete()
                let next = waiting?.command ?? settings.signUpCommand
                return "Not logged in \(place)\(waiting.map { ": \($0.sentence)" } ?? "").\n\n"
                    + commands([
                        (next, waiting == nil ? "create an account" : "enter the link or code"),
                        (settings.logInCommand, "log in"),
                    ])
            }
            return "Logged in as \((user.displayName ?? "an unnamed user").shownShort) \(place).\n\n"
                + commands([(["whoami"], "check the session with the server"), (["logout"], "log out")])
        } catch {
            return ErrorReport(error, context.hints).text(.plain)
        }
    }

    private func commands(_ rows: [(words: [String], purpose: String)]) -> String {
        let rows = rows.map { (line: context.hints.commandLine($0.words), purpose: $0.purpose) }
        let width = rows.map(\.line.count).max() ?? 0
        return rows.map { "  \($0.line)\(String(repeating: " ", count: width - $0.line.count))    \($0.purpose)\n" }
            .joined()
    }
}
