import Platform

/// The parts of a session file's name: `PROFILE~AS~HASH.json`.
struct SessionFileName {
    static let suffix = ".json"

    let profile: String
    /// The session name; `nil` for the profile's own session.
    let name: String?
    /// The hash of the connection.
    let hash: String

    /// `nil` for files that authctl did not write.
    init?(_ fileName: String) {
        guard fileName.hasSuffix(Self.suffix) else { return nil }
        let parts = fileName.utf8.dropLast(Self.suffix.utf8.count)
            .split(separator: UInt8(ascii: "~"), omittingEmptySubsequences: false).map { String(Substring($0)) }
        guard parts.count == 3, Profile.isName(parts[0]) else { return nil }
        profile = parts[0]
        name = parts[1].isEmpty ? nil : parts[1]
        hash = parts[2]
        if let name, !SessionKey.isName(name) { return nil }
    }
}
