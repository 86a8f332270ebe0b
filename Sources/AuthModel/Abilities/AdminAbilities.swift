/// A backend whose administrator can list, create, change and delete accounts, and log in as their users.
///
/// The administrator's key grants all rights on the server; it is `nil` for local accounts and emulators, which need
/// none.
package protocol Administering: Backend {
    /// Checks the key before it is used: a server may treat a wrong key like none.
    ///
    /// - Throws: `BackendError` `badAppKey` if the server does not accept the key.
    func check(adminKey: Secret) throws(BackendError)

    /// Requests a page of accounts.
    ///
    /// - Parameters:
    ///   - cursor: `next` of the previous page; `nil` for the first page.
    ///   - limit: the size of the pages, the same for all pages of a list; at most 100 for a list without a total.
    /// - Returns: a page without users after the last page. The server may return fewer users than requested on any page,
    ///   or more.
    func users(after cursor: String?, limit: Int, adminKey: Secret?) throws(BackendError) -> UserPage

    /// Requests a page of accounts with their password hashes.
    ///
    /// - Throws: `BackendError` `unsupported` if the server does not show them; `forbidden` if the key's rights do not
    ///   suffice.
    func users(withHashesAfter cursor: String?, limit: Int, adminKey: Secret?) throws(BackendError) -> UserPage

    /// Requests the names of all roles by the ids of the accounts that have them; `nil` if the server has no roles.
    func roles(adminKey: Secret?) throws(BackendError) -> [String: [String]]?

    /// Requests the account with this id, with its roles.
    ///
    /// - Throws: `BackendError` `notFound` only if no account has this id.
    func user(id: String, adminKey: Secret?) throws(BackendError) -> User

    /// Requests the accounts whose username, e-mail or phone number is `name`, as the server compares names: all of
    /// them, or at least two, which may lack their roles. Empty if there is none.
    func users(named name: String, adminKey: Secret?) throws(BackendError) -> [User]

    /// The names of the fields that accounts can have; `nil` for any name.
    func fieldNames(adminKey: Secret?) throws(BackendError) -> [String]?

    /// The lists whose items users can request; `nil` if the server does not describe them.
    func describedLists(adminKey: Secret?) throws(BackendError) -> [DescribedList]?

    /// Creates an account that needs no verification, also where signups are closed, and sets its state.
    func createUser(_ account: NewAccount, adminKey: Secret?) throws(BackendError) -> SignUpOutcome

    /// Changes an account. Sends no request for a part that the change lacks.
    ///
    /// - Parameters:
    ///   - change: without the parts that the kind of backend does not change.
    ///   - user: the account as requested before.
    /// - Returns: the account as the server shows it after the change.
    func update(_ change: AccountChange, of user: User, adminKey: Secret?) throws(BackendError) -> User

    /// Deletes the account with this id and all of its sessions.
    func deleteUser(id: String, adminKey: Secret?) throws(BackendError)

    /// Logs in as a user without the user's password.
    ///
    /// - Parameter user: the account as requested before.
    func logIn(as user: User, adminKey: Secret?) throws(BackendError) -> Reply<NewSession>
}

extension Administering {
    package func roles(adminKey: Secret?) throws(BackendError) -> [String: [String]]? { nil }
    package func fieldNames(adminKey: Secret?) throws(BackendError) -> [String]? { nil }
    package func describedLists(adminKey: Secret?) throws(BackendError) -> [DescribedList]? { nil }

    package func users(
        withHashesAfter cursor: String?, limit: Int, adminKey: Secret?
    ) throws(BackendError) -> UserPage {
        throw BackendError(.unsupported, "the server does not show password hashes")
    }

    /// Requests the account that `name` names: `id:ID`, a username, an e-mail or a phone number.
    ///
    /// - Throws: `BackendError` `notFound` if there is none; `invalidFields` if several accounts have the name.
    package func user(named name: String, adminKey: Secret?) throws(BackendError) -> User {
        if name.hasPrefix("id:") { return try user(givenID: String(name.dropFirst(3)), adminKey: adminKey) }
        let users = try users(named: name, adminKey: adminKey)
        guard let user = users.first else { throw .namesNobody(name) }
        guard users.count == 1 else { throw .isAmbiguous(name, users) }
        return user
    }

    /// Requests the account with an id from the user.
    ///
    /// - Throws: `BackendError` `notFound`, which names the id, if there is none.
    package func user(givenID id: String, adminKey: Secret?) throws(BackendError) -> User {
        let missing = BackendError(.notFound, "no account has the id '\(id)'")
        // The path without an id is that of a list.
        guard !id.isEmpty else { throw missing }
        do throws(BackendError) {
            return try user(id: id, adminKey: adminKey)
        } catch {
            throw error.reason == .notFound ? missing : error
        }
    }

    /// Sends a request after one that has created or changed an account.
    ///
    /// - Parameter verb: `created` or `changed`.
    package func afterSuccess<Value>(
        _ verb: String, _ send: () throws(BackendError) -> Value
    ) throws(BackendError) -> Value {
        do throws(BackendError) {
            return try send()
        } catch {
            var error = error.explaining("the account was \(verb), but a later request failed")
            error.isAfterSuccess = true
            throw error
        }
    }

    /// Sends a request with the administrator's key. A refusal counts only if the server still accepts the key: a server
    /// that treats it like none says that a hidden account does not exist.
    package func administering<Value>(
        with adminKey: Secret?, _ send: () throws(BackendError) -> Value
    ) throws(BackendError) -> Value {
        do throws(BackendError) {
            return try send()
        } catch {
            guard [.notFound, .forbidden, .invalidFields].contains(error.reason), let adminKey else { throw error }
            try check(adminKey: adminKey)
            throw error
        }
    }
}

extension BackendError {
    package static func namesNobody(_ name: String) -> BackendError {
        BackendError(.notFound, "no account is named '\(name)'")
    }

    /// - Parameter users: at least two accounts with this name.
    package static func isAmbiguous(_ name: String, _ users: [User]) -> BackendError {
        BackendError(
            .invalidFields, "accounts \(users.compactMap(\.id).quotedList(atMost: 2)) are named '\(name)'",
            next: "name one of them by its id: id:\(users.first?.id ?? "ID")")
    }
}
