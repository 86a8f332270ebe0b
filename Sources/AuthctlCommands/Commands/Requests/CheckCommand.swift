import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform

enum CheckCommand: Command {
    struct Options: CommandOptions {
        /// The path of the table, or `-` for standard input.
        var file = ""
        var variables: [String] = []
        var writes = false
        var isStrict = false
        var isDryRun = false
        /// Each is `KIND=FILE`.
        var reports: [String] = []
    }

    static let name = "check"
    static let summary = "Check who may do what"
    static let spec = declaration(
        discussion: """
            Sends the requests of a table as several users, and compares what happens with the table. A denial is any \
            of the ways in which the server denies, such as status 403 or 404 or an empty list. The exit code is 11 if \
            an outcome differs, and 8 or 9 if a response, such as a page of a gateway, does not show who may do what.
            """,
        examples: [
            Example("authctl check access.txt", "Send the requests of a table, and compare the outcomes."),
            Example("authctl check access.txt --dry-run", "Print the requests; send nothing."),
            Example("authctl check access.txt --writes --set note=n1 --strict", "Also send PUT, POST and DELETE."),
            Example("authctl check access.txt --report junit=access.xml", "Also write a report for CI."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12],
        notes: notes,
        arguments: [
            .positional({ $0.file = $1 }, "FILE", help: "File with the table, or '-' for standard input."),
            .list(
                { $0.variables.append($1) }, "set", value: "NAME=VALUE",
                help: "Replace {NAME} in paths with VALUE, percent-encoded."),
            .flag({ $0.writes = $1 }, "writes", help: "Allow requests with methods other than GET and HEAD."),
            .flag({ $0.isStrict = $1 }, "strict", help: "Fail with exit code 11 if a request cannot prove anything."),
            .flag({ $0.isDryRun = $1 }, "dry-run", help: "Print the requests; send nothing."),
            .list(
                { $0.reports.append($1) }, "report", value: "KIND=FILE",
                help: "Write a report to FILE: junit, sarif, markdown or html."),
        ],
        rules: [.exclusive("dry-run", "report")])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> PrintedOutput {
        guard context.globals.sessionName == nil, context.environment["AUTHCTL_AS"] == nil else {
            let step: NextStep = context.globals.sessionName == nil ? "unset AUTHCTL_AS" : "remove --as"
            throw AuthError(.usage, "check takes its users from the table", next: step)
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
        // `try?`: the reason, such as a folder, is rare.
        guard let bytes = try? source.bytes(limit: tableLimit) else { throw AuthError(.usage, "cannot read \(name)") }
        guard bytes.count <= tableLimit else { throw AuthError(.usage, "\(name) is larger than 4 MiB") }
        let folder = options.file == "-" ? "." : options.file.parentPath ?? "."
        return try CheckTable(bytes, name: name, variables: variables) { file throws(AuthError) in
            try body(file, in: folder, Paths(environment: context.environment))
        }
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
    ]
}
