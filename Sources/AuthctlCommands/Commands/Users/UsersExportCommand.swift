import AuthClient
import AuthModel
import CommandLineKit
import JSON

enum UsersExportCommand: Command {
    struct Options: TakesAdminKey {
        var admin = AdminKeyOptions()
    }

    static let name = "users export"
    static let summary = "Export all accounts as NDJSON"
    static let spec = declaration(
        discussion: """
            Prints the accounts of a backend: \(HelpTopics.backends(of: "users list")). A server requires the \
            administrator's key. Each line is a JSON object with the username, e-mail and other fields. `authctl users create` reads this output to create \
            the accounts on another server.
            """,
        examples: [
            Example("authctl users export > users.ndjson", "Save the local accounts."),
            Example(
                "authctl users export | authctl users create - --journal move.journal --credentials move.ndjson --dry-run",
                "Check the exported accounts without creating them."),
        ],
        exitCodes: UserPages.exitCodes,
        notes: .paragraphs(
            """
            The export contains no fields whose names look like secrets, such as `deviceToken` (authctl-json(7) has the \
            rule), and no ACLs; a warning names them. It contains no passwords, sessions or linked identities: servers store only hashes of passwords, \
            and identities belong to one server. `users create --credentials FILE` gives each account a new password; \
            tell the users to reset it (authctl-password-reset(1)). An export of local accounts contains their ids. \
            `users create` keeps them for local accounts, and `authctl serve --seed` if you add a password to each \
            row. Other servers choose new ids.
            """),
        arguments: .adminKeySources(), rules: [.oneAdminKey])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> PrintedOutput {
        let backend = try context.settings().backend.value
        var omitted: [String] = []
        let output = try UserPages.print(context, options.admin, limit: nil) { page throws(AuthError) in
            for user in page {
                try context.printer.announce(Row(user: user, backend: backend))
                for name in user.hiddenFields + (user.sharesAccess ? ["ACL"] : []) where !omitted.contains(name) {
                    omitted.append(name)
                }
            }
        }
        if !omitted.isEmpty { context.warn("the export leaves out \(omitted.quotedList(atMost: 20))") }
        return output
    }

    /// A line of NDJSON, which is the same for text and JSON output.
    private struct Row: CommandOutput {
        let user: User
        let backend: BackendDescriptor

        func text(_ style: TextStyle) -> String { json.text + "\n" }

        var json: JSONValue {
            var row: JSONObject = [:]
            if !backend.has(.takesServer) { row["id"] = JSONValue(user.id) }
            row["username"] = JSONValue(user.username)
            row["email"] = JSONValue(user.email)
            for field in user.fields.members
            where !backend.systemFields.contains(field.name) && !field.name.hasPrefix("_") {
                row[field.name] = field.value
            }
            return .object(row)
        }
    }
}

extension User {
    /// Whether the ACL names anyone but the user, whose own access every server adds.
    fileprivate var sharesAccess: Bool { fields["ACL"]?.object?.names.contains { $0 != id } == true }
}
