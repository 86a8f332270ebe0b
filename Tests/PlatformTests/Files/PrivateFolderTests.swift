import CommandTestSupport
import Foundation
import Testing

@testable import Platform

@Suite struct PrivateFolderTests {
    let folder: TestFolder
    let own: PrivateFolder

    init() throws {
        folder = try TestFolder()
        own = PrivateFolder(path: folder.path("a/own"), home: folder.path)
    }

    @Test func `has nothing to read where there is no folder or no file`() throws {
        #expect(try own.read("x", limit: 10) == nil)
        #expect(try own.fileNames() == [])
        _ = try own.lock()
        #expect(try own.read("x", limit: 10) == nil)
        #expect(try own.size(of: "x") == nil)
    }

    @Test func `is made with those above it, each for its owner alone`() throws {
        _ = try own.lock()
        #expect(try folder.mode("a") == "700")
        #expect(try folder.mode("a/own") == "700")
    }

    @Test func `is never made in a home folder that is not there`() throws {
        let lost = PrivateFolder(path: folder.path("home/.config/authctl"), home: folder.path("home"))
        let error = try #require(throws: FileError.self) { _ = try lost.lock() }
        #expect(error.kind == .notWritten)
        #expect(error.message == "there is no home folder '\(folder.path)/home'")
        #expect(try folder.names() == [])
    }

    @Test func `gives back what was written, the last of it`() throws {
        #expect(try !replace("x", "first, and longer"))
        #expect(try !replace("x", "second"))
        #expect(try text("x") == "second")
        #expect(try folder.mode("a/own/x") == "600")
        #expect(try own.fileNames().sorted() == [".lock", "x"])
    }

    @Test func `keeps bytes of any kind, and none`() throws {
        let bytes = (0...255).map(UInt8.init)
        _ = try own.lock().replace("x", with: bytes)
        #expect(try own.read("x", limit: 256) == bytes)
        _ = try own.lock().replace("x", with: [])
        #expect(try own.read("x", limit: 256) == [])
    }

    @Test(arguments: [(9, false), (10, true), (11, true)])
    func `reads no file that is larger than expected`(limit: Int, isRead: Bool) throws {
        _ = try replace("x", "0123456789")
        guard !isRead else {
            #expect(try own.read("x", limit: limit)?.count == 10)
            return
        }
        let error = try #require(throws: FileError.self) { try own.read("x", limit: limit) }
        #expect(error.kind == .corrupt)
        #expect(error.message == "'\(folder.path)/a/own/x' is larger than 9 bytes")
        #expect(error.hint?.hasPrefix("see what it is (ls -l ") == true)
    }

    @Test func `tells once that others could read the file, and closes it`() throws {
        _ = try replace("x", "old")
        try folder.setMode("a/own/x", 0o640)
        #expect(try text("x") == "old")
        #expect(try folder.mode("a/own/x") == "640", "reading changes nothing")
        #expect(try replace("x", "new"))
        #expect(try folder.mode("a/own/x") == "600")
        #expect(try !replace("x", "newer"))
    }

    @Test func `tells once that others could read the folder, and closes it`() throws {
        _ = try replace("x", "old")
        try folder.setMode("a/own", 0o755)
        #expect(try replace("x", "new"))
        #expect(try folder.mode("a/own") == "700")
    }

    @Test func `loses what a killed process left behind, at the next write`() throws {
        _ = try replace("x", "old")
        try folder.write("a/own/.authctl-new-0123456789abcdef", "half of a sess")
        #expect(try text("x") == "old")
        _ = try replace("y", "new")
        #expect(try own.fileNames().sorted() == [".lock", "x", "y"])
    }

    @Test func `forgets a file, and one that is not there`() throws {
        _ = try replace("x", "old")
        try own.lock().remove("x")
        #expect(try own.read("x", limit: 10) == nil)
        #expect(throws: Never.self) { try own.lock().remove("x") }
    }

    @Test(arguments: ["link", "folder", "fifo"])
    func `neither reads nor replaces what is no plain file`(kind: String) throws {
        _ = try replace("plain", "secret")
        let path = folder.path("a/own/x")
        switch kind {
        case "link": try folder.link("a/own/x", to: "plain")
        case "folder": try folder.makeFolder("a/own/x")
        default: try #require(mkfifo(path, 0o600) == 0)
        }
        for attempt in [
            { _ = try own.read("x", limit: 10) }, { _ = try replace("x", "new") }, { _ = try own.size(of: "x") },
        ] as [() throws -> Void] {
            let error = try #require(throws: FileError.self) { try attempt() }
            #expect(error.kind == .unsafe)
            #expect(error.message == "'\(path)' is a link or no regular file")
        }
        #expect(try text("plain") == "secret")
    }

    @Test(arguments: [0o620, 0o602, 0o666, 0o777])
    func `neither reads nor replaces what others can change`(mode: Int) throws {
        _ = try replace("x", "old")
        try folder.setMode("a/own/x", mode)
        for attempt in [{ _ = try own.read("x", limit: 10) }, { _ = try replace("x", "new") }]
            as [() throws -> Void]
        {
            let error = try #require(throws: FileError.self) { try attempt() }
            #expect(error.kind == .unsafe)
            #expect(error.hint == "run: chmod go-w \(folder.path)/a/own/x")
        }
        #expect(try folder.read("a/own/x") == "old")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `neither reads nor replaces what belongs to somebody else`() throws {
        _ = try replace("x", "old")
        try #require(chown(folder.path("a/own/x"), 12345, 12345) == 0)
        for attempt in [{ _ = try own.read("x", limit: 10) }, { _ = try replace("x", "new") }]
            as [() throws -> Void]
        {
            let error = try #require(throws: FileError.self) { try attempt() }
            #expect(error.kind == .unsafe)
            #expect(error.message == "'\(folder.path)/a/own/x' belongs to another user (uid 12345)")
        }
    }

    @Test func `is no folder where a file stands`() throws {
        try folder.makeFolder("a")
        try folder.write("a/own", "")
        #expect(throws: FileError.self) { try own.read("x", limit: 10) }
        #expect(throws: FileError.self) { _ = try own.lock() }
    }

    @discardableResult
    private func replace(_ name: String, _ text: String) throws -> Bool {
        try own.lock().replace(name, with: Array(text.utf8))
    }

    private func text(_ name: String) throws -> String? {
        try own.read(name, limit: 1000).map { String(decoding: $0, as: UTF8.self) }
    }
}
