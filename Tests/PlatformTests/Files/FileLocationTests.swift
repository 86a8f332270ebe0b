import Expectations
import Foundation
import Platform

@Suite struct FileLocationTests {
    @Test func `two paths to the same file compare equal, even through links or before the file exists`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("location-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: "\(folder)/a", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/b", withDestinationPath: "\(folder)/a")
        func isSame(_ one: String, _ other: String) throws -> Bool {
            try FileLocation(path: "\(folder)/\(one)").isSameFile(as: FileLocation(path: "\(folder)/\(other)"))
        }
        #expect(try isSame("a/x", "a/x") && isSame("a/x", "b/x"))
        #expect(try !isSame("a/x", "a/y") && !isSame("a/x", "c/x") && !isSame("c/x", "d/x"))
        #expect(try isSame("c/../a/x", "b/x") && isSame("c/./d/../x", "c/x") && !isSame("c/../x", "c/x"))
        #expect(FileManager.default.createFile(atPath: "\(folder)/a/x", contents: nil))
        try FileManager.default.linkItem(atPath: "\(folder)/a/x", toPath: "\(folder)/hard")
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/soft", withDestinationPath: "\(folder)/a/x")
        #expect(try isSame("hard", "b/x") && isSame("soft", "a/x"))
        #expect(try !isSame("a/x", "a/y") && !isSame("a/y", "a/x"))
    }
}

@Suite struct ParentPathTests {
    @Test(arguments: [
        ("/a/b", "/a" as String?), ("/a/b/", "/a"), ("/a//b", "/a"), ("/a", "/"), ("//a", "/"), ("/", nil),
        ("///", nil), ("a", nil), ("a/b", "a"), ("/a/e\u{301}/\u{301}b", "/a/e\u{301}"),
    ])
    func `the parent of a path is the folder above it`(path: String, parent: String?) {
        expect(path.parentPath, parent)
    }
}
