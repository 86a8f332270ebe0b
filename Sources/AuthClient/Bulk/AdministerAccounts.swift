package import AuthModel
import JSON
import Synchronization

/// Changes or deletes accounts that their names or ids identify, with the administrator's key.
///
/// A change sends only what the account does not show yet, so that another run repeats nothing.
package final class AdministerAccounts: BulkWork {
    package enum Action: Sendable {
        case change(AccountChange)
        case delete
    }

    package struct Row: Sendable {
        /// The account as the input names it, and the error of an invalid row.
        var item: AccountSource.Item
        /// How `Administering.user(named:)` finds the account; `nil` if a member of the row does.
        let name: String?
        /// The number of requests that may have deleted or changed the account, without a response.
        var lost = 0
        /// Whether such a request was sent after the account was found.
        var isSent = false
    }

    private enum Input: Sendable {
        case names(ArraySlice<String>, next: Int)
        case file(AccountSource)
    }

    private let input: Mutex<Input>
    private let action: Action
    private let adminKey: Secret?
    /// The parts of accounts that can be changed. A row may name others as they are.
    private let changeable: AccountParts
    private let changesClaims = SharedFlag()
    /// The rows of a file that have found an account, by the id of the account.
    private let found = Mutex<[String: Int]>([:])

    /// - Parameters:
    ///   - names: usernames, e-mails, phone numbers, or ids such as `id:x7`.
    ///   - adminKey: the checked key; `nil` for local accounts and emulators.
    package init(_ names: [String], _ action: Action, adminKey: Secret?) {
        input = Mutex(.names(names[...], next: 1))
        self.action = action
        (self.adminKey, changeable) = (adminKey, AccountParts(rawValue: .max))
    }

    /// - Parameters:
    ///   - change: for every account; its row may add to it.
    ///   - changeable: the parts of accounts that can be changed.
    package init(
        _ source: AccountSource, _ change: AccountChange, _ changeable: AccountParts, adminKey: Secret?
    ) {
        input = Mutex(.file(source))
        action = .change(change)
        (self.adminKey, self.changeable) = (adminKey, changeable)
    }

    /// - Throws: `AuthError` `unsupported` if the backend has no requests of an administrator.
    package static func requireSupport(_ client: Client) throws(AuthError) {
        _ = try client.backends.require((any Administering).self, to: "change or delete accounts")
    }

    package func next() throws(AuthError) -> Row? {
        try input.withLock { input throws(AuthError) in
            switch input {
            case .names(var names, let number):
                guard let name = names.popFirst() else { return nil }
                input = .names(names, next: number + 1)
                var account = AccountRow(number: number)
                account.username = name
                return Row(item: AccountSource.Item(row: account), name: name)
            case .file(var source):
                defer { input = .file(source) }
                let item = try source.next(checksValues: false, generatesPasswords: true)
                return item.map { Row(item: $0, name: nil) }
            }
        }
    }

    package func knownResult(of row: Row) -> BulkResult? {
        row.item.error.map { BulkResult(row.item.row, .failed, $0) }
    }

    package func send(_ row: inout Row, _ worker: BulkWorker) throws(AuthError) -> BulkResult {
        guard let backend = worker.backend as? any Administering else {
            throw AuthError(.unsupported, "the backend has no requests of an administrator")
        }
        if let password = row.item.row.password { worker.masker.register(password, isPassword: true) }
        while true {
            row.isSent = false
            do throws(AuthError) {
                return try converting { () throws(BackendError) in
                    try backend.administering(with: adminKey) { () throws(BackendError) in try act(on: &row, backend) }
                }
            } catch {
                if case .delete = action, row.lost > 0, error.reason == .notFound {
                    return BulkResult(row.item.row, .deleted)
                }
                let mayBeDone = error.isAfterSuccess || [.outcomeUnknown, .invalidResponse].contains(error.reason)
                guard row.isSent, mayBeDone else { throw error }
                row.lost += 1
                guard !error.isAfterSuccess, !worker.isStopped() else { throw error }
                // The second request sends what the account lacks then. A third one could repeat a fault forever.
                guard row.lost == 1 else { throw error }
            }
        }
    }

    private func act(on row: inout Row, _ backend: any Administering) throws(BackendError) -> BulkResult {
        let user = try user(of: row, backend)
        var account = row.item.row
        (account.username, account.email, account.phone) = (user.username, user.email, user.phone)
        guard case .change(var change) = action else {
            row.isSent = true
            try backend.deleteUser(id: user.id ?? "", adminKey: adminKey)
            return BulkResult(account, .deleted, id: user.id)
        }
        if row.name == nil { change.add(row.item.row) }
        let missing = change.missing(in: user)
        // A request without a response may have made the change.
        guard !missing.isEmpty else { return BulkResult(account, row.lost > 0 ? .changed : .unchanged, id: user.id) }
        let rest = missing.parts.subtracting(changeable)
        let lost = row.item.row.parts.filter { !$0.part.isDisjoint(with: rest) }.map(\.column.rawValue)
        guard lost.isEmpty else { throw BackendError(RowLosses.error(lost)) }
        if missing.emailVerified != nil, user.email == nil, missing.user.email == nil {
            throw BackendError(.invalidFields, "the account has no e-mail")
        }
        row.isSent = true
        let changed = try backend.update(missing, of: user, adminKey: adminKey)
        guard changed.id == user.id else { throw BackendError(.invalidResponse, "the response is of another account") }
        let unkept = missing.unkept(in: changed)
        guard unkept.isEmpty else { throw BackendError(.invalidFields, unkept.unkeptClause) }
        if !missing.claims.isEmpty { changesClaims.set() }
        return BulkResult(account, missing.hasChanged(user, to: changed) ? .changed : .unchanged, id: user.id)
    }

    /// Whether the claims of an account were changed, which its tokens do not show yet.
    package var hasChangedClaims: Bool { changesClaims.isSet }

    private func user(of row: Row, _ backend: any Administering) throws(BackendError) -> User {
        if let name = row.name { return try backend.user(named: name, adminKey: adminKey) }
        let account = row.item.row
        let user: User
        if let id = account.id {
            user = try backend.user(givenID: id, adminKey: adminKey)
        } else {
            // Another account may have this name in another place.
            let users = try backend.users(named: account.name, adminKey: adminKey)
            let own = users.filter { account.difference(from: $0) == nil }
            guard let found = (own.isEmpty ? users : own).first else { throw .namesNobody(account.name) }
            guard own.count < 2 else { throw .isAmbiguous(account.name, own) }
            // Several accounts lack their roles.
            user = users.count == 1 ? found : try backend.user(givenID: found.id ?? "", adminKey: adminKey)
        }
        if let difference = account.difference(from: user) { throw BackendError(.invalidFields, difference) }
        // Two changes of one account at the same time could undo each other.
        let isNew = found.withLock { found in found.updateValue(account.number, forKey: user.id ?? "") }
        guard isNew ?? account.number == account.number else {
            throw BackendError(.invalidFields, "an earlier row names the same account")
        }
        return user
    }

    package func failed(_ row: Row, _ error: AuthError) -> BulkResult {
        BulkResult(row.item.row, row.lost > 0 ? .unknown : .failed, error)
    }

    package func finish() {}
}

