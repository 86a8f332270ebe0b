/// The elements of a list in a JSON document, as ranges of its bytes.
///
/// The elements are not parsed, so that numbers, escape sequences and the order of members stay as the server wrote
/// them, and a long list takes little memory.
package struct JSONList: Equatable {
    package enum Form: Equatable {
        /// `[…]`
        case array
        /// `{"results": […]}`
        case results
        /// `{"data": […]}`, or `{"items": […], "next": "https://…"}`
        case data
        /// `{"items": […], "perPage": 30}`
        case items(perPage: Int)
        /// Any other document. The whole document is the only element.
        case single
    }

    /// The ranges of the elements, without the white space around them.
    package let elements: [Range<Int>]
    package let form: Form
    package var more: More

    init(elements: [Range<Int>], form: Form, more: More = More()) {
        self.elements = elements
        self.form = form
        self.more = more
    }

    /// - Throws: `JSONSyntaxError` if the bytes are not a JSON document. Duplicate names are accepted.
    package init(parsing bytes: [UInt8]) throws(JSONSyntaxError) {
        var scanner = JSONSyntax(bytes: bytes)
        self = try scanner.list()
        try scanner.requireEnd()
    }
}

extension JSONList {
    /// What a document tells about further pages: `{"count": 25, "links": {"next": "https://…"}}`.
    ///
    /// `{"total": 25}`, `{"page": 1, "pages": 3}` and `{"has_more": true}` tell that there are more, but not where.
    ///
    /// Source: Django REST framework, "Pagination", also "Custom pagination styles".
    package struct More: Equatable {
        package enum Next: Equatable {
            /// No member tells.
            case unnamed
            /// `"next": null`
            case none
            /// `"next": "https://…"`
            case link(String)
            /// Any other member whose name contains `next`, and whose value is not empty.
            case unknown(member: String)
        }

        package var next = Next.unnamed
        /// The number of items on all pages.
        package var count: Int?
        /// Whether the list goes on behind this page.
        package var hasMore = false
        private var page: Int64?
        private var pages: Int64?
        fileprivate var isBesideArray = false

        /// Members that may describe the list, or contain it: `{"data": {"items": […], "total": 25}}`.
        private static let wrappers = [
            "links", "_links", "meta", "pagination", "paging", "page", "data", "result", "results", "response",
        ]

        fileprivate func reads(_ name: String) -> Bool {
            let names = [
                "count", "total", "totalcount", "page", "currentpage", "pages", "totalpages", "hasmore", "perpage",
            ]
            return Self.wrappers.contains(name) || names.contains(Self.word(name)) || Self.mentionsNext(name)
        }

        private static func word(_ name: String) -> String { name.lowercased().filter { $0 != "_" } }

        private static func mentionsNext(_ name: String) -> Bool {
            let name = Array(name.lowercased().utf8)
            return name.indices.contains { name[$0...].starts(with: "next".utf8) }
        }

        fileprivate mutating func read(_ name: String, _ value: JSONValue) {
            switch (Self.word(name), value) {
            case (_, .object(let object)) where Self.wrappers.contains(name):
                for member in object.members { read(member.name, member.value) }
            case (_, .array): isBesideArray = true
            case ("count", .integer(let number)), ("total", .integer(let number)), ("totalcount", .integer(let number)):
                count = max(count ?? 0, Int(number))
            case ("page", .integer(let number)), ("currentpage", .integer(let number)): page = number
            case ("pages", .integer(let number)), ("totalpages", .integer(let number)): pages = number
            case ("hasmore", true): hasMore = true
            case ("next", .string(let link)) where !link.isEmpty: next = .link(link)
            case ("next", .null), ("next", ""): if next.isGuess { next = .none }
            case ("next", _): next = .unknown(member: name)
            case (_, .null), (_, false), (_, ""), (_, 0): break
            default: if next == .unnamed, Self.mentionsNext(name) { next = .unknown(member: name) }
            }
        }

        /// Whether the page is one of several, and not the last one.
        fileprivate var isBeforeLastPage: Bool { pages.map { $0 > (page ?? 1) } ?? false }
    }

    /// Whether the size of a page shows whether it is the last one.
    private var isNumbered: Bool { if case .items = form { true } else { false } }

