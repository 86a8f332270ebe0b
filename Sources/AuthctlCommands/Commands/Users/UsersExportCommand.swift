import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform

enum UsersExportCommand: Command {
    struct Options: TakesAdminKey {
        var admin = AdminKeyOptions()
        var showsHashes = false
        var file: String?
    }

    static let name = "users export"
    static let summary = "Export all accounts as NDJSON"
    static let spec = declaration(
        discussion: """
            Prints the accounts of a backend: \(HelpTopics.backends(of: "users list")). A server requires the \
            administrator's key. Each line is a JSON object with the columns that `authctl users create` reads, which \
            creates the accounts on another server.
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
            rule), and no ACLs; a warning names them. It contains no passwords and sessions. `users create --credentials FILE` gives each account a new password; \
            tell the users to reset it (authctl-password-reset(1)). `emailVerified` is false if the server does not \
            say it. `roles` are the Parse roles that name the account itself, and not those of their child roles; on \
            another Parse server, they must exist before. Fields of the user with the name of a column are in `fields`. `users create` keeps ids for local \
            accounts, and `authctl serve --seed` if you add a password to each row; other servers choose new ids. \
            Accounts without username, e-mail and phone number are left out.
            """),
        arguments: [
            .flag(
                { $0.showsHashes = $1 }, "password-hashes",
                help: "Include the password hashes (local, firebase); requires `--file`."),
            .option({ $0.file = $1 }, "file", value: "FILE", help: "Write to FILE, a new file of mode 0600."),
        ] + .adminKeySources(), rules: [.oneAdminKey, .requires(["password-hashes"], oneOf: ["file"])])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> PrintedOutput {
        let backend = try context.settings().backend.value
        let otherNames = context.backends.flatMap(\.accounts.otherNames.keys)
        var (omitted, nameless) = ([String](), 0)
        let file = try options.file.map { path throws(AuthError) in
            let file = try context.appendFile(path, .credentials)
            guard file.wasEmpty else {
                throw AuthError(.usage, "'\(path)' exists already (option '--file')", next: "name a new file")
            }
            return try mappingFileErrors { () throws(FileError) in try FileReplacement(of: file) }
        }
        let output = try UserPages.print(
            context, options.admin, limit: nil, showsHashes: options.showsHashes, showsRoles: true, isAside: file != nil
        ) { page throws(AuthError) in
            for user in page {
                let row = AccountRow(exporting: user, of: backend)
                guard !row.name.isEmpty else {
                    nameless += 1
                    continue
                }
                let line = JSONValue.object(row.columns(apartFrom: otherNames, showsHash: options.showsHashes))
                if let file {
                    try mappingFileErrors { () throws(FileError) in try file.append(line.bytes + [UInt8(ascii: "\n")]) }
                } else {
                    try context.printer.announce(Row(json: line))
                }
                for name in user.hiddenFields + (user.sharesAccess ? ["ACL"] : []) where !omitted.contains(name) {
                    omitted.append(name)
                }
            }
        }
        try mappingFileErrors { () throws(FileError) in try file?.commit() }
        if !omitted.isEmpty { context.warn("the export leaves out \(omitted.quotedList(atMost: 20))") }
        if nameless > 0 { context.events.note("accounts without a name are left out: \(nameless)") }
        return output
    }

    /// A line of NDJSON, which is the same for text and JSON output.
    private struct Row: CommandOutput {
        let json: JSONValue

        func text(_ style: TextStyle) -> String { json.text + "\n" }
    }
}

extension User {
    /// Whether the ACL names anyone but the user, whose own access every server adds.
    fileprivate var sharesAccess: Bool { fields["ACL"]?.object?.names.contains { $0 != id } == true }
}
