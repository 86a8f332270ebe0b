package import AuthModel
package import Platform

/// Sessions as files, one per profile: `sessions/<profile>.json`.
///
/// A refresh locks `.lock-<profile>`, because the folder's own lock, which every writer needs, must not be held during a
/// request.
package struct SessionFolder: SessionStore {
    private let folder: PrivateFolder

    /// Bytes; larger than nearly all sessions.
    private static let usualSize = 8192

    package init(folder: PrivateFolder) {
        self.folder = folder
    }

    package var unfinished: any SessionStore { SessionFolder(folder: folder.subfolder(Self.pendingName)) }

    package func load(_ profile: String) throws(AuthError) -> StoredSession? {
        try mappingFileErrors { () throws(FileError) in
            try folder.read(fileName(profile), limit: SessionFile.limit).map { bytes throws(FileError) in
                try session(from: bytes, profile)
            }
        }
    }

    package func prepare() throws(AuthError) {
        try mappingFileErrors { () throws(FileError) in try folder.lock().requireSpace(Self.usualSize) }
    }

    package func save(_ session: StoredSession) throws(AuthError) -> Bool {
        try mappingFileErrors { () throws(FileError) in
            try folder.lock().replace(fileName(session.profile), with: SessionFile.bytes(of: session))
        }
    }

    package func update(
        _ session: StoredSession, ifStill token: Secret, patience: Duration
    ) throws(AuthError) {
        try mappingFileErrors { () throws(FileError) in
            let locked = try folder.lock(patience: patience)
            let name = fileName(session.profile)
            guard try holds(token, session.profile, locked) else { return }
            _ = try locked.replace(name, with: SessionFile.bytes(of: session))
        }
    }

    package func exclusively<Value>(
        _ profile: String, patience: Duration, _ body: () throws(AuthError) -> Value
    ) throws(AuthError) -> Value {
        let lock = try mappingFileErrors { () throws(FileError) in
            try folder.lock(".lock-\(profile)", patience: patience)
        }
        return try withExtendedLifetime(lock) { () throws(AuthError) in try body() }
    }

    package func remove(_ profile: String, ifStill token: Secret) throws(AuthError) {
        try mappingFileErrors { () throws(FileError) in
            let locked = try folder.lock()
            guard try holds(token, profile, locked) else { return }
            try locked.remove(fileName(profile))
        }
    }

    package func discard(_ profile: String) throws(AuthError) {
        try mappingFileErrors { () throws(FileError) in
            // First, so that a failure leaves the saved session in place.
            let pending = folder.subfolder(Self.pendingName)
            if try pending.size(of: fileName(profile)) != nil { try pending.lock().remove(fileName(profile)) }
            try folder.lock().remove(fileName(profile))
        }
    }

    private static let pendingName = "pending"

    package func profiles() throws(AuthError) -> [String] {
        try mappingFileErrors { () throws(FileError) in
            try folder.fileNames().compactMap { name in
                name.hasSuffix(".json") ? String(name.dropLast(5)) : nil
            }.filter(Profile.isName).sorted()
        }
    }

    private func fileName(_ profile: String) -> String { "\(profile).json" }

    private func holds(
        _ token: Secret, _ profile: String, _ locked: borrowing LockedFolder
    ) throws(FileError) -> Bool {
        guard let bytes = try locked.read(fileName(profile), limit: SessionFile.limit) else { return false }
        return try session(from: bytes, profile).session.token == token
    }

    private func session(from bytes: [UInt8], _ profile: String) throws(FileError) -> StoredSession {
        do throws(SessionFile.Fault) {
            return try SessionFile.session(from: bytes, profile: profile)
        } catch {
            throw fileError(error, profile)
        }
    }

    private func fileError(_ fault: SessionFile.Fault, _ profile: String) -> FileError {
        let path = "\(folder.path)/\(fileName(profile))"
        let moveAway = "move it away, then log in again: mv \(path.shellQuoted) \("\(path).bad".shellQuoted)"
        switch fault {
        case .cutOff(let offset):
            return FileError(.corrupt, "'\(path)' is truncated at byte \(offset)", hint: moveAway)
        case .damaged(let offset):
            return FileError(.corrupt, "'\(path)' is corrupt within its first \(offset) bytes", hint: moveAway)
        case .otherProfile(let name):
            return FileError(.corrupt, "'\(path)' contains the session of profile '\(name)'", hint: moveAway)
        case .newerVersion(let version):
            return FileError(
                .newerVersion, "'\(path)' was written by a newer authctl (file version \(version))",
                hint: "update authctl, or set AUTHCTL_CONFIG_DIR to another folder")
        }
    }
}
