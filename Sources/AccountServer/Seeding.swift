package import JSON
internal import Platform
internal import SQLite
import Synchronization
package import Transport

/// An account that exists when the server starts.
package struct SeedAccount: Sendable {
    /// `nil`: a random one.
    let id: String?
    /// As in the body of a signup: `username`, `password`, `email`? and any other fields.
    let body: JSONObject

    package init(id: String?, body: JSONObject) {
        self.id = id
        self.body = body
    }
}

/// Why no account was created.
package enum SeedingError: Error {
    /// The account at this index is invalid; the text is the server's.
    case refused(Int, String)
    /// The database has the username, the address or the id of the account at this index.
    case taken(Int, field: String)
    case storage(TransportError)
}

extension ParseRoutes {
    /// Creates all accounts in one transaction. Addresses need no verification; no e-mail is sent.
    ///
    /// Hashes the passwords on one thread per processor, which takes tens of milliseconds each.
    package func create(_ accounts: [SeedAccount]) throws(SeedingError) {
        var users: [UserRow] = []
        var passwords: [String] = []
        for (index, account) in accounts.enumerated() {
            let form = try form(account, at: index)
            users.append(try user(form, account, at: index))
            passwords.append(form.password ?? "")
        }
        // Before the hashes, which take much longer, and again in the transaction.
        try insert(users, hashes: nil)
        guard let hashes = PasswordHashes.all(of: passwords, cost: settings.passwordCost) else {
            throw .storage(.outOfMemory)
        }
        try insert(users, hashes: hashes)
    }

    private func form(_ account: SeedAccount, at index: Int) throws(SeedingError) -> SignUpForm {
        do throws(RouteError) {
            if account.body["authData"] != nil { throw .refused(.providerUnsupported) }
            return try SignUpForm(account.body, from: .anonymous)
        } catch {
            throw seedingError(error, index)
        }
    }

    private func user(_ form: SignUpForm, _ account: SeedAccount, at index: Int) throws(SeedingError) -> UserRow {
        let now = now
        do throws(RouteError) {
            return UserRow(
                id: account.id ?? ObjectID.make(from: settings.randomness), username: form.username ?? "",
                email: form.email, isEmailVerified: nil, passwordHash: nil, createdAt: now, updatedAt: now,
                fields: try form.changes.applied(to: nil, className: "_User").fields)
        } catch {
            throw seedingError(error, index)
        }
    }

    /// - Parameter hashes: `nil`: only checks that all users could be inserted.
    private func insert(_ rows: [UserRow], hashes: [String]?) throws(SeedingError) {
        var failure: SeedingError?
        do throws(RouteError) {
            try atomically { () throws(RouteError) in
                for (index, row) in rows.enumerated() {
                    do throws(SeedingError) {
                        try requireNew(row, at: index)
                        guard let hashes else { continue }
                        var user = row
                        user.passwordHash = hashes[index]
                        try stored(index) { () throws(SQLiteError) in try users.insert(user) }
                    } catch {
                        failure = error
                        throw .refused(.internal)
                    }
                }
            }
        } catch {
            throw failure ?? seedingError(error, 0)
        }
    }

    private func requireNew(_ user: UserRow, at index: Int) throws(SeedingError) {
        let field: String? = try stored(index) { () throws(SQLiteError) in
            if try users.isTaken(username: user.username) { return "username" }
            if let email = user.email, try users.isTaken(email: email) { return "email" }
            return try users.user(id: user.id) == nil ? nil : "id"
        }
        if let field { throw .taken(index, field: field) }
    }

    private func stored<Result>(_ index: Int, _ body: () throws(SQLiteError) -> Result) throws(SeedingError) -> Result {
        do throws(SQLiteError) {
            return try body()
        } catch {
            throw seedingError(.database(error), index)
        }
    }

    private func seedingError(_ error: RouteError, _ index: Int) -> SeedingError {
        switch error {
        case .refused(let error): .refused(index, error.text ?? "")
        case .answered: .refused(index, "")
        case .database(let error): .storage(StorageProblem.translate(error, settings.database?.path ?? "memory"))
        case .file(let error): .storage(TransportError(error))
        case .outOfMemory: .storage(.outOfMemory)
        }
    }
}

/// Computes the stored forms of many passwords.
enum PasswordHashes {
    /// In the order of the passwords; `nil` if there was not enough memory for one.
    static func all(of passwords: [String], cost: PasswordCost) -> [String]? {
        let hashes = Mutex([String?](repeating: nil, count: passwords.count))
        let next = Mutex(0)
        let work: @Sendable () -> Void = {
            while true {
                let index = next.withLock { next in
                    defer { next += 1 }
                    return next
                }
                guard index < passwords.count else { return }
                guard let hash = PasswordHash.derive(passwords[index], cost: cost) else { return }
                hashes.withLock { $0[index] = hash }
            }
        }
        // This thread works, too, so it does not matter how many others the system allows.
        let others = (1..<max(1, min(processorCount(), passwords.count))).compactMap { _ in NativeThread(work) }
        work()
        for thread in others { thread.join() }
        let all = hashes.withLock { $0.compactMap(\.self) }
        return all.count == passwords.count ? all : nil
    }
}
