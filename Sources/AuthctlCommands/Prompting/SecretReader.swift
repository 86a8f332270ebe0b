import AuthModel
import Platform

/// Reads secrets from where they were handed over: standard input, files, variables.
struct SecretReader {
    /// What is read, for messages: "password".
    let what: String
    let context: Context

    func standardInput() throws(AuthError) -> Secret {
        try input(Self.inputName).secret(from: try inputBytes(SecretInput.limit))
    }

    /// - Parameter path: `-` is standard input.
    func file(_ path: String) throws(AuthError) -> Secret {
        if path == "-" { return try standardInput() }
        return try input("file '\(path)'").secret(from: try fileBytes(path))
    }

    /// `nil` if the variable is not set; one that is set to nothing is an error.
    func variable(_ name: String) throws(AuthError) -> Secret? {
        guard let text = context.environment.givenValue(name) else { return nil }
        // What was no UTF-8 was repaired with this character.
        guard !text.unicodeScalars.contains("\u{FFFD}") else {
            throw AuthError(.usage, "the \(what) from \(name) is not UTF-8")
        }
        return try input(name).secret(from: Array(text.utf8))
    }

    /// Two secrets, one a line.
    func twoLines() throws(AuthError) -> (Secret, Secret) {
        let newline = UInt8(ascii: "\n")
        let lines = try inputBytes(2 * SecretInput.limit + 2)
            .split(separator: newline, maxSplits: 1, omittingEmptySubsequences: false)
        guard lines.count == 2 else {
            throw AuthError(
                .usage, "\(Self.inputName) holds one line instead of two",
                next: "give the current \(what), then the new one")
        }
        let input = input(Self.inputName)
        return (try input.secret(from: lines[0] + [newline]), try input.secret(from: Array(lines[1])))
    }

    /// A token of a session.
    ///
    /// - Parameter path: `-` is standard input.
    func token(in path: String) throws(AuthError) -> Secret {
        path == "-"
            ? try input(Self.inputName).token(from: try inputBytes(SecretInput.limit))
            : try input("file '\(path)'").token(from: try fileBytes(path))
    }

    private static let inputName = "standard input"

    private func input(_ source: String) -> SecretInput {
        SecretInput(what: what, source: source)
    }

    /// Two bytes more than the limit: a line end may follow.
    private func inputBytes(_ limit: Int) throws(AuthError) -> [UInt8] {
        do throws(Errno) {
            return try context.world.input.read(limit + 2)
        } catch {
            throw AuthError(.usage, "cannot read the \(what) from \(Self.inputName): \(error.description)")
        }
    }

    private func fileBytes(_ path: String) throws(AuthError) -> [UInt8] {
        do throws(FileError) {
            return try context.world.readFile(path, SecretInput.limit + 2)
        } catch {
            throw AuthError(.usage, "no \(what): \(error.message)")
        }
    }
}
