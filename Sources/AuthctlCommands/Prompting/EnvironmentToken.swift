import AuthClient
import AuthModel
import Platform

extension Context {
    /// The session that the environment gives, by value or by the name of a file that holds it.
    func environmentToken() throws(AuthError) -> Setting<Secret>? {
        if let text = environment.givenValue("AUTHCTL_TOKEN") {
            let origin = "AUTHCTL_TOKEN"
            return Setting(try token(from: Array(text.utf8), source: origin), from: .environment(origin))
        }
        guard let path = environment["AUTHCTL_TOKEN_FILE"] else { return nil }
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try world.readFile(path, SecretInput.limit + 2)
        } catch {
            throw AuthError(.usage, "no session: \(error.message) (from AUTHCTL_TOKEN_FILE)")
        }
        return Setting(
            try token(from: bytes, source: "file '\(path)'"), from: .environment("AUTHCTL_TOKEN_FILE"))
    }

    /// A token goes into a header, so it may hold nothing that ends one.
    private func token(from bytes: [UInt8], source: String) throws(AuthError) -> Secret {
        let token = try SecretInput(what: "session", source: source).secret(from: bytes)
        let isPlain = token.reveal().utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isPlain else {
            throw AuthError(.usage, "the session from \(source) holds characters that no token has")
        }
        return token
    }
}
