import AuthModel
import JSON

/// Parses custom user fields from options.
enum UserFields {
    /// - Parameters:
    ///   - text: `NAME=TEXT`.
    ///   - json: `NAME=JSON`.
    static func fields(text: [String], json: [String]) throws(AuthError) -> JSONObject {
        var fields = JSONObject()
        for word in text {
            let (name, value) = try parts(word, "--field")
            fields[name] = .string(value)
        }
        for word in json {
            let (name, value) = try parts(word, "--field-json")
            fields[name] = try parsed(value, name)
        }
        return fields
    }

    /// Fields that have their own options or prompts.
    private static let ownNames = ["username", "email", "password"]

    private static func parts(_ word: String, _ option: String) throws(AuthError) -> (name: String, value: String) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else {
            throw AuthError(.usage, "'\(parts.first ?? "")' is not NAME=VALUE (option '\(option)')")
        }
        guard !ownNames.contains(String(parts[0])) else {
            throw AuthError(.usage, "field '\(parts[0])' has its own option or argument (option '\(option)')")
        }
        return (String(parts[0]), String(parts[1]))
    }

    private static func parsed(_ text: String, _ name: String) throws(AuthError) -> JSONValue {
        do throws(JSONSyntaxError) {
            // Strict: with a duplicate name, one value would be lost silently.
            return try JSONValue(parsing: text.utf8)
        } catch {
            throw AuthError(
                .usage, "the value of '\(name)' is not JSON: \(error.description) (byte \(error.offset))",
                next: "for a string, use --field \(name)=TEXT")
        }
    }
}
