import AuthClient
import AuthModel
import JSON

/// Parses `--field NAME=TEXT`, `--field-json NAME=JSON` and the like.
enum FieldOptions {
    /// The fields of a new account.
    ///
    /// - Throws: `AuthError` `usage` as `userFields`, `invalidFields` for a field that a signup cannot set.
    static func newUserFields(
        text: [String], json: [String], _ backend: BackendDescriptor
    ) throws(AuthError) -> JSONObject {
        let fields = try userFields(text: text, json: json)
        let faults = fields.names.compactMap { fault(ofField: $0, backend) }
        guard let fault = faults.first else { return fields }
        throw AuthError(.invalidFields, "field '\(fault.field)' \(fault.message)", fields: faults)
    }

    private static func fault(ofField name: String, _ backend: BackendDescriptor) -> FieldFault? {
        let isParse = backend.has(.hasParseUsers)
        if backend.accounts.ownMembers.contains(name) || isParse && AccountColumns.isServerField(name) {
            return FieldFault(name, "is the server's own, and no field of the user")
        }
        guard !AccountColumns.namesPassword(name) else { return FieldFault(name, "looks like a password") }
        return isParse ? AccountColumns.nameFault(name) : nil
    }

    /// - Throws: `AuthError` `invalidFields` for a name that no field of a user can have.
    static func requireRemovable(_ names: [String], _ backend: BackendDescriptor) throws(AuthError) {
        let known = backend.accounts.fields
        for name in names {
            let unknown = known?.contains(name) == false ? FieldFault(name, "is unknown") : nil
            guard let fault = unknown ?? fault(ofField: name, backend) else { continue }
            throw AuthError(.invalidFields, "field '\(fault.field)' \(fault.message)", fields: [fault])
        }
    }

    /// The fields of an account.
    ///
    /// - Throws: `AuthError` `usage` for an invalid field, or for a field that has its own option or argument.
    static func userFields(text: [String], json: [String]) throws(AuthError) -> JSONObject {
        let fields = try fields(text: text, json: json)
        try requireDistinct(fields.names)
        guard let name = fields.names.first(where: ["username", "email", "password"].contains) else { return fields }
        throw AuthError(.usage, "field '\(name)' has its own option or argument")
    }

    /// The claims of `--claim NAME=TEXT` and `--claim-json NAME=JSON`.
    static func claims(text: [String], json: [String]) throws(AuthError) -> JSONObject {
        let claims = try fields(text: text, json: json, as: "--claim")
        try requireDistinct(claims.names, "claim")
        return claims
    }

    /// - Throws: `AuthError` `usage` if a name occurs twice: only one of its values would be used.
    static func requireDistinct(_ names: [String], _ noun: String = "field") throws(AuthError) {
        var known: Set<String> = []
        guard let name = names.first(where: { !known.insert($0).inserted }) else { return }
        throw AuthError(.usage, "\(noun) '\(name)' is specified twice")
    }

    /// Reads the options in order. A name can occur twice.
    ///
    /// - Parameters:
    ///   - text: the values of `--field`, each `NAME=TEXT`.
    ///   - json: the values of `--field-json`, each `NAME=JSON`.
    ///   - option: the option for texts.
    static func fields(
        text: [String], json: [String], as option: String = "--field"
    ) throws(AuthError) -> JSONObject {
        var fields = JSONObject()
        for word in text {
            let (name, value) = try parts(word, option)
            fields.members.append(.init(name: name, value: .string(value)))
        }
        for word in json {
            let (name, value) = try parts(word, "\(option)-json")
            fields.members.append(.init(name: name, value: try parsed(value, name, option)))
        }
        return fields
    }

    private static func parts(_ word: String, _ option: String) throws(AuthError) -> (name: String, value: String) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else {
            throw AuthError(.usage, "'\(parts.first ?? "")' is not NAME=VALUE (option '\(option)')")
        }
        return (String(parts[0]), String(parts[1]))
    }

    private static func parsed(_ text: String, _ name: String, _ option: String) throws(AuthError) -> JSONValue {
        do throws(JSONSyntaxError) {
            // The parser rejects duplicate member names in `text`, because only one of their values would be kept.
            return try JSONValue(parsing: text.utf8)
        } catch {
            throw AuthError(
                .usage, "the value of '\(name)' is not JSON: \(error.description) (byte \(error.offset))",
                next: "for a string, use \(option) \(name)=TEXT")
        }
    }
}
