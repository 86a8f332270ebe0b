package import AuthModel
package import Platform
import Synchronization

/// Deletes only accounts that a journal records as created, by their ids.
package final class DeleteAccounts: BulkWork {
    /// How to log in to an account before deleting it.
    package enum Access: Sendable {
        /// The passwords, by account name.
        case passwords([String: Secret])
        /// The server's master key, which allows to delete any user; `nil` for local accounts.
        case adminKey(Secret?)
    }

    package struct Row: Sendable {
        /// The account with the names that the server stores.
        let account: AccountRow
        let entry: AccountJournal.Entry
        /// Whether a request may have deleted the account. If so, the journal says that the deletion has begun.
        var isUncertain: Bool
        /// Whether a deletion without a response was repeated.
        var isRepeated = false
    }

    private let rows: Mutex<ArraySlice<Row>>
    private let journal: AccountJournal
    private let access: Access
    private let tokens: AppendFile?
    private let client: Client
    /// The accounts that this run has deleted, or not found.
    private let deadIDs = Mutex<Set<String>>([])

    /// - Throws: `AuthError` `unsupported` if the backend cannot delete accounts.
    package static func requireSupport(_ client: Client) throws(AuthError) {
        guard !client.backends.has((any Administering).self) else { return }
        _ = try client.backends.require((any AccountDeleting).self, to: "delete accounts")
    }

    /// - Throws: `AuthError` `usage` if the journal is for another server or application; `corrupt` if it is damaged;
    ///   `unsupported` if only the administrator can delete accounts.
    ///
    /// - Parameter tokens: a file whose dead lines are reported.
    package init(
        _ file: AppendFile, _ access: Access, tokens: AppendFile? = nil, _ client: Client
    ) throws(AuthError) {
        if case .passwords = access {
            _ = try client.backends.require(
                (any AccountDeleting).self, to: "delete accounts without the administrator's key")
        }
        var project: String?
        if case .adminKey = access {
            project = try client.sessions.find().flatMap { client.settings.backend.value.project(of: $0.session) }
        }
        journal = try AccountJournal(file, client, project: project)
        (self.access, self.tokens, self.client) = (access, tokens, client)
        try tokens?.readTokens(of: AccountScope(client.settings)) { _, _ in }
        let created = journal.created.map { number, entry in
            var account = AccountRow(number: number)
            account.username = entry.user.username
            account.email = entry.user.email
            // The journal has a phone number as the name in the row.
            account.phone = entry.name
            return Row(account: account, entry: entry, isUncertain: entry.state == .deleting)
        }
        rows = Mutex(created[...])
    }

    package var count: Int { rows.withLock { $0.count } }

    /// The number of accounts that existed before `users create` sent their rows.
    package var keptCount: Int { journal.existingCount }

    package func finish() throws(AuthError) {
        try journal.sync()
        guard let tokens else { return }
        let deadIDs = journal.deadIDs.union(deadIDs.withLock { $0 })
        var dead: [String] = []
        try tokens.readObjects(.tokens) { line, object in
            if let id = object["id"]?.string, deadIDs.contains(id) { dead.append("\(line)") }
        }
        guard !dead.isEmpty else { return }
        let lines = dead.count == 1 ? "line \(dead[0])" : "lines \(dead.joined(separator: ", "))"
        client.events.inform("\(lines) of '\(tokens.path)': the account is gone, and its token is dead")
    }

    package func next() -> Row? { rows.withLock { $0.popFirst() } }

    package func knownResult(of row: Row) -> BulkResult? {
        let fault =
            row.entry.user.id == nil
            ? "the journal has no id of the account, and another account may have its name now"
            : row.entry.isCertain ? nil : "the account may have existed before 'users create' sent its row"
        return fault.map { BulkResult(row.account, .failed, id: row.entry.user.id, AuthError(.conflict, $0)) }
    }

    package func send(_ row: inout Row, _ worker: BulkWorker) throws(AuthError) -> BulkResult {
        let backend = worker.backend
        let found: (user: User, session: Session?)
        do throws(AuthError) {
            found = try find(row, worker)
        } catch {
            return try gone(row, error)
        }
        if let session = found.session { worker.masker.register(session) }
        if let difference = found.user.difference(from: row.entry.user) {
            if let session = found.session { worker.drop(session) }
            throw AuthError(.conflict, difference)
        }
        try journal.beginDeletion(of: row.account.number)
        row.isUncertain = true
        do throws(AuthError) {
            try converting { () throws(BackendError) in
                if let session = found.session, let backend = backend as? any AccountDeleting {
                    _ = try backend.deleteAccount(of: found.user, session)
                } else if case .adminKey(let key) = access, let backend = backend as? any Administering {
                    try backend.administering(with: key) { () throws(BackendError) in
                        try backend.deleteUser(id: found.user.id ?? "", adminKey: key)
                    }
                }
            }
        } catch {
            if error.reason == .notFound { return try end(row, .deleted) }
            guard [.failure, .unreachable, .serverError, .storage].contains(error.outcome) else {
                row.isUncertain = false
                try journal.end(row.account.number, .created, row.entry)
                throw error
            }
            // A deletion without a response is repeated, but only once: otherwise it could be repeated forever.
            guard error.reason == .outcomeUnknown, !row.isRepeated, !worker.isStopped() else { throw error }
            row.isRepeated = true
            return try send(&row, worker)
        }
        return try end(row, .deleted)
    }

    /// Returns the account of the row, with a session unless the administrator deletes it.
    private func find(_ row: Row, _ worker: BulkWorker) throws(AuthError) -> (user: User, session: Session?) {
        switch access {
        case .adminKey(let key):
            guard let backend = worker.backend as? any Administering else {
                throw AuthError(.unsupported, "the backend cannot delete accounts without their passwords")
            }
            let user = try converting { () throws(BackendError) in
                try backend.administering(with: key) { () throws(BackendError) in
                    try backend.user(id: row.entry.user.id ?? "", adminKey: key)
                }
            }
            return (user, nil)
        case .passwords(let passwords):
            let new = try worker.session(of: row.account, try passwords.password(of: row.entry))
            return (new.user, new.session)
        }
    }

    /// The result of a row whose account was not found.
    ///
    /// - Throws: the error, unless it shows that the account is gone. A rejected password may do so only after a deletion
    ///   has begun, because the account's login was accepted then.
    private func gone(_ row: Row, _ error: AuthError) throws(AuthError) -> BulkResult {
        if error.reason == .notFound { return try end(row, row.isUncertain ? .deleted : .gone) }
        guard row.isUncertain, error.reason == .wrongPassword, error.fact != .accountExists(named: nil) else {
            throw error
        }
        var result = try end(row, .deleted)
        result.isPresumed = error.fact != .accountMissing
        return result
    }

    private func end(_ row: Row, _ state: BulkResult.State) throws(AuthError) -> BulkResult {
        try journal.end(row.account.number, state == .gone ? .gone : .deleted, row.entry.user)
        if let id = row.entry.user.id { deadIDs.withLock { _ = $0.insert(id) } }
        return BulkResult(row.account, state, id: row.entry.user.id)
    }

    package func failed(_ row: Row, _ error: AuthError) -> BulkResult {
        BulkResult(row.account, row.isUncertain ? .unknown : .failed, id: row.entry.user.id, error)
    }
}

extension User {
    /// Why a user from the server is not the user in the journal; `nil` if it is. The id decides. The username must be
    /// the same, too, but some servers store it in lower case. A username that is missing is not compared.
    fileprivate func difference(from known: User) -> String? {
        guard id == known.id else { return "this account is not the one that was created: its id differs" }
        guard let username, let name = known.username, username.lowercased() != name.lowercased() else { return nil }
        return "the account was renamed to '\(username)'"
    }
}
