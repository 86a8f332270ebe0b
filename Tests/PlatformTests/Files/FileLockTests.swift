import CommandTestSupport
import Foundation
import Testing

@testable import Platform

/// Two openings of one file exclude each other as two processes do.
@Suite struct FileLockTests {
    let folder: TestFolder
    let own: PrivateFolder

    init() throws {
        folder = try TestFolder()
        own = PrivateFolder(path: folder.path("own"), home: nil)
    }

    @Test func `tells who holds it to whom has waited in vain`() throws {
        let held = try own.lock()
        let error = try #require(throws: FileError.self) { _ = try own.lock(patience: .zero) }
        #expect(error.kind == .locked)
        #expect(error.message == "'\(folder.path)/own' is locked by process \(getpid())")
        #expect(error.hint == "end that process, then try again")
        _ = try held.replace("x", with: [])
    }

    @Test func `ends with who holds it`() throws {
        do {
            let held = try own.lock()
            _ = try held.replace("x", with: [])
        }
        #expect(throws: Never.self) { _ = try own.lock(patience: .zero) }
    }

    @Test func `keeps no reader away`() throws {
        let held = try own.lock()
        _ = try held.replace("x", with: [1])
        #expect(try own.read("x", limit: 1) == [1])
        _ = try held.replace("x", with: [2])
    }

    @Test func `is not taken from a note that a dead process left`() throws {
        try folder.makeFolder("own")
        try folder.write("own/.lock", "1\n")
        #expect(throws: Never.self) { _ = try own.lock(patience: .zero) }
    }

    @Test func `names no process where the note holds none`() throws {
        let held = try own.lock()
        try folder.write("own/.lock", "garbage")
        let error = try #require(throws: FileError.self) { _ = try own.lock(patience: .zero) }
        #expect(error.message == "'\(folder.path)/own' is locked by another process")
        _ = try held.replace("x", with: [])
    }

    @Test func `is not taken through a link`() throws {
        try folder.makeFolder("own")
        try folder.write("elsewhere", "untouched")
        try folder.link("own/.lock", to: "../elsewhere")
        #expect(throws: FileError.self) { _ = try own.lock(patience: .zero) }
        #expect(try folder.read("elsewhere") == "untouched")
    }
}
