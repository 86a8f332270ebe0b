import JSON

/// How sites made with Django, and Facebook, write what they know.
extension JSONValue {
    /// An id: a number in most projects, a UUID in some.
    var identifier: String? { integer.map { String($0) } ?? filledText }

    /// A text; an empty one says that the server knows nothing.
    var filledText: String? { string.flatMap { $0.isEmpty ? nil : $0 } }
}
