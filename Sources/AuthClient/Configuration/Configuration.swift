package import JSON
import Platform

/// The profiles that were set up, and which of them is in use.
///
/// Document, version 1 (members that are not known here are kept):
///
///     {"v": 1, "current": "ci", "profiles": {"ci": {"backend": "local"}}}
package struct Configuration: Sendable, Equatable {
    package static let version: Int64 = 1

    /// The profile chosen by `profile use`.
    package var current: String?
    /// In the order of their names.
    package private(set) var profiles: [Profile]
    /// Members of the document that belong to nobody here.
    let otherMembers: JSONObject

    package init(current: String? = nil, profiles: [Profile] = [], otherMembers: JSONObject = [:]) {
        self.current = current
        self.profiles = profiles.sorted { $0.name < $1.name }
        self.otherMembers = otherMembers
    }

    /// The profile of that name; setting puts or replaces it, `nil` removes it.
    package subscript(name: String) -> Profile? {
        get { profiles.first { $0.name == name } }
        set {
            profiles.removeAll { $0.name == name }
            guard let newValue else { return }
            let index = profiles.firstIndex { $0.name > name } ?? profiles.endIndex
            profiles.insert(newValue, at: index)
        }
    }
}

/// A connection by name, as the configuration holds it.
package struct Profile: Sendable, Equatable {
    package let name: String
    /// What was set, by key: `backend` and the like.
    package var settings: JSONObject

    package init(name: String, settings: JSONObject) {
        self.name = name
        self.settings = settings
    }

    /// The setting of that key, if it is a text.
    package func text(_ key: ProfileKey) -> String? { settings[key.rawValue]?.string }

    /// Whether the setting of that key is on.
    package func isOn(_ key: ProfileKey) -> Bool { settings[key.rawValue]?.bool ?? false }

    /// Puts or replaces a setting; `nil` removes it.
    package mutating func set(_ key: ProfileKey, _ value: JSONValue?) { settings[key.rawValue] = value }

    /// The profile that is there with nothing configured.
    package static let defaultName = "default"

    /// Whether a profile may be called so: letters, digits, `.`, `_`, `-`, at most 64, not beginning with `.` or `-`.
    package static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: "."), first != UInt8(ascii: "-") else { return false }
        return text.utf8.count <= 64 && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "._-".utf8.contains($0) }
    }
}

/// What a profile holds.
package enum ProfileKey: String, Sendable, CaseIterable {
    case backend
    case server
    case appID = "appId"
    /// The key itself, wherever it was read from.
    case clientKey
    /// True or missing.
    case allowsHTTP = "allowHttp"

    /// Whether the value is a truth value and not a text.
    var isFlag: Bool { self == .allowsHTTP }
}
