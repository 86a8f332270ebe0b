import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform

enum CheckCommand: Command {
    struct Options: TakesAdminKey {
        /// The path of the table, or `-` for standard input; empty without a table.
        var file = ""
        var variables: [String] = []
        var writes = false
        var isStrict = false
        var isDryRun = false
        /// Each is `KIND=FILE`.
        var reports: [String] = []
        var draft = CheckDraftOptions()
        var admin = AdminKeyOptions()
    }

    static let name = "check"
    static let summary = "Check who may do what"
    private static let draftNames = [
        "file", "user", "no-anyone", "openapi", "skip", "limit", "admin-key-file", "admin",
    ]
    static let spec = declaration(
        discussion: """
            Sends the requests of a table as several users, and compares what happens with the table. A denial is any \
            of the ways in which the server denies. The exit code is 11 if an outcome differs, and 8 or 9 if it is not \
            known. `--draft` prints a table of what users get today.
            """,
        examples: [
            Example("authctl check access.txt", "Send the requests of a table, and compare the outcomes."),
            Example("authctl check access.txt --writes --set note=n1 --strict", "Also send PUT, POST and DELETE."),
            Example("authctl check --draft -o draft.txt --user me", "Draft a table of what you get today."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12],
        notes: notes,
        arguments: [
            .optionalPositional({ $0.file = $1 }, "FILE", help: "File with the table, or '-' for standard input."),
            .list(
                { $0.variables.append($1) }, "set", value: "NAME=VALUE",
                help: "Replace {NAME} in paths."),
            .flag({ $0.writes = $1 }, "writes", help: "Allow requests with methods other than GET and HEAD."),
            .flag({ $0.isStrict = $1 }, "strict", help: "Fail with exit code 11 if a request proves nothing."),
            .flag({ $0.isDryRun = $1 }, "dry-run", help: "Print the requests; send nothing."),
            .list(
                { $0.reports.append($1) }, "report", value: "KIND=FILE",
                help: "Report: junit, sarif, markdown, html."),
            .flag({ $0.draft.isGiven = $1 }, "draft", help: "Draft a table from the lists of the server."),
            .option({ $0.draft.file = $1 }, "file", short: "o", value: "FILE", help: "Write the draft to FILE."),
            .list({ $0.draft.users.append($1) }, "user", value: "NAME", help: "Draft only for these users."),
            .flag({ $0.draft.omitsAnyone = $1 }, "no-anyone", help: "Leave out requests without a session."),
            .option(
                { $0.draft.openAPI = $1 }, "openapi", value: "SOURCE",
                help: "File or path of an OpenAPI document (JSON)."
            ).completed(by: .files),
            .list({ $0.draft.skips.append($1) }, "skip", value: "PATTERN", help: "Skip paths; '*' is any text."),
            .number(
                { $0.draft.limit = $1 }, "limit", 1...100_000, default: "2000", help: "Send at most N requests."),
        ] + .adminKeySources(),
        rules: [
            .exclusive("dry-run", "report"),
            .exclusive(groups: [["draft"], ["FILE", "set", "writes", "strict", "dry-run", "report"]]),
            .requires(draftNames, oneOf: ["draft"]), .oneAdminKey,
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> PrintedOutput {
        guard context.globals.sessionName == nil, context.environment["AUTHCTL_AS"] == nil else {
            let step: NextStep = context.globals.sessionName == nil ? "unset AUTHCTL_AS" : "remove --as"
            throw AuthError(.usage, "check takes its users from the table", next: step)
        }
        if options.draft.isGiven {
            try context.printer.announce(try draft(options, in: context))
            return PrintedOutput()
        }
        guard !options.file.isEmpty else {
            throw AuthError(
                .usage, "missing argument FILE", next: "name a file with a table, or use --draft to make one")
        }
        let table = try table(options, context)
        if !options.writes, !options.isDryRun, let write = table.rows.first(where: { !$0.isRead }) {
            throw AuthError(
                .usage, "line \(write.line): '\(write.text)' may change data", next: "to send it, add --writes")
        }
        let files = try CheckReportFile.files(options.reports, context)
        var checks = try RunChecks(table, try context.quietClient())
        var report = CheckReport(table, options, context)
        guard !options.isDryRun else {
            for cell in checks.preview { try report.add(cell) }
            return try report.finish()
        }
        do throws(AuthError) {
            try context.events.during("checking sessions") { () throws(AuthError) in try checks.checkSessions() }
        } catch {
            report.ending = error
            guard let unwritten = report.write(files) else { throw error }
            context.events.warn(error.message, next: error.nextSteps.first)
            throw unwritten
        }
        let signal = try noticingSignals { arrived throws(AuthError) in
            report.ending = try context.events.during("checking") { () throws(AuthError) in
                try checks.run(
                    isStopped: { arrived() != nil }, report: { cell throws(AuthError) in try report.add(cell) },
                    note: { context.events.note($0) })
            }
            return arrived()
        }
        return try report.finish(signal: signal, files)
    }

    private static let tableLimit = 4 << 20
    private static let bodyLimit = 1 << 20

    private static func table(_ options: Options, _ context: Context) throws(AuthError) -> CheckTable {
        let variables = try CheckTable.variables(options.variables)
        let name = options.file == "-" ? "standard input" : "'\(options.file)'"
        let source = try context.source(options.file, of: "table")
        let bytes = try bytes(of: source, limit: tableLimit, name)
        let folder = options.file == "-" ? "." : options.file.parentPath ?? "."
        return try CheckTable(bytes, name: name, variables: variables) { file throws(AuthError) in
            try body(file, in: folder, Paths(environment: context.environment))
        }
    }

    /// Reads a table or a description.
    ///
    /// - Parameter limit: in bytes, a multiple of 1 MiB.
    static func bytes(of source: ByteSource, limit: Int, _ name: String) throws(AuthError) -> [UInt8] {
        // `try?`: the reason, such as a folder, is rare.
        guard let bytes = try? source.bytes(limit: limit) else { throw AuthError(.usage, "cannot read \(name)") }
        guard bytes.count <= limit else { throw AuthError(.usage, "\(name) is larger than \(limit >> 20) MiB") }
        return bytes
    }

    /// Reads the body of a request. The file must be in the table's folder, and not one of authctl's own, so that a
    /// table from someone else cannot send other files.
    private static func body(_ file: String, in folder: String, _ paths: Paths) throws(AuthError) -> [UInt8] {
        let path = file.hasPrefix("/") ? file : "\(folder)/\(file)"
        guard !file.isEmpty, let root = folder.resolvedLinks, let resolved = path.resolvedLinks else {
            throw AuthError(.usage, "cannot read '\(file)': no such file")
        }
        guard resolved.hasPrefix(root == "/" ? "/" : "\(root)/") else {
            throw AuthError(.usage, "'\(file)' is outside of the table's folder")
        }
        // `try?`: a folder that cannot be determined has no files.
        let own = [try? paths.configuration().path, try? paths.data().path].compactMap { $0?.resolvedLinks }
        guard !own.contains(where: { resolved.hasPrefix("\($0)/") }) else {
            throw AuthError(.usage, "'\(file)' is a file of authctl, which may contain a session")
        }
        do throws(FileError) {
            let bytes = try readPlainFile(at: resolved, limit: bodyLimit)
            guard bytes.count <= bodyLimit else { throw FileError(.unreadable, "'\(file)' is larger than 1 MiB") }
            return bytes
        } catch {
            throw AuthError(.usage, error.message)
        }
    }

    /// The notes of authctl-check(1).
    private static let notes: [HelpTopic.Block] = [
        .paragraph("The table has a head line with the users, and then one request a line:"),
        .code(
            """
            request                              me       bob  anyone
            GET /classes/Note                    items=2  no   no
            GET /classes/Note/{note}             yes      404  no
            PUT /classes/Note/{note} @note.json  yes      no   -  # with --writes
            """),
        .paragraph(
            """
            White space separates the columns, and `#` begins a comment. A path with white space is quoted as a whole, \
            as in '/notes?filter=(text = "a b")'; other quotes, parentheses and brackets are part of the path. A user \
            is the name of a saved session (`--as`), `me` (the profile's own session, or that from AUTHCTL_TOKEN), or \
            `anyone` (no session). In a path, {me} is the id of the user who sends the request, and {NAME} the value \
            from `--set`. `@FILE` is the body: a file of at most 1 MiB in the table's folder or below it, sent as JSON, \
            as text (`.txt`), or as octets (any other suffix than `.json`).
            """),
        .paragraph(
            """
            An outcome is `yes` (status 2xx and, if the body is a list, at least one item), `no`, a status, `items=N` (a \
            list with N items), `fields=NAMES` (at least one item, and no item has a field that is not in the \
            comma-separated list), `fields!=NAMES` (at least one item, and no item has one of these fields), or `-` \
            (send no request). `no` needs a response with which the application itself \
            denies: status 403 or 404, or another one of the kind of server, with an error in its format; for `anyone` \
            also 401; or a list without items. Any other 4xx, such as a conflict, is neither `yes` nor `no`.
            """),
        .paragraph(
            """
            authctl checks all sessions before the first request and, where the server treats an ended session like \
            none, after the last, so that an expired session is exit code 4, never a denial. It sends each request \
            once, except that it waits once for at most 60 s if the server limits requests (429), and repeats once what \
            a server did because of its clock, of an expired token or of rows that the user may not read. It follows no \
            redirect. Not known are redirects, 5xx, a 401 to a valid session, and what a gateway or proxy sends: pages, \
            text, an empty error. A request that nobody may send, and a table without a denial, cause a warning.
            """),
        .paragraph(
            """
            `--report KIND=FILE` writes the result for JUnit readers, code scanning (SARIF), a pull request (Markdown) or a \
            browser (HTML), whatever ends the run. Requests are as in the table; a report has no token and no value from a \
            response. FILE is created, or must be an earlier report of the same kind.
            """),
        .paragraph(
            """
            `--draft` asks the server which lists it has (Parse, PocketBase and Supabase with the administrator's key; \
            `authctl serve` and local accounts without one), or reads an OpenAPI 3 document in JSON from a file or a path of \
            the site, such as /api/schema/ with drf-spectacular. It requests each list, and one item that each user sees, \
            as all users, with GET alone, and nothing below the URL of logins. The table is what they get today: check it \
            row by row, above all those marked `# open`. Comments name what is left out.
            """),
    ]
}
