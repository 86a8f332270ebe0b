package import AuthModel
package import Platform
import Synchronization

/// Creates many accounts. If a run is killed, another run with the same input and journal continues the work.
///
/// If the outcome of a signup is unknown, a login with the row's password shows whether the account exists. The account
/// is new if the password was generated, or if the account is not older than the signup. If the login is rejected, a
/// second signup creates the account, or fails because another user has the name.
package final class CreateAccounts: BulkWork {
    /// A row and the progress of its requests.
    package struct Row: Sendable {
        enum State {
            case fresh
            /// An earlier run has sent the row, and its outcome is unknown.
            case sentBefore(at: Instant?)
            /// The journal has the row since this time.
            case begun(at: Instant)
            /// The account may exist because of a request that was sent after this time; `nil` if the time is unknown.
            case uncertain(since: Instant?)
            /// The account exists, and only its first login is missing.
            case needsLogin(User)
            /// An earlier run has created the account, which may wait for a step.
            case done(Pending.Step?)
        }

        enum PasswordSource {
            case input
            /// The credentials file has the password, which all accounts have.
            case shared
            /// The credentials file has the password, which only this account has.
            case generated
        }

        var item: AccountSource.Item
        var password = PasswordSource.input
        var state = State.fresh
        /// The number of requests without a usable response.
        var failures = 0
        /// What the server does not show of the account's state, although it has created the account.
        var unkept: [String] = []
        /// The account of an earlier run; the server is asked about it if all other rows are skipped, too.
        var earlier: User?
        var isAsked = false

        var account: AccountRow { item.row }

        /// Whether the account may exist because of this row.
        var mayExist: Bool {
            switch state {
            case .fresh, .begun: false
            case .sentBefore, .uncertain, .needsLogin, .done: true
            }
        }
    }

    private struct Input: Sendable {
        var source: AccountSource
        var rows: ArraySlice<Row> = []
        /// The last row to skip, as long as no row has needed a request, and the row after it.
        var held: Row?
        var following: Row?
        var needsRequests = false
    }

    private let input: Mutex<Input>
    private let journal: AccountJournal
    private let credentials: CredentialsFile?
    private let tokens: TokensFile?
    private let ids: IDsFile?
    let client: Client
    private let checksValues: Bool
    private let isStrict: Bool
    let adminKey: Secret?
    private let deletion: [String]
    /// The fields that the server does not show as they were sent.
    private let unkept = Mutex<[String]>([])
    /// Whether a login has shown that new accounts do not wait for their e-mail, or that logins cannot show it.
    private let skipsLogIns = SharedFlag()

    /// - Parameters:
    ///   - credentials: receives the generated passwords; if `nil`, no passwords are generated.
    ///   - tokens: receives the tokens of the new sessions; if `nil`, the tokens are discarded.
    ///   - ids: receives the old and new ids of the created accounts.
    ///   - keepsRefreshTokens: whether `tokens` receives the refresh tokens, too.
    ///   - checksValues: whether to apply the checks of `signup` to the values.
    ///   - isStrict: whether a row fails if its account lacks a value of it.
    ///   - adminKey: creates the accounts as the administrator; `nil` for ordinary signups.
    ///   - deletion: the command that deletes the accounts with the administrator's key.
    /// - Throws: `AuthError` `usage` if a file belongs to a different run, or if the file with the passwords of
    ///   earlier runs is missing; `corrupt` if a file is damaged.
    package init(
        _ source: AccountSource, journal: AppendFile, credentials: AppendFile?, tokens: AppendFile?,
        ids: AppendFile? = nil, keepsRefreshTokens: Bool = false, checksValues: Bool, isStrict: Bool = false,
        adminKey: Secret? = nil,
        deletion: [String] = [], _ client: Client
    ) throws(AuthError) {
        if journal.wasEmpty, let file = [credentials, tokens, ids].compactMap(\.self).first(where: { !$0.wasEmpty }) {
            throw AuthError(
                .usage, "'\(file.path)' exists, but its journal '\(journal.path)' does not",
                next: "name a new file, or the journal of that file")
        }
        self.journal = try AccountJournal(journal, client, shard: source.shard)
        guard self.journal.shard == source.shard?.text else {
            let rows = self.journal.shard.map { "--shard \($0)" } ?? "all rows"
            throw AuthError(.usage, "'\(journal.path)' is the journal of \(rows)", next: "use another journal")
        }
        guard credentials?.wasEmpty == false || !self.journal.hasGeneratedPasswords else {
            throw AuthError(
                .usage, "earlier runs with '\(journal.path)' have generated passwords",
                next: "add --credentials with the file of those runs")
        }
        self.credentials = try credentials.map { file throws(AuthError) in
            try CredentialsFile(file, randomness: client.randomness)
        }
        let deadIDs = self.journal.deadIDs
        self.tokens = try tokens.map { file throws(AuthError) in
            try TokensFile(file, keepsRefreshTokens: keepsRefreshTokens, deadIDs: deadIDs, client)
        }
        let ownJournal = self.journal
        self.ids = try ids.map { file throws(AuthError) in try IDsFile(file, of: ownJournal, client) }
        input = Mutex(Input(source: source))
        self.client = client
        self.checksValues = checksValues
        self.isStrict = isStrict
        (self.adminKey, self.deletion) = (adminKey, deletion)
        try self.journal.open()
    }

    /// Whether `DeleteAccounts` can delete the created accounts.
    package static func canDelete(_ client: Client) -> Bool {
        client.backends.has((any AccountDeleting).self) || client.backends.has((any Administering).self)
    }

    /// Whether the administrator can create accounts.
    package static func takesAdminKey(_ client: Client) -> Bool { client.backends.has((any Administering).self) }

    /// The names of the fields that accounts can have; `nil` if the administrator cannot read them.
    package static func fieldNames(_ client: Client, _ adminKey: Secret?) throws(AuthError) -> [String]? {
        guard let adminKey, let backend = try client.backends.connect() as? any Administering else { return nil }
        return try converting { () throws(BackendError) in try backend.fieldNames(adminKey: adminKey) }
    }

    package func finish() throws(AuthError) {
        let unkept = unkept.withLock { $0 }
        if !unkept.isEmpty { client.events.warn(unkept.unkeptClause) }
        try journal.sync()
        try credentials?.finish()
        try tokens?.finish()
        try ids?.finish()
    }

    // MARK: - Input

    /// The number of generated passwords that are written and synced together, before the signups that use them.
    private static let groupSize = 64

    /// Holds back the last row to skip: if no row needs a request, the server is asked about the account of that row.
    package func next() throws(AuthError) -> Row? {
        try input.withLock { input throws(AuthError) in
            if let row = input.following.take() { return row }
            while true {
                if input.rows.isEmpty { input.rows = try nextRows(of: &input.source) }
                guard let row = input.rows.popFirst() else { break }
                if case .done = row.state, !input.needsRequests {
                    let before = input.held
                    input.held = row
                    if let before { return before }
                    continue
                }
                guard knownResult(of: row) == nil else { return row }
                input.needsRequests = true
                guard let held = input.held.take() else { return row }
                input.following = row
                return held
            }
            input.held?.isAsked = true
            return input.held.take()
        }
    }

    private func nextRows(of source: inout AccountSource) throws(AuthError) -> ArraySlice<Row> {
        var rows: [Row] = []
        while rows.count < (credentials == nil ? 1 : Self.groupSize) {
            let item = try source.next(checksValues: checksValues, generatesPasswords: credentials != nil)
            guard let item else { break }
            rows.append(try row(item))
        }
        guard let credentials else { return rows[...] }
        let isShared = source.sharesPassword
        let open = rows.indices.filter {
            (isShared || !rows[$0].account.hasPassword) && knownResult(of: rows[$0]) == nil
        }
        var accounts = open.map { rows[$0].account }
        try credentials.complete(&accounts)
        for (index, account) in zip(open, accounts) {
            rows[index].item.row = account
            rows[index].password = isShared ? .shared : .generated
        }
        return rows[...]
    }

    private func row(_ item: AccountSource.Item) throws(AuthError) -> Row {
        var row = Row(item: item)
        guard let entry = journal.entry(of: item.row.number) else { return row }
        switch entry.state {
        case .created:
            row.state = .done(entry.isPending == true ? .emailVerification : nil)
            row.unkept = entry.unkept
            row.earlier = entry.user
            credentials?.rename(row.account.name, to: row.account.named(as: entry.user).name)
        case .sent, .unknown, .deleting: row.state = .sentBefore(at: entry.sentAt)
        // The user may have corrected a failed row or a taken name, or may want to create a deleted account again.
        case .existing, .failed, .deleted, .gone: return row
        }
        guard entry.digest == UInt64(item.row.digest, radix: 16) else {
            throw AuthError(
                .usage, "\(item.row.place) differs from the row \(item.row.number) of the journal",
                next: "use the same input as before, or another journal")
        }
        // With the options of this run, the row is invalid.
        guard item.error == nil else { return Row(item: item) }
        // A killed run may not have written it.
        if case .done = row.state { try ids?.add(row.account.named(as: entry.user), entry.user.id) }
        return row
    }

    // MARK: - Requests

    package func knownResult(of row: Row) -> BulkResult? {
        if case .done(let pending) = row.state {
            guard row.unkept.isEmpty else {
                return BulkResult(row.account, .failed, .unkept(row.unkept), pending: pending)
            }
            return row.isAsked ? nil : BulkResult(row.account, .skipped, pending: pending)
        }
        return row.item.error.map { BulkResult(row.account, .failed, $0) }
    }

    package func send(_ row: inout Row, _ worker: BulkWorker) throws(AuthError) -> BulkResult {
        if row.isAsked { return try ask(row, worker) }
        let account = row.account.newAccount
        for secret in [account.password, row.account.passwordHash] { worker.masker.register(secret, isPassword: true) }
        try begin(&row)
        if case .needsLogin(let user) = row.state {
            return try created(row, try logInFirst(&row, user, worker), worker)
        }
        while true {
            if let result = try resolve(&row, worker) { return result }
            do throws(AuthError) {
                return try finish(&row, try create(account, row.account, worker.backend), worker)
            } catch {
                switch error.reason {
                case .usernameTaken, .emailTaken, .phoneTaken:
                    // An earlier signup of this row may have succeeded only after the first login attempt.
                    if let result = try resolve(&row, worker) { return result }
                    return try existing(row, error)
                // Only a login tells whether the name is taken.
                case .invalidFields where error.fact == .nameMayBeTaken:
                    guard let found = try logIn(row.account, worker) else { throw error }
                    if let new = found.new { worker.drop(new.session) }
                    return try existing(row, error)
                case .serverFault where !error.isRetryable && !error.isAfterSuccess: throw error
                // After a success, the account exists, but a later request has failed.
                case _ where error.isAfterSuccess, .outcomeUnknown, .invalidResponse, .serverFault:
                    if case .begun(let time) = row.state { row.state = .uncertain(since: time) }
                    row.failures += 1
                    if row.failures == 3 || error.isOutage || worker.isStopped() { throw error }
                default:
                    // The error ends the run. Nothing was created, so the row may be corrected.
                    if case .begun = row.state, [.unsupported, .usage].contains(error.outcome) {
                        try journal.end(row.account.number, .failed)
                        row.state = .fresh
                    }
                    throw error
                }
            }
        }
    }

    /// Asks whether the account of an earlier run is still there, with the administrator's key, else by a login. An answer
    /// that does not tell counts as yes.
    private func ask(_ row: Row, _ worker: BulkWorker) throws(AuthError) -> BulkResult {
        var account = row.account
        let hasKey = adminKey != nil || !client.settings.backend.value.has(.takesServer)
        do throws(AuthError) {
            if hasKey, let id = row.earlier?.id, let backend = worker.backend as? any Administering {
                _ = try converting { () throws(BackendError) in
                    try backend.administering(with: adminKey) { () throws(BackendError) in
                        try backend.user(id: id, adminKey: adminKey)
                    }
                }
            } else if let password = account.password ?? credentials?.password(of: account.name) {
                account.password = password
                let outcome = try worker.logIn(to: account, password)
                if case .session(let new) = outcome { worker.drop(new.session) }
            }
        } catch {
            if hasKey, error.reason == .notFound { throw AuthError(.notFound, "the account is gone") }
            if error.reason == .wrongPassword { throw AuthError.accountGone(error) }
            if error.isOutage || error.reason == .rateLimited || error.reason == .badAppKey { throw error }
        }
        var row = row
        row.isAsked = false
        return knownResult(of: row) ?? BulkResult(account, .skipped)
    }

    /// Records the row in the journal before its first request.
    private func begin(_ row: inout Row) throws(AuthError) {
        let now = client.clock.now()
        let begun: Row.State
        switch row.state {
        case .fresh: begun = .begun(at: now)
        case .sentBefore(let time): begun = .uncertain(since: time)
        case .begun, .uncertain, .needsLogin, .done: return
        }
        try journal.begin(row.account, isGenerated: row.password == .generated, at: now)
        row.state = begun
    }

    private func create(
        _ account: NewAccount, _ row: AccountRow, _ backend: any Backend
    ) throws(AuthError) -> SignUpOutcome {
        try converting { () throws(BackendError) in
            guard adminKey != nil || needsAdministrator(row), let backend = backend as? any Administering else {
                return try backend.signUp(account).value
            }
            return try backend.createUser(account, adminKey: adminKey)
        }
    }

    /// Whether a signup cannot create the account. Its creation may take several requests.
    func needsAdministrator(_ row: AccountRow) -> Bool {
        !row.parts.allSatisfy { client.settings.backend.value.accounts.bySignUp.isSuperset(of: $0.part) }
    }

    private func finish(
        _ row: inout Row, _ outcome: SignUpOutcome, _ worker: BulkWorker
    ) throws(AuthError) -> BulkResult {
        if needsAdministrator(row.account) {
            row.unkept = AccountChange(row.account.state).unkept(in: outcome.user)
        }
        switch outcome {
        case .session(let new) where new.createdAccount != true:
            worker.drop(new.session)
            return try existing(row, .accountExisted)
        case .session(let new): return try created(row, (new.user, new, nil), worker)
        case .created(let user): return try created(row, try logInFirst(&row, user, worker), worker)
        // The site does not reveal whether an address is taken.
        case .waits(let pending, _) where row.mayExist && !pending.isCertain:
            throw AuthError(.outcomeUnknown, "the server does not say whether the account exists")
        case .waits(let pending, _) where pending.mayHaveExisted && !row.mayExist:
            return try existing(row, .accountWaited)
        case .waits(let pending, let user):
            return try created(row, (user, nil, pending.step), worker, isCertain: !pending.mayHaveExisted)
        }
    }

    /// Logs in to a new account whose signup response contained no session. Without a file of tokens, a login only shows
    /// whether the account waits for its e-mail, so one that does not is enough for all.
    private func logInFirst(_ row: inout Row, _ user: User, _ worker: BulkWorker) throws(AuthError) -> Found {
        let mayWait = user.emailVerified != true && row.account.email != nil && !skipsLogIns.isSet
        guard row.account.state.disabled != true, canLogIn(to: row.account), tokens != nil || mayWait else {
            return (user, nil, nil)
        }
        row.state = .needsLogin(user)
        do throws(AuthError) {
            let found = try logIn(row.account, worker, as: user) ?? (user, nil, nil)
            if found.new != nil { skipsLogIns.set() }
            return found
        } catch {
            let isTemporary = error.reason == .rateLimited || error.outcome == .unreachable || error.isOutage
            guard tokens == nil, !isTemporary else { throw error }
            if error.outcome == .unsupported { skipsLogIns.set() }
            return (user, nil, nil)
        }
    }

    // MARK: - Results

    func created(
        _ row: Row, _ found: Found, _ worker: BulkWorker, isCertain: Bool = true
    ) throws(AuthError) -> BulkResult {
        let stored = row.account.named(as: found.user)
        if let new = found.new {
            try journal.require(projectOf: new.session)
            try tokens?.add(new, of: stored)
        }
        if row.password != .input { credentials?.rename(row.account.name, to: stored.name) }
        var user = found.user
        user.username = user.username ?? row.account.username
        user.email = user.email ?? row.account.email
        let lost = worker.backend.unkept(row.account.fields, in: found.user)
        unkept.withLock { known in known += lost.filter { !known.contains($0) } }
        let missing = (row.account.wantsID(of: user) ? [] : ["id"]) + row.unkept + (isStrict ? lost : [])
        try journal.end(
            row.account.number, .created, user, name: row.account.name, isCertain: isCertain,
            isPending: found.pending == .emailVerification ? true : nil, unkept: missing)
        try ids?.add(stored, user.id)
        return missing.isEmpty
            ? BulkResult(row.account, .created, id: user.id, pending: found.pending)
            : BulkResult(row.account, .failed, id: user.id, .unkept(missing), pending: found.pending)
    }

    func existing(_ row: Row, _ error: AuthError) throws(AuthError) -> BulkResult {
        try journal.end(row.account.number, .existing)
        if row.password != .input { credentials?.refuse(row.account.name) }
        return BulkResult(
            row.account, .existing, error, remedy: "to accept accounts that exist already, add --if-not-exists")
    }

    package func failed(_ row: Row, _ error: AuthError) throws(AuthError) -> BulkResult {
        if row.isAsked {
            let hasKey = error.reason == .notFound && !deletion.isEmpty
            return BulkResult(
                row.account, .failed, id: row.earlier?.id, error,
                remedy: hasKey
                    ? NextStep("if the others are gone, too, delete them from the journal", run: deletion)
                    : "to begin anew, add --replace to users create")
        }
        let isUnknown = row.mayExist
        try journal.end(row.account.number, isUnknown ? .unknown : .failed)
        if row.password != .input, !isUnknown { credentials?.refuse(row.account.name) }
        var result = BulkResult(row.account, isUnknown ? .unknown : .failed, error)
        if row.account.email == nil, error.fields.contains(where: { $0.field == "email" }) || error.fact == .wantsEmail
        {
            result.remedy =
                row.account.line == 0
                ? "to give each account an e-mail, add --email 'ci-{n}@example.org'"
                : .giveEmails
        } else if error.fact == .wantsEmail, row.account.username != nil {
            result.remedy = "to leave out the usernames, add --drop username"
        }
        return result
    }
}

extension AuthError {
    fileprivate static func unkept(_ names: [String]) -> AuthError {
        AuthError(.invalidFields, "the account was created, but \(names.unkeptClause)")
    }
}
