import JSON
import Platform

extension JSONValue {
    /// Whether a server that was sent this value may return it as `stored`: members in any order, numbers by value,
    /// Parse's dates as instants. A server may add members to Parse's typed values, such as the URL of a file.
    func isStored(as stored: JSONValue) -> Bool {
        switch (self, stored) {
        case (.object(let sent), .object(let found)):
            if sent["__type"] == "Date", let time = self["iso"]?.string.flatMap({ Instant($0) }) {
                return found["__type"] == "Date" && found["iso"]?.string.flatMap { Instant($0) } == time
            }
            let isSameSize = sent.members.count == found.members.count || sent["__type"]?.string != nil
            return isSameSize
                && sent.members.allSatisfy { member in
                    found[member.name].map { member.value.isStored(as: $0) } ?? false
                }
        case (.array(let sent), .array(let found)):
            return sent.count == found.count && zip(sent, found).allSatisfy { $0.isStored(as: $1) }
        case (.number, .integer), (.integer, .number), (.number, .number): return double == stored.double
        default: return self == stored
        }
    }

    /// An ACL without what Parse Server changes in the ACL of a user: it adds all rights of the user, and leaves out
    /// rights that are `false`.
    func comparableACL(of userID: String?) -> JSONValue {
        guard let object else { return self }
        let entries = object.members.compactMap { entry -> JSONObject.Member? in
            let rights = JSONObject((entry.value.object?.members ?? []).filter { $0.value != false })
            return rights.isEmpty || entry.name == userID ? nil : .init(name: entry.name, value: .object(rights))
        }
        return .object(JSONObject(entries))
    }
}
