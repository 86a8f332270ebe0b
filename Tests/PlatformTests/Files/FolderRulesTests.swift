import CommandTestSupport
import Foundation

@testable import Platform

/// Whether a folder or file is trusted depends on its owner and mode.
@Suite struct FolderRulesTests {
    let folder = TestFolder()

    init() throws {
        try folder.makeFolder("own")
        try folder.write("own/x", "secret")
        try folder.makeFolder("own/inner")
        try folder.write("own/inner/x", "secret")
    }

    @Test(arguments: ["own", "own/x"], [0o700, 0o755, 0o744, 0o500])
    func `a folder or file that only its owner can write is trusted`(name: String, mode: Int) throws {
        try folder.setMode(name, mode)
        #expect(try read() != nil)
    }

    @Test(arguments: ["own", "own/x"], [0o770, 0o720, 0o702, 0o777])
    func `a folder or file that group or others can write is rejected with a chmod hint`(
        name: String, mode: Int
    ) throws {
        try folder.setMode(name, mode)
        for attempt in [{ _ = try read() }, { try own.lock().replace("x", with: []) }] as [() throws -> Void] {
            let error = try #require(throws: FileError.self) { try attempt() }
            expect(error.kind, .unsafe)
            error.expectMessage(name, in: folder)
        }
        try expect(folder.read("own/x"), "secret")
    }

    @Test(arguments: [0o1777, 0o2775])
    func `the hint about an unsafe sticky or setgid folder omits chmod`(mode: Int) throws {
        try folder.setMode("own", mode)
        let error = try #require(throws: FileError.self) { try read() }
        expect(error.hints, ["use another folder"])
    }

    @Test(arguments: [(0o700, true), (0o755, true), (0o1777, true), (0o1770, true), (0o770, false), (0o702, false)])
    func `a folder that the user named for files of authctl may be sticky`(mode: Int, isTrusted: Bool) throws {
        try folder.setMode("own", mode)
        let named = PrivateFolder(path: folder.path("own"), FolderRules(trusting: .shared))
        guard !isTrusted else { return try named.create() }
        let error = try #require(throws: FileError.self) { try named.create() }
        expect(error.kind, .unsafe)
    }

    @Test func `a missing folder is created with mode 0700, and kept if it exists`() throws {
        let named = PrivateFolder(path: folder.path("new/states"), FolderRules(trusting: .shared))
        for _ in 1...2 { try named.create() }
        try expect(folder.mode("new/states"), "700")
    }

    @Test func `a private folder may have an unsafe parent, but an unsafe private folder gets no subfolder`() throws {
        try folder.makeFolder("above", mode: 0o777)
        _ = try PrivateFolder(path: folder.path("above/own")).lock()
        try folder.setMode("own", 0o777)
        #expect(throws: FileError.self) { _ = try own.subfolder("new").lock() }
        #expect(try !folder.names(in: "own").contains("new"))
    }

    @Test func `a private folder may be a symbolic link`() throws {
        try folder.link("way", to: "own")
        let linked = PrivateFolder(path: folder.path("way"))
        try linked.lock().replace("x", with: [1])
        try expect(linked.read("x", limit: 100), [1])
        try folder.setMode("own", 0o702)
        #expect(throws: FileError.self) { try linked.read("x", limit: 100) }
    }

    @Test func `a dangling symbolic link in place of a folder is rejected, not treated as a missing folder`() throws {
        try folder.link("way", to: "nowhere")
        let linked = PrivateFolder(path: folder.path("way"))
        for attempt in [
            { _ = try linked.read("x", limit: 100) }, { _ = try linked.lock() },
            { _ = try linked.subfolder("inner").lock() }, { try linked.requireWritable() },
        ] as [() throws -> Void] {
            let error = try #require(throws: FileError.self) { try attempt() }
            expect(error.kind, .unsafe)
            error.expectMessage(in: folder)
        }
    }

    @Test func `a symbolic link to a file is followed even into a folder that other users can write`() throws {
        try folder.setMode("own", 0o777)
        try folder.makeFolder("dotfiles")
        try folder.link("dotfiles/x", to: "../own/x")
        let file = try PrivateFolder(path: folder.path("dotfiles")).followingLink("x")
        expect(file.path, folder.path("own/x"))
        #expect(try file.folder.read("x", limit: 100) != nil)
    }

    // MARK: - Owners

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"), arguments: ["own", "own/x", "own/inner/x"])
    func `a folder or file that belongs to another user is rejected`(name: String) throws {
        try #require(chown(folder.path(name), 12345, 12345) == 0)
        let error = try #require(throws: FileError.self) {
            _ = try name == "own/inner/x" ? own.subfolder("inner").read("x", limit: 100) : read()
        }
        expect(error.kind, .unsafe)
        error.expectMessage(name, in: folder)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give folders away"))
    func `root may create folders in a home folder that belongs to another user`() throws {
        try folder.makeFolder("home")
        try #require(chown(folder.path("home"), 12345, 12345) == 0)
        _ = try PrivateFolder(path: folder.path("home/.config/authctl"), FolderRules(home: folder.path("home"))).lock()
        try expect(folder.mode("home/.config/authctl"), "700")
    }

    @Test func `root may own a configuration file, but not a session file`() throws {
        var status = stat()
        try #require(stat(folder.path("own/x"), &status) == 0)
        status.st_uid = 0
        let rules = FolderRules()
        #expect(throws: Never.self) { try rules.requireTrust(inFile: status, at: "x") }
        #expect(own.rules.rootMayOwnFiles && !own.subfolder("sessions").rules.rootMayOwnFiles)
        guard geteuid() != 0 else { return }
        #expect(throws: FileError.self) { try rules.requireTrust(inFile: status, at: "x", rootMayOwn: false) }
    }

    private var own: PrivateFolder {
        PrivateFolder(path: folder.path("own"), FolderRules(remedy: { "use another folder" }))
    }

    private func read() throws -> [UInt8]? { try own.read("x", limit: 100) }
}
