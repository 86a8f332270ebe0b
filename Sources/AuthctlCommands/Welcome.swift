import AuthClient
import AuthModel

/// The first lines for a call without arguments.
struct Welcome {
    private let context: Context

    init(_ context: Context) {
        self.context = context
    }

    /// The login state, or the first commands to run, as complete lines.
    var text: String {
        do throws(AuthError) {
            let client = try context.makeClient()
            guard let user = try CurrentUser(client).offline().active?.user else { return begin }
            let name = (user.displayName ?? "somebody").shownShort
            return "You are logged in as \(name) here. To ask the server: authctl whoami\n"
        } catch {
            return ErrorReport(error, context.hints).text(.plain)
        }
    }

    private var begin: String {
        let commands = [
            (["signup", "USERNAME"], "make an account and log in"),
            (["login", "USERNAME"], "log in to an account you have"),
        ].map { (line: context.hints.commandLine($0), purpose: $1) }
        let width = commands.map(\.line.count).max() ?? 0
        return "Nobody is logged in. To begin:\n"
            + commands.map { line, purpose in
                "  \(line)\(String(repeating: " ", count: width - line.count))    \(purpose)\n"
            }.joined()
    }
}
