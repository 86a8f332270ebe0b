import CommandTestSupport
import LibC

@testable import Platform

@Suite struct AppendFileTests {
    private let folder = TestFolder()

    private func open(_ name: String = "lines", creates: Bool = true) throws(FileError) -> AppendFile {
        try AppendFile(path: folder.path(name), creates: creates)
    }

    private func failure(_ name: String = "lines", creates: Bool = true) -> FileError.Kind? {
        do throws(FileError) {
            _ = try open(name, creates: creates)
            return nil
        } catch {
            return error.kind
        }
    }

    @Test func `an append-only file is created with mode 0600, and lines are appended`() throws {
        let file = try open()
        #expect(file.wasEmpty)
        try file.append(Array("a\n".utf8))
        try file.append(Array("b\n".utf8))
        try file.sync()
        try expect(folder.read("lines"), "a\nb\n")
        try expect(folder.mode("lines"), "600")
        try expect(String(decoding: file.source().bytes(limit: 10), as: UTF8.self), "a\nb\n")
    }

    @Test(arguments: [
        ("a\nb", "a\n"), ("a\n", "a\n"), ("b", ""), ("", ""),
        ("a\n" + String(repeating: "b", count: 10_000), "a\n"),
    ])
    func `an appended line replaces an unfinished last line of the file`(before: String, after: String) throws {
        try folder.write("lines", before)
        let file = try AppendFile(path: folder.path("lines"), isUnfinished: { $0.first == UInt8(ascii: "b") })
        expect(file.wasEmpty, after.isEmpty)
        try expect(folder.read("lines"), before)
        try expect(String(decoding: file.source().bytes(limit: 10), as: UTF8.self), after)
        try file.append(Array("c\n".utf8))
        try expect(folder.read("lines"), "\(after)c\n")
    }

    @Test(arguments: ["notes", "a\nnotes"])
    func `an append-only file keeps a whole last line without a newline`(text: String) throws {
        try folder.write("lines", text)
        let file = try open()
        #expect(!file.wasEmpty)
        try expect(String(decoding: file.source().bytes(limit: 10), as: UTF8.self), text)
        for line in ["b\n", "c\n"] { try file.append(Array(line.utf8)) }
        try expect(folder.read("lines"), "\(text)\nb\nc\n")
    }

    @Test func `opening an append-only file rejects a link, a folder and a locked or world-writable file`() throws {
        let file = try open()
        expect(failure(), .locked)
        withExtendedLifetime(file) {}
        try folder.link("link", to: folder.path("lines"))
        expect(failure("link"), .unsafe)
        try folder.makeFolder("folder")
        expect(failure("folder"), .notWritten)
        try folder.write("open", "", mode: 0o622)
        expect(failure("open"), .unsafe)
        expect(failure("missing", creates: false), .unreadable)
        expect(failure("missing/lines"), .notWritten)
    }

    @Test func `a file that another process replaces before the lock is taken is opened again`() throws {
        try folder.write("lines", "old\n")
        let path = folder.path("lines")
        var opened = 0
        let file = try AppendFile.locked(at: path) { () throws(FileError) in
            opened += 1
            let file = FileDescriptor(openUninterrupted(path, O_RDWR))
            if opened == 1 { try FileLocation(path: path).replace(with: Array("new\n".utf8)) }
            return file
        }
        expect(opened, 2)
        let content = try file.read(upTo: 9)
        expect(content, Array("new\n".utf8))
    }

    @Test func `only a write to an append-only file removes the read permission of other users`() throws {
        try folder.write("lines", "a\n", mode: 0o644)
        let file = try open()
        try expect(folder.mode("lines"), "644")
        try file.append(Array("b\n".utf8))
        try expect(folder.mode("lines"), "600")
    }

    @Test func `the content of an append-only file can be replaced`() throws {
        try folder.write("lines", "a\nb\n")
        try open().replace(with: Array("b\n".utf8))
        try expect(folder.read("lines"), "b\n")
    }
}
