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
    func `is given to folders that only their owner can change`(mode: Int) throws {
        try folder.setMode("above", mode)
        #expect(try read(home: nil) != nil)
        #expect(try read(home: folder.path) != nil)
    }

    @Test(arguments: [0o770, 0o777, 0o720, 0o702])
    func `is denied below a folder that others can change, which is named`(mode: Int) throws {
        try folder.setMode("above", mode)
        for home in [nil, folder.path] {
            let error = try #require(throws: FileError.self) { try read(home: home) }
            #expect(error.kind == .unsafe)
            #expect(error.message == "'\(folder.path)/above' can be changed by other users")
            #expect(error.hint == "run: chmod go-w \(folder.path)/above")
        }
    }

    @Test func `is given below a folder for all whose sticky bit protects what is in it`() throws {
        try folder.setMode("above", 0o1777)
        #expect(try read(home: nil) != nil)
    }

    @Test func `is denied to a folder for all in the home folder, sticky or not`() throws {
        try folder.setMode("above", 0o1777)
        #expect(throws: FileError.self) { try read(home: folder.path) }
    }

    @Test func `is denied to the folder itself if others can change it, sticky or not`() throws {
        for mode in [0o777, 0o1777] {
            try folder.setMode("above/own", mode)
            #expect(throws: FileError.self) { try read(home: nil) }
        }
    }

    @Test func `asks nothing of what lies above the home folder`() throws {
        try folder.setMode("above", 0o777)
        #expect(try read(home: folder.path("above/own")) != nil)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give folders away"))
    func `is denied below a folder of somebody else`() throws {
        try #require(chown(folder.path("above"), 12345, 12345) == 0)
        let error = try #require(throws: FileError.self) { try read(home: nil) }
        #expect(error.message == "'\(folder.path)/above' belongs to another user (uid 12345)")
    }

    @Test func `is denied where a name on the way lies in a folder that others can change`() throws {
        try folder.makeFolder("shared")
        try folder.link("shared/way", to: "../above")
        try folder.setMode("shared", 0o777)
        let own = PrivateFolder(path: folder.path("shared/way/own"), home: nil)
        let error = try #require(throws: FileError.self) { try own.read("x", limit: 100) }
        #expect(error.message == "'\(folder.path)/shared' can be changed by other users")
    }

    @Test(arguments: ["above", "above/", "./above", "../{}/above", "/{}/above", "second"])
    func `is given through links that only their owner can change`(target: String) throws {
        try folder.link("second", to: "above")
        try folder.link("way", to: place(target))
        for home in [nil, folder.path] {
            #expect(try PrivateFolder(path: folder.path("way/own"), home: home).read("x", limit: 100) != nil)
        }
    }

    @Test(arguments: ["shared/way", "shared/way/", "above/../shared/way/.", "/{}/shared/way", "second"])
    func `is denied where a link on the way leads through one that others can change`(target: String) throws {
        try folder.makeFolder("shared")
        try folder.link("shared/way", to: "../above")
        try folder.link("second", to: "shared/way")
        try folder.setMode("shared", 0o777)
        try folder.link("way", to: place(target))
        for home in [nil, folder.path] {
            let own = PrivateFolder(path: folder.path("way/own"), home: home)
            let error = try #require(throws: FileError.self) { try own.read("x", limit: 100) }
            #expect(error.message.hasSuffix("/shared' can be changed by other users"))
        }
    }

    @Test(arguments: ["nowhere", "second"])
    func `is denied where a link leads nowhere, and that is no absence`(target: String) throws {
        try folder.link("second", to: "nowhere")
        try folder.link("way", to: target)
        for path in ["way", "way/own", "way/own/deeper"] {
            let own = PrivateFolder(path: folder.path(path), home: folder.path)
            for attempt in [{ _ = try own.read("x", limit: 100) }, { _ = try own.lock() }] as [() throws -> Void] {
                let error = try #require(throws: FileError.self) { try attempt() }
                #expect(error.kind == .unsafe)
                #expect(
                    error.message
                        == "'\(folder.path)/\(target == "second" ? "second" : "way")' is a link that leads nowhere")
            }
        }
    }

    @Test func `is denied to links in a circle`() throws {
        try folder.link("one", to: "two")
        try folder.link("two", to: "one")
        let own = PrivateFolder(path: folder.path("one"), home: folder.path)
        #expect(throws: FileError.self) { try own.read("x", limit: 100) }
        #expect(throws: FileError.self) { _ = try own.lock() }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give links away"))
    func `is denied to a link of somebody else`() throws {
        try folder.link("way", to: "above")
        try #require(lchown(folder.path("way"), 12345, 12345) == 0)
        let own = PrivateFolder(path: folder.path("way/own"), home: folder.path)
        let error = try #require(throws: FileError.self) { try own.read("x", limit: 100) }
        #expect(error.message == "'\(folder.path)/way' is a link that belongs to another user (uid 12345)")
    }

    /// A target in which `{}` stands for the folder of the test.
    private func place(_ target: String) -> String {
        let path =
            target.hasPrefix("/") ? String(folder.path.dropFirst()) : URL(filePath: folder.path).lastPathComponent
        return target.replacingOccurrences(of: "{}", with: path)
    }

    private func read(home: String?) throws -> [UInt8]? {
        try PrivateFolder(path: folder.path("above/own"), home: home).read("x", limit: 100)
    }
}
