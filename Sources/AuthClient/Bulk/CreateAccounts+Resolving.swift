import AuthModel
import Platform
import Synchronization

/// Rows with an unknown outcome.
extension CreateAccounts {
    /// The user of a login, and the session unless a further step is required.
    typealias Found = (user: User, new: NewSession?, pending: Pending.Step?)

    /// Returns the result of an uncertain row whose account exists with the row's password; `nil` if there is no such
    /// account. Completes an account that lacks its last request.
    func resolve(_ row: inout Row, _ worker: BulkWorker) throws(AuthError) -> BulkResult? {
        guard case .uncertain(let start) = row.state else { return nil }
        guard canLogIn(to: row.account) else { return try resolveByName(&row, since: start, worker) }
        var user = User(username: row.account.username, email: row.account.email)
        user.emailVerified = adminKey == nil ? false : nil
        guard let found = try logIn(row.account, worker, as: user) else { return nil }
        let listed = try listed(row.account, found.user, worker)
        let isOther = isOther(listed ?? found.user, than: row.account)
        let isOlder = isOther ? true : isOlder(found.new?.accountAge, listed?.createdAt, than: start)
        // Nobody else has the generated password, but a server may not check that of a disabled account.
        let isOwn = row.password == .generated && row.account.state.disabled != true
        if !isOwn, isOlder == true {
            if let new = found.new { worker.drop(new.session) }
            return try existing(row, AuthError(.usernameTaken, "the account existed before this row was sent"))
        }
        if let listed {
            guard isOwn || isOlder == false else { throw .unknownAge }
            try complete(listed, &row, worker)
        }
        let isCertain = isOwn || isOlder == false && found.new?.accountAge != nil
        return try created(row, (listed ?? found.user, found.new, found.pending), worker, isCertain: isCertain)
    }

    /// Whether an account is older than its row, by the server's clock or else, unless the clocks may differ by so much,
    /// by the time of its creation; `nil` if that is unknown.
    private func isOlder(_ age: Duration?, _ createdAt: Instant?, than start: Instant?) -> Bool? {
        guard let start else { return nil }
        let now = client.clock.now().milliseconds
        // The margin is for times that are truncated, such as `Date`.
        let elapsed = now - start.milliseconds + 2000
        if let age { return age.milliseconds > elapsed }
        guard let createdAt else { return nil }
        let difference = now - createdAt.milliseconds - elapsed
        return difference <= 0 ? false : difference > 600_000 ? true : nil
    }

    /// Whether the user has another id than the one that the row wants.
    private func isOther(_ user: User, than row: AccountRow) -> Bool { user.id != nil && !row.wantsID(of: user) }

    /// The result of an uncertain row that no login finds: the age of the account with its name decides.
    private func resolveByName(
        _ row: inout Row, since start: Instant?, _ worker: BulkWorker
    ) throws(AuthError) -> BulkResult? {
        guard let backend = worker.backend as? any Administering else { return nil }
        let name = row.account.name
        let found: User
        do throws(AuthError) {
            found = try converting { () throws(BackendError) in
                try backend.administering(with: adminKey) { () throws(BackendError) in
                    try backend.user(named: name, adminKey: adminKey)
                }
            }
        } catch {
            guard error.reason == .notFound else { throw error }
            return nil
        }
        switch isOther(found, than: row.account) ? true : isOlder(nil, found.createdAt, than: start) {
        case true?: return try existing(row, AuthError(.usernameTaken, "the account existed before this row was sent"))
        case nil: throw .unknownAge
        case false?:
            try complete(found, &row, worker)
            return try created(row, (found, nil, nil), worker, isCertain: false)
        }
    }

    /// Whether a login can show that the account exists.
    func canLogIn(to account: AccountRow) -> Bool {
        let backend = client.settings.backend.value
        return account.password != nil
            && (account.username ?? account.email != nil || backend.naming != .email || backend.has(.takesPhone))
    }

    /// Requests an account that a signup cannot create as its administrator sees it; `nil` if a signup can create it.
    private func listed(_ row: AccountRow, _ user: User, _ worker: BulkWorker) throws(AuthError) -> User? {
        guard needsAdministrator(row), let backend = worker.backend as? any Administering else { return nil }
        return try converting { () throws(BackendError) in
            try backend.user(named: user.id.map { "id:\($0)" } ?? row.name, adminKey: adminKey)
        }
    }

    private func complete(_ user: User, _ row: inout Row, _ worker: BulkWorker) throws(AuthError) {
        let state = AccountChange(row.account.state)
        var change = state.missing(in: user)
        // The first request has set what no change can set.
        if !client.settings.backend.value.accounts.changes.isSuperset(of: change.parts) { change.emailVerified = nil }
        guard let backend = worker.backend as? any Administering else { return }
        let completed =
            change.isEmpty
            ? user
            : try converting { () throws(BackendError) in try backend.update(change, of: user, adminKey: adminKey) }
        row.unkept = state.unkept(in: completed)
    }

    /// Returns the account if it exists with this password; `nil` if the name or password is wrong.
    ///
    /// - Parameter user: the result if the login is denied although the password is right.
    func logIn(
        _ account: AccountRow, _ worker: BulkWorker, as user: User = User()
    ) throws(AuthError) -> Found? {
        guard let password = account.password else { return nil }
        do throws(AuthError) {
            switch try worker.logIn(to: account, password) {
            case .session(let new): return (new.user, new, nil)
            case .waits(let pending, let named):
                return (named ?? user, nil, pending.step)
            }
        } catch {
            if worker.backend.awaitsVerification(of: user, after: error) { return (user, nil, .emailVerification) }
            switch error.reason {
            case .wrongPassword: return nil
            case .accountDisabled where account.state.disabled == true: return (user, nil, nil)
            case _ where error.fact == .passwordIsRight: return (user, nil, nil)
            default: throw error
            }
        }
    }
}

extension AuthError {
    fileprivate static let unknownAge = AuthError(
        .outcomeUnknown, "the server does not say whether the account existed before this row was sent")
}
