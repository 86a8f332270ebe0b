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
    /// The passwords, by account name; `nil` if they are not known.
    private let passwords: [String: Secret]?
    private let wait: Duration
    /// The time at which no row waits for its e-mail any more.
    private let end: Duration
    /// The origin that all links must have: that of `linkOrigin`, else of the first link whose key the server has accepted.
    private let origin: Mutex<String?>

    /// - Parameters:
    ///   - passwords: by account name, to log in where codes are valid only for an unfinished login, or where nothing
    ///     else shows whether an account is verified.
    ///   - wait: how long to wait, in all, for e-mails that have not arrived; after a login, for each.
    /// - Throws: `AuthError` `usage` if the journal is for another server or application; `corrupt` if it is damaged; an
    ///   error of `mails`.
    package init(
        _ file: AppendFile, _ mails: any MailSource, passwords: [String: Secret]? = nil, within wait: Duration,
        _ client: Client
    ) throws(AuthError) {
        self.passwords = passwords
        origin = Mutex(client.linkOrigin)
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
    private static func mayNeedLogIns(_ client: Client) -> Bool {
        client.settings.backend.value.verification == .requester
    }

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
        var first = early.compactMap { $0.addressed(to: address) }
        var (end, login, old) = (end, Requester?.none, [ReceivedMail]())
        if passwords != nil, Self.mayNeedLogIns(client), !first.contains(where: { $0.link != nil }) {
            old = try mails.mails(to: address)
            guard let requester = try logIn(row, worker) else { return try self.end(row, .skipped) }
            (first, login, end) = ([], requester, client.waiting.now() + max(wait, .seconds(2)))
        }
        var hasLoggedIn = login != nil
        func look() throws(AuthError) -> [ReceivedMail] {
            defer { first = [] }
            return try first.isEmpty ? mails.mails(to: address) : first
        }
        // E-mails have their time in seconds.
        let start = row.entry.sentAt.map { Instant(seconds: $0.seconds) }
        var keys = MailKeys(of: row.entry.user, [.verification, nil]) { [old] mail in
            old.contains(mail) || start.map { (mail.date ?? $0) < $0 } ?? false
        }
        while let mail = try keys.next(until: end, client.waiting, isStopped: worker.isStopped, look) {
            do throws(AuthError) {
                try use(mail, of: row, in: login, worker)
                return try self.end(row, .verified)
            } catch {
                // An unsuitable link fails only its row.
                if error.reason == .usage { return failed(row, error) }
                if error == Self.otherAccount { hasLoggedIn = true }
                try keys.pass(error)
            }
        }
        // The key of an account that is verified already is used up.
        if !hasLoggedIn, try isVerified(row, worker) == true { return try self.end(row, .skipped) }
        throw keys.error("verification e-mail to '\(address)'")
    }

    /// Sends the key of an e-mail.
    ///
    /// - Parameter login: the unfinished login for which a code is valid.
    /// - Throws: `notFound` or `wrongCode` if the key is not valid for this account; `usage` if its link is unsuitable;
    ///   `invalidResponse` or `outcomeUnknown` if nothing shows whether the account is verified.
    private func use(
        _ mail: ReceivedMail, of row: Row, in login: Requester?, _ worker: BulkWorker
    ) throws(AuthError) {
        if mail.link == nil, login == nil, Self.mayNeedLogIns(client) {
            throw AuthError(.emailUnverified, "the code is valid only for a login that waits for it")
        }
        var key = MailKey(mail.link ?? mail.code ?? "")
        worker.masker.register(Secret(key.text))
        key.owner = row.account.username
        guard let own = try client.origin(of: key) else { return try send(key, of: row, in: login, worker) }
        // Until the server has accepted a key, one row at a time sends its key.
        let isDone = try origin.withLock { accepted throws(AuthError) in
            guard accepted == nil else { return false }
            try send(key, of: row, in: login, worker)
            client.note(own)
            accepted = own
            return true
        }
        guard !isDone else { return }
        _ = try client.origin(of: key, wanted: origin.withLock { $0 })
        try send(key, of: row, in: login, worker)
    }

    private func send(
        _ key: MailKey, of row: Row, in login: Requester?, _ worker: BulkWorker
    ) throws(AuthError) {
        var doubt: AuthError?
        do throws(AuthError) {
            let proof = VerificationProof(address: row.account.email, as: login ?? .anonymous)
            let verification = try converting { () throws(BackendError) in try worker.backend.verify(key, proof).value }
            if case .session(let new) = verification {
                worker.drop(new.session)
                guard row.entry.user.isSame(as: new.user) else { throw Self.otherAccount }
                return
            }
        } catch {
            guard error.leavesDoubt else { throw error }
            doubt = error
        }
        // Where logins are limited, the server's word is enough, as it is for a link that names the account.
        let isLimited = client.settings.backend.value.logInsPerMinute != nil
        if doubt == nil, login != nil || isLimited || key.isOf(row.entry.user) == true { return }
        let isVerified = try isVerified(row, worker)
        if isVerified == false { throw Self.otherAccount }
        if let doubt, isVerified == nil { throw doubt }
    }

    private static let otherAccount = AuthError(
        .notFound, "the key is unknown, used, expired or of another account")

    /// Whether a login shows that the e-mail is verified; `nil` if it shows nothing, or if the password is not known.
    private func isVerified(_ row: Row, _ worker: BulkWorker) throws(AuthError) -> Bool? {
        guard passwords != nil else { return nil }
        do throws(AuthError) {
            return try logIn(row, worker) == nil
        } catch {
            guard error.reason != .emailUnverified else { return false }
            guard error.isRetryable else { return nil }
            throw error
        }
    }

    /// Logs in to an account.
    ///
    /// - Returns: the login that waits for the verification of the e-mail; `nil` if the e-mail is verified.
    private func logIn(_ row: Row, _ worker: BulkWorker) throws(AuthError) -> Requester? {
        let password = try (passwords ?? [:]).password(of: row.entry)
        worker.masker.register(password, isPassword: true)
        switch try worker.logIn(to: row.account, password) {
        case .waits(let pending, _):
            guard pending.step == .emailVerification, let token = pending.token else { throw pending.error }
            return .pending(token)
        case .session(let new):
            worker.drop(new.session)
            return new.user.emailVerified == false ? .anonymous : nil
        }
    }

    private func end(_ row: Row, _ state: BulkResult.State) throws(AuthError) -> BulkResult {
        var entry = row.entry
        entry.isPending = false
        try journal.end(row.account.number, .created, entry)
        return BulkResult(row.account, state, id: entry.user.id)
    }

    package func failed(_ row: Row, _ error: AuthError) -> BulkResult {
        var result = BulkResult(
            row.account, error.leavesDoubt ? .unknown : .failed, id: row.entry.user.id, error,
            pending: .emailVerification)
        if passwords == nil, error.leavesDoubt {
            result.remedy = "to check by a login to each account, add --credentials FILE, the file of users create"
        } else if passwords == nil, error.reason == .emailUnverified {
            result.remedy = "to log in to each account first, add --credentials FILE, the file of users create"
        }
        return result
    }
}

extension AuthError {
    /// Whether the server may have accepted the key of an e-mail.
    var leavesDoubt: Bool { reason == .invalidResponse || reason == .outcomeUnknown }
}

extension User {
    /// Whether this is the account of a journal line that the server names.
    fileprivate func isSame(as found: User) -> Bool {
        if let id, let other = found.id { return id == other }
        return email == nil || found.email == nil || email?.lowercased() == found.email?.lowercased()
    }
}
