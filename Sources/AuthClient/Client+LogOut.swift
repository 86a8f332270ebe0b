package import AuthModel

/// What became of a session.
package struct LogOutResult: Sendable, Equatable {
    package let profile: String
    /// Whether there was a session.
    package let changed: Bool
    package let revoked: Revocation
    /// Whether one was removed here.
    package let forgotten: Bool
    /// Whether what the server does not end now ends when the password is changed.
    package let endsByPassword: Bool
    /// What the session was got with.
    package let way: AuthMethod?
    /// Why the server could not be asked.
    package let error: AuthError?

    package init(
        profile: String, changed: Bool, revoked: Revocation, forgotten: Bool, endsByPassword: Bool = false,
        way: AuthMethod? = nil, error: AuthError?
    ) {
        self.profile = profile
        self.changed = changed
        self.revoked = revoked
        self.forgotten = forgotten
        self.endsByPassword = endsByPassword
        self.way = way
        self.error = error
    }
}

extension Client {
    /// Ends the stored session at the server and forgets it, whatever the server says.
    package func logOut() throws(AuthError) -> LogOutResult {
        warnOfEnvironmentToken()
        forgetPending()
        guard let found = try store.load(profile) else { return nothingToEnd() }
        do throws(AuthError) {
            return try whileNobodyRenews(found) { newest in newest.map(endAndForget) ?? nothingToEnd() }
        } catch {
            switch error.reason {
            // What another process is about to get is not known here, but what is stored can be forgotten.
            case .locked: return forget(found, because: error)
            // Where nothing can be written, nobody can renew it either: it is ended all the same.
            case _ where error.outcome == .storage: return endAndForget(found)
            default: throw error
            }
        }
    }

    private func forget(_ stored: StoredSession, because error: AuthError) -> LogOutResult {
        let unknown = AuthError(
            .outcomeUnknown,
            "the session may still be alive at the server: another process has been renewing it all the time",
            hint: error.hint)
        do throws(AuthError) {
            try store.remove(profile, ifStill: stored.session.token)
        } catch {
            return LogOutResult(profile: profile, changed: true, revoked: .unknown, forgotten: false, error: error)
        }
        return LogOutResult(
            profile: profile, changed: true, revoked: .unknown, forgotten: true, way: stored.way, error: unknown)
    }

    private func endAndForget(_ stored: StoredSession) -> LogOutResult {
        var revoked = Revocation.unknown
        var failure: AuthError?
        do throws(AuthError) {
            revoked = try during("logging out") { () throws(AuthError) in try end(stored) }
        } catch {
            failure = error.explaining("the session may still be alive at the server")
            failure?.hint = error.hint ?? wayToEndOthers
        }
        do throws(AuthError) {
            try store.remove(profile, ifStill: stored.session.token)
        } catch {
            // What the server did is true all the same, and must be told.
            return LogOutResult(
                profile: profile, changed: true, revoked: revoked, forgotten: false,
                error: error.hinting(afterwards: "forget it: authctl logout\(givenOptions)"))
        }
        return LogOutResult(
            profile: profile, changed: true, revoked: revoked, forgotten: true,
            // `try?`: there is a backend, since it was asked.
            endsByPassword: (try? backend) is any PasswordChangeEndsSessions, way: stored.way, error: failure)
    }

    /// `nil` where the server has no list of sessions to end them from.
    private var wayToEndOthers: String? {
        // `try?`: without a backend there is no other way either.
        guard (try? backend) is any SessionListing else { return nil }
        return "log in again and end the others: authctl sessions revoke --others\(givenOptions)"
    }

    /// Forgets the stored session and asks nobody.
    package func forget() throws(AuthError) -> LogOutResult {
        forgetPending()
        guard let stored = try store.load(profile) else { return nothingToEnd() }
        try store.remove(profile, ifStill: stored.session.token)
        return LogOutResult(
            profile: profile, changed: true, revoked: .unknown, forgotten: true, way: stored.way, error: nil)
    }

    private func nothingToEnd() -> LogOutResult {
        LogOutResult(profile: profile, changed: false, revoked: .already, forgotten: false, error: nil)
    }

    /// A session is sent only to what it is bound to.
    private func end(_ stored: StoredSession) throws(AuthError) -> Revocation {
        guard stored.connection == settings.connection else {
            throw AuthError(
                .outcomeUnknown, "profile '\(profile)' does not lead any more to where it came from",
                hint: stored.connection.server.map { "end it there: log in at '\($0)' again and end the others" })
        }
        return try endAtServer(stored.session, backend)
    }

    /// Ends a session at the server, and warns where that logs out more than this profile.
    func endAtServer(_ session: Session, _ backend: any Backend) throws(AuthError) -> Revocation {
        let revoked = try backend.logOut(session).value
        if revoked == .yes, backend.sharesAmongDevices(session) {
            events.warn("the server had one session for all devices of the account: all of them are logged out now")
        }
        return revoked
    }
}

extension Backend {
    /// Whether the end of this session logs out all devices of its user.
    func sharesAmongDevices(_ session: Session) -> Bool {
        (self as? any SessionSharing)?.isShared(session) ?? false
    }
}
