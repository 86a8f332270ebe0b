package import AuthModel
import JSON
package import Platform

/// Stores the configuration. Its only secrets are client keys and the client tokens of Facebook apps.
package protocol ConfigurationStore: Sendable {
    func load() throws(AuthError) -> Configuration

    /// Changes the configuration. No other process can write between the read and the write. If only the
    /// current profile changes, `config.json` is not written.
    func update(_ change: (inout Configuration) throws(AuthError) -> Void) throws(AuthError)
}

/// Stores the configuration in `config.json`, which users may edit. `config.json` may be a symbolic link to a file that
/// a team shares. The file `current`, which may be a link, too, contains the name of the current profile, a space and a
/// session name if `profile use --as` set one, and a newline.
package struct ConfigurationFile: ConfigurationStore {
    private static let name = "config.json"
    private static let choiceName = "current"
    /// The maximum size of `config.json` in bytes; enough for tens of thousands of profiles.
    private static let limit = 16 << 20

    private let folder: PrivateFolder

    package init(folder: PrivateFolder) {
        self.folder = folder
    }

    package func load() throws(AuthError) -> Configuration {
        try mappingFileErrors { () throws(FileError) in
            guard let open = try folder.open() else { return Configuration() }
            let choice = try self.choice(from: try read(Self.choiceName, Self.choiceLimit, open).bytes)
            let (bytes, file) = try read(Self.name, Self.limit, open)
            return try configuration(from: bytes, at: file.path, choice)
        }
    }

    /// Returns the content and the location of a file, or of the target if the file is a link.
    private func read(
        _ name: String, _ limit: Int, _ open: borrowing OpenFolder
    ) throws(FileError) -> (bytes: [UInt8]?, file: FileLocation) {
        let file = try folder.followingLink(name)
        guard file.folder.path == folder.path else { return (try file.folder.read(file.name, limit: limit), file) }
        return (try open.read(file.name, limit: limit), file)
    }

    package func update(_ change: (inout Configuration) throws(AuthError) -> Void) throws(AuthError) {
        let locked = try mappingFileErrors { () throws(FileError) in try folder.lock() }
        let file = try mappingFileErrors { () throws(FileError) in try folder.followingLink(Self.name) }
        let earlier = try mappingFileErrors { () throws(FileError) in
            let choice = try folder.followingLink(Self.choiceName)
            return try self.configuration(
                from: try file.folder.read(file.name, limit: Self.limit), at: file.path,
                try self.choice(from: try choice.folder.read(choice.name, limit: Self.choiceLimit)))
        }
        var configuration = earlier
        try change(&configuration)
        try mappingFileErrors { () throws(FileError) in try write(configuration, insteadOf: earlier, file, locked)
        }
    }

    /// Writes `current` after a new profile and before a removed one, because every command would fail if `current`
    /// named a profile that `config.json` lacks. Does not write an unchanged file.
    private func write(
        _ configuration: Configuration, insteadOf earlier: Configuration, _ file: FileLocation,
        _ locked: borrowing LockedFolder
    ) throws(FileError) {
        let document = configuration.document
        let isUnchanged = document == earlier.document
        let isNew = configuration.current.map { !earlier.names.contains($0) } ?? false
        if !isNew { try writeChoice(of: configuration, insteadOf: earlier, locked) }
        if isUnchanged { locked.removeLeftovers() } else { try locked.replace(file, with: document) }
        guard isNew else { return }
        do throws(FileError) {
            try writeChoice(of: configuration, insteadOf: earlier, locked)
        } catch {
            throw FileError(error.kind, "the profile was saved, but not chosen: \(error.message)", hints: error.hints)
        }
    }

    private func writeChoice(
        of configuration: Configuration, insteadOf earlier: Configuration, _ locked: borrowing LockedFolder
    ) throws(FileError) {
        guard (configuration.current, configuration.currentUser) != (earlier.current, earlier.currentUser) else {
            return
        }
        guard let profile = configuration.current else { return try locked.remove(Self.choiceName) }
        let choice = profile + (configuration.currentUser.map { " \($0)" } ?? "")
        try locked.replace(try folder.followingLink(Self.choiceName), with: Array("\(choice)\n".utf8))
    }

    /// The maximum size of the file `current` in bytes; longer than any two names.
    private static let choiceLimit = 256

    private func choice(from bytes: [UInt8]?) throws(FileError) -> (profile: String, user: String?)? {
        guard let bytes else { return nil }
        let text = String(decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
        let names = text.split(separator: " " as Character, maxSplits: 1, omittingEmptySubsequences: false)
            .map { String($0) }
        let user = names.dropFirst().first
        guard Profile.isName(names[0]), user.map(SessionKey.isName) ?? true else {
            let path = "\(folder.path)/\(Self.choiceName)"
            throw FileError(
                .corrupt, "'\(path)' is not the name of a profile",
                hint: "remove it, then choose a profile again: rm \(path.shellQuoted)")
        }
        return (names[0], user)
    }

    private func configuration(
        from bytes: [UInt8]?, at path: String, _ choice: (profile: String, user: String?)?
    ) throws(FileError) -> Configuration {
        do throws(ConfigurationFault) {
            var configuration = try bytes.map(Configuration.init(document:)) ?? Configuration()
            (configuration.current, configuration.currentUser) = (choice?.profile, choice?.user)
            return configuration
        } catch {
            switch error {
            case .broken(let offset, let description):
                // If `config.json` is a symbolic link, the hint moves the link, because others may need its target.
                let own = "\(folder.path)/\(Self.name)"
                let whereItIs = offset.map { " (\(place(of: $0, in: bytes ?? [])))" } ?? ""
                throw FileError(
                    .corrupt, "'\(path)' is not a valid configuration: \(description)\(whereItIs)",
                    hint: "fix it in an editor, or move it away: mv \(own.shellQuoted) \("\(own).bad".shellQuoted)")
            case .newerVersion(let version):
                throw .newerVersion(version, at: path, "set AUTHCTL_CONFIG_DIR to another folder")
            }
        }
    }
}

/// The position as editors show it, such as `line 2, column 14`. Both numbers start at 1, and columns count characters.
private func place(of offset: Int, in bytes: [UInt8]) -> String {
    let before = bytes.prefix(offset)
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return "line \(line), column \(String(decoding: before[lineStart...], as: UTF8.self).count + 1)"
}

enum ConfigurationFault: Error {
    case broken(offset: Int?, description: String)
    case newerVersion(Int64)
}

extension Configuration {
    /// Parses a document strictly, because ignored content would be lost at the next write.
    init(document bytes: [UInt8]) throws(ConfigurationFault) {
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw .broken(offset: error.offset, description: error.description)
        }
        guard var members = value.object, let version = members["v"]?.integer, version >= 1 else {
            throw .broken(offset: nil, description: "version 'v' is missing")
        }
        guard version <= Self.version else { throw .newerVersion(version) }
        let profiles = try Self.profiles(in: members["profiles"] ?? [:])
        for name in ["v", "profiles"] { members[name] = nil }
        self.init(profiles: profiles, otherMembers: members)
    }

    private static func profiles(in value: JSONValue) throws(ConfigurationFault) -> [Profile] {
        guard let members = value.object?.members else {
            throw .broken(offset: nil, description: "'profiles' is not an object")
        }
        var profiles: [Profile] = []
        for member in members {
            guard Profile.isName(member.name), let settings = member.value.object else {
                throw .broken(
                    offset: nil, description: "profile '\(member.name)' has an invalid name or is not an object")
            }
            for key in ProfileKey.allCases { try check(settings[key.rawValue], key, of: member.name) }
            profiles.append(Profile(name: member.name, settings: settings))
        }
        return profiles
    }

    private static func check(_ value: JSONValue?, _ key: ProfileKey, of profile: String) throws(ConfigurationFault) {
        switch value {
        case nil, .null: return
        case .bool where key.isFlag: return
        case .string where !key.isFlag: return
        default:
            let type = key.isFlag ? "true or false" : "a string"
            throw .broken(offset: nil, description: "'\(key.rawValue)' of profile '\(profile)' is not \(type)")
        }
    }

    /// The document, with one line per profile, so that a changed profile is one line in a diff.
    var document: [UInt8] {
        let rows = profiles.map { "    \(JSONValue.string($0.name).text): \(JSONValue.object($0.settings).text)" }
        let list = rows.isEmpty ? "{}" : "{\n\(rows.joined(separator: ",\n"))\n  }"
        var lines = [#"  "v": \#(Self.version)"#]
        lines += otherMembers.members.map { "  \(JSONValue.string($0.name).text): \($0.value.text)" }
        lines.append(#"  "profiles": \#(list)"#)
        return Array("{\n\(lines.joined(separator: ",\n"))\n}\n".utf8)
    }
}
