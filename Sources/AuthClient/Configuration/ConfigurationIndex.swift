import JSON
import Platform

/// Finds one profile in a large configuration without reading the others.
///
/// authctl writes a profile a line, in the order of their names, so that one can be found by halving. People write
/// otherwise; so what was written is remembered in `config.index`, beside the configuration and with the stamp of it,
/// and once somebody else has changed the file, it is read whole.
///
///     {"v":1,"stamp":"64768:131:700123:1795201445.5:1795201445.5","current":"ci","start":52,"end":700117,
///      "checksum":"0123456789abcdef"}
///
/// With the checksum no wrong bit chooses another profile, see `ChecksumTrailer`.
struct ConfigurationIndex: Equatable {
    static let name = "config.index"
    /// Bytes; smaller configurations are read whole as quickly.
    static let worthwhile = 8 << 10
    private static let version: Int64 = 1
    /// Bytes; the longest line that is looked at.
    private static let longestLine = 64 << 10

    let stamp: String
    let current: String?
    /// Where the lines of the profiles begin, and where the last one ends.
    let lines: Range<Int>

    /// - Parameter document: as `Configuration.document` makes it.
    init?(stamp: String, current: String?, document: [UInt8]) {
        let opening = Array("\n  \"profiles\": {\n".utf8)
        let closing = Array("\n  }\n}\n".utf8)
        // From the end: a member that people added may look like anything.
        guard document.suffix(closing.count).elementsEqual(closing),
            let start = Self.lastOccurrence(of: opening, in: document)
        else { return nil }
        self.stamp = stamp
        self.current = current
        lines = start..<(document.count - closing.count)
    }

    init?(_ bytes: [UInt8]) {
        // `try?`: what cannot be read is no index, and the configuration is read whole.
        guard ChecksumTrailer.removed(from: bytes) != nil, let document = try? JSONValue(parsing: bytes),
            document["v"]?.integer == Self.version,
            let stamp = document["stamp"]?.string, let start = document["start"]?.integer,
            let end = document["end"]?.integer, 0 <= start, start <= end
        else { return nil }
        self.stamp = stamp
        current = document["current"]?.string
        lines = Int(start)..<Int(end)
    }

    var document: [UInt8] {
        ChecksumTrailer.added(to: [
            "v": .integer(Self.version), "stamp": .string(stamp), "current": JSONValue(current),
            "start": JSONValue(lines.lowerBound), "end": JSONValue(lines.upperBound),
        ])
    }

    /// The profile's settings; an empty result if there is no such profile.
    ///
    /// - Returns: `nil` for a line that is not as authctl writes it.
    func profile(_ name: String, in file: borrowing OpenPrivateFile) throws(FileError) -> [Profile]? {
        var range = lines
        while !range.isEmpty {
            guard let line = try line(at: (range.lowerBound + range.upperBound) / 2, within: range, file),
                let member = Self.member(of: line.bytes)
            else { return nil }
            if member.name == name { return [Profile(name: name, settings: member.settings)] }
            range =
                member.name < name
                ? min(line.end + 1, range.upperBound)..<range.upperBound : range.lowerBound..<line.start
        }
        return []
    }

    /// The line that a byte belongs to, its newline not counted.
    private func line(
        at offset: Int, within range: Range<Int>, _ file: borrowing OpenPrivateFile
    ) throws(FileError) -> (start: Int, end: Int, bytes: ArraySlice<UInt8>)? {
        var reach = 512
        while reach <= Self.longestLine {
            let from = max(range.lowerBound, offset - reach)
            let upTo = min(range.upperBound, offset + reach)
            let bytes = try file.read(from: from, count: upTo - from)
            guard bytes.count == upTo - from else { return nil }
            let newline = UInt8(ascii: "\n")
            // A newline belongs to the line before it.
            let before = bytes[..<(offset - from)].lastIndex(of: newline)
            let after = bytes[(offset - from)...].firstIndex(of: newline)
            if before != nil || from == range.lowerBound, after != nil || upTo == range.upperBound {
                let (start, end) = (before.map { $0 + 1 } ?? 0, after ?? bytes.count)
                return (from + start, from + end, bytes[start..<end])
            }
            reach *= 4
        }
        return nil
    }

    /// `    "ci": {"backend":"local"},`
    private static func member(of line: ArraySlice<UInt8>) -> (name: String, settings: JSONObject)? {
        let content = line.last == UInt8(ascii: ",") ? line.dropLast() : line
        let text = [UInt8(ascii: "{")] + content + [UInt8(ascii: "}")]
        // `try?`: a line that is no member says nothing of what is wrong; reading the whole file does.
        guard line.starts(with: "    \"".utf8), let members = (try? JSONValue(parsing: text))?.object?.members,
            members.count == 1, Profile.isName(members[0].name), let settings = members[0].value.object
        else { return nil }
        return (members[0].name, settings)
    }

    private static func lastOccurrence(of part: [UInt8], in bytes: [UInt8]) -> Int? {
        guard bytes.count >= part.count else { return nil }
        let start = stride(from: bytes.count - part.count, through: 0, by: -1).first { bytes[$0...].starts(with: part) }
        return start.map { $0 + part.count }
    }
}
