/// What the header of a response tells about the pages of a list.
///
/// Source: RFC 8288 (`Link`); RFC 9110, section 14.4 (`Content-Range`), as PostgREST sends it; `X-Total-Count`, a convention.
package struct PageHeaders: Equatable {
    /// The target of `Link: <…>; rel="next"`.
    package private(set) var next: String?
    /// Whether a field `Link` names another page than the next one, so that a missing `next` means the last page.
    package private(set) var isLinked = false
    /// The number of items on all pages.
    package private(set) var total: Int?
    /// Whether the list goes on behind this page.
    package private(set) var hasMore = false

    package init(_ headers: HTTPHeaders) {
        for field in headers.values("Link") { readLinks(field) }
        total = headers["X-Total-Count"].flatMap { Int($0) }
        // `0-9/25`, also with a unit before it; `*/25` for an empty page.
        let range = (headers["Content-Range"] ?? "").split(separator: "/", omittingEmptySubsequences: false)
        if range.count == 2, let last = range[0].split(separator: "-").last.flatMap({ Int($0) }),
            let total = Int(range[1])
        {
            hasMore = last < total - 1
        }
    }

    /// Reads `<a>; rel="next"; title="x, y", <b>; rel=prev`.
    private mutating func readLinks(_ field: String) {
        var rest = field[...]
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            let target = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            let relations = Self.relations(&rest)
            if relations.contains("next") { next = next ?? String(target) }
            isLinked = isLinked || relations.contains { ["first", "prev", "previous", "last"].contains($0) }
        }
    }

    /// Removes the parameters of a link, up to the comma behind them, and returns the words of the first `rel`.
    private static func relations(_ rest: inout Substring) -> [String] {
        var (parameters, isQuoted): ([String], Bool) = ([""], false)
        while let character = rest.popFirst(), isQuoted || character != "," {
            switch character {
            case "\"": isQuoted.toggle()
            case "\\" where isQuoted: parameters[parameters.count - 1] += rest.popFirst().map(String.init) ?? ""
            case ";" where !isQuoted: parameters.append("")
            default: parameters[parameters.count - 1].append(character)
            }
        }
        let pairs = parameters.map { $0.split(separator: "=", maxSplits: 1).map { $0.lowercased() } }
        let relation = pairs.first { $0.count == 2 && $0[0].filter { $0 != " " } == "rel" }
        return relation?[1].split(separator: " ").map(String.init) ?? []
    }
}
