import Expectations
import Foundation
import JSON
import Platform
import SQLite
import Transport

@testable import AccountServer

@Suite struct PasswordTests {
    @Test(arguments: [
        (#"{"username":"known","password":"pw"}"#, 1), (#"{"username":"known","password":"wrong"}"#, 1),
        (#"{"username":"unknown","password":"pw"}"#, 1), (#"{"email":"un@known","password":"pw"}"#, 1),
        (#"{"username":"known","email":"un@known","password":"pw"}"#, 1),
        (#"{"username":"known"}"#, 0), (#"{"username":{"$gt":""},"password":"pw"}"#, 0),
    ])
    func `a well-formed login computes one hash even if the user is unknown`(body: String, expected: Int) throws {
        let server = try CountingServer()
        _ = try server.run(.test(.post, "/users", #"{"username":"known","password":"pw"}"#))
        try expect(server.run(.test(.post, "/login", body)).hashes, expected)
    }

    @Test func `the server computes no hash for an empty password or for a request without a password`() throws {
        let server = try CountingServer()
        try expect(server.run(.test(.post, "/users", #"{"username":"a","password":"pw"}"#)).hashes, 1)
        try expect(server.run(.test(.post, "/users", #"{"username":"a","password":""}"#)).hashes, 0)
        try expect(server.run(.test(.get, "/users/me")).hashes, 0)
    }

    @Test func `a password comparison that runs out of memory is reported as failed, not as a mismatch`() throws {
        let hash = try #require(PasswordHash.derive("pw", cost: .minimum))
        expect(PasswordHash.compare("pw", with: hash), .matches)
        expect(PasswordHash.compare("no", with: hash), .differs)
        // A hash that needs 4 TiB of memory.
        let large = hash.replacingOccurrences(of: "m=8,", with: "m=4294967294,")
        expect(PasswordHash.compare("no", with: large), .failed)
        expect(PasswordHash.compare("pw", with: "$argon2id$v=19$m=8,t=1,p=1$c2FsdA$a2V5"), .differs)
    }

    @Test func `a login rehashes the password if the stored hash has a lower cost than configured`() throws {
        let (weak, strong) = (PasswordCost.minimum, PasswordCost(memory: 16, passes: 2))
        let folder = TestFolder()
        let body = #"{"username":"a","password":"pw"}"#
        _ = try CountingServer(folder, weak).run(.test(.post, "/users", body))
        let old = try storedHash(folder)
        #expect(old.hasPrefix("$argon2id$v=19$m=8,t=1,p=1$"))
        let server = try CountingServer(folder, strong)
        let wrong = #"{"username":"a","password":"no"}"#
        try expect(server.run(.test(.post, "/login", wrong)).hashes, 1)
        try expect(storedHash(folder), old)
        try expect(server.run(.test(.post, "/login", body)).hashes, 2)
        #expect(try storedHash(folder).hasPrefix("$argon2id$v=19$m=16,t=2,p=1$"))
        try expect(server.run(.test(.post, "/login", body)).hashes, 1)
        try expect(CountingServer(folder, weak).run(.test(.post, "/login", body)).hashes, 1)
        #expect(try storedHash(folder).hasPrefix("$argon2id$v=19$m=16,t=2,p=1$"))
    }

    @Test func `a login checks the password again if the stored hash changes during the check`() throws {
        let server = try CountingServer()
        let body = #"{"username":"a","password":"pw"}"#
        _ = try server.run(.test(.post, "/users", body))
        let changed = try #require(PasswordHash.derive("other", cost: .minimum))
        let end = try server.run(.test(.post, "/login", body)) {
            _ = try? server.routes.database.run("UPDATE users SET password_hash = ?", [.text(changed)])
        }
        expect(end.hashes, 2)
        expect(end.answer.code, 101)
    }

    @Test func `a password hash contains the Argon2id parameters and a random salt`() throws {
        let texts = (1...2).map { _ in PasswordHash.derive("pw", cost: .standard) }
        let (first, second) = (try #require(texts[0]), try #require(texts[1]))
        #expect(first.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(first != second)
        expect(first.split(separator: "$")[3].utf8.count, 22, "16 bytes in base64")
        expect(PasswordHash.compare("pw", with: first), .matches)
        expect(PasswordHash.compare("pW", with: first), .differs)
        expect(PasswordHash.compare("pw", with: "no hash"), .differs)
        expect(PasswordHash.compare("pw", with: String(repeating: "x", count: 500)), .differs)
    }

    @Test func `a password that differs from the right one only beyond 72 bytes or after a NUL is rejected`() throws {
        let server = try TestServer()
        let password = String(repeating: "a", count: 100)
        let other = String(repeating: "a", count: 89) + "b" + String(repeating: "a", count: 10)
        try server.signUp("a", password: password)
        try server.signUp("nul", password: "a\u{0}b")
        try expect(server.logIn("a", password: other).code, 101)
        try expect(server.logIn("a", password: password).status, 200)
        try expect(server.logIn("nul", password: "a\u{0}c").code, 101)
    }

    @Test(arguments: [
        ("$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$a2V5", PasswordCost(memory: 19_456, passes: 2)),
        ("$argon2id$v=19$t=3,m=8,p=1$c2FsdA$a2V5", PasswordCost(memory: 8, passes: 3)),
        ("$argon2i$v=19$m=8,t=3,p=1$c2FsdA$a2V5", nil), ("$2b$10$abc", nil), ("", nil), ("$argon2id$v=19$m=x$a$b", nil),
        ("$argon2id$v=19$m=-8,t=1,p=1$a$b", nil), ("$argon2id$v=19$m=8,t=9223372036854775807,p=1$a$b", nil),
    ])
    func `the cost of a password hash is parsed from its Argon2id parameters`(text: String, expected: PasswordCost?) {
        expect(PasswordCost(storedIn: text), expected)
    }

    private func storedHash(_ folder: TestFolder) throws -> String {
        let connection = try DatabaseConnection(opening: folder.path("accounts.db"), busyTimeout: .seconds(1))
        return try #require(try connection.row("SELECT password_hash FROM users") { $0.text(0) })
    }
}

/// A server that counts the password hashes that it computes.
private struct CountingServer {
    let folder: TestFolder
    let routes: ParseRoutes

    init(_ folder: TestFolder? = nil, _ cost: PasswordCost = .minimum) throws {
        self.folder = folder ?? TestFolder()
        routes = try ParseRoutes(
            serving: ServerSettings(
                database: self.folder.database(), baseURL: "local:/parse", applicationID: "test-app",
                passwordCost: cost))
    }

    func run(
        _ request: HTTPRequest, interrupt: @escaping @Sendable () -> Void = {}
    ) throws -> (answer: Answer, hashes: Int) {
        try routes.run(request, interrupt: interrupt)
    }
}
