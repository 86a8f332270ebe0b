import CommandTestSupport
import Foundation
import Testing

@testable import Platform

#if os(Linux)
    import CXattr
#endif

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
            let isOfSystem = home == nil && geteuid() == 0
            error.expectMessage(isOfSystem ? "a folder of root outside the home" : "a folder of the user", in: folder)
        }
    }

    @Test(arguments: [0o770, 0o775, 0o720])
    func `a folder that only the user's private group can change is trusted`(mode: Int) throws {
        for path in ["above", "above/own", "above/own/x"] { try folder.setMode(path, mode) }
        for home in [nil, folder.path] { #expect(try read(home: home, isPrivateGroup: true) != nil) }
    }

    @Test func `a folder that everybody can change is rejected, also with a private group`() throws {
        try folder.setMode("above", 0o777)
        #expect(throws: FileError.self) { try read(home: folder.path, isPrivateGroup: true) }
    }

    @Test func `a home folder that others can change is rejected without a hint to change a folder of root`() throws {
        try folder.setMode("above", 0o777)
        let error = try #require(throws: FileError.self) { try read(home: folder.path("above")) }
        #expect(error.hints.last == "use another folder")
        #expect(error.hints.contains { $0.contains("chmod") } == (geteuid() != 0))
    }

    #if os(Linux)
        /// In its presence the mode bits of the group are the mask of the list.
        @Test func `a folder with an access control list is rejected, also with a private group`() throws {
            try folder.setMode("above", 0o770)
            // Version 2; the user rwx, uid 12345 rwx, the group rwx, mask rwx, others nothing. Source: acl(5), and
            // posix_acl_xattr.h of Linux.
            let unnamed = UInt32.max
            let entries: [(tag: UInt16, bits: UInt16, id: UInt32)] = [
                (0x01, 7, unnamed), (0x02, 7, 12345), (0x04, 7, unnamed), (0x10, 7, unnamed), (0x20, 0, unnamed),
            ]
            var list = bytes(UInt32(2))
            for entry in entries { list += bytes(entry.tag) + bytes(entry.bits) + bytes(entry.id) }
            let result = setxattr(folder.path("above"), "system.posix_acl_access", list, list.count, 0)
            try #require(result == 0)
            #expect(throws: FileError.self) { try read(home: folder.path, isPrivateGroup: true) }
        }

        private func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
    #endif

    @Test func `a folder below a shared folder with a sticky bit is trusted`() throws {
        try folder.setMode("above", 0o1777)
        #expect(try read(home: nil) != nil)
    }

    @Test func `a shared home folder with a sticky bit is trusted`() throws {
        try folder.setMode("above", 0o1777)
        #expect(try read(home: folder.path("above")) != nil)
        #expect(try read(home: folder.path) != nil)
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

    @Test(.enabled(if: geteuid() == 0, "only root can give folders away"))
    func `root uses another user's home folder with a warning if authctl's folder belongs to root`() throws {
        try #require(chown(folder.path("above"), 12345, 12345) == 0)
        let warnings = FileWarnings()
        let rules = FolderRules(home: folder.path("above"), warn: { warnings.rules.warn($0) })
        let own = PrivateFolder(path: folder.path("above/own"), rules)
        #expect(try own.read("x", limit: 100) != nil)
        #expect(
            warnings.texts == [
                "home folder '\(folder.path)/above' belongs to another user (uid 12345), who can remove authctl's files"
            ])
        _ = try PrivateFolder(path: folder.path("above/.config/authctl"), rules).lock()
        #expect(try folder.mode("above/.config/authctl") == "700")
        try #require(chown(folder.path("above/own"), 12345, 12345) == 0)
        #expect(throws: FileError.self) { try own.read("x", limit: 100) }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give folders away"))
    func `root rejects a folder of a third user in another user's home folder`() throws {
        try folder.makeFolder("above/.config")
        try #require(chown(folder.path("above"), 12345, 12345) == 0)
        try #require(chown(folder.path("above/.config"), 12346, 12346) == 0)
        let own = PrivateFolder(path: folder.path("above/.config/authctl"), FolderRules(home: folder.path("above")))
        let error = try #require(throws: FileError.self) { _ = try own.lock() }
        #expect(error.message == "'\(folder.path)/above/.config' belongs to another user (uid 12346)")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give folders away"))
    func `under sudo another user's home folder is rejected`() throws {
        try #require(chown(folder.path("above"), 12345, 12345) == 0)
        let rules = FolderRules(home: folder.path("above"), isUnderSudo: { true })
        let own = PrivateFolder(path: folder.path("above/own"), rules)
        for attempt in [{ _ = try own.read("x", limit: 100) }, { _ = try own.lock() }, { try own.requireWritable() }]
            as [() throws -> Void]
        {
            let error = try #require(throws: FileError.self) { try attempt() }
            error.expectMessage(in: folder)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give folders away"))
    func `no hint suggests changing a folder outside the home`() throws {
        for (owner, mode) in [(12345, 0o755), (0, 0o777)] as [(uid_t, Int)] {
            try #require(chown(folder.path("above"), owner, owner) == 0)
            try folder.setMode("above", mode)
            let error = try #require(throws: FileError.self) { try read(home: nil) }
            #expect(error.hints == ["use another folder"])
        }
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

    private func read(home: String?, isPrivateGroup: Bool = false) throws -> [UInt8]? {
        let rules = FolderRules(home: home, remedy: { "use another folder" }, isPrivateGroup: { _ in isPrivateGroup })
        return try PrivateFolder(path: folder.path("above/own"), rules).read("x", limit: 100)
    }
}
