import AuthClient
import AuthModel
import CommandLineKit
import JSON

enum UsersListCommand: Command {
    struct Options: TakesAdminKey {
        var limit: Int?
        var admin = AdminKeyOptions()
    }

    static let name = "users list"
    static let summary = "List all accounts"
    static let spec = declaration(
        discussion: """
            Lists the accounts of a backend: \(HelpTopics.backends(of: "users list")). A server requires the \
            administrator's key. With `--json`, authctl prints one document per line, with the roles of Parse unless \
            there is a `--limit`: they take a request for each role.
            """,
        examples: [
            Example("authctl users list", "List the local accounts."),
            Example("authctl users list --json | jq -r .username", "Print the usernames."),
        ],
        exitCodes: UserPages.exitCodes,
        arguments: [
            .number({ $0.limit = $1 }, "limit", 1...1_000_000_000, help: "Print at most N accounts.")
        ] + .adminKeySources(),
        rules: [.oneAdminKey])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> PrintedOutput {
        let (times, printer, columns) = (TimeStyle(context), context.printer, columns(try context.settings()))
        var (hasHeader, hidden) = (true, Set<String>())
        // The table has no roles.
        let showsRoles = printer.format == .json && options.limit == nil
        let output = try UserPages.print(
            context, options.admin, limit: options.limit, showsRoles: showsRoles
        ) { page throws(AuthError) in
            guard printer.format == .text else {
                for user in page {
                    try printer.announce(JSONLine(json: json(user)))
                    hidden.formUnion(user.hiddenFields)
                }
                return
            }
            try printer.announce(
                Page(users: page, columns: columns, hasHeader: hasHeader, times: times, width: context.tableWidth))
            // Programs read one table. A terminal shows a header above each page, because column widths may differ.
            hasHeader = context.tableWidth != nil
        }
        if !hidden.isEmpty { context.warn("the list leaves out \(hidden.sorted().quotedList(atMost: 20))") }
        return output
    }

    /// The names that an account can have on the server.
    private static func columns(_ settings: Settings) -> [Column] {
        let backend = settings.backend.value
        let hasPhones = backend.has(.takesPhone) || backend.accounts.byAdministrator.contains(.phone)
        return (backend.naming == .email ? [] : [Column(name: "USERNAME") { $0.username }])
            + [Column(name: "E-MAIL") { $0.email }] + (hasPhones ? [Column(name: "PHONE") { $0.phone }] : [])
    }

    private struct Column {
        let name: String
        let text: @Sendable (User) -> String?
    }

    /// The table of one page. Each page is printed when it arrives, so column widths may differ between pages.
    private struct Page: CommandOutput {
        let users: [User]
        let columns: [Column]
        let hasHeader: Bool
        let times: TimeStyle
        let width: Int?

        func text(_ style: TextStyle) -> String {
            var table = Table(["ID"] + columns.map(\.name) + ["CREATED"])
            for user in users {
                table.add([user.id ?? ""] + columns.map { $0.text(user) ?? "" } + [times.text(user.createdAt)])
            }
            return table.text(style, width: width, shrinking: Array(1...columns.count), hasHeader: hasHeader)
        }

        var json: JSONValue { .null }
    }

    static func json(_ user: User) -> JSONValue {
        var document: JSONObject = ["v": 1, "kind": "user"]
        for member in user.json.object?.members ?? [] { document[member.name] = member.value }
        return .object(document)
    }
}

/// Prints all accounts, or the first `limit` accounts, a page at a time. Shows their number unless they are printed to a
/// terminal.
enum UserPages {
    static let exitCodes = [0, 2, 3, 4, 5, 7, 8, 9, 10, 12]

    /// - Parameter isAside: whether the accounts are written to a file instead of standard output.
    static func print(
        _ context: Context, _ admin: AdminKeyOptions, limit: Int?, showsHashes: Bool = false, showsRoles: Bool,
        isAside: Bool = false,
        _ receive: ([User]) throws(AuthError) -> Void
    ) throws(AuthError) -> PrintedOutput {
        let client = try context.client()
        let events = context.events
        var count = 0
        defer { if count > 0 { events.ended() } }
        try ListUsers(client).run(
            limit: limit, showsHashes: showsHashes, showsRoles: showsRoles,
            adminKey: { () throws(AuthError) in
                try context.adminKey(admin, of: client.settings, for: "a list of all accounts")
            },
            receive: { users throws(AuthError) in
                // On a terminal, the accounts show the progress.
                if count == 0, isAside || !context.printer.output.isTerminal { events.began("listing the accounts") }
                try receive(users)
                count += users.count
                events.progressed("listing the accounts: \(count)")
            })
        return PrintedOutput()
    }
}
