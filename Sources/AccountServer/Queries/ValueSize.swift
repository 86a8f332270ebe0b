import JSON

extension JSONValue {
    /// About the number of bytes of its text.
    var size: Int {
        switch self {
        case .null, .bool, .integer, .number: 4
        case .string(let text): text.utf8.count
        case .array(let elements): elements.reduce(8) { $0 + $1.size }
        case .object(let object): object.members.reduce(8) { $0 + $1.name.utf8.count + $1.value.size }
        }
    }
}
