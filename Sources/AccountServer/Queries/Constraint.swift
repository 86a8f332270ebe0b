import JSON

/// A condition on the value of a field: an operator, as in `{"$gt":1}`, or a value that the field must equal.
enum Constraint {
    case equals(JSONValue)
    case notEquals(JSONValue)
    case isIn(ValueSet)
    case isNotIn(ValueSet)
    case exists(Bool)
    case isLess(than: JSONValue, orEqual: Bool)
    case isGreater(than: JSONValue, orEqual: Bool)
    case text(TextPattern)

    /// Parses the constraints on one field.
    ///
    /// - Throws: error code 102 for an unsupported operator, or for an operand of the wrong type.
    static func list(_ value: JSONValue) throws(RouteError) -> [Constraint] {
        guard let object = value.object, object.members.contains(where: { $0.name.hasPrefix("$") }) else {
            return [.equals(value.comparable)]
        }
        return try object.members.map { member throws(RouteError) in try Constraint(member.name, member.value) }
    }

    private init(_ name: String, _ value: JSONValue) throws(RouteError) {
        switch name {
        case "$eq": self = .equals(value.comparable)
        case "$ne": self = .notEquals(value.comparable)
        case "$in": self = .isIn(try ValueSet(name, value))
        case "$nin": self = .isNotIn(try ValueSet(name, value))
        case "$exists": self = .exists(!value.isFalsy)
        case "$lt": self = .isLess(than: value.comparable, orEqual: false)
        case "$lte": self = .isLess(than: value.comparable, orEqual: true)
        case "$gt": self = .isGreater(than: value.comparable, orEqual: false)
        case "$gte": self = .isGreater(than: value.comparable, orEqual: true)
        case "$regex":
            guard let pattern = value.string.flatMap({ TextPattern($0) }) else {
                throw .refused(
                    .queryInvalid("$regex supports only literal text of at most 100 bytes, with an optional ^ and $")
                )
            }
            self = .text(pattern)
        default: throw .refused(.queryInvalid("bad constraint: \(name)"))
        }
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
        case .isIn(let set): set.texts
        default: nil
        }
    }
}

/// The values of `$in` or `$nin`, in a hash set because a request can contain thousands.
struct ValueSet {
    private let canonicalTexts: Set<String>
    /// The values that are strings.
    let texts: [String]

    fileprivate init(_ name: String, _ value: JSONValue) throws(RouteError) {
        guard let elements = value.array else { throw .refused(.queryInvalid("bad \(name) value")) }
        canonicalTexts = Set(elements.map(\.comparable.text))
        texts = elements.compactMap(\.string)
    }

    /// - Parameter value: a value in the form of `comparable`.
    func contains(_ value: JSONValue) -> Bool { canonicalTexts.contains(value.text) }
}

/// A regular expression without wildcards, which SDKs send for "starts with", "ends with" and "contains": `^\Qada\E`,
/// `\Qada\E$`, `\Qada\E`.
struct TextPattern {
    private let text: [UInt8]
    private let isPrefix: Bool
    private let isSuffix: Bool

    /// - Returns: `nil` for an expression with wildcards or other operators, or with more than 100 bytes of literal
    ///   text.
    init?(_ expression: String) {
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
        guard text.count <= 100 else { return nil }
        self.text = text
        self.isSuffix = isSuffix
    }

    private static let operators = Array(".[]{}()*+?|^$".utf8)

    func matches(_ value: String) -> Bool {
        let bytes = Array(value.utf8)
        guard bytes.count >= text.count else { return false }
        if isPrefix && isSuffix { return bytes == text }
        if isPrefix { return bytes.starts(with: text) }
        if isSuffix { return bytes.suffix(text.count).elementsEqual(text) }
        return (0...(bytes.count - text.count)).contains { bytes[$0...].starts(with: text) }
    }
}
