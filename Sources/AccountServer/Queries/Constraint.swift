import JSON

/// A condition on the value of a field: an operator, as in `{"$gt":1}`, or a value that the field must equal.
enum Constraint {
    case equals(JSONValue)
    case notEquals(JSONValue)
    /// The values are in a set, because a request can contain thousands.
    case isIn(Set<JSONValue>)
    case isNotIn(Set<JSONValue>)
    case exists(Bool)
    case isLess(than: JSONValue, orEqual: Bool)
    case isGreater(than: JSONValue, orEqual: Bool)
    case text(TextPattern)

    /// Parses the constraints on one field.
    ///
    /// - Parameter isDate: whether strings are dates, as for `createdAt`.
    /// - Throws: error code 102 for an unsupported operator, or for an operand of the wrong type; 107 for a `Date` that is
    ///   not RFC 3339.
    static func list(_ value: JSONValue, isDate: Bool = false) throws(RequestError) -> [Constraint] {
        guard let object = value.object, object.members.contains(where: { $0.name.hasPrefix("$") }) else {
            return [.equals(try operand(value, isDate))]
        }
        let options = object["$regex"] == nil ? nil : object["$options"]
        return try object.members.filter { options == nil || $0.name != "$options" }.map {
            member throws(RequestError) in
            if member.name == "$regex" { return .text(try pattern(member.value, options)) }
            return try Constraint(member.name, member.value, isDate)
        }
    }

    private init(_ name: String, _ value: JSONValue, _ isDate: Bool) throws(RequestError) {
        switch name {
        case "$eq": self = .equals(try Self.operand(value, isDate))
        case "$ne": self = .notEquals(try Self.operand(value, isDate))
        case "$in": self = .isIn(try Self.set(name, value, isDate))
        case "$nin": self = .isNotIn(try Self.set(name, value, isDate))
        case "$exists": self = .exists(!value.isFalsy)
        case "$lt": self = .isLess(than: try Self.bound(name, value, isDate), orEqual: false)
        case "$lte": self = .isLess(than: try Self.bound(name, value, isDate), orEqual: true)
        case "$gt": self = .isGreater(than: try Self.bound(name, value, isDate), orEqual: false)
        case "$gte": self = .isGreater(than: try Self.bound(name, value, isDate), orEqual: true)
        default: throw .refused(.queryInvalid("bad constraint: \(name)"))
        }
    }

    /// The value in the form of `comparable`.
    private static func operand(_ value: JSONValue, _ isDate: Bool) throws(RequestError) -> JSONValue {
        let isText = isDate && value.string != nil
        return try (isText ? ["__type": "Date", "iso": value] : value).withUTCDates().comparable
    }

    /// Rejects values without an order, such as a GeoPoint, which no row would match.
    private static func bound(_ name: String, _ value: JSONValue, _ isDate: Bool) throws(RequestError) -> JSONValue {
        let bound = try operand(value, isDate)
        guard bound != .null, bound.array == nil, bound.object == nil else {
            throw .refused(.queryInvalid("bad \(name) value"))
        }
        return bound
    }

    private static func set(_ name: String, _ value: JSONValue, _ isDate: Bool) throws(RequestError) -> Set<JSONValue> {
        guard let elements = value.array else { throw .refused(.queryInvalid("bad \(name) value")) }
        return Set(try elements.map { element throws(RequestError) in try operand(element, isDate) })
    }

    /// - Parameter options: the letters of `$options`. Source: Parse Server, `DatabaseController.validateQuery`.
    private static func pattern(_ value: JSONValue, _ options: JSONValue?) throws(RequestError) -> TextPattern {
        let letters = options?.string ?? ""
        guard options == nil || !letters.isEmpty && letters.utf8.allSatisfy("ims".utf8.contains) else {
            throw .refused(.queryInvalid("Bad $options value for query: \(options?.string ?? options?.text ?? "")"))
        }
        guard let pattern = value.string.flatMap({ TextPattern($0, options: letters) }) else {
            throw .refused(
                .queryInvalid(
                    "$regex supports only literal text of at most 100 bytes, with an optional ^ and $ (not with $options m)"
                ))
        }
        return pattern
    }