extension AccountRow {
    /// How the account differs from the names in the row; `nil` if it has them.
    fileprivate func difference(from user: User) -> String? {
        let names = [
            ("username", username, user.username), ("e-mail", email, user.email), ("phone number", phone, user.phone),
        ]
        // Servers may store a phone number without `+`.
        let plain = { (text: String) in text.hasPrefix("+") ? String(text.dropFirst()) : text.lowercased() }
        for (what, asked, stored) in names {
            guard let asked, plain(asked) != stored.map(plain) else { continue }
            return stored.map { "the account has the \(what) '\($0)'" } ?? "the account has no \(what)"
        }
        return nil
    }
}

extension AccountChange {
    /// Adds what a row says of its account, besides the names.
    fileprivate mutating func add(_ row: AccountRow) {
        for field in row.fields.members {
            if field.value == .null { user.unset.append(field.name) } else { user.fields[field.name] = field.value }
        }
        user.password = row.password ?? user.password
        emailVerified = row.state.emailVerified ?? emailVerified
        phoneVerified = row.state.phoneVerified == true ? true : nil
        disabled = row.state.disabled ?? disabled
        for claim in row.state.claims.members { claims[claim.name] = claim.value }
        addedRoles += row.state.roles.filter { !addedRoles.contains($0) }
    }
}

extension AccountChange {
    /// - Throws: `AuthError` `unsupported` if the backend cannot make a part of the change.
    package func require(of settings: Settings) throws(AuthError) {
        let able = settings.backend.value.accounts.changes
        if able.contains(.claims), let fault = settings.backend.value.accounts.fault(of: claims) {
            throw AuthError(.invalidFields, fault.sentence, fields: [fault])
        }
        guard let (part, what) = Self.names.first(where: { parts.contains($0.0) && !able.contains($0.0) }) else {
            return
        }
        let step: NextStep? =
            switch part {
            case .roles where able.contains(.claims): "use a claim instead: --claim role=NAME"
            case .roles, .claims: "use a field instead: --field role=NAME"
            default: nil
            }
        throw AuthError(
            .unsupported, "backend '\(settings.backendName)' cannot \(what)", nextSteps: [step].compactMap(\.self))
    }

    private static let names: [(AccountParts, String)] = [
        (.claims, "set claims"), (.roles, "set roles"), (.disabled, "disable or enable accounts"),
        (.verified, "mark an e-mail as verified"), (.unverified, "mark an e-mail as not verified"),
        (.email, "change the e-mail of accounts"), (.password, "change the password of accounts"),
        (.sessions, "end the sessions of accounts"),
    ]
}
