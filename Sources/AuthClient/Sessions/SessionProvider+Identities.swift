import AuthModel

/// Requests about the account's identities. The user from each response is saved.
extension SessionProvider {
    func identities(
        _ active: inout ActiveSession, _ backend: any Backend, else failure: String
    ) throws(AuthError) -> IdentityStatus {
        try send("requesting the linked identities", with: &active, else: failure, \.user) {
            session throws(BackendError) in
            try backend.identities(of: session)
        }
    }

    /// Fails if another process logged in to a different account while the user logged in to the provider.
    ///
    /// - Parameter active: the earlier session; replaced by the newest session of the same account.
    func requireSameUser(_ active: inout ActiveSession) throws(AuthError) {
        var newest = try current()
        if newest.session.token != active.session.token {
            guard let id = active.user.id, try fetchUser(with: &newest).id == id else {
                throw AuthError(
                    .cancelled, "another process logged in to another account meanwhile",
                    next: "if that is the right account, run the command again")
            }
        }
        active = newest
    }

    func send<Value>(
        _ activity: String, with active: inout ActiveSession, else failure: String, _ user: (Value) -> User,
        _ request: (Session) throws(BackendError) -> Reply<Value>
    ) throws(AuthError) -> Value {
        let before = active
        do throws(AuthError) {
            let value = try send(activity, with: &active, request)
            active.user = user(value).keepingEmail(of: active.user)
            saveUser(of: active, insteadOf: before)
            return value
        } catch {
            throw explaining(error, failure: failure, done: "\(activity) succeeded")
        }
    }
}