    /// - Parameter value: the field in the form of `comparable`; `nil` for a missing field, which equals null.
    func holds(for value: JSONValue?) -> Bool {
        switch self {
        case .equals(let wanted): Self.values(of: value).contains(wanted)
        case .notEquals(let unwanted): !Self.values(of: value).contains(unwanted)
        case .isIn(let set): Self.values(of: value).contains(where: set.contains)
        case .isNotIn(let set): !Self.values(of: value).contains(where: set.contains)
        case .exists(let isWanted): (value != nil) == isWanted
        case .isLess(let bound, let orEqual):
            value.map { $0.isLess(than: bound) || orEqual && $0 == bound } ?? false
        case .isGreater(let bound, let orEqual):
            value.map { bound.isLess(than: $0) || orEqual && $0 == bound } ?? false
        case .text(let pattern): value?.string.map(pattern.matches) ?? false
        }
    }

    /// The value and, for an array, its elements, because an array matches if one of its elements matches.
    private static func values(of value: JSONValue?) -> [JSONValue] {
        [value ?? .null] + (value?.array ?? [])
    }

    /// The only strings that satisfy the constraint; `nil` if the constraint does not list them.
    var possibleTexts: [String]? {
        switch self {
        case .equals(let value): value.string.map { [$0] }
        case .isIn(let set): set.compactMap(\.string)
        default: nil
        }
    }
}

/// A regular expression without wildcards, which SDKs send for "starts with", "ends with" and "contains": `^\Qada\E`,
/// `\Qada\E$`, `\Qada\E`.
struct TextPattern {
    private let text: [UInt8]
    private let isPrefix: Bool
    private let isSuffix: Bool
    private let ignoresCase: Bool
    /// For each length of a start of `text`: how many of its last bytes are a shorter start.
    private var borders: [Int] = []

    /// - Parameter options: `i` ignores case; `m` and `s` do not change the meaning of literal text.
    /// - Returns: `nil` for an expression with wildcards or other operators, or with more than 100 bytes of literal
    ///   text; also for `^` or `$` with the option `m`.
    init?(_ expression: String, options: String = "") {
        var rest = Array(expression.utf8)[...]
        isPrefix = rest.first == UInt8(ascii: "^")
        if isPrefix { rest.removeFirst() }
        var (text, isQuoted, isSuffix): ([UInt8], Bool, Bool) = ([], false, false)
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\\"):
                let next = rest.first
                if isQuoted {
                    isQuoted = next != UInt8(ascii: "E")
                    if isQuoted { text.append(byte) } else { rest.removeFirst() }
                } else {
                    guard let next, !next.isASCIILetterOrDigit || next == UInt8(ascii: "Q") else { return nil }
                    isQuoted = next == UInt8(ascii: "Q")
                    rest.removeFirst()
                    if !isQuoted { text.append(next) }
                }
            case UInt8(ascii: "$") where !isQuoted && rest.isEmpty: isSuffix = true
            case _ where !isQuoted && Self.operators.contains(byte): return nil
            default: text.append(byte)
            }
        }
        guard text.count <= 100, !(options.contains("m") && (isPrefix || isSuffix)) else { return nil }
        ignoresCase = options.contains("i")
        self.text = ignoresCase ? Array(String(decoding: text, as: UTF8.self).lowercased().utf8) : text
        self.isSuffix = isSuffix
        for byte in self.text { borders.append(borders.isEmpty ? 0 : matched(borders[borders.count - 1], byte)) }
    }

    /// The length of the longest start of `text` at the end of the input, when this byte follows a start of `count` bytes.
    private func matched(_ count: Int, _ byte: UInt8) -> Int {
        var count = count
        while count > 0, text[count] != byte { count = borders[count - 1] }
        return text[count] == byte ? count + 1 : count
    }

    private static let operators = Array(".[]{}()*+?|^$".utf8)

    func matches(_ value: String) -> Bool {
        let bytes = Array((ignoresCase ? value.lowercased() : value).utf8)
        guard bytes.count >= text.count else { return false }
        if isPrefix && isSuffix { return bytes == text }
        if isPrefix { return bytes.starts(with: text) }
        if isSuffix { return bytes.suffix(text.count).elementsEqual(text) }
        if text.isEmpty { return true }
        // The algorithm of Knuth, Morris and Pratt: one step per byte, also in a long row of equal bytes.
        var count = 0
        return bytes.contains { byte in
            count = matched(count, byte)
            return count == text.count
        }
    }
}
