package import JSON
internal import Platform
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
        // The account that an error concerns.
        var index = 0
        do throws(RouteError) {
            var (rows, passwords) = ([UserRow](), [String]())
            for account in accounts {
                let (row, password) = try row(of: account)
                rows.append(row)
                passwords.append(password)
                index += 1
            }
            guard let hashes = PasswordHashes.all(of: passwords, cost: settings.passwordCost) else {
                throw .outOfMemory
            }
            try database.transaction { () throws(RouteError) in
                index = 0
                for (row, hash) in zip(rows, hashes) {
                    var user = row
                    user.passwordHash = hash
                    try checkUniqueness(ofUsername: user.username, email: user.email, of: "")
                    guard try users.user(id: user.id) == nil else { throw .refused(.idTaken) }
                    try users.insert(user)
                    index += 1
                }
            }
        } catch {
            throw seedingError(error, index)
        }
    }

    private func row(of account: SeedAccount) throws(RouteError) -> (UserRow, password: String) {
        if account.body["authData"] != nil { throw .refused(.providerUnsupported) }
        let form = try SignUpForm(account.body, takesFacebook: false)
        let now = now
        let row = UserRow(
            id: account.id ?? ObjectID.make(from: settings.randomness), username: form.username ?? "",
            email: form.email, isEmailVerified: nil, passwordHash: nil, createdAt: now, updatedAt: now,
            fields: try form.changes.applied(to: nil, className: "_User").fields)
        return (row, form.password ?? "")
    }

    private func seedingError(_ error: RouteError, _ index: Int) -> SeedingError {
        switch error {
        case .refused(.usernameTaken): .taken(index, field: "username")
        case .refused(.emailTaken): .taken(index, field: "email")
        case .refused(.idTaken): .taken(index, field: "id")
        case .refused(let error): .refused(index, error.text ?? "")
        case .answered, .database, .file, .outOfMemory: .storage(error.transportError(settings.database))
        }
    }
}

extension ParseError {
    /// Only of seeding: clients cannot choose the id of a user.
    fileprivate static let idTaken = ParseError(code: 137, text: "the id is already taken")
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
