package import JSON
import Platform

extension JSONValue {
    /// Whether a server that was sent this value may return it as `stored`: members in any order, numbers as the nearest
    /// `Double`, Parse's dates as instants, Parse's polygons closed. A server may add members to Parse's typed values,
    /// such as the URL of a file.
    package func isStored(as stored: JSONValue) -> Bool {
        switch (self, stored) {
        case (.object(let sent), .object(let found)):
            if sent["__type"] == "Date", let time = self["iso"]?.string.flatMap({ Instant($0) }) {
                return found["__type"] == "Date" && found["iso"]?.string.flatMap { Instant($0) } == time
            }
            if sent["__type"] == "Polygon", let points = self["coordinates"]?.array, points.first != points.last {
                let closed = JSONValue.array(points + points.prefix(1))
                return found["__type"] == "Polygon" && closed.isStored(as: found["coordinates"] ?? .null)
            }
            let isSameSize = sent.members.count == found.members.count || sent["__type"]?.string != nil
            return isSameSize
                && sent.members.allSatisfy { member in
                    found[member.name].map { member.value.isStored(as: $0) } ?? false
                }
        case (.array(let sent), .array(let found)):
            return sent.count == found.count && zip(sent, found).allSatisfy { $0.isStored(as: $1) }
        case (.number, .integer), (.integer, .number), (.number, .number), (.integer, .integer):
            return double == stored.double
        default: return self == stored
        }
    }

    /// Whether a server has kept this value as `stored` in another form: in the type of a column, such as the text `7` as
    /// 7 or `a` as `["a"]`, a time in another notation, an empty value as that of the column, such as 0.
    func isRewritten(as stored: JSONValue) -> Bool {
        let sent = withoutParseType
        if sent.isStored(as: stored) || isStored(as: stored) || isEmpty && stored.isEmpty { return true }
        switch (sent, stored) {
        case (.string(let text), .string(let other)):
            // A time without a zone, or a date, is UTC.
            let times = [text, other].map { $0.replacing(" ", with: "T") }.map { time in
                Instant(time) ?? Instant("\(time)Z") ?? Instant("\(time)T00:00:00Z")
            }
            return times[0] != nil && times[0] == times[1]
                || text.split(whereSeparator: \.isWhitespace) == other.split(whereSeparator: \.isWhitespace)
        case (.string(let text), let other), (let other, .string(let text)):
            // `try?`: a text that is not JSON has no other form.
            return other == [.string(text)] || (try? JSONValue(parsing: text.utf8))?.isStored(as: other) ?? false
        default: return false
        }
    }

    /// A date or place without Parse's type, in the form of other servers: a text, `{"lon": 2, "lat": 1}`. Source:
    /// documentation of PocketBase, "Collections", fields of types `date` and `geoPoint`.
    package var withoutParseType: JSONValue {
        switch (self["__type"]?.string, self["iso"], self["longitude"], self["latitude"]) {
        case ("Date", let time?, _, _): time
        case ("GeoPoint", _, let longitude?, let latitude?): ["lon": longitude, "lat": latitude]
        default: self
        }
    }

    /// Whether columns of all types return such a value if they have none.
    private var isEmpty: Bool {
        switch self {
        case .null: true
        case .bool(let truth): !truth
        case .integer, .number: double == 0
        case .string(let text): text.isEmpty
        case .array(let elements): elements.isEmpty
        case .object(let object): object.members.allSatisfy(\.value.isEmpty)
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
