import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform
import Transport

enum ApiCommand: Command {
    struct Options: CommandOptions {
        var path = ""
        var method: String?
        var textFields: [String] = []
        var jsonFields: [String] = []
        /// The path of a file, or `-` for standard input.
        var input: String?
        var headers: [String] = []
        var includesHead = false
        var readsAllPages = false
        var usesSession = true
    }

    static let name = "api"
    static let summary = "Send an authenticated request to the server"
    static let spec = declaration(
        discussion: """
            PATH is relative to the setting `apiURL` or, by default, to the server URL (Parse, Kii) or the site's \
            origin (Django, PocketBase, Supabase); Firebase requires `apiURL`. {me} in PATH stands for the user's id. The default method is GET or, with fields or \
            input, POST. Fields are sent as a JSON object, or in the query of a GET or HEAD request, where a name may occur twice. \
            authctl prints \
            the response body even if the exit code is not 0: formatted on a terminal, otherwise unchanged.
            """,
        examples: [
            Example("authctl api /users/me", "Print the user as the server sends it."),
            Example("authctl api '/users/{me}' -X PUT -f nickname=ada -F score=7", "Change fields of the user."),
            Example("authctl api /sessions --paginate | jq -r .createdAt", "Print one field of each list item."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12],
        notes: notes,
        arguments: [
            .positional(
                { $0.path = $1 }, "PATH", help: "Path of the request, including any query, or a URL on the server."),
            .option({ $0.method = $1 }, "method", short: "X", value: "METHOD", help: "Method of the request."),
            .list(
                { $0.textFields.append($1) }, "field", short: "f", value: "NAME=TEXT",
                help: "Add a string field."),
            .list(
                { $0.jsonFields.append($1) }, "field-json", short: "F", value: "NAME=JSON",
                help: "Add a field with a JSON value."),
            .option(
                { $0.input = $1 }, "input", value: "FILE",
                help: "Send FILE as the body ('-' for standard input); fields go into the query."),
            .list(
                { $0.headers.append($1) }, "header", short: "H", value: "'NAME: VALUE'", help: "Add a header field."),
            .flag(
                { $0.includesHead = $1 }, "include", short: "i",
                help: "Print status and header fields before the body."),
            .flag(
                { $0.readsAllPages = $1 }, "paginate",
                help: "Read all pages of a list; print one item per line."),
            .flag(
                { $0.usesSession = $1 }, "no-session", sets: false,
                help: "Send the request without a session."),
            .refused(
                "data", short: "d",
                advice: "to send a body, use --field NAME=TEXT, --field-json NAME=JSON or --input FILE"),
            .refused("jq", advice: "to filter the response, add a pipe: | jq FILTER"),
        ],
        rules: [.exclusive("paginate", "include")])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> PrintedOutput {
        let writer = ResponseWriter(context, includesHead: options.includesHead)
        let sender = SendRequest(try context.client(), usesSession: options.usesSession)
        let request = try request(options, try sender.path(in: options.path), writer, context)
        let result =
            options.readsAllPages
            ? sender.runPages(of: request) { item throws(AuthError) in
                guard writer.writeLine(item) else { throw AuthError(.notWritten, "") }
            } : sender.run(request)
        let wasShown = request.reception.sink?.hasBegun ?? false
        if let response = result.response, !wasShown, !options.readsAllPages || result.error != nil {
            writer.show(response)
        }
        writer.end()
        if let failure = writer.failure { throw context.printer.unwritten(failure) }
        return PrintedOutput(error: inputError(request, options) ?? result.error)
    }

    /// - Throws: `AuthError` `usage` if an option is invalid. In this case, nothing was sent.
    private static func request(
        _ options: Options, _ path: String, _ writer: ResponseWriter, _ context: Context
    ) throws(AuthError) -> HTTPRequest {
        let target = try RequestPath(path)
        let fields = try FieldOptions.fields(text: options.textFields, json: options.jsonFields)
        let method =
            try options.method.map(RequestMethod.parse)
            ?? (options.input == nil && fields.isEmpty ? "GET" : "POST")
        try checkPagination(options, method)
        guard method != "HEAD" || options.input == nil else {
            throw AuthError(.usage, "a request with the method HEAD has no body (option '--input')")
        }
        let sendsFields = options.input == nil && method != "GET" && method != "HEAD" && !fields.isEmpty
        if sendsFields { try FieldOptions.requireDistinct(fields.names) }
        let query = sendsFields ? target.query : target.query(adding: fields)
        let reads = ["GET", "HEAD", "OPTIONS"].contains(method)
        var request = HTTPRequest(
            HTTPRequest.Method(rawValue: method), target.path + (query.map { "?\($0)" } ?? ""),
            headers: HTTPHeaders(try options.headers.map { text throws(AuthError) in try RequestHeader.parse(text) }),
            body: sendsFields ? JSONValue.object(fields).bytes : nil, isIdempotent: reads)
        if let input = options.input { request.bodySource = try context.source(input, of: "body of the request") }
        // By default, a streamed transfer has no time limit, but fails after 30 seconds without progress.
        if !options.readsAllPages, try context.timeLimit() == nil { request.stallLimit = .seconds(30) }
        // The response to a write may contain a new session, which must be saved before the sink gets the body.
        request.reception =
            options.readsAllPages ? .whole(limit: pageLimit) : .streamed(writer.sink, holdsSuccess: !reads)
        if sendsFields || options.input != nil, request.headers["Content-Type"] == nil {
            request.headers["Content-Type"] = "application/json"
        }
        return request
    }

    /// The maximum size in bytes of a page of a list. A whole page is held in memory.
    private static let pageLimit = 8 << 20

    private static func checkPagination(_ options: Options, _ method: String) throws(AuthError) {
        guard options.readsAllPages else { return }
        guard method == "GET", options.input == nil else {
            let hasFieldsOnly = options.method == nil && options.input == nil
            throw AuthError(
                .usage, "--paginate requires the method GET\(options.input == nil ? "" : ", without a body")",
                next: hasFieldsOnly ? "add -X GET to send fields in the query" : nil)
        }
    }

    /// The error if the body of the request could not be read completely.
    private static func inputError(_ request: HTTPRequest, _ options: Options) -> AuthError? {
        guard let failure = request.bodySource?.failure else { return nil }
        let name = options.input == "-" ? "standard input" : "'\(options.input ?? "")'"
        return switch failure {
        case .system(let code): AuthError(.unreadable, "cannot read \(name): \(code.description)")
        case .truncated: AuthError(.unreadable, "cannot send \(name): it became shorter while it was sent")
        }
    }
}
