import Foundation
import JSON
import Platform
import SQLite
import Testing
import Transport

@testable import AccountServer

/// A rejected login or a request for an e-mail must not reveal whether an account exists. `Tests/serve-times` compares
/// response times.
@Suite struct UnknownAddressTests {
    private static let paths = ["/requestPasswordReset", "/verificationEmailRequest"]

    /// The effects of a request. They must not depend on whether the account exists.
    private struct Steps: Equatable {
        let response: HTTPResponse
        let hashes: Int
        let changedRows: Int64
        let rows: [Int64]
        let mails: Int
    }

    private struct World {
        let folder: TestFolder
        let mail = MemoryMail()
        let routes: ParseRoutes

        init(_ limits: ThrottleLimits = .standard) throws {
            folder = try TestFolder()
            var settings = ServerSettings(
                database: folder.database(), baseURL: "local:/parse", applicationID: "test-app", mail: mail,
                clock: .fixed(TestServer.start), passwordCost: .minimum)
            settings.throttle = limits
            routes = try ParseRoutes(serving: settings)
            for (name, email) in [("ada", "ada@example.com"), ("bob", "bob@example.com")] {
                let body = #"{"username":"\#(name)","password":"pw","email":"\#(email)"}"#
                _ = try routes.run(.test(.post, "/users", body))
            }
            try routes.database.run("UPDATE users SET email_verified = 1 WHERE username = 'bob'")
            // Only the first request inserts the row that counts all e-mails. Send it before the requests to compare.
            for path in UnknownAddressTests.paths { _ = try steps(path, "first@example.com") }
        }

        func steps(_ path: String, _ address: String) throws -> Steps {
            try steps(path, body: #"{"email":"\#(address)"}"#)
        }

        func steps(_ path: String, body: String) throws -> Steps {
            let (changes, rows) = (try number("SELECT total_changes()"), try self.rows())
            let mails = mail.all.count + mail.allDiscarded.count
            let (answer, hashes) = try routes.run(.test(.post, path, body))
            return Steps(
                response: answer.response, hashes: hashes,
                changedRows: try number("SELECT total_changes()") - changes,
                rows: zip(try self.rows(), rows).map { $0 - $1 },
                mails: mail.all.count + mail.allDiscarded.count - mails)
        }

        private func rows() throws -> [Int64] {
            try ["users", "sessions", "mail_tokens", "counters"].map { try number("SELECT count(*) FROM \($0)") }
        }

        private func number(_ sql: String) throws -> Int64 { try routes.database.row(sql, []) { $0.integer(0) } ?? 0 }
    }

    @Test(arguments: paths)
    func `a request for an e-mail takes the same steps whether or not an account has the address`(path: String) throws {
        let world = try World()
        let known = try world.steps(path, "ada@example.com")
        let unknown = try world.steps(path, "eve@example.com")
        #expect(String(decoding: known.response.body, as: UTF8.self) == "{}" && known.response.status == 200)
        #expect(known.response == unknown.response)
        #expect(known.changedRows == unknown.changedRows && known.changedRows > 0)
        #expect(known.rows == unknown.rows)
        #expect((known.hashes, known.mails) == (0, 1))
        #expect((unknown.hashes, unknown.mails) == (0, 1))
        #expect(world.mail.all.map(\.recipient) == ["ada@example.com"])
        // For a known and for an unknown address, a second request replaces the row of the first request.
        #expect(try world.steps(path, "ada@example.com").rows == world.steps(path, "eve@example.com").rows)
    }

    @Test func `a verification e-mail request takes the same steps for a verified and an unverified address`() throws {
        let world = try World()
        let path = "/verificationEmailRequest"
        let (waiting, verified) = (
            try world.steps(path, "ada@example.com"), try world.steps(path, "bob@example.com")
        )
        #expect(waiting.response == verified.response && waiting.rows == verified.rows)
        #expect(waiting.changedRows == verified.changedRows && waiting.mails == verified.mails)
        #expect(world.mail.all.map(\.recipient) == ["ada@example.com"])
    }

    @Test(arguments: ["/login", "/verifyPassword"])
    func `a login with an unknown name takes the same steps as a login with a wrong password`(path: String) throws {
        let world = try World()
        func steps(_ name: String) throws -> Steps {
            try world.steps(path, body: #"{"username":"\#(name)","password":"wrong"}"#)
        }
        #expect(try steps("ada").hashes == 1)
        // In the last round, both names are locked, although `eve` has no account.
        for _ in 1...6 { #expect(try steps("eve") == steps("bob")) }
    }

    @Test func `a password-reset token that belongs to no user is rejected`() throws {
        let world = try World()
        _ = try world.steps("/requestPasswordReset", "eve@example.com")
        let token = "reset eve@example.com"
        let rows = "SELECT count(*) FROM mail_tokens WHERE user_id IS NULL AND token_hash = ?"
        #expect(try world.routes.database.row(rows, [.blob(SessionToken(token).hash)]) { $0.integer(0) } == 1)
        #expect(try world.routes.mailTokens.owner(of: token, .resetPassword, at: TestServer.start) == nil)
        let path = "/apps/test-app/request_password_reset?token=\(token.percentEncoded)"
        #expect(try world.routes.run(.test(.get, path)).answer.status == 400)
    }

    @Test func `a discarded e-mail becomes a hidden file of spaces, which removeDiscarded deletes`() throws {
        let folder = try TestFolder()
        let mail = MailFolder(folder.place)
        for address in ["eve@example.com", "mallory@example.com"] {
            try mail.discard(
                Mail(recipient: address, subject: "s", link: "l", body: "secret", date: TestServer.start, id: "i"))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != ".lock" }
        #expect(names.count == 2)
        for name in names {
            #expect(name.hasPrefix("."))
            #expect(try folder.bytes(name).allSatisfy { $0 == UInt8(ascii: " ") })
        }
        mail.removeDiscarded()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [".lock"])
    }
}
