import Expectations
import Foundation
import JSON
import Platform
import SQLite
import Synchronization
import Transport

@testable import AccountServer

/// Threads with separate database connections stand for processes, because SQLite also locks the connections of one
/// process against each other.
@Suite struct ConcurrencyTests {
    @Test func `thirty-two concurrent signups all succeed even if the database does not exist yet`() throws {
        for _ in 1...5 {
            let folder = TestFolder()
            let lines = atOnce(32) { try TestServer(in: folder).signUp("user-\($0)").status.description }
            expect(lines, Array(repeating: "201", count: 32))
            for index in 0..<32 { try expect(TestServer(in: folder).logIn("user-\(index)").status, 200) }
            try expect(Self.integrity(folder), "ok")
        }
    }

    @Test func `only one of sixteen concurrent signups with lookalike usernames succeeds`() throws {
        let folder = TestFolder()
        let codes = atOnce(16) { index in
            let name = ["wanted", "WANTED", " wanted", "wan\u{200B}ted"][index % 4]
            return try TestServer(in: folder).signUp(name).code?.description ?? "created"
        }
        expect(codes.sorted(), Array(repeating: "202", count: 15) + ["created"])
    }

    @Test func `only one of sixteen concurrent signups with the same e-mail address succeeds`() throws {
        let folder = TestFolder()
        let codes = atOnce(16) { index in
            let email = index.isMultiple(of: 2) ? "a@example.com" : "A@Example.com"
            return try TestServer(in: folder).signUp("user-\(index)", email: email).code?.description ?? "created"
        }
        expect(codes.sorted(), Array(repeating: "203", count: 15) + ["created"])
    }

    @Test func `several threads can send requests through one embedded transport`() throws {
        let server = try TestServer()
        let lines = atOnce(8) { try server.signUp("user-\($0)").status.description }
        expect(lines, Array(repeating: "201", count: 8))
    }

    private static func integrity(_ folder: TestFolder) throws -> String? {
        try AccountDatabase.open(folder.database(), busyTimeout: .seconds(1))
            .row("PRAGMA integrity_check") { $0.text(0) }
    }
}

/// Runs `work` on `count` threads that start together. Returns the results; for a thread that throws, the error text.
func atOnce(_ count: Int, _ work: @escaping @Sendable (Int) throws -> String) -> [String] {
    let results = Mutex([String](repeating: "", count: count))
    let (ready, start, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
    for index in 0..<count {
        done.enter()
        Thread.detachNewThread {
            ready.signal()
            start.wait()
            let result: String
            do { result = try work(index) } catch { result = "\(error)" }
            results.withLock { $0[index] = result }
            done.leave()
        }
    }
    for _ in 0..<count { ready.wait() }
    for _ in 0..<count { start.signal() }
    done.wait()
    return results.withLock { $0 }
}
