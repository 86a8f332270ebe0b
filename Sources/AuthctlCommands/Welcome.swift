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
            let state = try context.makeClient().storedState()
            guard let user = state.active?.user else { return begin }
            let name = (user.displayName ?? "somebody").shown
            return "You are logged in as \(name) here. To ask the server: authctl whoami\n"
        } catch {
            return ErrorReport(error).text(.plain)
        }
    }

    private var begin: String {
        """
        Nobody is logged in. To begin:
          authctl signup USERNAME    make an account and log in
          authctl login USERNAME     log in to an account you have

        """
    }
}
