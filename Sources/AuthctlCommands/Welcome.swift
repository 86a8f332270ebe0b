import AuthClient
import AuthModel

/// What somebody reads who typed nothing but the program's name.
struct Welcome {
    private let context: Context

    init(_ context: Context) {
        self.context = context
    }

    /// Who is logged in, or how to begin; lines with their ends.
    var text: String {
        do throws(AuthError) {
            let client = try context.makeClient()
            guard let user = try client.storedState().active?.user else { return begin(client.givenOptions) }
            let name = (user.displayName ?? "somebody").shownShort
            return "You are logged in as \(name) here. To ask the server: authctl whoami\n"
        } catch {
            return ErrorReport(error).text(.plain)
        }
    }

    /// - Parameter options: what was given beside, to be given again.
    private func begin(_ options: String) -> String {
        """
        Nobody is logged in. To begin:
          authctl\(options) signup USERNAME    make an account and log in
          authctl\(options) login USERNAME     log in to an account you have

        """
    }
}
