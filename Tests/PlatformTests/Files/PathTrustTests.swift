import CommandTestSupport
import Foundation
import Testing

@testable import Platform

@Suite struct PathTrustTests {
    let folder: TestFolder

    init() throws {
        folder = try TestFolder()
        try folder.makeFolder("above")
        try folder.makeFolder("above/own")
        try folder.write("above/own/x", "secret")
    }

    @Test(arguments: [0o700, 0o755, 0o711])
    func `a folder that only its owner can change is trusted`(mode: Int) throws {
        try folder.setMode("above", mode)
        #expect(try read(home: nil) != nil)
        #expect(try read(home: folder.path) != nil)
    }

    @Test(arguments: [0o770, 0o777, 0o720, 0o702])
    func `a folder that others can change is rejected and named`(mode: Int) throws {
        try folder.setMode("above", mode)
        for home in [nil, folder.path] {
            let error = try #require(throws: FileError.self) { try read(home: home) }
            #expect(error.kind == .unsafe)
            error.expectMessage(in: folder)
        }
    }

    @Test func `a folder below a shared folder with a sticky bit is trusted`() throws {
        try folder.setMode("above", 0o1777)
        #expect(try read(home: nil) != nil)
    }

    @Test func `a shared folder inside the home folder is rejected even with a sticky bit`() throws {
        try folder.setMode("above", 0o1777)
        #expect(throws: FileError.self) { try read(home: folder.path) }
    }

    @Test func `the folder itself is rejected if others can change it, even with a sticky bit`() throws {
        for mode in [0o777, 0o1777] {
            try folder.setMode("above/own", mode)
            #expect(throws: FileError.self) { try read(home: nil) }
        }
    }

    @Test func `folders above the home folder are not checked`() throws {
        try folder.setMode("above", 0o777)
        #expect(try read(home: folder.path("above/own")) != nil)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give folders away"))
    func `a folder below one of another user is rejected`() throws {
        try #require(chown(folder.path("above"), 12345, 12345) == 0)
        let error = try #require(throws: FileError.self) { try read(home: nil) }
        error.expectMessage(in: folder)
    }

    @Test func `a link inside a folder that others can change is rejected`() throws {
        try folder.makeFolder("shared")
        try folder.link("shared/way", to: "../above")
        try folder.setMode("shared", 0o777)
        let own = PrivateFolder(path: folder.path("shared/way/own"), home: nil)
        let error = try #require(throws: FileError.self) { try own.read("x", limit: 100) }
        #expect(error.message.contains("'\(folder.path)/shared'"))
    }

    @Test(arguments: ["above", "above/", "./above", "../{}/above", "/{}/above", "second"])
    func `a link that only its owner can change is trusted`(target: String) throws {
        try folder.link("second", to: "above")
        try folder.link("way", to: place(target))
        for home in [nil, folder.path] {
            #expect(try PrivateFolder(path: folder.path("way/own"), home: home).read("x", limit: 100) != nil)
        }
    }

    @Test(arguments: ["shared/way", "shared/way/", "above/../shared/way/.", "/{}/shared/way", "second"])
    func `a link that leads through a folder that others can change is rejected`(target: String) throws {
        try folder.makeFolder("shared")
        try folder.link("shared/way", to: "../above")
        try folder.link("second", to: "shared/way")
        try folder.setMode("shared", 0o777)
        try folder.link("way", to: place(target))
        for home in [nil, folder.path] {
            let own = PrivateFolder(path: folder.path("way/own"), home: home)
            let error = try #require(throws: FileError.self) { try own.read("x", limit: 100) }
            #expect(error.kind == .unsafe)
            #expect(error.message.contains("/shared'"))
        }
    }

    @Test(arguments: ["nowhere", "second"])
    func `a dangling link is rejected instead of read as missing`(target: String) throws {
        try folder.link("second", to: "nowhere")
        try folder.link("way", to: target)
        for path in ["way", "way/own", "way/own/deeper"] {
            let own = PrivateFolder(path: folder.path(path), home: folder.path)
            for attempt in [{ _ = try own.read("x", limit: 100) }, { _ = try own.lock() }] as [() throws -> Void] {
                let error = try #require(throws: FileError.self) { try attempt() }
                #expect(error.kind == .unsafe)
                error.expectMessage(target == "second" ? "a link to a dangling link" : "a dangling link", in: folder)
            }
        }
    }

    @Test func `links in a circle are rejected`() throws {
        try folder.link("one", to: "two")
        try folder.link("two", to: "one")
        let own = PrivateFolder(path: folder.path("one"), home: folder.path)
        #expect(throws: FileError.self) { try own.read("x", limit: 100) }
        #expect(throws: FileError.self) { _ = try own.lock() }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give links away"))
    func `a link of another user is rejected`() throws {
        try folder.link("way", to: "above")
        try #require(lchown(folder.path("way"), 12345, 12345) == 0)
        let own = PrivateFolder(path: folder.path("way/own"), home: folder.path)
        let error = try #require(throws: FileError.self) { try own.read("x", limit: 100) }
        error.expectMessage(in: folder)
    }

    /// Replaces `{}` with the path of the test folder.
    private func place(_ target: String) -> String {
        let path =
            target.hasPrefix("/") ? String(folder.path.dropFirst()) : URL(filePath: folder.path).lastPathComponent
        return target.replacingOccurrences(of: "{}", with: path)
    }

    private func read(home: String?) throws -> [UInt8]? {
        try PrivateFolder(path: folder.path("above/own"), home: home).read("x", limit: 100)
    }
}
