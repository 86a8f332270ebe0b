import AuthClient
import AuthModel

extension Context {
    /// The session that the environment gives, by value or by the name of a file that holds it.
    var environmentToken: EnvironmentToken? {
        let (value, file) = ("AUTHCTL_TOKEN", "AUTHCTL_TOKEN_FILE")
        if let text = environment.givenValue(value) {
            let input = SecretInput(what: "session", source: value)
            return EnvironmentToken(variable: value) { () throws(AuthError) in
                try input.token(from: Array(text.utf8))
            }
        }
        guard let path = environment[file] else { return nil }
        let reader = SecretReader(what: "session", context: self)
        return EnvironmentToken(variable: file) { () throws(AuthError) in
            do throws(AuthError) {
                return try reader.token(in: path)
            } catch {
                var error = error
                error.message += Origin.environment(file).clause
                throw error
            }
        }
    }
}
