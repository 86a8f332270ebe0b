package import AuthModel
import JSON
package import Platform
import Synchronization

/// Refreshes the sessions of a tokens file.
///
/// A server may accept each refresh token only once. Each new session is therefore appended to the file at once, where
/// it supersedes the earlier line of its account, and a refresh without a response is not repeated. At the end, the file
/// is replaced by one with a line per account.
package final class RefreshSessions: BulkWork {
    package struct Row: Sendable {
        let account: AccountRow
        var session: Session
        fileprivate var line: JSONObject

        /// Whether the line has the member `refreshToken`.
        fileprivate var hasMember: Bool { line["refreshToken"] != nil }
    }

    private let file: AppendFile
    private let lines: SyncedLines
    /// All rows of the file; those that were refreshed have their new sessions.
    private let rows: Mutex<[Row]>
    private let position = Mutex(0)
    private let hasRefreshed = SharedFlag()
    private let policy: RefreshPolicy

    package var count: Int { rows.withLock { $0.count } }

    /// - Throws: `AuthError` `usage` if the file is for another server; `usage` or `corrupt` if authctl did not write
    ///   it; `unsupported` if the sessions of the backend cannot be refreshed.
    package init(_ file: AppendFile, _ client: Client) throws(AuthError) {
        _ = try client.backends.require((any SessionRefreshing).self, to: "refresh sessions")
        self.file = file
        lines = SyncedLines(file, waiting: client.waiting)
        policy = client.settings.backend.value.refresh
        var rows: [Row] = []
        var indices: [String: Int] = [:]
        try file.readTokens(of: AccountScope(client.settings)) { name, line in
            let index = indices[name] ?? rows.count
            indices[name] = index
            var account = AccountRow(number: index + 1)
            if line["username"] != nil { account.username = name } else { account.email = name }
            let row = Row(account: account, session: Session(line: line), line: line)
            if index == rows.count { rows.append(row) } else { rows[index] = row }
        }
        self.rows = Mutex(rows)
    }

    package func next() throws(AuthError) -> Row? {
        let index = position.withLock { position in
            defer { position += 1 }
            return position
        }
        return rows.withLock { $0.count > index ? $0[index] : nil }
    }

    package func knownResult(of row: Row) -> BulkResult? {
        guard row.session.refreshToken == nil, policy.means == .refreshToken else { return nil }
        if row.hasMember {
            let message = "the session cannot be refreshed: the server gave no refresh token at the login"
            return BulkResult(row.account, .failed, AuthError(.unsupported, message))
        }
        let error = AuthError(.invalidFields, "the tokens file has no refresh token of the account")
        return BulkResult(row.account, .failed, error, remedy: newLogin)
    }

    package func send(_ row: inout Row, _ worker: BulkWorker) throws(AuthError) -> BulkResult {
        guard let backend = worker.backend as? any SessionRefreshing else { return failed(row, .sessionExpired) }
        worker.masker.register(row.session)
        do throws(AuthError) {
            row.session = try converting { [session = row.session] () throws(BackendError) in
                try backend.refresh(session)
            }
        } catch {
            // The server may have used the refresh token up.
            let isUnknown = error.outcome == .unreachable && ![.dns, .connect, .proxy, .tls].contains(error.reason)
            guard isUnknown || error.reason == .serverFault else { throw error }
            return BulkResult(row.account, .unknown, error, remedy: newLogin)
        }
        row.line.set(row.session, keepsRefreshToken: row.hasMember)
        rows.withLock { $0[row.account.number - 1] = row }
        hasRefreshed.set()
        try lines.append(row.line)
        return BulkResult(row.account, .refreshed)
    }

    package func failed(_ row: Row, _ error: AuthError) -> BulkResult {
        BulkResult(row.account, .failed, error, remedy: error.reason.meansInvalidSession ? newLogin : nil)
    }

    private var newLogin: NextStep {
        let replacing = ["--replace"] + (policy.means == .token ? [] : ["--refresh-tokens"])
        return NextStep(
            "to replace sessions that cannot be refreshed, log in again",
            run: ["users", "login", "--credentials", "FILE"] + .option("--tokens", file.path) + replacing)
    }

    /// Writes all sessions, those that were not refreshed as they were.
    package func finish() throws(AuthError) {
        guard hasRefreshed.isSet else { return }
        let lines = rows.withLock { $0.flatMap { JSONValue.object($0.line).bytes + [UInt8(ascii: "\n")] } }
        try mappingFileErrors { () throws(FileError) in try file.replace(with: lines) }
    }
}
