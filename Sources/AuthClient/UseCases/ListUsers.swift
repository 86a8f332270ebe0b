package import AuthModel

/// Lists all accounts of a server for its administrator, one page at a time.
package struct ListUsers {
    package typealias Failure = AuthError

    private let client: Client
    private static let pageSize = 100

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
    ///   - adminKey: reads the server's master key; returns `nil` for local accounts.
    ///   - receive: receives each page before the next page is requested.
    package func run(
        limit: Int?, adminKey: () throws(Failure) -> Secret?, receive: ([User]) throws(Failure) -> Void
    ) throws(AuthError) {
        let backend = try client.backends.require((any Administering).self, to: "list all accounts")
        let key = try client.backends.checked(try adminKey())
        var (rest, cursor) = (limit ?? .max, String?.none)
        var known: Set<String> = []
        var beginnings: Set<String> = []
        while rest > 0 {
            let size = min(rest, Self.pageSize)
            let page = try client.backends.call("listing the accounts", else: "cannot list the accounts") {
                () throws(BackendError) in try backend.users(after: cursor, limit: size, adminKey: key)
            }
            // A page may be shorter than requested: Parse's `maxLimit` limits it, and hooks may hide rows.
            guard let first = page.users.first else { break }
            // A server that ignores the cursor would send the same pages forever.
            guard beginnings.insert(first.id ?? "").inserted else {
                throw AuthError(.invalidResponse, "cannot list the accounts: the server repeats a page of the list")
            }
            // New accounts can shift the pages of a list that is not ordered by id.
            let new = page.users.filter { $0.id.map { !known.contains($0) } ?? true }.prefix(rest)
            known = Set(page.users.compactMap(\.id))
            if !new.isEmpty { try receive(Array(new)) }
            rest -= new.count
            guard let next = page.next else { break }
            cursor = next
        }
        // A server that treats an ended key like none shows fewer accounts, or no account.
        _ = try client.backends.checked(key)
    }
}
