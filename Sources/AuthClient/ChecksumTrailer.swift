import JSON

/// The last member of a JSON object in one line: a checksum of all bytes before it.
///
///     {"v":1,…,"checksum":"0123456789abcdef"}
///
/// The checksum (64-bit FNV-1a, in hexadecimal) is there for broken disks and slips of an editor, not against an
/// attacker: every single wrong bit changes it.
enum ChecksumTrailer {
    /// Bytes: `,"checksum":"0123456789abcdef"}` and a newline.
    static let length = 32

    static func added(to document: JSONObject) -> [UInt8] {
        let content = JSONValue.object(document).bytes.dropLast()
        return content + trailer(of: content)
    }

    /// The bytes before it, found to be as they were written; else `nil`.
    static func removed(from bytes: [UInt8]) -> ArraySlice<UInt8>? {
        let content = bytes.dropLast(length)
        return bytes[content.endIndex...].elementsEqual(trailer(of: content)) ? content : nil
    }

    private static func trailer(of content: ArraySlice<UInt8>) -> [UInt8] {
        Array(#","checksum":"\#(checksum(of: content))"}"#.utf8) + [UInt8(ascii: "\n")]
    }

    private static func checksum(of bytes: ArraySlice<UInt8>) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
