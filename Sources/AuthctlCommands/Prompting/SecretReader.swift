import AuthClient
import AuthModel
import CommandLineKit
import Platform

/// Reads secrets from standard input, files and environment variables.
struct SecretReader {
    /// The kind of secret for messages, such as "password".
    let what: String
    let context: Context

    /// Reads a password, which is one line.
    ///
    /// - Parameter path: `-` is standard input.
    func file(_ path: String) throws(AuthError) -> Secret {
        try input(path).password(from: try bytes(path, SecretInput.limit, isPassword: true))
    }

    /// Reads a text of any number of lines.
    ///
    /// - Parameter path: `-` is standard input.
    func document(in path: String) throws(AuthError) -> Secret {
        try input(path).text(from: try bytes(path, SecretInput.limit, lines: what, isPassword: true))
    }

    /// Reads a password; `nil` if the variable is unset; an empty variable is an error.
    func variable(_ name: String) throws(AuthError) -> Secret? {
        guard let text = context.environment.givenValue(name) else { return nil }
        // Invalid UTF-8 in the environment was replaced by U+FFFD.
        guard !text.unicodeScalars.contains("\u{FFFD}") else {
            throw AuthError(.usage, "the \(what) from \(name) is not UTF-8")
        }
        return try SecretInput(what: what, source: name, masker: context.world.masker).password(from: Array(text.utf8))
    }

    /// Reads two passwords, one per line: first the current password, then the new password.
    func twoLines() throws(AuthError) -> (current: Secret, new: Secret) {
        if context.world.input.isTerminal {
            return (
                try SecretReader(what: "current \(what)", context: context).file("-"),
                try SecretReader(what: "new \(what)", context: context).file("-")
            )
        }
        let newline = UInt8(ascii: "\n")
        let lines = try bytes("-", 2 * SecretInput.limit + 2)
            .split(separator: newline, maxSplits: 2, omittingEmptySubsequences: false)
        guard lines.count < 3 || lines[2].isEmpty else {
            throw AuthError(.usage, "\(Self.inputName) has more than two lines", next: Self.order(what))
        }
        let newLine = lines.count > 1 ? lines[1] + (lines.count > 2 ? [newline] : []) : []
        guard !lines[0].isEmpty else { throw missing("current", "line 1 of \(Self.inputName) is empty") }
        guard !newLine.isEmpty else { throw missing("new", "\(Self.inputName) has one line instead of two") }
        return (
            try SecretInput(
                what: "current \(what)", source: "line 1 of \(Self.inputName)", masker: context.world.masker
            ).password(from: lines[0] + [newline]),
            try SecretInput(what: "new \(what)", source: "line 2 of \(Self.inputName)", masker: context.world.masker)
                .password(from: Array(newLine))
        )
    }

    private func missing(_ which: String, _ cause: String) -> AuthError {
        AuthError(.usage, "the \(which) \(what) is missing: \(cause)", next: Self.order(what))
    }

    private static func order(_ what: String) -> NextStep {
        NextStep("send the current \(what), then the new one, each on its own line")
    }

    /// - Parameter path: `-` is standard input.
    func token(in path: String, isPassword: Bool = false) throws(AuthError) -> Secret {
        try input(path).token(from: try bytes(path, String.longestToken, isPassword: isPassword))
    }

    /// Reads an e-mail's code or link. The link may be wrapped over several lines.
    ///
    /// - Parameter path: `-` is standard input.
    func key(in path: String) throws(AuthError) -> Secret {
        let bytes = try bytes(path, Self.longestKey, lines: "link or code from the e-mail")
        return try input(path).text(from: bytes, limit: Self.longestKey)
    }

    private static let longestKey = 8 << 10
    private static let inputName = "standard input"

    private func input(_ path: String) -> SecretInput {
        SecretInput(what: what, source: path == "-" ? Self.inputName : "file '\(path)'", masker: context.world.masker)
    }

    /// Reads at most two bytes more than the limit, for a final CRLF.
    ///
    /// - Parameter lines: what to paste into a terminal; `nil` if Enter ends the secret.
    private func bytes(
        _ path: String, _ limit: Int, lines: String? = nil, isPassword: Bool = false
    ) throws(AuthError) -> [UInt8] {
        guard path == "-" else { return try fileBytes(path, limit, isPassword: isPassword) }
        if context.world.input.isTerminal {
            guard let lines else { return try typed("Enter the \(what): ", .line) }
            return try typed("Paste the \(lines), then press Enter and Ctrl-D: ", .lines)
        }
        do throws(Errno) {
            return try context.world.input.read(limit + 2)
        } catch {
            throw AuthError(.usage, "cannot read the \(what) from \(Self.inputName): \(error.description)")
        }
    }

    /// Reads standard input from a terminal, without echo.
    private func typed(_ prompt: String, _ extent: HiddenExtent) throws(AuthError) -> [UInt8] {
        do throws(TerminalError) {
            return Array(try context.world.terminal.readHidden(prompt, extent).utf8)
        } catch {
            switch error {
            case .unavailable: throw AuthError(.usage, "cannot read the \(what) from \(Self.inputName)")
            case .lineTooLong: throw AuthError(.usage, "the \(what) from \(Self.inputName) is too long")
            case .endOfInput, .notUTF8: throw CredentialsPrompt(context: context).promptFailure(what, error)
            }
        }
    }

