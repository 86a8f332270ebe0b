import CommandTestSupport
import Platform
import Synchronization

@testable import AuthClient

@Suite struct ListUsersTests {
    /// A server with the users `000001` to `count`. It records the requested pages.
    private final class Server: ScriptedBackend, Administering {
        let script = Script()
        let pages = Journal()
        private let count: Int
        /// The number of users on a page that the server limits; 0 for a server that ignores the requested limit.
        private let most: Int

        init(_ count: Int, most: Int) { (self.count, self.most) = (count, most) }

        func users(after id: String?, limit: Int, adminKey: Secret?) -> UserPage {
            pages.add("\(id ?? "start") \(limit)")
            let first = id.flatMap { Int($0) } ?? 0
            let limit = most == 0 ? count : min(limit, most)
            return UserPage(
                orderedByID: (first..<min(count, first + limit)).map { number in
                    let digits = String(number + 1)
                    return User(id: String(repeating: "0", count: 6 - digits.count) + digits, username: "u\(number)")
                })
        }
    }

    /// Lists the users, and checks that each page is received before the next one is requested.
    private func list(_ count: Int, limit: Int? = nil, most: Int = 100) throws -> (users: Int, pages: [String]) {
        let server = Server(count, most: most)
        var (users, pages) = (0, 0)
        try ListUsers(ClientFixture(backend: server).client).run(
            limit: limit, adminKey: { nil },
            receive: { page in
                users += page.count
                pages += 1
                expect(server.pages.lines.count, pages)
            })
        return (users, server.pages.lines)
    }

    @Test func `the list of users delivers each page before it requests the next page`() throws {
        let result = try list(250)
        expect(result.users, 250)
        expect(result.pages, ["start 100", "000100 100", "000200 100", "000250 100"])
        try expect(list(0).users, 0)
        try expect(list(100).pages, ["start 100", "000100 100"])
        try expect(list(100_000).users, 100_000)
    }

    @Test func `a list of users ends with an empty page, and not with a page shorter than requested`() throws {
        try expect(list(130, most: 50).users, 130)
    }

    @Test func `a list of users contains no more than its limit, even if the server sends more`() throws {
        try expect(list(50, limit: 5, most: 0).users, 5)
    }

    @Test func `a list of users with a limit requests pages of one size, and no more of them than it needs`() throws {
        let result = try list(250, limit: 120)
        expect(result.users, 120)
        expect(result.pages, ["start 100", "000100 100"])
    }

    @Test(arguments: [[["2"], ["2"]], [["1", "2"], ["3", "4"], ["1", "2"]]])
    func `a list of users whose pages repeat is an error, not an endless or complete list`(pages: [[String]]) throws {
        let server = Pages(pages.map { $0.map { User(id: $0) } })
        let error = try failure {
            try ListUsers(ClientFixture(backend: server).client).run(limit: nil, adminKey: { nil }, receive: { _ in })
        }
        expect(error.reason, .invalidResponse)
    }

    /// A server that treats an ended key like none may show an empty page.
    @Test func `a list of users is complete only if the server accepts the key after the last page`() throws {
        let server = FakeAccounts { request, earlier in
            request == "check" && earlier == 1 ? .before(AuthError(.badAppKey, "the key has ended")) : nil
        }
        server.add("ada")
        var names: [String?] = []
        let error = try failure {
            try ListUsers(ClientFixture(backend: server).client).run(
                limit: nil, adminKey: { Secret("k") }, receive: { names += $0.map(\.username) })
        }
        #expect(names == ["ada"] && error.reason == .badAppKey)
    }

    /// A list that begins with the newest account shifts when an account is created.
    @Test func `an account that a shifted page repeats is listed once`() throws {
        let pages = [["3", "2"], ["2", "1"], []]
        let server = Pages(pages.map { $0.map { User(id: $0) } })
        var ids: [String?] = []
        try ListUsers(ClientFixture(backend: server).client).run(
            limit: nil, adminKey: { nil }, receive: { ids += $0.map(\.id) })
        expect(ids, ["3", "2", "1"])
        expect(server.cursors.lines, ["nil", "2", "1"])
    }

