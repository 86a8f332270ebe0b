package import AuthModel
package import Platform
import Synchronization

/// Deletes only accounts that a journal records as created.
package final class DeleteAccounts: BulkWork {
    /// How to log in to an account before deleting it.
    package enum Access: Sendable {
        /// The passwords, by account name.
        case passwords([String: Secret])
        /// The server's master key, which allows a login as any user; `nil` for local accounts.
        case adminKey(Secret?)
    }

    struct Row: Sendable {
        let account: AccountRow
        let user: User
        /// Whether a failed request may have deleted the account.
        var isUncertain = false
    }

    private let rows: Mutex<ArraySlice<Row>>
    private let journal: AccountJournal
    private let access: Access

    /// - Throws: `AuthError` `unsupported` if the backend cannot delete accounts.
    package static func requireSupport(_ client: Client) throws(AuthError) {
        _ = try client.backends.require((any AccountDeleting).self, to: "delete accounts")
    }

    /// - Throws: `AuthError` `usage` if the journal is for another server or application; `corrupt` if it is damaged.
    package init(_ file: AppendFile, _ access: Access, _ client: Client) throws(AuthError) {
        journal = try AccountJournal(file, client.settings.connection, waiting: client.waiting)
        self.access = access
        let created = journal.created.map { number, user in
            var account = AccountRow(number: number)
            account.username = user.username
            account.email = user.email
            return Row(account: account, user: user)
        }
        rows = Mutex(created[...])
    }

    package var count: Int { rows.withLock { $0.count } }

    package func run(_ run: BulkRun) throws(AuthError) {
        try run.run(self)
        try journal.sync()
    }

    func next() -> Row? { rows.withLock { $0.popFirst() } }

    func knownResult(of row: Row) -> BulkResult? { nil }

    func run(_ row: inout Row, _ worker: BulkWorker) throws(AuthError) -> BulkResult {
        guard let backend = worker.backend as? any AccountDeleting else {
            throw AuthError(.unsupported, "the backend cannot delete accounts")
        }
        let new: NewSession
        do throws(AuthError) {
            new = try logIn(row, backend)
        } catch {
            let isGone = error.reason == .notFound || row.isUncertain && error.reason == .wrongPassword
            guard isGone else { throw error }
            return try end(row, row.isUncertain ? .deleted : .skipped)
        }
        worker.masker.register(new.session)
        guard new.user.isSame(as: row.user) else {
            // `try?`: the error about the wrong account is thrown even if this logout fails.
            _ = try? backend.logOut(new.session)
            throw AuthError(.conflict, "this account is not the one that was created: its id or username differs")
        }
        do throws(AuthError) {
            _ = try backend.deleteAccount(of: new.user, new.session)
        } catch {
            let isRepeated = row.isUncertain
            row.isUncertain = isRepeated || error.leavesOutcomeOpen || error.reason == .serverFault
            // A deletion without a response is repeated, but only once: otherwise it could be repeated forever.
            guard error.reason == .outcomeUnknown, !isRepeated else { throw error }
            return try run(&row, worker)
        }
        return try end(row, .deleted)
    }

    private func logIn(_ row: Row, _ backend: any Backend) throws(AuthError) -> NewSession {
        switch access {
        case .adminKey(let key):
            guard let backend = backend as? any Impersonating, let username = row.user.username else {
                throw AuthError(.unsupported, "the backend cannot delete accounts without their passwords")
            }
            return try backend.logIn(as: username, adminKey: key).value
        case .passwords(let passwords):
            guard let password = passwords[row.account.name] else {
                throw AuthError(.invalidFields, "the credentials file has no password for the account")
            }
            return try backend.session(of: row.account, password)
        }
    }

    private func end(_ row: Row, _ state: BulkResult.State) throws(AuthError) -> BulkResult {
        try journal.end(row.account.number, .deleted, row.user)
        return BulkResult(row.account, state, id: row.user.id)
    }

    func failed(_ row: Row, _ error: AuthError) -> BulkResult {
        BulkResult(row.account, row.isUncertain ? .unknown : .failed, id: row.user.id, error)
    }
}

extension User {
    /// Whether a user from the server is the user in the journal. Ids or usernames that are missing are not compared.
    fileprivate func isSame(as known: User) -> Bool {
        (id == nil || known.id == nil || id == known.id)
            && (username == nil || known.username == nil || username == known.username)
    }
}
