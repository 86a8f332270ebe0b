package import AuthModel
package import Platform

/// Stores sessions as files, one per profile, session name and connection: `sessions/PROFILE~AS~HASH.json`.
///
/// Loading or refreshing a session opens its file by name, and does not list the folder, which may contain thousands of
/// sessions.
///
/// During its request, a refresh holds only the lock `.lock-PROFILE~AS~HASH`. The lock of the folder would block every
/// writer.
package struct SessionFolder: SessionStore {
    private let folder: PrivateFolder

    /// A size in bytes that hardly any session file exceeds, used to check the free space before a login.
    private static let usualSize = 8192

    package init(folder: PrivateFolder) {
        self.folder = folder
    }

    package var unfinished: any SessionStore { SessionFolder(folder: folder.subfolder(Self.pendingName)) }

    package func load(_ key: SessionKey) throws(AuthError) -> StoredSession? {
        try mappingFileErrors { () throws(FileError) in
            guard let bytes = try folder.read(key.fileName, limit: SessionFile.limit) else { return nil }
            return try session(from: bytes, key.fileName, of: key)
        }
    }

    package func list(of profile: String?) throws(AuthError) -> [SavedSession] {
        try list { profile == nil || profile == $0.profile }
    }

    package func list(of profile: String, except connection: Connection) throws(AuthError) -> [SavedSession] {
        let hash = connection.hash
        return try list { $0.profile == profile && $0.hash != hash }
            .filter { (try? $0.content.get())?.connection != connection }
    }

    private func list(_ isChosen: (SessionFileName) -> Bool) throws(AuthError) -> [SavedSession] {
        try mappingFileErrors { () throws(FileError) in
            var list: [SavedSession] = []
            for fileName in try folder.fileNames() {
                guard let parts = SessionFileName(fileName), isChosen(parts) else { continue }
                let content: Result<StoredSession, AuthError>
                do throws(FileError) {
                    guard let bytes = try folder.read(fileName, limit: SessionFile.limit) else { continue }
                    content = .success(try session(from: bytes, fileName, parts.profile, parts.name))
                } catch {
                    content = .failure(AuthError(error))
                }
                // `try?`: `content` has the error.
                let isLoose = (try? folder.isReadableByOthers(fileName)) ?? false
                list.append(
                    SavedSession(
                        profile: parts.profile, fileName: fileName, content: content,
                        loosePath: isLoose ? "\(folder.path)/\(fileName)" : nil))
            }
            return list
        }
    }

    package func names(of profile: String, _ connection: Connection) throws(AuthError) -> [String] {
        let hash = connection.hash
        return try mappingFileErrors { () throws(FileError) in
            try folder.fileNames().compactMap { SessionFileName($0) }
                .compactMap { $0.profile == profile && $0.hash == hash ? $0.name : nil }.sorted()
        }
    }

    package func prepare() throws(AuthError) {
        try mappingFileErrors { () throws(FileError) in try folder.lock().requireSpace(Self.usualSize) }
    }

    package func save(
        _ session: StoredSession, after check: () throws(AuthError) -> Void
    ) throws(AuthError) -> [String] {
        let locked = try mappingFileErrors { () throws(FileError) in try folder.lock() }
        try check()
        return try mappingFileErrors { () throws(FileError) in
            let (bytes, dropped) = try content(of: session)
            try locked.replace(session.key.fileName, with: bytes)
            return dropped
        }
    }

    package func update(_ session: StoredSession, ifStill token: Secret, patience: Duration) throws(AuthError) {
        try mappingFileErrors { () throws(FileError) in
            let locked = try folder.lock(patience: patience)
            guard try storedToken(session.key, in: locked) == token else { return }
            try locked.overwrite(session.key.fileName, with: try content(of: session).bytes)
        }
    }

    package func exclusively<Value>(
        _ key: SessionKey, patience: Duration, _ body: () throws(AuthError) -> Value
    ) throws(AuthError) -> Value {
        let lock = try mappingFileErrors { () throws(FileError) in
            try folder.lock(".lock-\(key.fileName.dropLast(SessionFileName.suffix.count))", patience: patience)
        }
        return try withExtendedLifetime(lock) { () throws(AuthError) in try body() }
    }

    package func remove(_ key: SessionKey, ifStill token: Secret) throws(AuthError) -> Bool {
        try mappingFileErrors { () throws(FileError) in
            let locked = try folder.lockToDelete()
            guard let stored = try storedToken(key, in: locked) else { return true }
            guard stored == token else { return false }
            try locked.remove(key.fileName)
            return true
        }
    }

    package func discard(_ key: SessionKey) throws(AuthError) {
        try discard(key.profile) { $0 == key.fileName }
    }

    package func discard(_ saved: SavedSession) throws(AuthError) {
        try mappingFileErrors { () throws(FileError) in try folder.lockToDelete().remove(saved.fileName) }
    }

    package func discardAll(of profile: String) throws(AuthError) {
        try discard(profile) { _ in true }
    }

    package func removeProfile(
        _ profile: String, after check: () throws(AuthError) -> Void, then remove: () throws(AuthError) -> Void
    ) throws(AuthError) {
        let pending = SessionFolder(folder: folder.subfolder(Self.pendingName))
        let pendingLock = try mappingFileErrors { () throws(FileError) in try pending.folder.lock() }
        let lock = try mappingFileErrors { () throws(FileError) in try folder.lock() }
        try check()
        // Delete the sessions before the profile, so that a failure does not leave a token on disk without a profile.
        try mappingFileErrors { () throws(FileError) in
            for name in try pending.fileNames(of: profile) { try pendingLock.remove(name) }
            for name in try fileNames(of: profile) { try lock.remove(name) }
        }
        try remove()
        withExtendedLifetime(pendingLock) {}
        withExtendedLifetime(lock) {}
    }

    package func profiles() throws(AuthError) -> [String] {
        try mappingFileErrors { () throws(FileError) in
            Set(try folder.fileNames().compactMap { SessionFileName($0)?.profile }).sorted()
        }
    }

    // MARK: - Files

    private static let pendingName = "pending"

    private func fileNames(of profile: String) throws(FileError) -> [String] {
        try folder.fileNames().filter { SessionFileName($0)?.profile == profile }
    }

    private func content(of session: StoredSession) throws(FileError) -> (bytes: [UInt8], dropped: [String]) {
        let (fitting, dropped) = session.fitted()
        let bytes = SessionFile.bytes(of: fitting)
        guard bytes.count <= SessionFile.limit else {
            throw FileError(
                .notWritten, "the session has \(bytes.count) bytes, and a session file holds \(SessionFile.limit)")
        }
        return (bytes, dropped)
    }

    /// Returns the token of the saved session; `nil` if no session is saved.
    private func storedToken(_ key: SessionKey, in locked: borrowing LockedFolder) throws(FileError) -> Secret? {
        guard let bytes = try locked.read(key.fileName, limit: SessionFile.limit) else { return nil }
        return try session(from: bytes, key.fileName, of: key)?.session.presentedToken
    }

    /// Deletes the chosen files of a profile. Deletes pending logins first, so that a failure leaves the saved sessions
    /// in place.
    private func discard(_ profile: String, _ isChosen: (_ fileName: String) -> Bool) throws(AuthError) {
        try mappingFileErrors { () throws(FileError) in
            for folder in [folder.subfolder(Self.pendingName), folder] {
                let store = SessionFolder(folder: folder)
                guard try !store.fileNames(of: profile).isEmpty else { continue }
                let locked = try folder.lockToDelete()
                for name in try store.fileNames(of: profile) where isChosen(name) { try locked.remove(name) }
            }
        }
    }

    /// - Returns: `nil` if the file is for another connection, or for a name that differs from `key.name` only in case.
    private func session(
        from bytes: [UInt8], _ fileName: String, of key: SessionKey
    ) throws(FileError) -> StoredSession? {
        do throws(SessionFile.Fault) {
            let stored = try SessionFile.session(from: bytes, profile: key.profile, name: key.name)
            return stored.connection == key.connection ? stored : nil
        } catch {
            // On a case-insensitive file system, the name 'ada' also opens the file of 'Ada'.
            if case .otherName(let other?) = error, other.lowercased() == key.name?.lowercased() { return nil }
            throw fileError(error, fileName)
        }
    }

    private func session(
        from bytes: [UInt8], _ fileName: String, _ profile: String, _ name: String?
    ) throws(FileError) -> StoredSession {
        do throws(SessionFile.Fault) {
            return try SessionFile.session(from: bytes, profile: profile, name: name)
        } catch {
            throw fileError(error, fileName)
        }
    }

    private func fileError(_ fault: SessionFile.Fault, _ fileName: String) -> FileError {
        let path = "\(folder.path)/\(fileName)"
        let moveAway = "move it away, then log in again: mv \(path.shellQuoted) \("\(path).bad".shellQuoted)"
        switch fault {
        case .damaged(let offset):
            return FileError(.corrupt, "'\(path)' is truncated or corrupt at byte \(offset)", hint: moveAway)
        case .invalid: return FileError(.corrupt, "'\(path)' is not a session file", hint: moveAway)
        case .otherProfile(let name):
            return FileError(.corrupt, "'\(path)' contains the session of profile '\(name)'", hint: moveAway)
        case .otherName(let name):
            let own = name.map { "session '\($0)'" } ?? "the profile's own session"
            return FileError(.corrupt, "'\(path)' contains \(own)", hint: moveAway)
        case .newerVersion(let version):
            return .newerVersion(Int64(version), at: path, "set AUTHCTL_CONFIG_DIR to another folder")
        }
    }
}

extension PrivateFolder {
    /// The lock for a deletion. The hint at another folder, which would not contain the file, is left out.
    fileprivate func lockToDelete() throws(FileError) -> LockedFolder {
        do throws(FileError) {
            return try lock()
        } catch {
            throw error.kind == .notWritten ? FileError(error.kind, error.message) : error
        }
    }
}
