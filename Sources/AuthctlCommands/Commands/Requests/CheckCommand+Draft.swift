import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform

/// The options of `check --draft`.
struct CheckDraftOptions: Sendable, Equatable {
    var isGiven = false
    var file: String?
    var users: [String] = []
    var omitsAnyone = false
    /// A file, or a path of the site.
    var openAPI: String?
    var skips: [String] = []
    var limit = 2000
}

extension CheckCommand {
    /// The line with which a draft begins, so that `--file` replaces no other file.
    private static let firstLine = "# Drafted by authctl: what users get today, not what they should get.\n"

    static func draft(_ options: Options, in context: Context) throws(AuthError) -> DraftOutput {
        let draft = options.draft
        if let file = draft.file { try context.requireReplaceable(file, beginning: firstLine, "draft of authctl") }
        let client = try context.quietClient()
        var drafts = try DraftChecks(client, users: try users(draft, client, context))
        // Before the sessions are refreshed: a wrong key or an unreadable description needs none.
        let (lists, leftOut) = try lists(options, drafts, client.settings, context)
        let result = try context.events.during("requesting the lists") { () throws(AuthError) in
            try drafts.run(lists, leftOut: leftOut, skipping: draft.skips, limit: draft.limit) {
                context.events.note($0)
            }
        }
        let head = "\(context.world.clock.now().text), \(client.settings.connection.name), \(result.requests.requests)"
        let output = DraftOutput(table: firstLine + table(result, head), draft: result, file: draft.file)
        if let file = draft.file {
            try mappingFileErrors { () throws(FileError) in
                try context.world.writeFile(file, Array(output.table.utf8), context.warn)
            }
            context.events.note("wrote \(result.rows.count.requests) to '\(file)'")
        }
        return output
    }

    /// The users of the table: by default, all that are logged in, and `anyone`.
    private static func users(
        _ draft: CheckDraftOptions, _ client: Client, _ context: Context
    ) throws(AuthError) -> [String] {
        var users: [String] = []
        for user in draft.users where !users.contains(user) {
            guard user == CheckTable.me || SessionKey.isName(user) else {
                throw AuthError(.usage, "'\(user)' is not a session name (option '--user')")
            }
            users.append(user)
        }
        if users.isEmpty {
            let settings = client.settings
            // A user whom `profile use` has chosen is also `me`.
            if settings.sessionName == nil, try client.sessions.find() != nil { users.append(CheckTable.me) }
            users += try context.sessions().names(of: settings.profile.value, settings.connection)
        }
        if !draft.omitsAnyone { users.append(CheckTable.anyone) }
        guard users.isEmpty else { return users }
        throw client.sessions.noSession()
    }

    private static func lists(
        _ options: Options, _ drafts: DraftChecks, _ settings: Settings, _ context: Context
    ) throws(AuthError) -> ([DescribedList], [LeftOut]) {
        if let text = options.draft.openAPI {
            let document = try document(text, drafts, context)
            return (document.lists, document.leftOut)
        }
        let hint: NextStep =
            "use --openapi FILE or --openapi PATH with an OpenAPI document in JSON, as of drf-spectacular"
        if try settings.apiURL() != nil {
            throw AuthError(.usage, "the description of the server is not that of the API URL", next: hint)
        }
        let hasKey = options.admin.isGiven || context.hasAdminKey(of: settings)
        func key() throws(AuthError) -> Secret? {
            try context.adminKey(options.admin, of: settings, for: "a draft without --openapi")
        }
        do throws(AuthError) {
            let adminKey = hasKey ? try key() : nil
            if let lists = try drafts.describedLists(adminKey: adminKey) { return (lists, []) }
        } catch {
            // Only some servers describe their lists without a key.
            if !hasKey, [.badAppKey, .forbidden, .internal].contains(error.reason) { _ = try key() }
            throw error
        }
        throw AuthError(.usage, "backend '\(settings.backendName)' does not describe its lists", next: hint)
    }

    /// Reads an OpenAPI document from a file; if there is no such file, from the site.
    private static func document(
        _ path: String, _ drafts: DraftChecks, _ context: Context
    ) throws(AuthError) -> OpenAPIDocument {
        let source: ByteSource
        do throws(FileError) {
            source = try context.world.openFile(path)
        } catch {
            if FileIdentity(path: path) == nil { return try drafts.document(at: path) }
            throw AuthError(.usage, error.message)
        }
        let bytes = try bytes(of: source, limit: OpenAPIDocument.limit, "'\(path)'")
        return try OpenAPIDocument(bytes, name: "'\(path)'", reason: .usage)
    }

    // MARK: - Text

    private static let mostLeftOut = 200

    /// The comments after the first line, and the table, which `check` finds as expected.
    private static func table(_ draft: DraftChecks.Draft, _ head: String) -> String {
        let left = draft.leftOut.prefix(mostLeftOut).map { "left out: \($0.request): \($0.reason)" }
        let more = draft.leftOut.count - left.count
        let open =
            draft.open.isEmpty ? [] : ["open: anyone gets items of \(draft.open.count.requests), marked '# open'"]
        let comments = [head] + open + left + (more > 0 ? ["left out: \(more) more"] : [])
        let rows = draft.rows.map { row in
            ["GET \(row.path)"] + row.outcomes + [draft.isOpen(row) ? "# open: anyone gets items" : ""]
        }
        return comments.map { "# \($0.shown)\n" }.joined()
            + Table(["request"] + draft.users + [""], rows: rows).text(.plain)
    }

    struct DraftOutput: CommandOutput {
        let table: String
        let draft: DraftChecks.Draft
        let file: String?

        func text(_ style: TextStyle) -> String { file == nil ? table : "" }

        var json: JSONValue {
            [
                "v": 1, "kind": "check.draft", "table": .string(table), "rows": JSONValue(draft.rows.count),
                "requests": JSONValue(draft.requests), "open": JSONValue(draft.open),
                "leftOut": .array(
                    draft.leftOut.map { ["request": .string($0.request), "reason": .string($0.reason)] }),
                "warnings": [],
            ]
        }
    }
}

extension DraftChecks.Draft {
    /// The paths whose items anyone gets without a session.
    fileprivate var open: [String] { rows.filter(isOpen).map(\.path) }

    fileprivate func isOpen(_ row: DraftChecks.Row) -> Bool {
        users.last == CheckTable.anyone && row.outcomes.last == "yes"
    }
}

extension Int {
    fileprivate var requests: String { "\(self) request\(self == 1 ? "" : "s")" }
}
