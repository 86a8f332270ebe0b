import AuthClient
import AuthModel

extension Context {
    /// The session that the environment gives, by value or by the name of a file that holds it.
    func environmentToken() throws(AuthError) -> Setting<Secret>? {
        let (value, file) = ("AUTHCTL_TOKEN", "AUTHCTL_TOKEN_FILE")
        if let text = environment.givenValue(value) {
            let input = SecretInput(what: "session", source: value)
            return Setting(try input.token(from: Array(text.utf8)), from: .environment(value))
        }
        guard let path = environment[file] else { return nil }
        let origin = Origin.environment(file)
        do throws(AuthError) {
            let reader = SecretReader(what: "session", context: self)
            return try reader.token(standardInput: false, file: path).map { Setting($0, from: origin) }
        } catch {
            var error = error
            error.message += origin.clause
            throw error
        }
    }
}
