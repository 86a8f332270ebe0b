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
    /// The passwords, by account name; `nil` if no login is needed.
    private let passwords: [String: Secret]?
    private let wait: Duration
    /// The time at which no row waits for its e-mail any more.
    private let end: Duration
    /// The origins of links that were checked.
    private let origins = Mutex<Set<String>>([])

    /// - Parameters:
    ///   - passwords: log in to accounts whose codes are valid only for an unfinished login, by account name.
    ///   - wait: how long to wait, in all, for e-mails that have not arrived; after a login, for each.
    /// - Throws: `AuthError` `usage` if the journal is for another server or application; `corrupt` if it is damaged; an
    ///   error of `mails`.
    package init(
        _ file: AppendFile, _ mails: any MailSource, passwords: [String: Secret]? = nil, within wait: Duration,
        _ client: Client
    ) throws(AuthError) {
        self.passwords = Self.mayNeedLogIns(client) ? passwords : nil
        self.wait = wait
        journal = try AccountJournal(file, client)
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
    /// Whether rows need a login, as the first e-mails show.
    package var logsIn: Bool { passwords != nil && early.contains { $0.link == nil } }

    /// Whether a code can be valid only for an unfinished login.
    private static func mayNeedLogIns(_ client: Client) -> Bool { client.backends.has((any PendingLoginResuming).self) }

    /// The command that verifies the e-mails of the accounts in a journal.
    package static func command(journal: String, credentials: String?, _ client: Client) -> [String] {
        ["users", "verify"] + .option("--journal", journal)
            + (mayNeedLogIns(client) ? credentials.map { .option("--credentials", $0) } ?? [] : [])
    }

    package func finish() throws(AuthError) { try journal.sync() }

    package func next() -> Row? { rows.withLock { $0.popFirst() } }

    package func knownResult(of row: Row) -> BulkResult? {
        if row.entry.isPending == false { return BulkResult(row.account, .skipped, id: row.entry.user.id) }
        return row.account.email == nil
            ? BulkResult(row.account, .failed, AuthError(.notFound, "the journal has no e-mail of the account")) : nil
    }

    package func send(_ row: inout Row, _ worker: BulkWorker) throws(AuthError) -> BulkResult {
        let address = row.account.email ?? ""
        guard let (mail, requester) = try mail(to: address, row, worker) else { return try end(row, .skipped) }
        guard let text = mail?.link ?? mail?.code else {
            throw AuthError(.notFound, "no verification e-mail to '\(address)'")
        }
        var key = MailKey(text)
        worker.masker.register(Secret(key.text))
        key.owner = row.account.username
        let isNew = origins.withLock { $0.insert(key.link?.origin ?? "").inserted }
        if isNew { try client.check(key, "cannot verify the e-mails") }
        let backend = worker.backend
        let new = try converting { () throws(BackendError) -> NewSession? in
            if let backend = backend as? any AddressVerifying { return try backend.verify(key, of: address) }
            if let backend = backend as? any PendingLoginResuming {
                return try backend.verifyEmail(key: key, as: requester).value
            }
            try backend.verifyEmail(key: key)
            return nil
        }
        // `try?`: the session is not used, and may live on.
        if let new { _ = try? backend.logOut(new.session) }
        return try end(row, .verified)
    }

    private func end(_ row: Row, _ state: BulkResult.State) throws(AuthError) -> BulkResult {
        var entry = row.entry
        entry.isPending = false
        try journal.end(row.account.number, .created, entry)
        return BulkResult(row.account, state, id: entry.user.id)
    }

    package func failed(_ row: Row, _ error: AuthError) -> BulkResult {
        var result = BulkResult(row.account, .failed, id: row.entry.user.id, error)
        result.pending = .emailVerification
        if error.reason == .emailUnverified, passwords == nil {
            result.remedy = "to log in to each account first, add --credentials FILE, the file of users create"
        }
        return result
    }

    /// Returns the newest verification e-mail to an address, and what its code is valid for; `nil` if the e-mail is
    /// verified already.
    ///
    /// If no link has arrived, a login makes the server send a new code, which is valid for that login.
    private func mail(
        to address: String, _ row: Row, _ worker: BulkWorker
    ) throws(AuthError) -> (ReceivedMail?, Requester)? {
        var mail = Self.verification(early.compactMap { $0.addressed(to: address) })
        guard mail?.link == nil, let passwords else {
            if mail == nil { mail = try newMail(to: address, until: end, worker) }
            guard mail == nil || mail?.link != nil || !Self.mayNeedLogIns(client) else {
                throw AuthError(.emailUnverified, "the code is valid only for a login that waits for it")
            }
            return (mail, .anonymous)
        }
        let old = try mails.mails(to: address)
        var token: Secret?
        do throws(AuthError) {
            let password = try passwords.password(of: row.entry)
            worker.masker.register(password, isPassword: true)
            guard
                case .pending(let pending, _) = try worker.logIn(
                    to: row.account, password, keeping: { token = $0.unfinishedLogin })
            else { return nil }
            token = pending.token
        } catch {
            guard error.reason == .emailUnverified, token != nil else { throw error }
        }
        let end = client.waiting.now() + max(wait, .seconds(2))
        let new = try newMail(to: address, besides: old, until: end, worker)
        return (new ?? Self.verification(old), token.map { .pending($0) } ?? .anonymous)
    }

    /// Waits for a verification e-mail that is not one of `old`.
    private func newMail(
        to address: String, besides old: [ReceivedMail] = [], until end: Duration, _ worker: BulkWorker
    ) throws(AuthError) -> ReceivedMail? {
        while true {
            let mail = Self.verification(try mails.mails(to: address).filter { !old.contains($0) })
            let left = end - client.waiting.now()
            guard mail == nil, left > .zero, !worker.isStopped() else { return mail }
            client.waiting.pause(min(left, .milliseconds(200)))
        }
    }

    /// - Parameter mails: e-mails to one address, newest last.
    private static func verification(_ mails: [ReceivedMail]) -> ReceivedMail? {
        let usable = mails.filter { !$0.isUnfinished && ($0.link ?? $0.code) != nil }
        return usable.last { $0.purpose == .verification } ?? usable.last { $0.purpose == nil }
    }
}