    /// Supabase orders its list by time alone (supabase/supabase#37492). Each read has pages, `TOTAL IDS|TOTAL IDS`.
    @Test(
        arguments: [
            ("3 12|3 3", "123", ""), ("3 12|3 2|3/3 123", "123", ""), ("3 12|3 21|3/3 21|3 12|3/3 3|3", "123", ""),
            ("3 12|3 2|3/3 21|3 1|3/3 12|3 2|3", "12", "the server sent 2 of 3 accounts"),
            ("9/9/9", "", "the server sent 0 of 9 accounts"),
            // An account is deleted while the list is read, and another one comes.
            ("4 12|3 4|3/3 12|3 34", "1243", ""), ("2 1|3 12|3/3 312", "123", ""),
            // The total is unknown.
            ("0 12|0 3|0", "123", ""), ("0 12|0 23|0/0 123|0", "123", ""), ("0", "", ""),
            ("0 1|0 1/0 1|0 1/0 1|0 1", "1", "the server repeats a page of the list"),
        ] as [(String, String, String)])
    func `a list without a unique order is read again in larger pages until it is complete`(
        text: String, ids: String, fault: String
    ) {
        let reads = text.split(separator: "/").map { $0.split(separator: "|") }
        var (sizes, listed) = ([Int](), "")
        let found = UserPage.readAll { cursor, size in
            if cursor == nil { sizes.append(size) }
            let number = cursor.flatMap { Int($0) } ?? 0
            let parts = reads[sizes.count - 1][number].split(separator: " ").map(String.init)
            let users = parts.dropFirst().joined().map { User(id: String($0)) }
            return UserPage(users, next: users.isEmpty ? nil : String(number + 1), total: Int(parts[0]))
        } _: { users in
            listed += users.compactMap(\.id).joined()
            return true
        }
        #expect(listed == ids && sizes == Array([100, 1000, 10_000].prefix(reads.count)))
        #expect(fault.isEmpty ? found == nil : found?.hasPrefix(fault) == true, "\(found ?? "")")
    }

    @Test func `an incomplete list is an error after its accounts, unless its limit is reached before`() throws {
        for limit in [nil, 2] {
            let pages = ["12", "2", ""].map { $0.map { User(id: String($0)) } }
            let list = ListUsers(ClientFixture(backend: Pages(pages + pages + pages, total: 3)).client)
            var ids: [String?] = []
            func run() throws { try list.run(limit: limit, adminKey: { nil }, receive: { ids += $0.map(\.id) }) }
            if limit == nil { try expect(failure(run).reason, .invalidResponse) } else { try run() }
            expect(ids, ["1", "2"])
        }
    }

    /// Google may send an empty page in the middle of a list.
    @Test func `a list with page tokens ends only where the server names no next page`() {
        let next: [String?: String] = [nil: "a", "a": "b"]
        var listed = 0
        _ = UserPage.readAll { cursor, _ in
            UserPage(cursor == "a" ? [] : [User(id: cursor ?? "first")], next: next[cursor])
        } _: { users in
            listed += users.count
            return true
        }
        expect(listed, 2)
    }

    private struct Pages: ScriptedBackend, Administering {
        let script = Script()
        let cursors = Journal()
        let pages: [[User]]
        let total: Int?

        init(_ pages: [[User]], total: Int? = nil) { (self.pages, self.total) = (pages, total) }

        func users(after cursor: String?, limit: Int, adminKey: Secret?) -> UserPage {
            cursors.add(cursor ?? "nil")
            let users = pages[cursors.lines.count - 1]
            return UserPage(users, next: total == nil ? users.last?.id : users.isEmpty ? nil : "next", total: total)
        }
    }
}
