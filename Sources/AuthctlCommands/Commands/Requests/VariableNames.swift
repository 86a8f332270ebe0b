import AuthModel
import Platform

/// Parses `--set NAME=FIELD`, which sets additional environment variables for a command.
enum VariableNames {
    /// The variables that the options set, with their values; `nil` for a field without a value.
    ///
    /// - Throws: `AuthError` `usage` if an option is not `NAME=FIELD`, or if its field is not one of `fields`.
    static func values(
        of options: [String], among fields: [String], _ values: [String: String?]
    ) throws(AuthError) -> [String: String?] {
        var variables: [String: String?] = [:]
        for text in options {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, isVariableName(parts[0]) else {
                throw AuthError(.usage, "'\(text)' is not NAME=FIELD (option '--set')")
            }
            guard let value = values[String(parts[1])] else {
                let list = fields.joined(separator: ", ")
                throw AuthError(.usage, "'\(parts[1])' is not one of \(list) (option '--set')")
            }
            variables.updateValue(value, forKey: String(parts[0]))
        }
        return variables
    }

    private static func isVariableName(_ text: Substring) -> Bool {
        let isNumber = text.utf8.first?.isASCIIDigit ?? true
        return !isNumber && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") }
    }
}

extension AuthError {
    /// The error for a command that the system cannot run.
    static func cannotRun(_ command: String, _ failure: Errno) -> AuthError {
        AuthError(
            .usage, "cannot run '\(command)': \(failure.description)",
            next: failure == .noSuchFile
                ? "check that it is installed and spelled right" : "check that it is executable")
    }
}

extension Errno {
    /// The exit code of POSIX shells for a command that cannot be run.
    var exitCodeOfShells: Int32 { self == .noSuchFile ? 127 : 126 }
}
