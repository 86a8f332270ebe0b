import AuthModel

/// Sign-ups and log-ins that wait for a mailed code. The server knows them by a token, which is kept apart from sessions.
extension Client {
    /// What is known of an unfinished sign-up or log-in of this profile.
    func pendingLogIn() throws(AuthError) -> StoredSession? {
        guard let stored = try store.unfinished.load(profile), stored.connection == settings.connection else {
            return nil
        }
        return stored
    }

    /// The same, if it is that of an address.
    ///
    /// - Parameter email: `nil`: of any.
    func pendingLogIn(of email: String?) throws(AuthError) -> StoredSession? {
        guard let pending = try pendingLogIn() else { return nil }
        guard let email, let own = pending.user.email else { return pending }
        return own.lowercased() == email.lowercased() ? pending : nil
    }

    /// Keeps what an unfinished sign-up or log-in can be gone on with.
    ///
    /// - Returns: whether it can be.
    @discardableResult
    func keepPending(_ token: Secret?, _ user: User, by way: AuthMethod? = nil) -> Bool {
        guard let token else { return false }
        let stored = StoredSession(
            profile: profile, connection: settings.connection, session: Session(token: token, createdAt: clock.now()),
            user: user, way: way)
        do throws(AuthError) {
            _ = try store.unfinished.save(stored)
            return true
        } catch {
            events.warn("a mailed code cannot be used later: \(error.message)")
            return false
        }
    }

    /// Whoever is logged in, or out, waits for nothing; what is bound elsewhere waits on.
    func forgetPending() {
        // `try?`: what cannot be read or removed is worth nothing without its mail.
        guard let unfinished = try? store.unfinished else { return }
        do throws(AuthError) {
            guard let stored = try unfinished.load(profile), stored.connection == settings.connection else { return }
            try unfinished.remove(profile, ifStill: stored.session.token)
        } catch {
            try? unfinished.discard(profile)
        }
    }
}
