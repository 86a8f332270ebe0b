import CommandTestSupport
import Foundation
import Platform

/// Files of packages that pip installed beside a program.
@Suite struct InstalledFileTests {
    private let root: String

    init() throws {
        let temporary = URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath().path
        root = "\(temporary)/authctl tests [*]\\-\(UUID().uuidString)"
    }

    private func make(_ path: String) throws {
        let folder = URL(fileURLWithPath: "\(root)/\(path)").deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: "\(root)/\(path)", contents: nil))
    }

    private func find() throws -> String? {
        try installedFile("pycurl.libs/libcurl*.so*", beside: "\(root)/bin/authctl")
    }

    @Test(arguments: [
        "lib/python3.11/site-packages/", "lib64/python3.9/site-packages/", "lib/python3/dist-packages/", "",
    ])
    func `a file is found in the environment of the program and in a folder of --target`(folder: String) throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        try make("\(folder)pycurl.libs/libcurl-1a.so.4.8.0")
        try make("\(folder)pycurl.libs/libssl-2b.so.3")
        try expect(find(), "\(root)/\(folder)pycurl.libs/libcurl-1a.so.4.8.0")
    }

    @Test func `without a package there is no file`() throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        try make("lib/python3.11/site-packages/pycurl.py")
        try expect(find(), nil)
        try expect(installedFile("pycurl.libs/libcurl*.so*", beside: nil), nil)
    }

    @Test(arguments: [
        "", "/lib", "/lib/python3.11/site-packages", "/lib/python3.11/site-packages/pycurl.libs/libcurl.so",
    ])
    func `a file that another user may replace is refused`(loose: String) throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        try make("lib/python3.11/site-packages/pycurl.libs/libcurl.so")
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: root + loose)
        let error = try #require(throws: FileError.self) { try find() }
        expect(error.kind, .unsafe)
        #expect(error.message.contains("'\(root + loose)'"))
    }
}
