import AuthClient
import AuthModel
import CommandLineKit
import Platform

enum UsersRefreshCommand: Command {
    struct Options: TakesBulkOptions {
        var bulk = BulkOptions()
    }

    static let name = "users refresh"
    static let summary = "Refresh the sessions of a tokens file"
    static let spec = declaration(
        discussion: """
            Refreshes each session of a file that `authctl users login --refresh-tokens` wrote, for example before a long \
            load test. Each new session is appended to the file at once: if authctl is killed, the last line of an \
            account counts, and only the sessions of requests in progress may be lost. At the end, authctl replaces the \
            file by one with a line per account; sessions that could not be refreshed stay in it as they were. A refresh without a response is not repeated, because many servers \
            accept a refresh token only once; its row is unknown. Each line names \
            its server, application and collection: authctl sends nothing if one of them is not in use. PocketBase \
            needs no refresh tokens.
            """,
        examples: [Example("authctl users refresh --tokens tokens.ndjson", "Renew all tokens of the file.")],
        exitCodes: [0, 2, 5, 8, 9, 10, 11, 12],
        arguments: [.file(.tokens, help: "File of session tokens (required).")] + .bulkLimits())

    static func run(_ options: Options, in context: Context) throws(AuthError) -> BulkReport.Output {
        let tokens = try options.bulk.path(.tokens, orSuggest: "name the file of users login --refresh-tokens")
        let client = try context.client()
        let work = try RefreshSessions(try context.appendFile(tokens, .tokens, creates: false), client)
        return try BulkReport(
            context, "refreshing sessions", options.bulk, total: work.count,
            goal: "refresh the rows that were not sent"
        ).run(work, client)
    }
}
