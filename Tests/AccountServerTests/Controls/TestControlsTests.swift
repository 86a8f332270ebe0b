import Expectations
import Foundation
import JSON
import Platform
import Transport

@testable import AccountServer

@Suite struct TestControlsTests {
    // MARK: - Accounts

    @Test(arguments: [false, true])
    func `DELETE users deletes all accounts, sessions and recorded e-mails`(isInMemory: Bool) throws {
        let server = try ControlledServer(isInMemory: isInMemory)
        let token = try server.signUp("ada", email: "ada@example.org").token
        try expect(server.requestReset("ada@example.org").status, 200)
        try expect(server.control(.delete, "users").line, "200 {}")
        try expect(server.me(token).code, 209)
        try expect(server.logIn("ada").code, 101)
        #expect(try server.mails().isEmpty)
        try expect(server.signUp("ada", email: "ada@example.org").status, 201)
        try expect(server.database.rows("PRAGMA integrity_check") { $0.text(0) }, ["ok"])
    }

    @Test func `DELETE users keeps the database file usable by other connections`() throws {
        let server = try ControlledServer()
        let file = try #require(server.folder).database()
        let other = try AccountDatabase.open(file, busyTimeout: .seconds(10))
        for name in ["ada", "bob"] { try expect(server.signUp(name).status, 201) }
        try expect(other.integer("SELECT count(*) FROM users"), 2)
        _ = try server.control(.delete, "users")
        try expect(other.integer("SELECT count(*) FROM users"), 0)
        try expect(other.rows("PRAGMA journal_mode") { $0.text(0) }, ["wal"])
        try expect(Schema.state(of: AccountDatabase.open(file, busyTimeout: .zero)), .current)
    }