    /// Whether the document announces items that are neither shown nor on a page that a link leads to.
    ///
    /// - Parameter shown: the number of items on this page and all earlier pages.
    package func announcesMore(than shown: Int) -> Bool {
        switch more.next {
        case .none: false
        case .link: form == .single
        case .unknown(let member): form != .single || member == "next" || more.isBesideArray
        case .unnamed:
            !elements.isEmpty && (more.isBesideArray || form == .array) && !isNumbered
                && (more.hasMore || more.isBeforeLastPage || (more.count ?? 0) > shown)
        }
    }
}

extension JSONList.More.Next {
    fileprivate var isGuess: Bool {
        switch self {
        case .unnamed: true
        case .unknown(let member): member != "next"
        case .none, .link: false
        }
    }
}

extension JSONSyntax {
    /// Parses a document and returns the elements of its list.
    fileprivate mutating func list() throws(JSONSyntaxError) -> JSONList {
        skipSpace()
        if current == UInt8(ascii: "[") { return JSONList(elements: try elements(), form: .array) }
        guard current == UInt8(ascii: "{") else {
            return JSONList(elements: [try skip(depth: 0)], form: .single)
        }
        let start = offset
        var lists: [String: [Range<Int>]] = [:]
        var perPage: Int?
        var more = JSONList.More()
        try list(closing: "}") { scanner throws(JSONSyntaxError) in
            scanner.skipSpace()
            let name = try scanner.string()
            scanner.skipSpace()
            try scanner.expect(":")
            scanner.skipSpace()
            let isArray = scanner.current == UInt8(ascii: "[")
            more.isBesideArray = more.isBesideArray || isArray
            if isArray, ["results", "data", "items"].contains(name) {
                lists[name] = try scanner.elements()
                return
            }
            let range = try scanner.skip(depth: 1)
            // `try?`: only well-formed members can tell about other pages.
            guard more.reads(name), let value = try? JSONValue(parsing: Array(scanner.bytes[range])) else { return }
            if name == "perPage" { perPage = value.integer.map { Int($0) } }
            more.read(name, value)
        }
        if let results = lists["results"] { return JSONList(elements: results, form: .results, more: more) }
        if let items = lists["items"], let perPage {
            return JSONList(elements: items, form: .items(perPage: perPage), more: more)
        }
        if let data = lists["data"] ?? (more.next == .unnamed && more.count == nil ? nil : lists["items"]) {
            return JSONList(elements: data, form: .data, more: more)
        }
        return JSONList(elements: [start..<offset], form: .single, more: more)
    }

    private mutating func elements() throws(JSONSyntaxError) -> [Range<Int>] {
        var elements: [Range<Int>] = []
        try list(closing: "]") { scanner throws(JSONSyntaxError) in elements.append(try scanner.skip(depth: 2)) }
        return elements
    }

    /// Skips a value without building it.
    ///
    /// - Returns: the range of the value, without the white space around it.
    private mutating func skip(depth: Int) throws(JSONSyntaxError) -> Range<Int> {
        guard depth < 512 else { throw fault("nested too deeply") }
        skipSpace()
        let start = offset
        switch current {
        case UInt8(ascii: "{"):
            try list(closing: "}") { scanner throws(JSONSyntaxError) in
                scanner.skipSpace()
                try scanner.skipString()
                scanner.skipSpace()
                try scanner.expect(":")
                _ = try scanner.skip(depth: depth + 1)
            }
        case UInt8(ascii: "["):
            try list(closing: "]") { scanner throws(JSONSyntaxError) in _ = try scanner.skip(depth: depth + 1) }
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): _ = try value(depth: depth)
        // Accept a number of any size, because its value is not needed.
        default:
            guard skipNumber() else {
                offset = start
                throw fault("expected a value")
            }
        }
        return start..<offset
    }

    /// Skips a string. Does not check escape sequences, because some servers store unpaired surrogates.
    private mutating func skipString() throws(JSONSyntaxError) {
        try expect("\"")
        while let byte = current, byte != UInt8(ascii: "\"") {
            if byte < 0x20 { throw fault("unescaped control character in a string") }
            offset += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        try expect("\"")
    }
}
