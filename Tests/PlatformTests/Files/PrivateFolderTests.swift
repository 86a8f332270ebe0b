import CommandTestSupport
import Foundation
import Testing

@testable import Platform

@Suite struct PrivateFolderTests {
    let folder: TestFolder
    let own: PrivateFolder
    let warnings = FileWarnings()

    init() throws {
        folder = try TestFolder()
        let rules = FolderRules(
            home: folder.path, isPrivateGroup: { _ in false }, warn: { [warnings] in warnings.rules.warn($0) })
        own = PrivateFolder(path: folder.path("a/own"), rules)
    }

    @Test func `a missing folder or file has no content`() throws {
        #expect(try own.read("x", limit: 10) == nil)
        #expect(try own.fileNames() == [])
        _ = try own.lock()
        #expect(try own.read("x", limit: 10) == nil)
        #expect(try own.size(of: "x") == nil)
    }

    @Test func `a private folder is created with its parents for its owner only`() throws {
        _ = try own.lock()
        #expect(try folder.mode("a") == "700")
        #expect(try folder.mode("a/own") == "700")
    }

    @Test func `a missing home folder is not created`() throws {
        let lost = PrivateFolder(path: folder.path("home/.config/authctl"), home: folder.path("home"))
        let error = try #require(throws: FileError.self) { _ = try lost.lock() }
        #expect(error.kind == .notWritten)
        error.expectMessage(in: folder)
        #expect(try folder.names() == [])
    }

    @Test func `the content written last is read`() throws {
        try replace("x", "first, and longer")
        try replace("x", "second")
        #expect(try text("x") == "second")
        #expect(try folder.mode("a/own/x") == "600")
        #expect(try own.fileNames().sorted() == [".lock", "x"])
    }

    @Test func `any bytes, and none, are stored unchanged`() throws {
        let bytes = (0...255).map(UInt8.init)
        try own.lock().replace("x", with: bytes)
        #expect(try own.read("x", limit: 256) == bytes)
        try own.lock().replace("x", with: [])
        #expect(try own.read("x", limit: 256) == [])
    }

    @Test func `a file larger than expected is not read`() throws {
        try replace("x", "0123456789")
        for limit in [10, 11] { #expect(try own.read("x", limit: limit)?.count == 10) }
        let error = try #require(throws: FileError.self) { try own.read("x", limit: 9) }
        #expect(error.kind == .corrupt)
        error.expectMessage(in: folder)
    }

    @Test func `a file that others could read is reported once and its mode is fixed`() throws {
        try replace("x", "old")
        try folder.setMode("a/own/x", 0o640)
        #expect(try text("x") == "old")
        #expect(try folder.mode("a/own/x") == "640", "reading changes nothing")
        for text in ["new", "newer"] { try replace("x", text) }
        #expect(try folder.mode("a/own/x") == "600")
        #expect(warnings.texts == ["other users could read '\(own.path)/x'; its permissions are now fixed"])
    }

    @Test func `a folder that only authctl makes is reported once and its mode is fixed`() throws {
        let inner = own.subfolder("inner")
        try inner.lock().replace("x", with: [1])
        try folder.setMode("a/own/inner", 0o755)
        for byte in [2, 3] as [UInt8] { try inner.lock().replace("x", with: [byte]) }
        #expect(try folder.mode("a/own/inner") == "700")
        #expect(warnings.texts == ["other users could read '\(inner.path)/x'; its permissions are now fixed"])
    }

    @Test func `the mode of a folder that the user may have made is not changed`() throws {
        try folder.makeFolder("a")
        try folder.makeFolder("a/own")
        try folder.makeFolder("real")
        try folder.link("a/own/inner", to: "../../real")
        for path in ["a/own", "real"] { try folder.setMode(path, 0o755) }
        try replace("x", "new")
        try own.subfolder("inner").lock().replace("x", with: [1])
        #expect(warnings.texts == [])
        for path in ["a/own", "real"] { #expect(try folder.mode(path) == "755") }
    }

    @Test func `a library's file that others could read is reported once and its mode is fixed`() throws {
        try replace("x", "old")
        try folder.setMode("a/own/x", 0o644)
        for _ in 1...2 { #expect(try own.size(of: "x") == 3) }
        #expect(try folder.mode("a/own/x") == "600")
        #expect(warnings.texts == ["other users could read '\(own.path)/x'; its permissions are now fixed"])
    }

    @Test func `a check for write access creates nothing`() throws {
        try own.requireWritable()
        #expect(try folder.names() == [])
        _ = try own.lock()
        try own.requireWritable()
        let error = try #require(throws: FileError.self) {
            try PrivateFolder(path: folder.path("home/.config/authctl"), home: folder.path("home")).requireWritable()
        }
        #expect(error.kind == .notWritten)
    }

    @Test func `a folder is created below a parent that is a link`() throws {
        try folder.makeFolder("real")
        try folder.link("a", to: "real")
        _ = try own.lock()
        #expect(try folder.mode("real/own") == "700")
    }

    @Test func `a leftover of a killed process is deleted at the next write that lists the folder`() throws {
        try replace("x", "old")
        try folder.write("a/own/.authctl-new-0123456789abcdef", "half of a sess")
        try own.lock().overwrite("x", with: Array("old".utf8))
        #expect(try own.fileNames().count == 3)
        #expect(try text("x") == "old")
        try replace("y", "new")
        #expect(try own.fileNames().sorted() == [".lock", "x", "y"])
    }

    @Test func `a file can be removed twice`() throws {
        try replace("x", "old")
        try own.lock().remove("x")
        #expect(try own.read("x", limit: 10) == nil)
        #expect(throws: Never.self) { try own.lock().remove("x") }
    }

    @Test(arguments: ["link", "folder", "fifo"])
    func `a link, a folder and a FIFO are neither read nor replaced`(kind: String) throws {
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
            #expect(error.kind == .unsafe)
            error.expectMessage(in: folder)
        }
        #expect(try text("plain") == "secret")
    }

    @Test(arguments: [0o620, 0o602, 0o666, 0o777])
    func `a file that others can change is neither read nor replaced`(mode: Int) throws {
        try replace("x", "old")
        try folder.setMode("a/own/x", mode)
        for attempt in [{ _ = try own.read("x", limit: 10) }, { try replace("x", "new") }]
            as [() throws -> Void]
        {
            let error = try #require(throws: FileError.self) { try attempt() }
            #expect(error.kind == .unsafe)
            error.expectMessage(in: folder)
        }
        #expect(try folder.read("a/own/x") == "old")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `a file of another user is neither read nor replaced`() throws {
        try replace("x", "old")
        try #require(chown(folder.path("a/own/x"), 12345, 12345) == 0)
        for attempt in [{ _ = try own.read("x", limit: 10) }, { try replace("x", "new") }]
            as [() throws -> Void]
        {
            let error = try #require(throws: FileError.self) { try attempt() }
            #expect(error.kind == .unsafe)
            error.expectMessage(in: folder)
        }
    }

    @Test func `a file in place of the folder is rejected`() throws {
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
