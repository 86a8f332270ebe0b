#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension JSONValue {
    /// Reads one JSON document, with FoundationEssentials' reader.
    ///
    /// What that reader lets pass beyond the standard: a comma before a closing bracket, and a member named twice (the
    /// first counts). Nesting over 512 is an error.
    ///
    /// - Throws: `JSONSyntaxError` with the place of the fault.
    package init(parsing data: Data) throws(JSONSyntaxError) {
        do {
            self = try JSONDecoder().decode(JSONValue.self, from: data)
        } catch {
            try JSONSyntax.check(Array(data))
            // Nothing is known that this reader refuses and the check does not.
            throw JSONSyntaxError(offset: 0, description: "it cannot be read")
        }
    }
}

extension JSONValue {
    /// A string from what stands between its quotes; `nil` for a broken escape, half a surrogate pair, or no UTF-8.
    static func unescaped(_ bytes: [UInt8]) -> String? {
        let quote = UInt8(ascii: "\"")
        // `try?`: the caller knows the place, which is all there is to say.
        return try? JSONDecoder().decode(String.self, from: Data([quote] + bytes + [quote]))
    }
}

extension JSONValue: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // `try?` asks "is it this type?": absence of the type is the normal answer of all but one of them.
        if container.decodeNil() {
            self = .null
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let truth = try? container.decode(Bool.self) {
            self = .bool(truth)
        } else if let number = try? container.decode(Int64.self) {
            self = .integer(number)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let members = try? container.decode([String: JSONValue].self) {
            let sorted = members.sorted { $0.key < $1.key }
            self = .object(JSONObject(sorted.map { JSONObject.Member(name: $0.key, value: $0.value) }))
        } else {
            self = .array(try container.decode([JSONValue].self))
        }
    }
}
