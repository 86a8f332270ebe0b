import AuthModel
import Platform

extension SessionProvider {
    /// A session of this profile, session name and connection.
    func stored(_ session: Session, _ user: User, by method: AuthMethod?) -> StoredSession {
        StoredSession(
            profile: profile, name: key.name, connection: settings.connection, session: session, user: user,
            method: method)
    }

    // MARK: - New sessions

    /// Checks that the session file is writable before a login request.
    ///
    /// - Returns: the saved session that the new session will replace; `nil` if no session is saved.
    func prepareToSave() throws(AuthError) -> StoredSession? {
        let earlier = try load()
        _ = try settings.apiURL()
        try requireWritable()
        return earlier
    }

    /// Checks that the session file is writable before a request whose response may replace the session.
    func requireWritable() throws(AuthError) { try sources.sessions().prepare() }

    /// Saves a new session in place of the earlier one, which is not revoked.
    func save(_ new: NewSession, by method: AuthMethod?, replacing earlier: StoredSession?) throws(AuthError) {
        var stored = stored(new.session, new.user, by: method)
        stored.apiURL = try settings.apiURL()
        let dropped = try sources.sessions().save(stored, after: requireStillSavable)
        if !dropped.isEmpty {
            events.warn(
                "the session was saved without fields of the user that are too large or nested too deeply: "
                    + dropped.quotedList(atMost: 5))
        }
        pending.delete()
        for warning in new.warnings { events.warn(warning) }
        noteExpiry(of: new.session)
        if let doubt = new.doubt.map({ backends.advice.completing($0.shown) }) {
            events.warn(
                "the session was saved, but the server was not seen to accept it: \(doubt.message)",
                next: doubt.nextSteps.first)
        }
        if let earlier, earlier.session.token != new.session.token {
            let user = earlier.user.displayName.map { " of '\($0)'" } ?? ""
            let name = earlier.name.map { " and --as '\($0)'" } ?? ""
            let isSameUser =
                earlier.user.id.map { $0 == new.user.id } ?? (earlier.user.displayName == new.user.displayName)
            if !isSameUser {
                events.inform(
                    "replaced the saved session\(user) for \(earlier.connection.name)\(name); authctl did not revoke it"
                )
            }
            if !isSameUser || new.createdAccount == true { warnIfLost(earlier) }
        }
    }

    /// Warns if no login leads to the account of a replaced session: an anonymous one that has no other login method.
    private func warnIfLost(_ earlier: StoredSession) {
        guard earlier.method == .anonymous, earlier.user.email == nil,
            (earlier.user.providers ?? []).allSatisfy({ ["anonymous", "email"].contains($0) })
        else { return }
        // `try?`: the step only completes the warning.
        let step = ((try? backends.connect()) as? any AnonymousLogin)?.stepToKeepAccount
        let advice = step == nil ? "" : "; to keep such an account, do not sign up again"
        events.warn("the anonymous account of the replaced session is lost without it\(advice)", next: step)
    }

    /// Rejects a profile that another process has removed since this command began. Otherwise, a later profile with
    /// that name would get the session. Also rejects a session name that differs only in case from a saved name.
    func requireStillSavable() throws(AuthError) {
        // The built-in profile exists even if the configuration is missing or unreadable.
        guard profile != Profile.defaultName, try sources.configuration().load()[profile] == nil else {
            return try requireDistinctName()
        }
        throw AuthError(
            .unknownProfile, "profile '\(profile)' was removed meanwhile",
            next: NextStep("create it again", run: ["profile", "add", profile] + settings.connection.options))
    }

    /// Saves a new session. If saving fails, revokes the session, or reports that it is still valid on the server.
    ///
    /// - Parameters:
    ///   - done: the part that succeeded, such as `the login as 'ada' succeeded`.
    ///   - arguments: the arguments of `login` in the hint to log in again.
    func saveOrRevoke(
        _ new: NewSession, by method: AuthMethod?, replacing earlier: StoredSession?, done: String,
        logInAgain arguments: [String]
    ) throws(AuthError) {
        do throws(AuthError) {
            try save(new, by: method, replacing: earlier)
        } catch {
            let state = revokeUnsaved(new) ? "and was revoked" : "and is still valid"
            throw error.explaining("\(done), but its session could not be saved \(state)")
                .suggesting(afterwards: NextStep("log in", run: ["login"] + arguments))
        }
    }

