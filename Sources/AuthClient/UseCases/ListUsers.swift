package import AuthModel

/// Lists all accounts of a server for its administrator, one page at a time.
package struct ListUsers {
    package typealias Failure = AuthError

    private let client: Client

    package init(_ client: Client) {
        self.client = client
    }

    /// - Parameters:
    ///   - name: a username, an e-mail, a phone number, or `id:ID`.
    ///   - adminKey: reads the server's master key; returns `nil` for local accounts.
    package func user(named name: String, adminKey: () throws(Failure) -> Secret?) throws(AuthError) -> User {
        let backend = try client.backends.require((any Administering).self, to: "show an account")
        let key = try client.backends.checked(try adminKey())
        return try client.backends.call("reading the account", else: "cannot show '\(name)'") {
            () throws(BackendError) in
            try backend.administering(with: key) { () throws(BackendError) in
                try backend.user(named: name, adminKey: key)
            }
        }
    }

    /// - Parameters:
    ///   - limit: the maximum number of accounts; `nil` for all.
    ///   - showsHashes: whether the users have their password hashes.
    ///   - showsRoles: whether the users have their roles, which takes a request for each role. A warning says so if the
    ///     key does not suffice for them.
    ///   - adminKey: reads the server's master key; returns `nil` for local accounts.
    ///   - receive: receives the new accounts of each page before the next page is requested.
    /// - Throws: `AuthError` `invalidResponse` after the last page if the server left accounts out.
    package func run(
        limit: Int?, showsHashes: Bool = false, showsRoles: Bool = false, adminKey: () throws(Failure) -> Secret?,
        receive: ([User]) throws(Failure) -> Void
    ) throws(AuthError) {
        let backend = try client.backends.require((any Administering).self, to: "list all accounts")
        let key = try client.backends.checked(try adminKey())
        let roles = showsRoles ? try roles(backend, key) : nil
        var rest = limit ?? .max
        let fault = try UserPage.readAll { cursor, size throws(AuthError) in
            try client.backends.call("listing the accounts", else: "cannot list the accounts") {
                () throws(BackendError) in
                let size = min(limit ?? .max, size)
                return showsHashes
                    ? try backend.users(withHashesAfter: cursor, limit: size, adminKey: key)
                    : try backend.users(after: cursor, limit: size, adminKey: key)
            }
        } _: { new throws(AuthError) in
            var users = Array(new.prefix(rest))
            if let roles { for index in users.indices { users[index].roles = roles[users[index].id ?? ""] ?? [] } }
            try receive(users)
            rest -= users.count
            return rest > 0
        }
        // A server that treats an ended key like none shows fewer accounts, or no account.
        _ = try client.backends.checked(key)
        if let fault {
            throw AuthError(
                .invalidResponse, "cannot list all accounts: \(fault)",
                next: "run the command again while no accounts are created or deleted")
        }
    }

    private func roles(_ backend: any Administering, _ key: Secret?) throws(AuthError) -> [String: [String]]? {
        do throws(AuthError) {
            return try client.backends.call("listing the roles", else: "cannot list the roles") {
                () throws(BackendError) in try backend.roles(adminKey: key)
            }
        } catch {
            // The key was checked before: only the roles are closed to it.
            guard [.forbidden, .badAppKey].contains(error.reason) else { throw error }
            client.events.warn("the output has no roles: \(error.message)")
            return nil
        }
    }
}
