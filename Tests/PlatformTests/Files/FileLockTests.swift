import CommandTestSupport
import Foundation
import Testing

@testable import Platform

/// Two open file descriptions of one process exclude each other, like two processes.
@Suite struct FileLockTests {
    let folder: TestFolder
    let own: PrivateFolder

    init() throws {
        folder = try TestFolder()
        own = PrivateFolder(path: folder.path("own"))
    }

    @Test func `the error about a held file lock names the process that holds it`() throws {
        let held = try own.lock()
        let error = try #require(throws: FileError.self) { _ = try own.lock(patience: .zero) }
        #expect(error.kind == .locked)
        error.expectMessage(in: folder)
        try held.replace("x", with: [])
    }

    @Test func `a file lock ends when its holder releases it`() throws {
        do {
            let held = try own.lock()
            try held.replace("x", with: [])
        }
        // A child process of another test may hold the inherited lock until the child calls exec.
        #expect(throws: Never.self) { _ = try own.lock(patience: .seconds(10)) }
    }

    @Test func `a file lock does not block readers`() throws {
        let held = try own.lock()
        try held.replace("x", with: [1])
        #expect(try own.read("x", limit: 1) == [1])
        try held.replace("x", with: [2])
    }

    @Test func `a stale lock file of a dead process does not block a new lock`() throws {
        try folder.makeFolder("own")
        try folder.write("own/.lock", "1\n")
        // A child process of another test may hold the inherited lock until the child calls exec.
        #expect(throws: Never.self) { _ = try own.lock(patience: .seconds(10)) }
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
        #expect(try folder.read("elsewhere") == "untouched")
    }
}
