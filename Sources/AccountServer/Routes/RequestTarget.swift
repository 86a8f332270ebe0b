/// The target of a request: the path below the mount path, and the query.
struct RequestTarget {
    /// The decoded path segments: `["sessions", "me"]`.
    let path: [String]
    /// The decoded names and values, in the order of the query.
    let query: [(name: String, value: String)]
    /// The path as sent, including the mount path; for the 404 page.
    let fullPath: String
    let isInsideMount: Bool

    /// - Parameters:
    ///   - url: an absolute URL, percent-encoded.
    ///   - mount: the base URL of the routes, without a trailing slash.
    init(_ url: String, mount: String) {
        // By scalars: a delimiter with a combining mark after it is not a character of its own.
        let withoutFragment = url.unicodeScalars.prefix { $0 != "#" }
        let parts = withoutFragment.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let location = parts[0]
        isInsideMount = location.starts(with: "\(mount)/".unicodeScalars)
        let rest = location.dropFirst(isInsideMount ? mount.unicodeScalars.count + 1 : location.count)
        fullPath = Self.path(ofURL: String(location))
        path = rest.split(separator: "/", omittingEmptySubsequences: false)
            .map { String(decoding: Substring($0).percentDecoded(plusIsSpace: false), as: UTF8.self) }
        query = parts.count < 2 ? [] : Self.pairs(Substring(parts[1]))
    }

    /// The part after scheme and host: `/parse/users` of `local:/parse/users` and of `http://host/parse/users`.
    static func path(ofURL url: String) -> String {
        let afterScheme = url.drop { $0 != ":" }.dropFirst()
        guard afterScheme.hasPrefix("//") else { return String(afterScheme) }
        let path = afterScheme.dropFirst(2).drop { $0 != "/" }
        return path.isEmpty ? "/" : String(path)
    }

    /// The names and values of a query or form.
    static func pairs(_ text: Substring) -> [(name: String, value: String)] {
        text.unicodeScalars.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { String(decoding: Substring($0).percentDecoded(plusIsSpace: true), as: UTF8.self) }
            return (parts[0], parts.count < 2 ? "" : parts[1])
        }
    }

    /// The parameters of a pattern such as `["sessions", ":id"]`; `nil` if the path does not match.
    func parameters(of pattern: [String]) -> [String: String]? {
        guard isInsideMount, path.count == pattern.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, wanted) in zip(path, pattern) {
            if wanted.hasPrefix(":") {
                guard !part.isEmpty else { return nil }
                parameters[String(wanted.dropFirst())] = part
            } else if part != wanted {
                return nil
            }
        }
        return parameters
    }
}
