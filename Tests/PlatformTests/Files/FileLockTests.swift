import CommandTestSupport
import Foundation
import LibC

@testable import Platform

/// Locks of two open file descriptions conflict even within one process, so these tests need no second process.
@Suite struct FileLockTests {
    let folder = TestFolder()
    let own: PrivateFolder

    init() throws {
        own = PrivateFolder(path: folder.path("own"))
    }

    @Test func `the error about a held file lock names the process that holds it`() throws {
        let held = try own.lock()
        let error = try #require(throws: FileError.self) { _ = try own.lock(patience: .zero) }
        expect(error.kind, .locked)
        error.expectMessage(in: folder)
        try held.replace("x", with: [])
    }

    @Test func `a file lock ends when its holder releases it`() throws {
        do {
            let held = try own.lock()
            try held.replace("x", with: [])
        }
        #expect(throws: Never.self) { _ = try own.lock(patience: .zero) }
    }

    /// A child process shares all open files of its parent until it calls exec. The test simulates this with `dup`.
    @Test func `a released file lock can be taken again even if a child process inherited its descriptor`() throws {
        let lockFile = folder.path("own/.lock")
        let inherited: Int32
        do {
            let held = try own.lock()
            try held.replace("x", with: [])
            inherited = try duplicate(of: lockFile)
        }
        defer { close(inherited) }
        #expect(throws: Never.self) { _ = try own.lock(patience: .zero) }
    }

    @Test func `closing an append-only file unlocks it even if a child process inherited its descriptor`() throws {
        let path = folder.path("journal")
        var file: AppendFile? = try AppendFile(path: path)
        try file?.append(Array("{}\n".utf8))
        let inherited = try duplicate(of: path)
        defer { close(inherited) }
        file = nil
        #expect(throws: Never.self) { _ = try AppendFile(path: path) }
    }

    @Test func `a file lock does not block readers`() throws {
        let held = try own.lock()
        try held.replace("x", with: [1])
        try expect(own.read("x", limit: 1), [1])
        try held.replace("x", with: [2])
    }

    @Test func `a stale lock file of a dead process does not block a new lock`() throws {
        try folder.makeFolder("own")
        try folder.write("own/.lock", "1\n")
        #expect(throws: Never.self) { _ = try own.lock(patience: .zero) }
    }

    @Test func `the error about a lock with a malformed lock file names no process`() throws {
        let held = try own.lock()
        try folder.write("own/.lock", "garbage")
        let error = try #require(throws: FileError.self) { _ = try own.lock(patience: .zero) }
        error.expectMessage(in: folder)
        try held.replace("x", with: [])
    }

    @Test func `a symbolic link in place of a lock file is rejected`() throws {
        try folder.makeFolder("own")
        try folder.write("elsewhere", "untouched")
        try folder.link("own/.lock", to: "../elsewhere")
        #expect(throws: FileError.self) { _ = try own.lock(patience: .zero) }
        try expect(folder.read("elsewhere"), "untouched")
    }
}

/// A duplicate of the descriptor with which this process has opened a file.
private func duplicate(of path: String) throws -> Int32 {
    var (wanted, status) = (stat(), stat())
    try #require(stat(path, &wanted) == 0)
    let number = (0..<getdtablesize()).first { fstat($0, &status) == 0 && status.isSame(as: wanted) }
    return dup(try #require(number))
}
