import Platform

/// Reads lines one by one, without their line endings (LF or CRLF).
struct LineReader {
    /// The number of the line that was read last, counted from 1.
    private(set) var number = 0
    let source: ByteSource
    /// The bytes that were read but not yet returned.
    private var buffer: ArraySlice<UInt8> = []
    private var isAtEnd = false

    /// The limit for a line in bytes. The embedded server has the same limit for the body of a request.
    private static let longestLine = 1 << 20
    /// The limit for a JSON document that is not NDJSON, because it is read whole.
    private static let longestDocument = 16 << 20
    private static let chunk = 64 << 10
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    init(_ source: ByteSource) {
        self.source = source
    }

    /// Returns the first bytes that are no white space, as many as `{"results":` has, without consuming them.
    mutating func beginning() throws(AccountRowError) -> [UInt8] {
        while true {
            let text = buffer.starts(with: Self.byteOrderMark) ? buffer.dropFirst(3) : buffer
            let start = text.lazy.filter { !" \t\r\n".utf8.contains($0) }.prefix(11)
            if start.count == 11 || isAtEnd { return Array(start) }
            _ = try fill()
        }
    }

    /// Returns all bytes that were not yet read.
    mutating func rest() throws(AccountRowError) -> [UInt8] {
        var bytes = Array(buffer.starts(with: Self.byteOrderMark) ? buffer.dropFirst(3) : buffer)
        while !isAtEnd {
            buffer = []
            _ = try fill()
            bytes += buffer
            guard bytes.count <= Self.longestDocument else {
                throw .invalidHeader(
                    place: "the JSON document", cause: "is larger than 16 MiB; use NDJSON, as jq -c writes it")
            }
        }
        buffer = []
        return bytes
    }

    /// Returns the next line; `nil` at the end of the file. Drops a byte order mark before the first line. After the
    /// error for a line that is too long, the next call returns the following line.
    mutating func next() throws(AccountRowError) -> [UInt8]? {
        var isTooLong = false
        var end = buffer.firstIndex(of: UInt8(ascii: "\n"))
        while end == nil, !isAtEnd {
            if buffer.count > Self.longestLine {
                isTooLong = true
                buffer = []
            }
            let searched = try fill()
            end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n"))
        }
        guard end != nil || !buffer.isEmpty || isTooLong else { return nil }
        number += 1
        isTooLong = isTooLong || (end ?? buffer.endIndex) - buffer.startIndex > Self.longestLine
        if isTooLong {
            buffer = end.map { buffer[($0 + 1)...] } ?? []
            throw .invalid(place: "line \(number)", cause: "is longer than \(Self.longestLine) bytes")
        }
        var line = buffer[..<(end ?? buffer.endIndex)]
        buffer = end.map { buffer[($0 + 1)...] } ?? []
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if number == 1, line.starts(with: Self.byteOrderMark) { line.removeFirst(3) }
        return Array(line)
    }

    /// Appends more bytes from the source to the buffer.
    ///
    /// - Returns: the index of the first appended byte.
    private mutating func fill() throws(AccountRowError) -> Int {
        var bytes = [UInt8](repeating: 0, count: Self.chunk)
        let outcome = bytes.withUnsafeMutableBytes { space in
            Result { () throws(ByteSource.Failure) in try source.read(into: space) }
        }
        let count: Int
        do throws(ByteSource.Failure) {
            count = try outcome.get()
        } catch {
            throw .unreadable(error)
        }
        isAtEnd = count == 0
        // Copy the rest to a new array, because a slice would keep all returned lines in memory.
        var rest = Array(buffer)
        let start = rest.count
        rest += bytes[..<count]
        buffer = rest[...]
        return start
    }
}
