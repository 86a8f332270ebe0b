import JSON

/// The target of a request: the path below the mount path, and the query.
struct RequestTarget {
    /// The decoded path segments: `["sessions", "me"]`.
    let path: [String]
    /// The decoded names and values, in the order of the query.
    let query: [(name: String, value: String)]
    /// Whether the path is below the mount path. Also `false` for a target with too many combining marks, because
    /// comparisons with it would be slow.
    let isInsideMount: Bool
    private let url: String

    /// The path as sent, including the mount path. Used in the 404 page.
    var fullPath: String { Self.path(ofURL: String(url.unicodeScalars.prefix { $0 != "?" && $0 != "#" })) }

    /// - Parameters:
    ///   - url: an absolute URL, percent-encoded.
    ///   - mount: the base URL of the routes, without a trailing slash.
    init(_ url: String, mount: String) {
        // Split bytes instead of characters, because a delimiter and a combining mark after it form one character.
        let bytes = Array(url.utf8)
        let withoutFragment = bytes.prefix { $0 != UInt8(ascii: "#") }
        let location = withoutFragment.prefix { $0 != UInt8(ascii: "?") }
        let isBelow = url.hasPrefix(mount) && location.dropFirst(mount.utf8.count).first == UInt8(ascii: "/")
        let path = location.dropFirst(isBelow ? mount.utf8.count + 1 : location.count)
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { segment in
                let text = String(decoding: segment, as: UTF8.self)
                guard segment.contains(UInt8(ascii: "%")) else { return text }
                return String(decoding: text.percentDecoded(plusIsSpace: false), as: UTF8.self)
            }
        let query = withoutFragment.dropFirst(location.count + 1)
        let pairs = query.isEmpty ? [] : Self.pairs(String(decoding: query, as: UTF8.self)[...])
        let isEncoded = withoutFragment.contains(UInt8(ascii: "%"))
        let isSafe = !isEncoded || !(path + pairs.flatMap { [$0.name, $0.value] }).contains(where: \.hasTooManyMarks)
        isInsideMount = isBelow && isSafe
        self.path = isSafe ? path : []
        self.query = isSafe ? pairs : []
        self.url = url
    }

    /// The part after scheme and host: `/parse/users` in `local:/parse/users` and in `http://host/parse/users`.
    static func path(ofURL url: String) -> String {
        let afterScheme = url.drop { $0 != ":" }.dropFirst()
        guard afterScheme.hasPrefix("//") else { return String(afterScheme) }
        let path = afterScheme.dropFirst(2).drop { $0 != "/" }
        return path.isEmpty ? "/" : String(path)
    }

    /// The decoded names and values of a query or form.
    static func pairs(_ text: Substring) -> [(name: String, value: String)] {
        text.unicodeScalars.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { String(decoding: Substring($0).percentDecoded(plusIsSpace: true), as: UTF8.self) }
            return (parts[0], parts.count < 2 ? "" : parts[1])
        }
    }
}
