package import JSON
import Platform

/// The configured profiles and the name of the current profile.
///
/// Version 1 of `config.json`, in which authctl preserves unknown members:
///
///     {"v": 1, "profiles": {"ci": {"backend": "local"}}}
package struct Configuration: Sendable, Equatable {
    package static let version: Int64 = 1

    /// The profile name that `profile use` set. It is not part of `config.json`, which several users may share.
    package var current: String?
    /// The session name that `profile use --as` set, for the current profile.
    package var currentUser: String?
    /// The profiles, sorted by name.
    package private(set) var profiles: [Profile]
    let otherMembers: JSONObject

    package init(current: String? = nil, profiles: [Profile] = [], otherMembers: JSONObject = [:]) {
        self.current = current
        self.profiles = profiles.sorted { $0.name < $1.name }
        self.otherMembers = otherMembers
    }

    /// The names of all profiles, sorted, with the built-in one even if it is not configured.
    package var names: [String] {
        let names = profiles.map(\.name)
        return names.contains(Profile.defaultName) ? names : ([Profile.defaultName] + names).sorted()
    }

    package subscript(name: String) -> Profile? { profiles.first { $0.name == name } }

    package mutating func put(_ profile: Profile) {
        profiles.removeAll { $0.name == profile.name }
        let index = profiles.firstIndex { $0.name > profile.name } ?? profiles.endIndex
        profiles.insert(profile, at: index)
    }

    /// Removes a profile. If it was the current profile, there is no current profile afterwards.
    package mutating func remove(_ name: String) {
        profiles.removeAll { $0.name == name }
        if current == name { (current, currentUser) = (nil, nil) }
    }
}

/// A named connection in the configuration.
package struct Profile: Sendable, Equatable {
    package let name: String
    /// The members of the profile in `config.json`, such as `backend`, by key.
    package var settings: JSONObject

    package init(name: String, settings: JSONObject) {
        self.name = name
        self.settings = settings
    }

    package func text(_ key: ProfileKey) -> String? { settings[key.rawValue]?.string }

    package func isOn(_ key: ProfileKey) -> Bool { settings[key.rawValue]?.bool ?? false }

    /// Adds or replaces a setting; `nil` removes it.
    package mutating func set(_ key: ProfileKey, _ value: JSONValue?) { settings[key.rawValue] = value }

    /// The name of the profile that needs no configuration.
    package static let defaultName = "default"

    /// Whether the text is a profile name: 1 to 64 ASCII letters, digits, `.`, `_` or `-`. The first character is not
    /// `.` or `-`.
    package static func isName(_ text: String) -> Bool {
        text.isPlainName(with: "._-")
    }
}

extension String {
    /// Whether the text has 1 to 64 ASCII letters, digits and marks, and begins neither with `.` nor with `-`.
    func isPlainName(with marks: String) -> Bool {
        guard let first = utf8.first, first != UInt8(ascii: "."), first != UInt8(ascii: "-") else { return false }
        return utf8.count <= 64 && utf8.allSatisfy { $0.isASCIILetterOrDigit || marks.utf8.contains($0) }
    }
}

/// The settings that every profile can have.
package enum ProfileKey: String, Sendable, CaseIterable {
    case backend
    case server
    case appID = "appId"
    /// The client key itself, even if it was set from a file.
    case clientKey
    /// A missing value means false.
    case allowsHTTP = "allowHttp"

    /// Whether the value is a boolean instead of a string.
    var isFlag: Bool { self == .allowsHTTP }
}
