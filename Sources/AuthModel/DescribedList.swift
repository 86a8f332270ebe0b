package import JSON
import Platform

/// A list that a server describes, and how the path of one of its items is made.
package struct DescribedList: Sendable, Equatable {
    /// A part of an item's path, in order.
    package enum Part: Sendable, Equatable {
        case text(String)
        /// The id of the item: the first of these members that it has.
        case member([String])
    }

    /// The percent-encoded path below the base URL of requests.
    package let path: String
    /// Empty if the items have no path.
    package let item: [Part]

    package init(path: String, item: [Part]) {
        self.path = path
        self.item = item
    }

    /// The ids in an item, in the order of its path; `nil` if the item lacks one or has no path.
    package func ids(in object: JSONObject) -> [String]? {
        var ids: [String] = []
        for case .member(let names) in item {
            guard let value = names.lazy.compactMap({ object[$0] }).first,
                let id = value.string ?? value.integer.map({ "\($0)" })
            else { return nil }
            ids.append(id)
        }
        return ids.isEmpty ? nil : ids
    }

    /// The percent-encoded path of the item with these ids.
    package func path(ofItem ids: [String]) -> String {
        var rest = ids[...]
        let parts = item.map { part in
            switch part {
            case .text(let text): text
            case .member: rest.popFirst()?.percentEncoded ?? ""
            }
        }
        return parts.joined()
    }
}
