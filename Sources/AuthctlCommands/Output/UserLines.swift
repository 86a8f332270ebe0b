import AuthModel
import JSON
import Platform

/// What text output shows of a user, a line for each value.
enum UserLines {
    /// All but usernames, ids and times. Fields that the server adds to every user are left out.
    ///
    /// - Parameter more: lines before those of the fields.
    static func lines(
        of user: User, _ backend: BackendDescriptor, beside more: [(name: String, text: String)]
    ) -> [(name: String, text: String)] {
        var lines: [(name: String, text: String)] = []
        if let email = user.email {
            let verified = user.emailVerified.map { $0 ? " (verified)" : " (not verified)" } ?? ""
            lines.append(("e-mail", email.shownShort + verified))
        }
        if let phone = user.phone { lines.append(("phone", phone.shownShort)) }
        // Supabase also lists the address with which the account logs in.
        let identities = (user.identities ?? []).filter { !["email", "phone"].contains($0.provider) }
        if !identities.isEmpty {
            let names = identities.map { $0.provider.shownShort + ($0.id.map { " (\($0.shownShort))" } ?? "") }
            lines.append(("linked", names.joined(separator: ", ")))
        }
        if user.disabled == true { lines.append(("disabled", "nobody can log in")) }
        if let claims = user.claims, !claims.isEmpty {
            lines.append(("claims", JSONValue.object(claims).text.shownShort))
        }
        if let roles = user.roles, !roles.isEmpty {
            lines.append(("roles", roles.map(\.shownShort).joined(separator: ", ")))
        }
        lines += more
        for field in user.fields.members where !backend.systemFields.contains(field.name) && !field.value.isEmpty {
            lines.append((field.name.shownShort, (field.value.string ?? field.value.text).shownShort))
        }
        return lines
    }

    static func text(_ lines: [(name: String, text: String)]) -> String {
        // Not `map(\.name.columns).max()`, because key paths are slow at run time.
        let width = lines.reduce(0) { max($0, $1.name.columns) }
        return lines.reduce(into: "") { text, line in
            text += line.name + ":" + String(repeating: " ", count: width - line.name.columns + 1) + line.text + "\n"
        }
    }
}

extension JSONValue {
    /// Whether the value is null, or has no characters, elements or members.
    fileprivate var isEmpty: Bool {
        switch self {
        case .null, .string(""), .array([]): true
        case .object(let object): object.isEmpty
        default: false
        }
    }
}
