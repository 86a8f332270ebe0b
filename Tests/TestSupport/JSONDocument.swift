package import Foundation

/// A JSON object in the output of the program.
package struct JSONDocument {
    package struct Fault: Error, CustomStringConvertible {
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    private let members: [String: Any]

    /// - Throws: an error unless the bytes are one object on one line with a newline.
    package init(line bytes: Data) throws {
        let newline = UInt8(ascii: "\n")
        guard bytes.last == newline, bytes.firstIndex(of: newline) == bytes.indices.last else {
            throw Fault("not one line: \(String(decoding: bytes, as: UTF8.self))")
        }
        guard let members = try JSONSerialization.jsonObject(with: bytes) as? [String: Any] else {
            throw Fault("not an object: \(String(decoding: bytes, as: UTF8.self))")
        }
        self.members = members
    }

    private init(_ members: [String: Any]) {
        self.members = members
    }

    package var keys: Set<String> { Set(members.keys) }

    package func string(_ key: String) -> String? { members[key] as? String }
    package func number(_ key: String) -> Int? { members[key] as? Int }
    package func flag(_ key: String) -> Bool? { members[key] as? Bool }
    package func strings(_ key: String) -> [String]? { members[key] as? [String] }
    package func isNull(_ key: String) -> Bool { members[key] is NSNull }

    package func object(_ key: String) throws -> JSONDocument {
        guard let object = members[key] as? [String: Any] else { throw Fault("'\(key)' is no object") }
        return JSONDocument(object)
    }

    package func objects(_ key: String) throws -> [JSONDocument] {
        guard let objects = members[key] as? [[String: Any]] else { throw Fault("'\(key)' is no list of objects") }
        return objects.map(JSONDocument.init)
    }
}
