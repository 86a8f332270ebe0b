import AuthModel
import CommandLineKit
import Platform

/// Options of a command that needs a password.
protocol TakesPassword {
    var readsPassword: Bool { get set }
    var passwordFile: String? { get set }
}

extension Array {
    /// The ways to hand over a password.
    static func passwordSources<Options: TakesPassword>() -> [Argument<Options>] where Element == Argument<Options> {
        [
            .flag(\.readsPassword, "password-stdin", help: "Read the password from standard input."),
            .option(
                \.passwordFile, "password-file", value: "FILE",
                help: "Read the password from this file; `-` is standard input.", environment: ["AUTHCTL_PASSWORD"]),
        ]
    }
}

/// Gets user names and passwords: as they were handed over, else by asking at the terminal.
struct CredentialsPrompt {
    let context: Context

    func username(_ given: String?) throws(AuthError) -> String {
        let name = if let given { given } else { try asked() }
        guard !name.isEmpty else { throw AuthError(.usage, "the user name is empty") }
        let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard isPlain else { throw AuthError(.usage, "user name '\(name)' holds a control character") }
        return name
    }

    /// The password of an account that exists.
    func password(_ options: some TakesPassword) throws(AuthError) -> Secret {
        if let password = try handedOver(options) { return password }
        return try hidden("Password: ")
    }

    /// The password of a new account: at the terminal it is asked for twice.
    func newPassword(_ options: some TakesPassword) throws(AuthError) -> Secret {
        if let password = try handedOver(options) { return password }
        for _ in 0..<3 {
            let password = try hidden("Password: ")
            if try hidden("The same again: ") == password { return password }
            context.events.warn("the two passwords are not the same; try again")
        }
        throw AuthError(
            .invalidFields, "the password was not confirmed",
            fields: [FieldFault("passwordConfirmation", "is not the password")])
    }

    private func handedOver(_ options: some TakesPassword) throws(AuthError) -> Secret? {
        switch (options.readsPassword, options.passwordFile) {
        case (true, .some):
            throw AuthError(
                .usage, "--password-stdin and --password-file both say where the password is", hint: "give one of them")
        case (true, nil), (false, "-"):
            return try fromStandardInput()
        case (false, let path?):
            return try fromFile(path)
        case (false, nil):
            guard let text = context.environment.givenValue("AUTHCTL_PASSWORD") else { return nil }
            return try SecretInput(what: "password", source: "AUTHCTL_PASSWORD").secret(from: text)
        }
    }

    private func fromStandardInput() throws(AuthError) -> Secret {
        let source = "standard input"
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try context.world.input.read(SecretInput.limit + 2)
        } catch {
            throw AuthError(.usage, "cannot read the password from \(source): \(error.description)")
        }
        return try SecretInput(what: "password", source: source).secret(from: bytes)
    }

    private func fromFile(_ path: String) throws(AuthError) -> Secret {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try context.world.readFile(path, SecretInput.limit + 2)
        } catch {
            throw AuthError(.usage, "no password: \(error.message)")
        }
        return try SecretInput(what: "password", source: "file '\(path)'").secret(from: bytes)
    }

    private func hidden(_ prompt: String) throws(AuthError) -> Secret {
        guard context.canAsk else {
            throw missing("password", hint: "give it with --password-stdin, --password-file or AUTHCTL_PASSWORD")
        }
        let text: String
        do throws(TerminalError) {
            text = try context.world.terminal.askHidden(prompt)
        } catch {
            throw unanswered("password", error)
        }
        return try SecretInput(what: "password", source: "the terminal").secret(from: text)
    }

    private func asked() throws(AuthError) -> String {
        guard context.canAsk else { throw missing("user name", hint: "give it as the argument USERNAME") }
        do throws(TerminalError) {
            return try context.world.terminal.ask("User name: ")
        } catch {
            throw unanswered("user name", error)
        }
    }

    private func missing(_ what: String, hint: String) -> AuthError {
        AuthError(.usage, "a \(what) is missing, and there is nobody to ask", hint: hint)
    }

    private func unanswered(_ what: String, _ error: TerminalError) -> AuthError {
        switch error {
        case .unavailable: missing(what, hint: "there is no terminal to ask at")
        case .endOfInput: AuthError(.usage, "the input ended before a \(what) was entered")
        case .lineTooLong:
            AuthError(.usage, "the \(what) is longer than a terminal takes", hint: "use --password-stdin")
        case .notUTF8: AuthError(.usage, "the \(what) from the terminal is not UTF-8")
        }
    }
}
