import AuthModel

/// Sends requests about the account's identities, and saves the user from each response.
struct IdentityAccount {
    let client: Client
    private var sessions: SessionProvider { client.sessions }

    func status(
        _ active: inout ActiveSession, _ backend: any Backend, else failure: String
    ) throws(AuthError) -> IdentityStatus {
        try send(&active, "requesting the linked identities", else: failure, \.user) { session throws(BackendError) in
            try backend.identities(of: session)
        }
    }

    /// Fails if another process logged in to a different account while the user logged in to the provider.
    ///
    /// - Parameter active: the earlier session; replaced by the newest session of the same account.
    func requireSameUser(_ active: inout ActiveSession) throws(AuthError) {
        var newest = try sessions.current()
        if newest.session.token != active.session.token {
            guard let id = active.user.id, try sessions.fetchUser(with: &newest).id == id else {
                throw AuthError(
                    .cancelled, "another process logged in to another account meanwhile",
                    next: "if that is the right account, run the command again")
            }
        }
        active = newest
    }

    func send<Value>(
        _ active: inout ActiveSession, _ activity: String, else failure: String, _ user: (Value) -> User,
        _ request: (Session) throws(BackendError) -> Reply<Value>
    ) throws(AuthError) -> Value {
        let before = active
        do throws(AuthError) {
            let value = try sessions.send(activity, with: &active, request)
            active.user = user(value).keepingEmail(of: active.user)
            sessions.saveUser(of: active, insteadOf: before)
            return value
        } catch {
            throw sessions.explaining(error, failure: failure, done: "\(activity) succeeded")
        }
    }
}
