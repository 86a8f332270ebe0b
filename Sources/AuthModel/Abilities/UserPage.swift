/// A page of a list of accounts.
package struct UserPage: Sendable, Equatable {
    package let users: [User]
    /// The beginning of the next page; `nil` if this is the last page.
    package let next: String?
    /// The number of accounts in a list whose order is not unique, so that its pages may overlap and leave accounts out;
    /// 0 if the server does not name it. `nil` for a list with a unique order.
    package let total: Int?

    package init(_ users: [User], next: String?, total: Int? = nil) {
        self.users = users
        self.next = next
        self.total = total
    }

    /// A page of a list that is ordered by id.
    package init(orderedByID users: [User]) { self.init(users, next: users.last?.id) }

    /// Reads a list page by page, and delivers each account once.
    ///
    /// A list with a total is read again in larger pages, at most twice, until it is complete. Accounts that come or go
    /// meanwhile shift the pages, too.
    ///
    /// - Parameters:
    ///   - request: requests the page after a cursor, with pages of this size.
    ///   - receive: receives the new accounts of a page, at least one; returns whether more are wanted.
    /// - Returns: why the list is not complete; `nil` if it is complete, or if `receive` wanted no more.
    package static func readAll<Failure: Error>(
        _ request: (_ cursor: String?, _ size: Int) throws(Failure) -> UserPage,
        _ receive: ([User]) throws(Failure) -> Bool
    ) throws(Failure) -> String? {
        let repetition = "the server repeats a page of the list"
        var (seen, least) = (Set<String>(), 0)
        for size in [100, 1_000, 10_000] {
            // A total that shrinks meanwhile may have hidden an account; one that grows counts an account that is new.
            least = .max
            var (own, beginnings, rows, most) = (Set<String>(), Set<String>(), 0, 0)
            var (cursor, isRepeated) = (String?.none, false)
            repeat {
                let page = try request(cursor, size)
                let ids = page.users.compactMap(\.id)
                // A server that ignores the cursor would send the same pages forever.
                isRepeated = page.next == cursor && cursor != nil
                if let first = ids.first, !beginnings.insert(first).inserted { isRepeated = true }
                if isRepeated, page.total == nil { return repetition }
                let new = page.users.filter { $0.id.map { !seen.contains($0) } ?? true }
                if !new.isEmpty, try !receive(new) { return nil }
                cursor = page.next
                guard let named = page.total else {
                    seen = Set(ids)
                    continue
                }
                seen.formUnion(ids)
                own.formUnion(ids)
                (least, most, rows) = (min(least, named), max(most, named), rows + ids.count)
            } while cursor != nil && !isRepeated && (most == 0 || own.count < most)
            if most > 0 ? own.count >= most : own.count == rows { return nil }
        }
        guard least > 0 else { return repetition }
        return seen.count >= least ? nil : "the server sent \(seen.count) of \(least) accounts, also in larger pages"
    }
}
