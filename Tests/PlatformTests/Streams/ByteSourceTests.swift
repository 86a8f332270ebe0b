import CommandTestSupport
import Foundation
import Platform

@Suite struct ByteSourceTests {
    private let folder = TestFolder()

    /// Creates a file with the content `text` and returns its path.
    private func file(_ text: String) throws -> String {
        let path = "\(folder.path)/body"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// - Parameter pieces: the length of each read in bytes.
    private func rest(of source: ByteSource, pieces: Int = 3) throws -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: pieces)
        while true {
            let number = try buffer.withUnsafeMutableBytes { bytes throws(ByteSource.Failure) in
                try source.read(into: bytes)
            }
            if number == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<number]
        }
    }

    /// A pipe whose writer sends these bytes and then closes the pipe.
    private func source(ofPipe bytes: [UInt8]) throws -> ByteSource {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        // The bytes may exceed the capacity of the pipe, so a thread writes them during the read.
        Thread.detachNewThread {
            var rest = bytes[...]
            while !rest.isEmpty {
                let number = rest.withUnsafeBytes { write(writer, $0.baseAddress, $0.count) }
                guard number > 0 else { break }
                rest = rest.dropFirst(number)
            }
            close(writer)
        }
        return try ByteSource.opened(reader)
    }

    // MARK: - Files

    @Test func `a byte source reads a file in pieces and knows its length`() throws {
        let source = try ByteSource.file(at: try file("hello world"))
        expect(source.count, 11)
        try expect(rest(of: source), "hello world")
        expect(source.position, 11)
        expect(source.failure, nil)
    }

    @Test func `a byte source of a file can be rewound and read again`() throws {
        let source = try ByteSource.file(at: try file("hello"))
        for _ in 1...2 {
            try expect(rest(of: source), "hello")
            #expect(source.isRepeatable)
            #expect(source.rewind())
            expect(source.position, 0)
        }
    }

    @Test func `a byte source reads a file descriptor from its initial position, even after a rewind`() throws {
        let descriptor = open(try file("head body"), O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        lseek(descriptor, 5, SEEK_SET)
        let source = try ByteSource.opened(descriptor)
        expect(source.count, 4)
        try expect(rest(of: source), "body")
        #expect(source.rewind())
        try expect(rest(of: source), "body")
    }

    @Test func `a byte source of a descriptor positioned beyond the end of its file is empty`() throws {
        let descriptor = open(try file("head"), O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        lseek(descriptor, 9, SEEK_SET)
        let source = try ByteSource.opened(descriptor)
        expect(source.count, 0)
        try expect(rest(of: source), "")
    }

    @Test func `a byte source omits bytes that are appended to its file during the read`() throws {
        let path = try file("hello")
        let source = try ByteSource.file(at: path)
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(" world".utf8))
        try expect(rest(of: source, pieces: 64), "hello")
    }

    @Test func `a byte source fails if its file is truncated during the read`() throws {
        let path = try file("hello")
        let source = try ByteSource.file(at: path)
        expect(truncate(path, 4), 0)
        #expect(throws: ByteSource.Failure.truncated) { try rest(of: source) }
        expect(source.failure, .truncated)
    }

    @Test func `a byte source of an empty file is empty`() throws {
        let source = try ByteSource.file(at: try file(""))
        expect(source.count, 0)
        try expect(source.bytes(limit: 10), [])
    }

    @Test func `a byte source rejects a folder and a missing file`() {
        for path in [folder.path, "\(folder.path)/none"] {
            #expect(throws: FileError.self) { try ByteSource.file(at: path) }
        }
        let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        #expect(throws: Errno(EISDIR)) { try ByteSource.opened(descriptor) }
    }

    @Test func `a byte source keeps the error of a failed read`() throws {
        let source = ByteSource(count: nil, input: { _ throws(Errno) in throw Errno(EIO) }, goBack: nil)
        #expect(throws: ByteSource.Failure.system(Errno(EIO))) { try rest(of: source) }
        expect(source.failure, .system(Errno(EIO)))
    }

    // MARK: - Pipes

    @Test func `a byte source for a pipe with up to 1 MiB has a length and can be read again`() throws {
        for count in [0, 5, 1 << 20] {
            let bytes = [UInt8](repeating: 7, count: count)
            let source = try source(ofPipe: bytes)
            expect(source.count, count)
            for _ in 1...2 {
                try expect(source.bytes(limit: 2 << 20), bytes)
                #expect(source.isRepeatable)
            }
        }
    }

    @Test func `a byte source for a pipe with more than 1 MiB has no length and can be read only once`() throws {
        let bytes = (0..<(1 << 20) + 100_000).map { UInt8(truncatingIfNeeded: $0) }
        let source = try source(ofPipe: bytes)
        expect(source.count, nil)
        #expect(source.isRepeatable, "nothing is read yet")
        try expect(source.bytes(limit: 2 << 20), bytes)
        #expect(!source.isRepeatable)
        #expect(!source.rewind())
        #expect(throws: ByteSource.Failure.system(Errno(ESPIPE))) { try source.bytes(limit: 1) }
    }

    // MARK: - Limits

    @Test(arguments: [(0, 1), (4, 5), (5, 6), (6, 6), (100, 6)])
    func `a byte source reads up to one byte beyond the limit to detect longer content`(limit: Int, count: Int) throws {
        try expect(ByteSource(bytes: [1, 2, 3, 4, 5, 6]).bytes(limit: limit).count, count)
    }
}
