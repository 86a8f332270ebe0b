import Foundation
import SQLite
import TestSupport

/// Changes stored sessions without authctl.
extension Sandbox {
    /// Changes the content of a session file.
    func rewriteSession(_ profile: String = "default", _ change: (String) -> String) throws {
        try write(change(try text(sessionFile(profile))), to: sessionFile(profile))
    }

    /// Sets the expiry in a session file to a time in the past.
    func letSessionRunOut(_ profile: String = "default") throws {
        try rewriteSession(profile) { $0.replacing(/"expiresAt":[0-9]+/, with: #""expiresAt":1577836800"#) }
    }
}

/// Commands with a fault injected into one of their system calls.
extension Sandbox {
    /// - Parameter what: the fault to inject, in strace syntax, such as `signal=KILL` or `error=EIO`.
    func run(_ words: [String], _ what: String, at index: Int, of call: String) throws -> Finished {
        let injection = "inject=\(call):\(what):when=\(index)"
        let under = ["/usr/bin/strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e", injection]
        return try start(words, input: .password, under: under).wait()
    }

    /// Runs a command once, and returns the indices (counted from 1) of its calls to `call`, without the calls before
    /// the first access to the home folder.
    func indices(of call: String, in words: [String]) throws -> Range<Int> {
        let trace = "\(root)/trace"
        try start(words, input: .password, under: .strace("\(call),openat", into: trace)).wait()
        let lines = try text(trace).split(separator: "\n")
        let begin = try #require(lines.firstIndex { $0.contains("\(home)/") })
        let earlier = lines[..<begin].filter { $0.contains(" \(call)(") }.count
        let all = lines.filter { $0.contains(" \(call)(") }.count
        #expect(all > earlier, "\(words) does not call \(call) any more")
        return earlier + 1..<all + 1
    }

    /// Backs up the home folder for `restoreHome`.
    func keepHome() throws { try runScript("rm -rf ../kept && cp -a ~ ../kept") }
    func restoreHome() throws { try runScript("cd / && rm -rf ~ && cp -a \(root)/kept ~") }
}

/// Direct access to the database file.
extension Sandbox {
    func integer(_ sql: String) throws -> Int64 {
        try DatabaseConnection(opening: database, busyTimeout: .seconds(5)).integer(sql)
    }

    func sessionCount() throws -> Int64 { try integer("SELECT count(*) FROM sessions") }
}
