import CommandTestSupport
import Foundation

@testable import Platform

@Suite struct PrivateFolderTests {
    let folder = TestFolder()
    let own: PrivateFolder
    let warnings = FileWarnings()

    init() throws {
        own = PrivateFolder(path: folder.path("a/own"), warnings.rules)
    }

    @Test func `reading a missing folder or file returns nil or an empty list, not an error`() throws {
        try expect(own.read("x", limit: 10), nil)
        try expect(own.fileNames(), [])
        _ = try own.lock()
        try expect(own.read("x", limit: 10), nil)
        try expect(own.size(of: "x"), nil)
    }

    @Test func `a private folder and its parents are created with mode 0700`() throws {
        _ = try own.lock()
        try expect(folder.mode("a"), "700")
        try expect(folder.mode("a/own"), "700")
    }

    @Test func `a missing home folder is not created`() throws {
        let lost = PrivateFolder(path: folder.path("home/.config/authctl"), FolderRules(home: folder.path("home")))
        let error = try #require(throws: FileError.self) { _ = try lost.lock() }
        expect(error.kind, .notWritten)
        error.expectMessage(in: folder)
        try expect(folder.names(), [])
    }

    @Test func `a replaced file contains the content that was written last`() throws {
        try replace("x", "first, and longer")
        try replace("x", "second")
        try expect(text("x"), "second")
        try expect(folder.mode("a/own/x"), "600")
        try expect(own.fileNames().sorted(), [".lock", "x"])
    }

    @Test func `a private file stores arbitrary bytes and empty content unchanged`() throws {
        let bytes = (0...255).map(UInt8.init)
        try own.lock().replace("x", with: bytes)
        try expect(own.read("x", limit: 256), bytes)
        try own.lock().replace("x", with: [])
        try expect(own.read("x", limit: 256), [])
    }

    @Test func `a file larger than the limit is not read`() throws {
        try replace("x", "0123456789")
        for limit in [10, 11] { try expect(own.read("x", limit: limit)?.count, 10) }
        let error = try #require(throws: FileError.self) { try own.read("x", limit: 9) }
        expect(error.kind, .corrupt)
        error.expectMessage(in: folder)
    }

    @Test func `writing a file that other users could read fixes its mode and warns once`() throws {
        try replace("x", "old")
        try folder.setMode("a/own/x", 0o640)
        try expect(text("x"), "old")
        try expect(folder.mode("a/own/x"), "640", "reading changes nothing")
        for text in ["new", "newer"] { try replace("x", text) }
        try expect(folder.mode("a/own/x"), "600")
        expect(warnings.texts, ["other users could read '\(own.path)/x'; its permissions are now fixed"])
    }

    @Test func `an existing private folder keeps its mode`() throws {
        let inner = own.subfolder("inner")
        try inner.lock().replace("x", with: [1])
        for path in ["a/own", "a/own/inner"] { try folder.setMode(path, 0o755) }
        for folder in [own, inner] { try folder.lock().replace("x", with: [2]) }
        expect(warnings.texts, [])
        for path in ["a/own", "a/own/inner"] { try expect(folder.mode(path), "755") }
    }

    @Test func `reading the size of a file keeps its mode, and removing a read permission warns once`() throws {
        try replace("x", "old")
        try folder.setMode("a/own/x", 0o644)
        try expect(own.size(of: "x"), 3)
        try expect(folder.mode("a/own/x"), "644")
        for _ in 1...2 { try own.removeReadPermission(of: "x") }
        try expect(folder.mode("a/own/x"), "600")
        expect(warnings.texts, ["other users could read '\(own.path)/x'; its permissions are now fixed"])
    }

    @Test func `a check for write access creates no files or folders`() throws {
        try own.requireWritable()
        try expect(folder.names(), [])
        _ = try own.lock()
        try own.requireWritable()
        let error = try #require(throws: FileError.self) {
            try PrivateFolder(path: folder.path("home/.config/authctl"), FolderRules(home: folder.path("home")))
                .requireWritable()
        }
        expect(error.kind, .notWritten)
    }

    @Test func `the error about a failed write through a symbolic link names the target`() throws {
        try folder.makeFolder("real")
        try folder.write("real/b", "")
        try folder.link("a", to: "real")
        let error = try #require(throws: FileError.self) { _ = try PrivateFolder(path: folder.path("a/b")).lock() }
        expect(error.kind, .notWritten)
        error.expectMessage(in: folder)
        _ = try own.lock()
        try expect(folder.mode("real/own"), "700")
    }

    @Test func `a stale temporary file of a killed process is deleted at the next replacement of a file`() throws {
        try replace("x", "old")
        try folder.write("a/own/.authctl-new-0123456789abcdef", "half of a sess")
        try own.lock().overwrite("x", with: Array("old".utf8))
        try expect(own.fileNames().count, 3)
        try expect(text("x"), "old")
        try replace("y", "new")
        try expect(own.fileNames().sorted(), [".lock", "x", "y"])
    }

    @Test func `removing a file that was already removed succeeds`() throws {
        try replace("x", "old")
        try own.lock().remove("x")
        try expect(own.read("x", limit: 10), nil)
        #expect(throws: Never.self) { try own.lock().remove("x") }
    }

    @Test(arguments: ["link", "folder", "fifo"])
    func `a symbolic link, folder or FIFO in place of a private file is not read or replaced`(kind: String) throws {
        try replace("plain", "secret")
        let path = folder.path("a/own/x")
        switch kind {
        case "link": try folder.link("a/own/x", to: "plain")
        case "folder": try folder.makeFolder("a/own/x")
        default: try #require(mkfifo(path, 0o600) == 0)
        }
        for attempt in [
            { _ = try own.read("x", limit: 10) }, { try replace("x", "new") }, { _ = try own.size(of: "x") },
        ] as [() throws -> Void] {
            let error = try #require(throws: FileError.self) { try attempt() }
            expect(error.kind, .unsafe)
            error.expectMessage(in: folder)
        }
        try expect(text("plain"), "secret")
    }

    @Test func `a file in place of a private folder is rejected`() throws {
        try folder.makeFolder("a")
        try folder.write("a/own", "")
        #expect(throws: FileError.self) { try own.read("x", limit: 10) }
        #expect(throws: FileError.self) { _ = try own.lock() }
    }

    private func replace(_ name: String, _ text: String) throws {
        try own.lock().replace(name, with: Array(text.utf8))
    }

    private func text(_ name: String) throws -> String? {
        try own.read(name, limit: 1000).map { String(decoding: $0, as: UTF8.self) }
    }
}