    /// Revokes a session that is not saved.
    ///
    /// - Returns: whether the session is known to be invalid now.
    func revokeUnsaved(_ session: Session) -> Bool {
        // `try?`: after any error the session must be treated as valid.
        (try? backends.connect().logOut(session).value).map { $0 == .yes || $0 == .already } ?? false
    }

    /// Revokes a session that could not be saved, unless all devices of an existing account share the session.
    func revokeUnsaved(_ new: NewSession) -> Bool {
        // `try?`: if the backend cannot be created, the session cannot be revoked.
        let isShared = (try? backends.connect().sharesAmongDevices(new.session)) ?? true
        return (new.createdAccount == true || !isShared) && revokeUnsaved(new.session)
    }

    /// Prints a note if the session expires within a day and, unlike other sessions, has no refresh token.
    private func noteExpiry(of session: Session) {
        guard session.refreshToken == nil, let end = session.expiresAt, end < clock.now().adding(.seconds(86_400)),
            policy.means == .refreshToken
        else { return }
        let what = session.accessToken == nil ? "this session" : "the site's access token"
        events.note("\(what) expires at \(end.text): it has no refresh token")
    }

    // MARK: - Changed, revoked and deleted sessions

    /// Revokes a session on the server, and warns if this logs out all devices. If the server cannot revoke it, asks
    /// whether it has ended already.
    ///
    /// - Parameter activity: the text shown on a terminal, such as "logging out".
    func revoke(_ session: Session, _ activity: String) throws(AuthError) -> Revocation {
        let backend = try backends.connect()
        let revoked = try backends.call(activity) { () throws(BackendError) in try backend.logOut(session).value }
        if revoked == .yes, backend.sharesAmongDevices(session) {
            events.warn("this server has one token per account, so all devices are now logged out")
        }
        guard revoked == .unsupported, !session.hasExpired(at: clock.now()) else { return revoked }
        do throws(BackendError) {
            _ = try backend.currentUser(session)
            return .unsupported
        } catch {
            return error.reason.meansInvalidSession || error.reason == .accountDisabled ? .already : .unsupported
        }
    }

    /// Saves the user from the last response, for offline use.
    ///
    /// Best effort: if the file cannot be written, or another process is writing it, the command continues.
    func saveUser(of current: ActiveSession, insteadOf earlier: ActiveSession) {
        // Compare the saved form, in which times are whole seconds. Otherwise, every `whoami` would write the file.
        guard current.source == .file, current.user.json != earlier.user.json else { return }
        let new = current.stored
        guard new.fitted().session.user.json != earlier.user.json else { return }
        try? sources.sessions().update(new, ifStill: current.session.presentedToken, patience: .zero)
    }

    /// Deletes the saved session, unless it was replaced by a different session.
    ///
    /// - Returns: `false` if a different session is saved now.
    @discardableResult
    func delete(_ session: Session) throws(AuthError) -> Bool {
        try sources.sessions().remove(key, ifStill: session.presentedToken)
    }

    /// Deletes the saved session, even if it cannot be read.
    func discard() throws(AuthError) { try sources.sessions().discard(key) }

    /// Deletes a saved session that was revoked on the server.
    ///
    /// - Parameter done: the part that succeeded, such as `the account was deleted`.
    func deleteRevoked(_ session: Session, done: String = "the sessions were revoked") throws(AuthError) {
        do throws(AuthError) {
            try delete(session)
        } catch {
            throw error.explaining("\(done), but the saved session could not be deleted")
                .suggesting(afterwards: NextStep("delete it", run: ["logout"]))
        }
    }
}