    /// Warns if other users can write to the file, or if they can read a file with a password.
    private func fileBytes(_ path: String, _ limit: Int, isPassword: Bool) throws(AuthError) -> [UInt8] {
        let file: UserFile
        do throws(FileError) {
            file = try context.world.readFile(path, limit + 2)
        } catch {
            throw AuthError(.usage, "cannot read the \(what): \(error.message)")
        }
        context.warnOfMode(file.modeOfOthers, of: "\(what) file", path, isPassword: isPassword)
        return file.bytes
    }
}

extension Context {
    /// Warns if other users can write to a file, or if they can read a file of passwords.
    func warnOfMode(_ modeOfOthers: UInt32, of what: String, _ path: String, isPassword: Bool) {
        let excess = modeOfOthers & (isPassword ? 0o066 : 0o022)
        guard excess != 0 else { return }
        events.warn(
            "\(what) '\(path)' is \(excess & 0o022 == 0 ? "readable" : "writable") by other users",
            next: world.mayChangeMode(path)
                ? NextStep("run: chmod go-\(isPassword ? "rw" : "w") \(path.shellQuoted)") : nil)
    }
}

/// Validates the bytes of a secret, and registers the secret for masking.
struct SecretInput {
    /// The default maximum length in bytes. Longer secrets are rejected, not truncated.
    static let limit = 64 << 10

    /// The kind of secret for messages, such as "password".
    let what: String
    /// The source for messages, such as "standard input".
    let source: String
    let masker: Masker

    func password(from bytes: [UInt8]) throws(AuthError) -> Secret {
        let password = try secret(from: bytes, limit: Self.limit)
        if let text = password.passwordFault { throw fault(text) }
        return password
    }

    /// Removes the byte-order mark that editors on Windows write.
    func text(from bytes: [UInt8], limit: Int = limit) throws(AuthError) -> Secret {
        try secret(from: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes, limit: limit)
    }

    /// Removes one final line ending (LF or CRLF) and nothing else.
    private func secret(from bytes: [UInt8], limit: Int) throws(AuthError) -> Secret {
        guard bytes.count <= limit + 2 else { throw fault("is longer than \(limit) bytes") }
        var content = bytes[...]
        if content.last == UInt8(ascii: "\n") {
            content.removeLast()
            if content.last == UInt8(ascii: "\r") { content.removeLast() }
        }
        guard !content.isEmpty else { throw fault("is empty") }
        guard content.count <= limit else { throw fault("is longer than \(limit) bytes") }
        guard !content.contains(0) else { throw fault("contains a NUL character") }
        guard let text = String(validating: content, as: UTF8.self) else { throw fault("is not UTF-8") }
        masker.register(text, isPassword: what.hasSuffix("password"))
        return Secret(text)
    }

    func token(from bytes: [UInt8]) throws(AuthError) -> Secret {
        let token = try text(from: bytes, limit: String.longestToken)
        guard !token.reveal().utf8.contains(UInt8(ascii: "\n")) else { throw fault("has more than one line") }
        if what.hasSuffix("session token"), let cookies = Cookies(token) {
            masker.register(Session(token: cookies.token))
            return cookies.token
        }
        guard token.reveal().isToken else {
            var error = fault("contains a space, a control character or a non-ASCII character")
            let parts = token.reveal().split(separator: " ")
            // The header of a request has a word before the token, such as `Token` or `Bearer`.
            if what.hasSuffix("token"), parts.count == 2, parts[0].utf8.allSatisfy(\.isASCIILetter),
                String(parts[1]).isToken
            {
                error.nextSteps = ["leave out the word before the \(what)"]
            }
            throw error
        }
        return token
    }

    private func fault(_ text: String) -> AuthError {
        AuthError(.usage, "the \(what) from \(source) \(text)")
    }
}

extension Context {
    /// The variable with a session token, or with the name of a file that has one; `nil` if neither variable is set, or
    /// if the option `--as` selects a saved session.
    var tokenVariable: String? {
        guard globals.sessionName == nil else { return nil }
        if environment.givenValue("AUTHCTL_TOKEN") != nil { return "AUTHCTL_TOKEN" }
        return environment["AUTHCTL_TOKEN_FILE"].map { _ in "AUTHCTL_TOKEN_FILE" }
    }

    func token(from variable: String) throws(AuthError) -> Secret {
        guard let path = environment["AUTHCTL_TOKEN_FILE"] else {
            let input = SecretInput(what: "session token", source: variable, masker: world.masker)
            return try input.token(from: Array((environment[variable] ?? "").utf8))
        }
        guard variable == "AUTHCTL_TOKEN_FILE" else {
            throw AuthError(.usage, "variables AUTHCTL_TOKEN and AUTHCTL_TOKEN_FILE are mutually exclusive")
        }
        do throws(AuthError) {
            return try SecretReader(what: "session token", context: self).token(in: path)
        } catch {
            var error = error
            error.message += Origin.environment(variable).clause
            throw error
        }
    }
}
