package import AuthModel
package import Platform
import Synchronization

/// Verifies the e-mails of the accounts that a journal records as waiting, with the links or codes in their e-mails.
package final class VerifyAccounts: BulkWork {
    package struct Row: Sendable {
        let account: AccountRow
        let entry: AccountJournal.Entry
    }

    private let rows: Mutex<ArraySlice<Row>>
    private let journal: AccountJournal
    private let mails: any MailSource
    /// The e-mails at the start, so that those of all accounts are read together.
    private let early: [ReceivedMail]
    private let client: Client
    /// The time at which no row waits for its e-mail any more.
    private let end: Duration
    /// The origins of links that were checked.
    private let origins = Mutex<Set<String>>([])

    /// - Parameter wait: how long to wait, in all, for e-mails that have not arrived.
    /// - Throws: `AuthError` `usage` if the journal is for another server or application; `corrupt` if it is damaged; an
    ///   error of `mails`.
    package init(
        _ file: AppendFile, _ mails: any MailSource, within wait: Duration, _ client: Client
    ) throws(AuthError) {
        journal = try AccountJournal(file, client.settings.connection, waiting: client.waiting)
        self.mails = mails
        self.client = client
        end = client.waiting.now() + wait
        let waiting = journal.unverified.map { number, entry in
            var account = AccountRow(number: number)
            (account.username, account.email) = (entry.user.username, entry.user.email)
            return Row(account: account, entry: entry)
        }
        rows = Mutex(waiting[...])
        early = waiting.contains { $0.entry.isPending == true } ? try mails.mails() : []
    }

    package var count: Int { rows.withLock { $0.count } }

    package func finish() throws(AuthError) { try journal.sync() }

    package func next() -> Row? { rows.withLock { $0.popFirst() } }

    package func knownResult(of row: Row) -> BulkResult? {
        if row.entry.isPending == false { return BulkResult(row.account, .skipped, id: row.entry.user.id) }
        return row.account.email == nil
            ? BulkResult(row.account, .failed, AuthError(.notFound, "the journal has no e-mail of the account")) : nil
    }

    package func send(_ row: inout Row, _ worker: BulkWorker) throws(AuthError) -> BulkResult {
        let address = row.account.email ?? ""
        var key = try key(for: address, worker)
        worker.masker.register(Secret(key.text))
        key.owner = row.account.username
        let isNew = origins.withLock { $0.insert(key.link?.origin ?? "").inserted }
        if isNew { try client.check(key, "cannot verify the e-mails") }
        let backend = worker.backend
        let new = try converting { () throws(BackendError) -> NewSession? in
            if let backend = backend as? any AddressVerifying { return try backend.verify(key, of: address) }
            try backend.verifyEmail(key: key)
            return nil
        }
        // `try?`: the session is not used, and may live on.
        if let new { _ = try? backend.logOut(new.session) }
        var entry = row.entry
        entry.isPending = false
        try journal.end(row.account.number, .created, entry)
        return BulkResult(row.account, .verified, id: entry.user.id)
    }

    package func failed(_ row: Row, _ error: AuthError) -> BulkResult {
        var result = BulkResult(row.account, .failed, id: row.entry.user.id, error)
        result.pending = .emailVerification
        return result
    }

    /// The link or code in the newest verification e-mail to an address.
    private func key(for address: String, _ worker: BulkWorker) throws(AuthError) -> MailKey {
        var mail = Self.verification(early.compactMap { $0.addressed(to: address) })
        while mail == nil {
            mail = Self.verification(try mails.mails(to: address))
            let left = end - client.waiting.now()
            guard mail == nil, left > .zero, !worker.isStopped() else { break }
            client.waiting.pause(min(left, .milliseconds(200)))
        }
        guard let mail, let text = mail.link ?? mail.code else {
            throw AuthError(.notFound, "no verification e-mail to '\(address)'")
        }
        return MailKey(text)
    }

    /// - Parameter mails: e-mails to one address, newest last.
    private static func verification(_ mails: [ReceivedMail]) -> ReceivedMail? {
        let usable = mails.filter { !$0.isUnfinished && ($0.link ?? $0.code) != nil }
        return usable.last { $0.purpose == .verification } ?? usable.last { $0.purpose == nil }
    }
}
