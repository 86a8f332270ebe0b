package import AuthModel
package import Platform
import Synchronization

/// Logs in to many accounts, and writes the tokens of their sessions to a file, and a browser state for each if wanted.
/// Skips the accounts whose tokens and states are there, so that another run continues the work.
///
/// A token that has expired is refreshed if possible. The server is asked about the first token, and about every token if
/// it has refused one: the file may be older than the accounts. It is also asked if the ids of both lines do not show that
/// the token is the account's.
package final class LogInAccounts: BulkWork {
    private let source: Mutex<AccountSource>
    private let tokens: TokensFile
    private let states: StorageStates?
    private let verification: [String]
    private let client: Client
    private let codes: Codes?
    /// Whether the server has accepted, or refused, a token of the file.
    private let hasAccepted = SharedFlag()
    private let hasRefused = SharedFlag()
    private let newAccounts = Atomic(0)

    /// The codes or links that log in without passwords.
    package struct Codes: Sendable {
        let mails: any MailSource
        /// How long to wait for each e-mail.
        let wait: Duration

        package init(_ mails: any MailSource, wait: Duration) { (self.mails, self.wait) = (mails, wait) }
    }

    /// - Parameters:
    ///   - codes: `nil` to log in with the passwords.
    ///   - verification: the command that verifies the e-mails of accounts.
    ///   - keepsRefreshTokens: whether the file of tokens receives the refresh tokens, too.
    ///   - replaces: whether the first session replaces all that the file has.
    /// - Throws: `AuthError` `usage` if the file of tokens is for another server; `usage` or `corrupt` if authctl did not
    ///   write it.
    package init(
        _ source: AccountSource, tokens: AppendFile, states: StorageStates? = nil, codes: Codes? = nil,
        verification: [String], keepsRefreshTokens: Bool = false, replaces: Bool = false, _ client: Client
    ) throws(AuthError) {
        self.source = Mutex(source)
        (self.states, self.codes) = (states, codes)
        (self.verification, self.client) = (verification, client)
        self.tokens = try TokensFile(tokens, keepsRefreshTokens: keepsRefreshTokens, replaces: replaces, client)
    }

    package func next() throws(AuthError) -> AccountSource.Item? {
        try source.withLock { source throws(AuthError) in
            try source.next(checksValues: false, generatesPasswords: codes != nil)
        }
    }

    package func knownResult(of item: AccountSource.Item) -> BulkResult? {
        if let error = item.error { return BulkResult(item.row, .failed, error) }
        guard hasAccepted.isSet, !hasRefused.isSet, let id = item.row.id, let line = tokens.line(of: item.row.name),
            line["id"]?.string == id, !Session(line: line).hasExpired(at: client.clock.now()),
            states?.has(line, of: item.row) != false
        else { return nil }
        return BulkResult(item.row, .skipped, id: id, file: states?.path(of: item.row, id: id))
    }

    package func send(_ item: inout AccountSource.Item, _ worker: BulkWorker) throws(AuthError) -> BulkResult {
        let row = item.row
        if let result = try reuseToken(of: row, worker) { return result }
        let new: NewSession
        if let codes {
            new = try session(of: row.email ?? row.phone ?? row.name, codes, worker)
        } else {
            guard let password = row.password else {
                throw AuthError(
                    .invalidFields, "the password is missing", fields: [FieldFault("password", "is missing")])
            }
            new = try worker.session(of: row, password)
        }
        do throws(AuthError) {
            try states?.write(new.session, of: new.user, row, worker.backend)
        } catch {
            worker.drop(new.session)
            throw error
        }
        try tokens.add(new, of: row)
        // The link or code of some servers creates an account for an unknown address.
        let isNew = new.createdAccount == true
        if isNew { newAccounts.wrappingAdd(1, ordering: .relaxed) }
        return BulkResult(
            row, isNew ? .created : .loggedIn, id: new.user.id, file: states?.path(of: row, id: new.user.id))
    }

    /// Logs in with the code or link that the server sends to the address of an account. A limit ends the run, because a
    /// server may send few e-mails an hour.
    private func session(
        of address: String, _ codes: Codes, _ worker: BulkWorker
    ) throws(AuthError) -> NewSession {
        do throws(AuthError) {
            let earlier = try codes.mails.mails(to: address)
            let token = try converting { () throws(BackendError) in
                try worker.backend.request(Pending(.logInCode), of: address)
            }.token
            let end = client.waiting.now() + codes.wait
            var keys = MailKeys(of: User(login: address), ReceivedMail.Purpose.login.accepted)
            while let mail = try keys.next(
                until: end, client.waiting, isStopped: worker.isStopped,
                { () throws(AuthError) in try codes.mails.mails(to: address).filter { !earlier.contains($0) } })
            {
                do throws(AuthError) {
                    return try session(of: address, token, MailKey(mail.key(for: .login)), worker)
                } catch {
                    try keys.pass(error)
                }
            }
            throw keys.error("login e-mail to '\(address)'")
        } catch {
            var error = error
            if error.reason == .rateLimited { error.fact = .limitIsLong }
            throw error
        }
    }

    private func session(
        of address: String, _ token: Secret?, _ key: MailKey, _ worker: BulkWorker
    ) throws(AuthError) -> NewSession {
        worker.masker.register(Secret(key.text))
        do throws(AuthError) {
            _ = try client.origin(of: key)
            guard let token, key.link == nil || client.settings.backend.value.codes.contains(.withAddress) else {
                throw AuthError(.usage, "the server sends codes, and the e-mail has a link")
            }
            let new = try converting { () throws(BackendError) in
                try worker.backend.resume(token, code: Secret(key.text)).value
            }.session()
            guard worker.backend.hasAddress(address, new) else {
                worker.drop(new.session)
                throw AuthError(.wrongCode, "the code or link is of another account")
            }
            return new
        } catch {
            // An unsuitable link, or a limit on the attempts of one account, does not end the run.
            if error.reason == .rateLimited { throw AuthError(.wrongCode, error.message) }
            guard error.reason == .usage else { throw error }
            throw AuthError(.notFound, error.message)
        }
    }

    /// Returns the result of a row whose token in the file is valid, or was refreshed; `nil` if the account has no such
    /// token, or no browser state with it.
    private func reuseToken(of row: AccountRow, _ worker: BulkWorker) throws(AuthError) -> BulkResult? {
        guard let line = tokens.line(of: row.name) else { return nil }
        let (id, session) = (line["id"]?.string, Session(line: line))
        let file = states?.path(of: row, id: id)
        worker.masker.register(session)
        guard row.id == nil || row.id == id else {
            tokens.discard(row.name)
            return nil
        }
        do throws(AuthError) {
            if session.hasExpired(at: client.clock.now()) {
                if let new = try refreshed(session, worker) {
                    let user = User(id: id)
                    try states?.write(new, of: user, row, worker.backend)
                    try tokens.add(NewSession(user: user, session: new), of: row, keepsRefreshToken: true)
                    return BulkResult(row, .refreshed, id: id, file: file)
                }
            } else {
                let user = try converting { () throws(BackendError) in try worker.backend.currentUser(session).value }
                if id == nil || user.id == id {
                    hasAccepted.set()
                    guard states?.has(line, of: row) != false else { return nil }
                    return BulkResult(row, .skipped, id: id, file: file)
                }
                hasRefused.set()
            }
        } catch {
            guard error.refusesToken else { throw error }
            hasRefused.set()
        }
        tokens.discard(row.name)
        return nil
    }

    /// Returns `nil` if the session has no refresh token that the server accepts. A login replaces the session, too, if no
    /// response arrives, because the server may have used the refresh token up.
    private func refreshed(_ session: Session, _ worker: BulkWorker) throws(AuthError) -> Session? {
        guard session.refreshToken != nil, client.settings.backend.value.refresh.means == .refreshToken,
            let backend = worker.backend as? any SessionRefreshing
        else { return nil }
        do throws(AuthError) {
            return try converting { () throws(BackendError) in try backend.refresh(session) }
        } catch {
            guard error.refusesToken || error.reason == .outcomeUnknown else { throw error }
            return nil
        }
    }

    package func failed(_ item: AccountSource.Item, _ error: AuthError) -> BulkResult {
        guard error.reason != .wrongPassword else {
            let isKnown = tokens.hasDiscarded(item.row.name)
            let remedy = "if the accounts are gone, create them again: add --replace to users create" as NextStep
            return BulkResult(item.row, .failed, isKnown ? .accountGone(error) : error, remedy: remedy)
        }
        var result = BulkResult(item.row, .failed, error)
        if error.reason == .emailUnverified {
            result.remedy = NextStep("verify the e-mails", run: verification)
        } else if error.fact == .passwordIsRight {
            result.remedy = NextStep("if the e-mails are not verified, verify them", run: verification)
        } else if error.fact == .wantsEmail, item.row.email == nil {
            result.remedy = .giveEmails
        }
        return result
    }

    package func finish() throws(AuthError) {
        let count = newAccounts.load(ordering: .relaxed)
        if count > 0 {
            let (accounts, addresses) = count == 1 ? ("1 account", "an address") : ("\(count) accounts", "addresses")
            client.events.warn("the server created \(accounts) for \(addresses) without an account")
        }
        try tokens.finish()
    }
}

extension AuthError {
    /// Whether the server has refused a token. Its account may be gone.
    fileprivate var refusesToken: Bool {
        reason.meansInvalidSession || [.tokenRefused, .accountDisabled, .notFound].contains(reason)
    }

    /// The error about an account that was there before, if its login is refused for a wrong password.
    static func accountGone(_ refusal: AuthError) -> AuthError {
        let isGone = refusal.fact == .accountMissing
        return AuthError(
            refusal.reason, isGone ? "the account is gone" : "the account is gone, or has another password",
            server: refusal.server)
    }
}

extension NextStep {
    static let giveEmails: NextStep = "give each row an e-mail: add a column or member 'email'"
}