    @Test func `PATCH users sets emailVerified and keeps the sessions`() throws {
        let server = try ControlledServer()
        let answer = try server.signUp("ada", email: "ada@example.org")
        let id = try #require(answer.json?["objectId"]?.string)
        for isVerified in [true, false] {
            try expect(server.control(.patch, "users/\(id)", #"{"emailVerified":\#(isVerified)}"#).line, "200 {}")
            try expect(server.me(answer.token).json?["emailVerified"]?.bool, isVerified)
        }
        try expect(server.control(.patch, "users/none", #"{"emailVerified":true}"#).status, 404)
        for body in [#"{"emailVerified":1}"#, #"{"username":"eve"}"#, "[]", "{"] {
            try expect(server.control(.patch, "users/\(id)", body).status, 400)
        }
        try expect(server.control(.get, "users/\(id)").status, 405)
    }

    @Test func `DELETE users and the restore of a snapshot end account locks`() throws {
        let server = try ControlledServer()
        let id = try server.snapshot()
        func isLocked() throws -> Bool { try server.logIn("ada").text.contains("Your account is locked") }
        for (method, path) in [(HTTPRequest.Method.delete, "users"), (.post, "snapshots/\(id)/restore")] {
            for _ in 0..<5 { _ = try server.logIn("ada") }
            #expect(try isLocked())
            try expect(server.control(method, path).line, "200 {}")
            #expect(try !isLocked())
        }
    }

    // MARK: - E-mails

    @Test func `GET mails lists the e-mails to an address, oldest first, each with its link and time`() throws {
        let server = try ControlledServer()
        _ = try server.signUp("ada", email: "Ada@example.org")
        _ = try server.signUp("bob", email: "bob@example.org")
        for email in ["Ada@example.org", "bob@example.org", "Ada@example.org"] { _ = try server.requestReset(email) }
        let mails = try server.mails("?to=ada%40example.org")
        expect(mails.count, 2)
        let first = try #require(mails.first)
        expect(first.names, ["to", "subject", "at", "link", "code"])
        #expect(first["to"] == "Ada@example.org" && first["subject"] == "Choose a new password")
        #expect(first["at"] == "2026-01-02T03:04:05Z" && first["code"] == .null)
        let links = mails.compactMap { $0["link"]?.string }
        #expect(links.allSatisfy { $0.hasPrefix("http://127.0.0.1:4711/parse/apps/test-app/request_password_reset?") })
        // Only the newest link works.
        let statuses = try links.map {
            try server.send(.get, String($0.dropFirst("http://127.0.0.1:4711/parse".count))).status
        }
        expect(statuses, [400, 200])
        try expect(server.mails().count, 3)
        #expect(try server.mails("?to=eve@example.org").isEmpty)
    }

    @Test func `e-mails recorded by the test controls are also delivered`() throws {
        let outlet = MemoryMail()
        let server = try ControlledServer(next: outlet)
        _ = try server.signUp("ada", email: "ada@example.org")
        _ = try server.requestReset("ada@example.org")
        expect(outlet.all.map(\.recipient), ["ada@example.org"])
        try expect(server.mails().count, 1)
    }

    @Test func `a full mailbox drops the oldest e-mail`() throws {
        let mailbox = Mailbox()
        for number in 0...Mailbox.mostMails {
            try mailbox.deliver(
                Mail(
                    recipient: "\(number)@example.org", subject: "s", link: "l", body: "b", date: TestServer.start,
                    id: "i"))
        }
        expect(mailbox.mails.count, Mailbox.mostMails)
        expect(mailbox.mails.first?.recipient, "1@example.org")
    }

    // MARK: - Clock

    @Test func `POST clock advances the clock that decides when sessions expire`() throws {
        let server = try ControlledServer()
        let token = try server.signUp("ada").token
        let year = 365 * 24 * 3600
        try expect(
            server.control(.post, "clock", #"{"advanceSeconds":\#(year - 1)}"#).line,
            #"200 {"time":"2027-01-02T03:04:04Z"}"#)
        try expect(server.me(token).status, 200)
        _ = try server.control(.post, "clock", #"{"advanceSeconds":1}"#)
        #expect(try server.me(token).text.contains("Session token is expired."))
        try expect(server.me(server.logIn("ada").token).status, 200)
    }

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"advanceSeconds":-1}"#, #"{"advanceSeconds":1.5}"#, #"{"advanceSeconds":"1"}"#,
        #"{"advanceSeconds":3153600001}"#, #"{"advanceSeconds":9223372036854775807}"#,
        #"{"advanceSeconds":1,"seconds":2}"#,
    ])
    func `POST clock rejects an invalid body and does not advance the clock`(body: String) throws {
        let server = try ControlledServer()
        let answer = try server.control(.post, "clock", body)
        #expect(answer.status == 400 && answer.keys == ["error"])
        let now = try server.control(.post, "clock", #"{"advanceSeconds":0}"#)
        expect(now.json?["time"], "2026-01-02T03:04:05Z")
    }

    @Test func `POST clock advances the clock by at most 100 years in total`() throws {
        let server = try ControlledServer()
        try expect(server.control(.post, "clock", #"{"advanceSeconds":3153600000}"#).status, 200)
        try expect(server.control(.post, "clock", #"{"advanceSeconds":1}"#).status, 400)
        try expect(server.me(server.signUp("ada").token).status, 200)
    }

    // MARK: - Snapshots

    @Test(arguments: [false, true])
    func `restoring a snapshot restores the users, sessions, e-mails and clock`(isInMemory: Bool) throws {
        let server = try ControlledServer(isInMemory: isInMemory)
        let token = try server.signUp("ada", email: "ada@example.org").token
        _ = try server.requestReset("ada@example.org")
        let id = try server.snapshot()
        let later = try server.signUp("bob").token
        _ = try server.control(.post, "clock", #"{"advanceSeconds":40000000}"#)
        try expect(server.me(token).code, 209)
        _ = try server.control(.delete, "users")
        for _ in 0..<2 {
            try expect(server.control(.post, "snapshots/\(id)/restore").line, "200 {}")
            try expect(server.me(token).json?["username"], "ada")
            try expect(server.me(later).code, 209)
            try expect(server.logIn("bob").code, 101)
            try expect(server.mails().count, 1)
            // The snapshot is a copy without `eve`, so the second round can sign her up again.
            try expect(server.signUp("eve").status, 201)
        }
        try expect(server.database.rows("PRAGMA integrity_check") { $0.text(0) }, ["ok"])
    }

    @Test func `database snapshots are independent of each other and leave no files behind`() throws {
        let server = try ControlledServer()
        let empty = try server.snapshot()
        _ = try server.signUp("ada")
        let one = try server.snapshot()
        #expect(empty != one)
        _ = try server.control(.post, "snapshots/\(empty)/restore")
        try expect(server.logIn("ada").code, 101)
        _ = try server.control(.post, "snapshots/\(one)/restore")
        try expect(server.logIn("ada").status, 200)
        let files = try FileManager.default.contentsOfDirectory(atPath: #require(server.folder).path)
        #expect(Set(files).isSubset(of: [".lock", "accounts.db", "accounts.db-wal", "accounts.db-shm"]))
    }

    @Test func `repeated restores of a snapshot do not let the WAL file grow`() throws {
        let server = try ControlledServer()
        _ = try server.signUp("ada")
        let id = try server.snapshot()
        let folder = try #require(server.folder)
        var sizes: [Int] = []
        for _ in 0..<20 {
            _ = try server.control(.post, "snapshots/\(id)/restore")
            sizes.append(try folder.bytes("accounts.db-wal").count)
        }
        expect(sizes[4], sizes[19])
    }

    @Test func `the oldest database snapshot is dropped when the maximum number of snapshots is exceeded`() throws {
        let server = try ControlledServer(isInMemory: true)
        let ids = try (0...Snapshots.mostSnapshots).map { _ in try server.snapshot() }
        try expect(server.control(.post, "snapshots/\(ids[0])/restore").status, 404)
        try expect(server.control(.post, "snapshots/\(ids[1])/restore").status, 200)
    }

    @Test func `a request to restore an unknown snapshot fails with status 404 and changes nothing`() throws {
        let server = try ControlledServer()
        _ = try server.signUp("ada")
        try expect(
            server.control(.post, "snapshots/nosuch/restore").line, #"404 {"error":"the snapshot does not exist"}"#)
        try expect(server.logIn("ada").status, 200)
    }

    // MARK: - Access

    @Test func `the test controls reject a request with an Origin field and change nothing`() throws {
        let server = try ControlledServer()
        _ = try server.signUp("ada")
        for origin in [ControlledServer.origin, "null", "http://evil.test", ""] {
            try expect(server.control(.delete, "users", headers: ["Origin": origin]).status, 403)
        }
        try expect(server.logIn("ada").status, 200)
    }

    @Test func `only a request with the complete secret path reaches the test controls`() throws {
        let server = try ControlledServer()
        let secret = try #require(server.controls.url.split(separator: "/").last)
        expect(secret.utf8.count, 64)
        let others = [
            "parse/users", "users", "", "\(secret)0/users", "\(secret.dropLast())/users", "parse/\(secret)/users",
            "/\(secret)/users", "\(secret.uppercased())x", "\(String(repeating: "0", count: 64))/users",
        ]
        for path in others {
            let request = HTTPRequest(.delete, "\(ControlledServer.origin)/\(path)")
            #expect(!server.controls.areAddressed(by: request), "\(path)")
        }
        #expect(try ControlledServer().controls.url != server.controls.url)
    }

    @Test func `the request log masks the secret path of the test controls`() throws {
        let server = try ControlledServer()
        let path = String(server.controls.url.dropFirst(ControlledServer.origin.utf8.count))
        expect(server.controls.masked("\(path)/snapshots/1/restore"), "/<redacted>/snapshots/1/restore")
        expect(server.controls.masked("/parse\(path)/users"), "/parse/<redacted>/users")
        expect(server.controls.masked("/parse/users"), "/parse/users")
    }

    @Test func `the test controls respond with 405 to a wrong method and with 404 to an unknown path`() throws {
        let server = try ControlledServer()
        let answer = try server.control(.get, "users")
        #expect(answer.status == 405 && answer.keys == ["error"] && answer.response.headers["Allow"] == "DELETE")
        for (method, path) in [
            (HTTPRequest.Method.post, "mails"), (.get, "clock"), (.get, "snapshots"), (.put, "snapshots/1/restore"),
            (.post, "faults"), (.head, "mails"), (.options, "users"),
        ] {
            try expect(server.control(method, path).status, 405, "\(method.rawValue) \(path)")
        }
        for path in ["", "user", "users/1/2", "snapshots/1", "snapshots/1/restore/2", "mails/"] {
            try expect(server.control(.post, path).status, 404, "\(path)")
        }
    }
}
